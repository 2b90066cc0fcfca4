// Grep: what it finds, in which form and order, what it counts, and what it says of the rest.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../src/protocol/errors.js';
import type { GrepInput } from '../../src/protocol/tool-io.js';
import { createGrepTool, grepTool } from '../../src/tools/search.js';
import type { ToolContext } from '../../src/tools/tool.js';
import { createFileTree } from '../support/file-tree.js';
import { createToolContext } from '../support/tool-context.js';

const tree = createFileTree({
  '.gitignore': 'ignored/\n*.log\n',
  'a.ts': 'one\nfoo first\ntwo\nthree\nfour\nfive\nfoo second\nlast\n',
  'src/b.ts': 'const foo = 1;\nFOO again\n',
  'src/c.py': 'foo = 2\n',
  'src/deep/d.test.ts': 'test foo()\n',
  '.hidden/e.ts': 'hidden foo\n',
  'ignored/f.ts': 'ignored foo\n',
  'g.log': 'logged foo\n',
  '.git/config': 'git foo\n',
  'crlf.txt': 'foo crlf\r\nother\r\n',
  'span.txt': 'start\nmiddle\nend\n',
  'odd-1-name:2:x.txt': 'odd foo\n',
  'with\nbreak.txt': 'broken foo\n',
  '-dash.txt': '-foo --flag\n',
  'latin1.txt': Uint8Array.of(0x66, 0x6f, 0x6f, 0x20, 0xe9, 0x0a),
  'binary.bin': Uint8Array.of(0x66, 0x6f, 0x6f, 0x00, 0x01, 0x0a, 0x66, 0x6f, 0x6f, 0x0a),
});
symlinkSync(join(tree, 'src'), join(tree, 'link'));

async function grep(input: GrepInput, context: ToolContext = createToolContext({ cwd: tree })) {
  const outcome = await grepTool.run(input, context);
  expect(outcome.model).toBe(outcome.data.results);
  return outcome.data;
}

async function fail(input: GrepInput): Promise<string> {
  const error = await grep(input).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ToolError);
  return error instanceof Error ? error.message : '';
}

describe('files_with_matches', () => {
  it('is the default: relative paths, newest first, ignored files and links left out', async () => {
    expect(await grep({ pattern: 'foo' })).toEqual({
      results: [
        'latin1.txt',
        '-dash.txt',
        JSON.stringify('with\nbreak.txt'),
        'odd-1-name:2:x.txt',
        'crlf.txt',
        '.hidden/e.ts',
        'src/deep/d.test.ts',
        'src/c.py',
        'src/b.ts',
        'a.ts',
      ].join('\n'),
      matchCount: 10,
    });
  });

  it('pages with head_limit and offset', async () => {
    const first = await grep({ pattern: 'foo', head_limit: 4 });
    expect(first).toMatchObject({ matchCount: 10, truncated: true });
    expect(first.results).toContain('[Truncated: files 1 to 4 of 10 shown; use offset 4 for more');
    const last = await grep({ pattern: 'foo', head_limit: 4, offset: 8 });
    expect(last).toEqual({ results: 'src/b.ts\na.ts', matchCount: 10 });
    expect((await grep({ pattern: 'foo', offset: 50 })).results).toBe('[Nothing at offset 50: there are 10 files.]');
  });
});

