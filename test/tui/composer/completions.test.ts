import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Completion,
  createCompletions,
  createFileList,
  matchingCommands,
  mentionBefore,
} from '../../../src/tui/composer/completions.js';
import { type ListedFile, rankFiles } from '../../../src/util/rank-files.js';
import { temporaryFolder } from '../../support/engine.js';

const COMMANDS = [
  { name: 'compact', description: 'Makes room', argumentHint: '[what to keep]' },
  { name: 'context', description: 'Shows what fills\nthe window' },
  { name: 'team:deploy', description: 'Deploys' },
  { name: 'exit', description: 'Leaves', aliases: ['quit'] },
];
const signal = new AbortController().signal;
const listed = (paths: readonly string[], isIgnored = false): ListedFile[] =>
  paths.map((path) => ({ path, isIgnored }));

function completions(files: readonly ListedFile[] = []) {
  return createCompletions({
    commands: () => COMMANDS,
    files: { read: async () => files, dispose: () => undefined },
    columns: () => 80,
  });
}

async function propose(text: string, files: readonly ListedFile[] = []): Promise<string[] | null> {
  const lines = text.split('\n');
  const found = await completions(files).getSuggestions(lines, lines.length - 1, lines.at(-1)?.length ?? 0, { signal });
  return found?.items.map(({ value }) => value) ?? null;
}

test('a slash at the start proposes commands, with hints', async () => {
  expect(await propose('/')).toEqual(['/compact', '/context', '/exit', '/team:deploy']);
  expect(await propose('/co')).toEqual(['/compact', '/context']);
  expect(await propose('/dep')).toEqual(['/team:deploy']);
  expect(await propose('/qui')).toEqual(['/exit']);
  expect(matchingCommands(COMMANDS, 'co').map(({ label, description }) => [label, description])).toEqual([
    ['compact', '[what to keep]  Makes room'],
    ['context', 'Shows what fills the window'],
  ]);
  expect(matchingCommands(COMMANDS, 'co', 40).map(({ label }) => label)).toEqual(['compact [what to keep]', 'context']);
});

test.each(['/compact now', 'see /co', 'a\n/co', 'x/co', ''])('%j proposes no command', async (text) => {
  expect(await propose(text)).toBeNull();
});

test.each([
  ['@src', '@src', 'src'],
  ['see @', '@', ''],
  ['see @a/b.ts', '@a/b.ts', 'a/b.ts'],
  ['see @"a b', '@"a b', 'a b'],
  ['mail me@example.org', null, null],
  ['@a b', null, null],
  ['@"a" b', null, null],
])('the word before the caret of %j', (before, word, query) => {
  expect(mentionBefore(before)).toEqual(word === null ? null : { word, query });
});

test('files: the name before the folders, side by side before in order, ignored last', () => {
  const files = [
    ...listed([
      'src/tui/composer/composer.ts',
      'docs/compose.md',
      'src/completions.ts',
      'composer/readme.md',
      'c/o/m/p.ts',
    ]),
    ...listed(['dist/comp.js'], true),
  ];
  expect(rankFiles(files, 'comp', 10).map(({ path }) => path)).toEqual([
    'docs/compose.md',
    'src/completions.ts',
    'src/tui/composer/composer.ts',
    'composer/readme.md',
    'c/o/m/p.ts',
    'dist/comp.js',
  ]);
  expect(rankFiles(files, '', 10)).toEqual([]);
  expect(rankFiles(listed(['a.ts', 'src/', 'src/b.ts']), '', 10).map(({ path }) => path)).toEqual(['a.ts', 'src/']);
  expect(rankFiles(files, 'SRC/TUI', 1)[0]?.path).toBe('src/tui/composer/composer.ts');
  expect(rankFiles(files, 'nothing-like-it', 10)).toEqual([]);
});

test('whatever the query: each file that is found holds its letters, and the best are not cut off', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 12 }), { maxLength: 30 }),
      fc.string({ maxLength: 5 }),
      (paths, query) => {
        const files = listed([...new Set(paths)].filter((path) => path !== ''));
        const all = rankFiles(files, query, 1_000);
        expect(rankFiles(files, query, 3)).toEqual(all.slice(0, 3));
      },
    ),
  );
});

test('a completion takes the place of its word', () => {
  const apply = (text: string, column: number, item: Completion, prefix: string) => {
    const { lines, cursorCol } = completions().applyCompletion([text], 0, column, item, prefix);
    return `${lines[0]?.slice(0, cursorCol)}|${lines[0]?.slice(cursorCol)}`;
  };
  expect(apply('see @sr now', 7, { value: '@src/a.ts', label: '' }, '@sr')).toBe('see @src/a.ts| now');
  expect(apply('see @sr', 7, { value: '@src/a.ts', label: '' }, '@sr')).toBe('see @src/a.ts |');
  expect(apply('see @sr', 7, { value: '@src/', label: '' }, '@sr')).toBe('see @src/|');
  expect(apply('@"a b', 5, { value: '@"a b/"', label: '' }, '@"a b')).toBe('@"a b/|"');
});

test('ripgrep lists what git does not ignore first, what it ignores last, and `.git` never', async () => {
  const cwd = await temporaryFolder();
  execFileSync('git', ['init', '-q'], { cwd });
  for (const folder of ['src', 'dist', '.github', 'with blank']) mkdirSync(join(cwd, folder));
  writeFileSync(join(cwd, '.gitignore'), 'dist\n');
  for (const file of ['src/a.ts', 'dist/a.js', '.github/a.yml', 'with blank/a.md', 'b\n.txt', 'b".txt'])
    writeFileSync(join(cwd, file), '');
  let now = 0;
  const list = createFileList({ cwd, env: process.env, now: () => now });
  const paths = async () => (await list.read()).map(({ path }) => path);
  expect((await paths()).sort()).toEqual(
    ['.gitignore', '.github/', '.github/a.yml', 'src/', 'src/a.ts', 'with blank/', 'with blank/a.md'].sort(),
  );
  await expect
    .poll(async () => (await list.read()).filter(({ isIgnored }) => isIgnored).map(({ path }) => path))
    .toEqual(['dist/a.js', 'dist/']);
  const found = await propose('@bla', await list.read());
  expect(found).toEqual(['@"with blank/"', '@"with blank/a.md"']);
  // Later the list is made anew.
  writeFileSync(join(cwd, 'new.ts'), '');
  now += 10_000;
  await expect.poll(paths).toContain('new.ts');
  list.dispose();
});

test('without ripgrep, or in a folder that is gone, there are no proposals', async () => {
  const list = createFileList({ cwd: '/nowhere/at/all', env: {}, now: () => 0 });
  expect(await list.read()).toEqual([]);
});
