// Glob: which files a pattern finds, in which order, and what is said of the ones it does not show.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ToolError } from '../../src/protocol/errors.js';
import type { GlobOutput } from '../../src/protocol/tool-io.js';
import { comparePaths, isSurelyBehind } from '../../src/tools/search/search-paths.js';
import { createGlobTool, globTool } from '../../src/tools/search.js';
import type { ToolContext } from '../../src/tools/tool.js';
import { createFileTree } from '../support/file-tree.js';
import { createToolContext } from '../support/tool-context.js';

const tree = createFileTree({
  '.gitignore': 'node_modules/\n*.log\n/build/*\n',
  'a.ts': '',
  'src/b.ts': '',
  'src/deep/c.ts': '',
  'src/deep/d.tsx': '',
  'src/deep/e.js': '',
  'src/[id]/page.tsx': '',
  '.hidden/f.ts': '',
  '.env': '',
  'node_modules/pkg/g.ts': '',
  'debug.log': '',
  'build/h.ts': '',
  '.git/config': '',
  '.git/i.ts': '',
  'odd name/with\nbreak.ts': '',
  'odd name/-dash.ts': '',
  'odd name/"quotes".md': '',
});
symlinkSync(join(tree, 'src'), join(tree, 'link'));
symlinkSync(join(tree, 'a.ts'), join(tree, 'linked.ts'));
symlinkSync('/no/such/place', join(tree, 'broken.ts'));

async function glob(pattern: string, path?: string, context: ToolContext = createToolContext({ cwd: tree })) {
  const outcome = await globTool.run(path === undefined ? { pattern } : { pattern, path }, context);
  return { text: String(outcome.model), ...outcome.data };
}

/** Relative paths, in the order of the result. */
async function names(pattern: string, path?: string): Promise<string[]> {
  return (await glob(pattern, path)).files.map((file) => file.slice(tree.length + 1));
}

async function fail(pattern: string, path?: string): Promise<string> {
  const error = await glob(pattern, path).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ToolError);
  return error instanceof Error ? error.message : '';
}

const ALL_TS = ['odd name/-dash.ts', 'odd name/with\nbreak.ts', '.hidden/f.ts', 'src/deep/c.ts', 'src/b.ts', 'a.ts'];

it('knows by the bytes of a path that it comes behind another one, or does not say so', () => {
  const unit = fc.constantFrom('a', 'b', '/', 'é', '\ud7ff', '\ue000', '\ufffd', '\u{10000}', '\u{1f600}');
  const path = fc.string({ unit, maxLength: 6 });
  const bytes = (text: string) => new TextEncoder().encode(text);
  let known = 0;
  fc.assert(
    fc.property(path, path, (a, b) => {
      const isBehind = isSurelyBehind(bytes(`x${a}y`), 1, bytes(a).length + 1, bytes(b));
      if (isBehind) expect(comparePaths(a, b)).toBe(1);
      if (comparePaths(a, b) === 1 && !/[\ue000-\uffff]|\p{Surrogate}|[\u{10000}-\u{10ffff}]/u.test(a + b)) {
        expect(isBehind).toBe(true);
        known += 1;
      }
    }),
    { seed: 42, numRuns: 2_000 },
  );
  expect(known).toBeGreaterThan(50);
});