describe('content', () => {
  const content = (input: Partial<GrepInput> & { pattern: string }) => grep({ output_mode: 'content', ...input });

  it('is path, line number and text in order of path', async () => {
    expect(await content({ pattern: 'foo', glob: '*.ts' })).toEqual({
      results: [
        '.hidden/e.ts:1:hidden foo',
        'a.ts:2:foo first',
        'a.ts:7:foo second',
        'src/b.ts:1:const foo = 1;',
        'src/deep/d.test.ts:1:test foo()',
      ].join('\n'),
      matchCount: 5,
    });
  });

  it('leaves the numbers out if they are not wanted', async () => {
    expect((await content({ pattern: 'foo', path: 'a.ts', '-n': false })).results).toBe(
      'a.ts:foo first\na.ts:foo second',
    );
  });

  it('shows lines around matches, parted if they do not touch', async () => {
    expect(await content({ pattern: 'foo', path: 'a.ts', context: 1 })).toEqual({
      results: 'a.ts-1-one\na.ts:2:foo first\na.ts-3-two\n--\na.ts-6-five\na.ts:7:foo second\na.ts-8-last',
      matchCount: 2,
    });
    expect((await content({ pattern: 'first', path: 'a.ts', '-A': 1 })).results).toBe('a.ts:2:foo first\na.ts-3-two');
    expect((await content({ pattern: 'first', path: 'a.ts', '-B': 1 })).results).toBe('a.ts-1-one\na.ts:2:foo first');
    expect((await content({ pattern: 'first', path: 'a.ts', '-C': 1, '-A': 0 })).results).toBe(
      'a.ts-1-one\na.ts:2:foo first',
    );
    expect((await content({ pattern: 'first', path: 'a.ts', context: -5 })).results).toBe('a.ts:2:foo first');
  });

  it('pages by lines', async () => {
    const page = await content({ pattern: 'foo', glob: '*.ts', head_limit: 2, offset: 1 });
    expect(page.results).toBe(
      'a.ts:2:foo first\na.ts:7:foo second\n[Truncated: lines 2 to 3 of 5 shown; use offset 3 for more, or narrow the search.]',
    );
    expect(page).toMatchObject({ matchCount: 5, truncated: true });
  });

  it('reads odd names, line ends and encodings', async () => {
    expect((await content({ pattern: 'odd foo' })).results).toBe('odd-1-name:2:x.txt:1:odd foo');
    expect((await content({ pattern: 'broken foo' })).results).toBe(
      `${JSON.stringify('with\nbreak.txt')}:1:broken foo`,
    );
    expect((await content({ pattern: 'foo crlf' })).results).toBe('crlf.txt:1:foo crlf');
    expect((await content({ pattern: 'foo', path: 'latin1.txt' })).results).toBe('latin1.txt:1:foo \ufffd');
    expect((await content({ pattern: 'foo', path: 'binary.bin' })).results).toBe('binary.bin:(binary file matches)');
  });

  it('matches across lines only if asked', async () => {
    expect(await fail({ pattern: 'start\nmiddle', output_mode: 'content' })).toContain('multiline');
    expect(await content({ pattern: 'start.*end', multiline: true, path: 'span.txt' })).toEqual({
      results: 'span.txt:1:start\nspan.txt:2:middle\nspan.txt:3:end',
      matchCount: 3,
    });
  });

  it('ignores case if asked, and knows look-around', async () => {
    expect((await content({ pattern: 'foo', path: 'src/b.ts', '-i': true })).matchCount).toBe(2);
    expect((await content({ pattern: 'foo(?= second)' })).results).toBe('a.ts:7:foo second');
  });

  it('cuts a line of 5 MB and says so', async () => {
    const long = createFileTree({ 'long.txt': `${'x'.repeat(2_500_000)}foo${'y'.repeat(2_500_000)}\n` });
    const { results, matchCount } = await content({ pattern: 'foo', path: long });
    expect(results.length).toBeLessThan(2_200);
    expect(results).toMatch(/x\s?\[\.\.\. .*\]$/);
    expect(matchCount).toBe(1);
  });

  it('counts all of very many matches and shows what fits', async () => {
    const files = Array.from({ length: 40 }, (_, n) => [`f${String(n).padStart(2, '0')}.txt`, 'foo bar\n'.repeat(500)]);
    const many = createFileTree(Object.fromEntries(files));
    const first = await content({ pattern: 'foo', path: many });
    expect(first).toEqual(await content({ pattern: 'foo', path: many }));
    expect(first).toMatchObject({ matchCount: 20_000, truncated: true });
    expect(first.results.split('\n')).toHaveLength(251);
    const all = await content({ pattern: 'foo', path: many, head_limit: 0 });
    expect(all.results.length).toBeLessThan(31_000);
    expect(all.results).toMatch(/lines 1 to \d+ of 20000 shown/);
    const late = await content({ pattern: 'foo', path: many, offset: 15_000, head_limit: 1 });
    expect(late.results).toContain('f30.txt:1:foo bar');
  });
});

describe('count', () => {
  it('is matching lines per file, and their sum', async () => {
    expect(await grep({ pattern: 'foo', output_mode: 'count', glob: '*.ts' })).toEqual({
      results: '.hidden/e.ts:1\na.ts:2\nsrc/b.ts:1\nsrc/deep/d.test.ts:1',
      matchCount: 5,
    });
  });
});