describe('what is found', () => {
  it('is newest first, with hidden files, without ignored ones and links', async () => {
    expect(await names('**/*.ts')).toEqual(ALL_TS);
  });

  it('is the same for a pattern without a slash', async () => {
    expect(await names('*.ts')).toEqual(ALL_TS);
  });

  it.each([
    ['src/*.ts', ['src/b.ts']],
    ['./src/*.ts', ['src/b.ts']],
    ['src/**/*.{ts,tsx}', ['src/[id]/page.tsx', 'src/deep/d.tsx', 'src/deep/c.ts', 'src/b.ts']],
    ['{src,.hidden}/*.ts', ['.hidden/f.ts', 'src/b.ts']],
    ['src/deep/?.[tj]s', ['src/deep/e.js', 'src/deep/c.ts']],
    ['src/[id]/*', ['src/[id]/page.tsx']],
    ['src/deep/', ['src/deep/e.js', 'src/deep/d.tsx', 'src/deep/c.ts']],
    ['src/deep', []],
    ['.env', ['.env']],
    ['page.tsx', ['src/[id]/page.tsx']],
    ['src/b.ts', ['src/b.ts']],
    ['*.md', ['odd name/"quotes".md']],
    ['odd name/*.md', ['odd name/"quotes".md']],
    ['*.none', []],
    ['nowhere/**', []],
    ['*/../*.ts', []],
  ])('by %s', async (pattern, expected) => {
    expect(await names(pattern)).toEqual(expected);
  });

  it('leaves .git and ignored files out of a pattern that matches everything', async () => {
    const found = await names('**/*');
    expect(found).not.toContain('.git/config');
    expect(found.filter((name) => /node_modules|\.log|build/.test(name))).toEqual([]);
    expect(found).toHaveLength(12);
  });

  it('finds ignored files if the pattern names their folder or the file', async () => {
    expect(await names('node_modules/**/*.ts')).toEqual(['node_modules/pkg/g.ts']);
    expect(await names('*.ts', 'node_modules')).toEqual(['node_modules/pkg/g.ts']);
    expect(await names('build/h.ts')).toEqual(['build/h.ts']);
  });

  it('starts at path, and takes absolute patterns and patterns that lead upwards', async () => {
    expect(await names('*.ts', 'src/deep')).toEqual(['src/deep/c.ts']);
    expect(await names('*.ts', join(tree, 'src/deep'))).toEqual(['src/deep/c.ts']);
    expect(await names(join(tree, 'src/*.ts'))).toEqual(['src/b.ts']);
    expect(await names('../*.ts', 'src')).toEqual(['a.ts']);
  });

  it('goes through a link that is named, not through one that is met', async () => {
    expect(await names('link/*.ts')).toEqual(['link/b.ts']);
  });
});