describe('where it looks', () => {
  const where = async (input: Partial<GrepInput>): Promise<string[]> =>
    (await grep({ pattern: 'foo', ...input })).results.split('\n').toSorted();

  it.each<[Partial<GrepInput>, string[]]>([
    [{ type: 'py' }, ['src/c.py']],
    [{ glob: '*.py' }, ['src/c.py']],
    [{ glob: '**/*.py' }, ['src/c.py']],
    [{ glob: '*.{py,js}' }, ['src/c.py']],
    [{ glob: '*.py,*.js' }, ['src/c.py']],
    [{ glob: '*.py *.js' }, ['src/c.py']],
    [{ glob: 'src/**' }, ['src/b.ts', 'src/c.py', 'src/deep/d.test.ts']],
    [{ glob: 'src/*.ts' }, ['src/b.ts']],
    [{ glob: 'src/*.ts', path: 'src' }, ['src/b.ts']],
    [{ glob: '*.ts', path: 'src' }, ['src/b.ts', 'src/deep/d.test.ts']],
    [{ glob: '!*.test.ts', path: 'src' }, ['src/b.ts', 'src/c.py']],
    [{ glob: '*.ts,!*.test.ts', path: 'src' }, ['src/b.ts']],
    [{ glob: '!{*.py,*.test.ts}', path: 'src' }, ['src/b.ts']],
    [{ glob: 'src/*', type: 'py' }, ['src/c.py']],
    [{ glob: '*.log' }, ['No matches found']],
    [{ glob: '**/*', path: 'src/deep' }, ['src/deep/d.test.ts']],
    [{ path: 'ignored' }, ['ignored/f.ts']],
    [{ path: 'g.log' }, ['g.log']],
    [{ path: join(tree, 'src/c.py') }, ['src/c.py']],
    [{ path: 'link' }, ['link/b.ts', 'link/c.py', 'link/deep/d.test.ts']],
  ])('%j', async (input, expected) => {
    expect(await where(input)).toEqual(expected);
  });

  it('shows paths outside of the working directory whole', async () => {
    const context = createToolContext({ cwd: join(tree, 'src/deep') });
    expect((await grep({ pattern: 'foo', path: '../c.py' }, context)).results).toBe(join(tree, 'src/c.py'));
  });
});

describe('what is hard to say', () => {
  it('takes patterns and names that look like flags', async () => {
    expect((await grep({ pattern: '--flag', output_mode: 'content' })).results).toBe('-dash.txt:1:-foo --flag');
    expect((await grep({ pattern: '-foo', path: '-dash.txt' })).results).toBe('-dash.txt');
    expect((await grep({ pattern: '--pre=/bin/sh' })).results).toBe('No matches found');
  });

  it('says that there is nothing', async () => {
    expect(await grep({ pattern: 'nowhere-at-all' })).toEqual({ results: 'No matches found', matchCount: 0 });
  });

  it('passes on what is wrong', async () => {
    expect(await fail({ pattern: '(open' })).toMatch(/unclosed group.*Correct the pattern/s);
    expect(await fail({ pattern: 'x', type: 'klingon' })).toContain('klingon');
    expect(await fail({ pattern: 'x', path: 'missing' })).toContain('does not exist');
    expect(await fail({ pattern: 'x', path: '/dev/null' })).toContain('neither a file nor a folder');
    expect(await fail({ pattern: '' })).toContain('empty');
    expect(await fail({ pattern: 'x', glob: '{a,b}'.repeat(12) })).toContain('alternatives');
    expect(await fail({ pattern: 'x', glob: `!${'{a,b}'.repeat(12)}` })).toContain('alternatives');
    for (const field of ['pattern', 'path', 'glob', 'type']) {
      expect(await fail({ pattern: 'x', [field]: 'a\0b' })).toContain(`\`${field}\` holds a NUL byte`);
    }
  });

  it('is partial, and says so, at the deadline', async () => {
    const outcome = await createGrepTool({ deadlineMs: 1 }).run({ pattern: 'x', path: '/' }, createToolContext());
    expect(outcome.data.truncated).toBe(true);
    expect(outcome.data.results).toContain('[Stopped after 1 ms: the result is partial.');
  });

  it('stops when interrupted', async () => {
    const context = createToolContext({ cwd: tree, signal: AbortSignal.abort() });
    await expect(grep({ pattern: 'foo' }, context)).rejects.toThrow('interrupted');
  });

  it('says what to do if ripgrep is missing', async () => {
    const context = createToolContext({ cwd: tree, childEnv: { PATH: '/no/such/folder' } });
    const fs: typeof context.host.fs = {
      ...context.host.fs,
      stat: (path) => context.host.fs.stat(path.endsWith('/rg') ? '/no/such/file' : path),
    };
    const host = { ...context.host, fs };
    await expect(grep({ pattern: 'foo' }, { ...context, host })).rejects.toThrow('Install it (`rg` on the PATH)');
  });
});

describe('what is declared', () => {
  it('is the path that is read', () => {
    expect(grepTool.subject({ pattern: 'x' }, '/w')).toEqual({ kind: 'path', path: '/w', access: 'read' });
    expect(grepTool.subject({ pattern: 'x', path: '../y' }, '/w')).toMatchObject({ path: '/y' });
    expect(grepTool.title({ pattern: 'a\nb', path: 'src' })).toBe('Search a b in src');
    expect([grepTool.readOnly, grepTool.concurrencySafe]).toEqual([true, true]);
  });
});