describe('the result', () => {
  it('is one line per file, odd names quoted', async () => {
    const { text } = await glob('odd name/*.ts');
    expect(text.split('\n')).toEqual([
      join(tree, 'odd name/-dash.ts'),
      JSON.stringify(join(tree, 'odd name/with\nbreak.ts')),
    ]);
  });

  it('says that nothing was found', async () => {
    expect(await glob('*.none')).toEqual({ text: 'No files found.', files: [], totalMatches: 0 });
  });

  it('shows 100 files and counts all', async () => {
    const many = createFileTree(Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`d${n % 7}/f${n}.txt`, ''])));
    const { files, totalMatches, truncated, text } = await glob('**/*.txt', many);
    expect([files.length, totalMatches, truncated]).toEqual([100, 150, true]);
    expect(files[0]).toBe(join(many, 'd2/f149.txt'));
    expect(text).toContain('[Truncated: 100 of 150 files shown, newest first.');
  });

  it('is in order of path if there are too many to look at', async () => {
    // Names that UTF-8 and UTF-16 put in different orders, and one of which no order is known beforehand.
    const odd = ['\ue000', '\u{1f600}', '\ufffd', 'é', 'f'];
    const names = Array.from({ length: 2_500 }, (_, n) => `${n % 3 === 0 ? odd[n % 5] : ''}f${n}.txt`);
    const many = createFileTree(Object.fromEntries(names.map((name) => [name, ''])));
    const first = await glob('*.txt', many);
    const oneByOne = { ...createToolContext({ cwd: many }), hiddenFiles: async () => () => false };
    expect(await glob('*.txt', many, oneByOne)).toEqual(first);
    expect(first.totalMatches).toBe(2_500);
    expect(first.files).toEqual(first.files.toSorted());
    expect(first.files[0]).toBe(join(many, 'f1.txt'));
    expect(first.text).toContain('by path');
  });

  it('lets other work of the process have its turn after some thousand files, however many there are', async () => {
    const root = mkdtempSync(join(tmpdir(), 'turnwright-many-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
    for (let folder = 0; folder < 40; folder++) {
      mkdirSync(join(root, `folder-${folder}`));
      for (let file = 0; file < 500; file++)
        writeFileSync(join(root, `folder-${folder}`, `a-rather-long-name-${file}.txt`), '');
    }
    let handled = 0;
    let most = 0;
    let isOver = false;
    const count = (): void => {
      most = Math.max(most, handled);
      handled = 0;
      if (!isOver) setImmediate(count);
    };
    const hiddenFiles = async () => () => {
      handled += 1;
      return false;
    };
    setImmediate(count);
    const { totalMatches } = await glob('**/*.txt', root, { ...createToolContext({ cwd: root }), hiddenFiles });
    isOver = true;
    expect(totalMatches).toBe(20_000);
    // A chunk of 64 KiB holds 1,700 of these names; one more may be on its way when the pipe is told to wait.
    expect(Math.max(most, handled)).toBeLessThan(5_000);
  });

  it('is partial, and says so, at the deadline', async () => {
    const outcome = await createGlobTool({ deadlineMs: 1 }).run({ pattern: '**', path: '/' }, createToolContext());
    const data: GlobOutput = outcome.data;
    expect(data.truncated).toBe(true);
    expect(String(outcome.model)).toContain('[Stopped after 1 ms: the result is partial.');
  });

  it.skipIf(process.platform !== 'linux')('keeps a name that is not valid UTF-8 apart from others', async () => {
    const odd = createFileTree({ 'good.ts': '' });
    writeFileSync(Buffer.concat([Buffer.from(`${odd}/bad-`), Buffer.of(0xff), Buffer.from('.ts')]), '');
    const { files } = await glob('*.ts', odd);
    expect(files).toEqual([join(odd, 'bad-\ufffd.ts'), join(odd, 'good.ts')]);
  });

  it('goes on past a folder that cannot be read', async () => {
    const root = createFileTree({ 'a.ts': '' });
    mkdirSync(join(root, 'closed'));
    chmodSync(join(root, 'closed'), 0);
    expect((await glob('*.ts', root)).totalMatches).toBe(1);
  });
});

describe('what is refused', () => {
  it('says what is wrong', async () => {
    expect(await fail('*.ts', 'a.ts')).toContain('is a file');
    expect(await fail('*.ts', 'missing')).toContain(`does not exist: ${join(tree, 'missing')}`);
    expect(await fail('*.ts', '/dev/null')).toContain('neither a file nor a folder');
    expect(await fail('a\0b')).toContain('NUL');
    expect(await fail('*', 'a\0b')).toContain('NUL');
    expect(await fail(' ')).toContain('empty');
    expect(await fail('{a,b}'.repeat(12))).toContain('alternatives');
    expect(await fail('a'.repeat(5_000))).toContain('too long');
  });

  it('stops when interrupted', async () => {
    const context = createToolContext({ cwd: tree, signal: AbortSignal.abort() });
    await expect(glob('*', undefined, context)).rejects.toThrow('interrupted');
  });
});

describe('what is declared', () => {
  it.each([
    [{ pattern: '*.ts' }, '/w'],
    [{ pattern: '*.ts', path: 'src' }, '/w/src'],
    [{ pattern: 'src/a/*.ts' }, '/w/src/a'],
    [{ pattern: '../other/*.ts' }, '/other'],
    [{ pattern: '/etc/*.conf', path: 'src' }, '/etc'],
    [{ pattern: '{a,/etc}/*.conf' }, '/w'],
    [{ pattern: '**/../../../etc/*' }, '/w'],
  ])('is the folder that is walked: %j', (input, path) => {
    expect(globTool.subject(input, '/w')).toEqual({ kind: 'path', path, access: 'read' });
    expect([globTool.readOnly, globTool.concurrencySafe]).toEqual([true, true]);
  });

  it('is one line for people', () => {
    expect(globTool.title({ pattern: '*\n.ts', path: 'src' })).toBe('Find * .ts in src');
  });
});
