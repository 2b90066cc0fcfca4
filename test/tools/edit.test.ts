// Edit over real files: what it changes, what it leaves, what it refuses.
import { execFileSync } from 'node:child_process';
import { chmod, lstat, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyPatch } from 'diff';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import { ToolError } from '../../src/protocol/errors.js';
import type { FileEditOutput } from '../../src/protocol/tool-io.js';
import { editTool, readTool } from '../../src/tools/files.js';
import type { ToolContext } from '../../src/tools/tool.js';
import { markSeen } from '../support/seen-file.js';
import { createToolContext } from '../support/tool-context.js';

let context: ToolContext;

beforeEach(() => {
  context = createToolContext();
});

const at = (name: string): string => join(context.cwd, name);
const input = (old_string: string, new_string: string, more: { file_path?: string; replace_all?: boolean } = {}) => ({
  file_path: 'a.txt',
  old_string,
  new_string,
  ...more,
});

async function edit(call: ReturnType<typeof input>, using = context): Promise<{ model: string; data: FileEditOutput }> {
  const { model, data } = await editTool.run(call, using);
  return { model: String(model), data };
}

async function failure(call: ReturnType<typeof input>, using = context): Promise<ToolError> {
  const error = await editTool.run(call, using).then(
    () => new Error('did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ToolError)) throw error;
  return error;
}

/** A file that was seen as it is. */
async function given(content: string | Buffer, name = 'a.txt'): Promise<void> {
  await writeFile(at(name), content);
  await markSeen(context, name);
}

/** Writes `content`, edits it, and gives what the file holds then, as text of one character per byte. */
async function edited(content: string | Buffer, call: ReturnType<typeof input>): Promise<string> {
  await given(content);
  await edit(call);
  return readFile(at('a.txt'), 'latin1');
}

describe('what Edit changes', () => {
  it('replaces one exact match and shows the place', async () => {
    await given('one\ntwo\nthree\nfour\nfive\nsix\n');
    const { model, data } = await edit(input('three', 'THREE\nand a half'));
    expect(await readFile(at('a.txt'), 'utf8')).toBe('one\ntwo\nTHREE\nand a half\nfour\nfive\nsix\n');
    expect(model).toBe(
      `Replaced 1 occurrence in ${at('a.txt')}.\nThe changed part now reads:\n     1\tone\n     2\ttwo\n     3\tTHREE\n     4\tand a half\n     5\tfour\n     6\tfive\n     7\tsix`,
    );
    expect(data).toMatchObject({ success: true, file_path: at('a.txt') });
    expect(data.diff).toContain('-three\n+THREE\n+and a half\n');
  });

  it('takes new_string to the letter', async () => {
    expect(await edited('price: X', input('X', '$& $1 $$ $` \\n'))).toBe('price: $& $1 $$ $` \\n');
    expect(await edited('a X b X', input('X', '$&', { replace_all: true }))).toBe('a $& b $&');
  });

  it('takes old_string to the letter', async () => {
    expect(await edited('a.c abc', input('a.c', 'x'))).toBe('x abc');
  });

  it('replaces all occurrences, left to right', async () => {
    expect(await edited('aaaaa', input('aa', 'b', { replace_all: true }))).toBe('bba');
    expect(await edited('x\r\nx\ny', input('x\n', 'z\n', { replace_all: true }))).toBe('z\r\nz\ny');
  });

  it('deletes text', async () => {
    expect(await edited('one\ntwo\n', input('one\n', ''))).toBe('two\n');
    expect((await edit(input('two\n', ''))).model).toContain('now empty');
  });

  it('creates a file and its folders from an empty old_string, or fills an empty file', async () => {
    const { data } = await edit(input('', 'new\n', { file_path: 'x/y/new.txt' }));
    expect(await readFile(at('x/y/new.txt'), 'utf8')).toBe('new\n');
    expect(data.diff).toContain('+new');
    expect(await edited('', input('', 'filled'))).toBe('filled');
    expect(await edited('\ufeff', input('', 'f'))).toBe('\xef\xbb\xbff');
  });

  it('gives a diff that makes the new text from the old', async () => {
    const old = Array.from({ length: 300 }, (_, index) => `line ${index % 7}\n`).join('');
    await given(old);
    const { data } = await edit(input('line 3', 'LINE\nthree', { replace_all: true }));
    expect(applyPatch(old, data.diff ?? '')).toBe(await readFile(at('a.txt'), 'utf8'));
  });

  it('cuts a huge diff with a mark', async () => {
    await given('one\nX\ntwo\n');
    const { data, model } = await edit(input('X', `${'word '.repeat(50)}\n`.repeat(400)));
    expect(data.diff?.length ?? 0).toBeLessThan(70_000);
    expect(data.diff).toMatch(/\[diff cut: \d+ more characters\]\n$/);
    expect(model).toContain('[more changed lines below]');
  });
});

describe('what Edit keeps', () => {
  it('CRLF, also in lines it adds', async () => {
    expect(await edited('one\r\ntwo\r\n', input('one\ntwo', 'one\nnew\ntwo'))).toBe('one\r\nnew\r\ntwo\r\n');
    expect(await edited('one\r\ntwo', input('two', 'two\nthree'))).toBe('one\r\ntwo\r\nthree');
    expect(await edited('one\r\ntwo\r\n', input('one\r\ntwo', 'one\r\n2'))).toBe('one\r\n2\r\n');
  });

  it('LF, when old_string has CRLF; CRLF in new_string if it is meant', async () => {
    expect(await edited('one\ntwo\n', input('one\r\ntwo', 'one\r\n2'))).toBe('one\n2\n');
    expect(await edited('eol = "X"\n', input('X', '\r\n'))).toBe('eol = "\r\n"\n');
  });

  it('each ending of a file with both, and new lines take that of their place', async () => {
    expect(await edited('a\r\nb\nc\r\nd\n', input('b\nc', 'b\nX\nc'))).toBe('a\r\nb\nX\r\nc\r\nd\n');
    expect(await edited('a\r\nb\nc\n', input('b', 'b\nX'))).toBe('a\r\nb\nX\nc\n');
    expect(await edited('a\r\nb\nc\n', input('a\nb\nc', 'a\nb\nC'))).toBe('a\r\nb\nC\n');
  });

  it('a byte order mark, UTF-16 and Latin-1', async () => {
    expect(await edited('\ufeffone', input('one', 'two'))).toBe('\xef\xbb\xbftwo');
    expect(await edited(Buffer.from('caf\xe9 \xff', 'latin1'), input('café', 'thé'))).toBe('th\xe9 \xff');
    const wide = await edited(Buffer.from('\ufeffa\r\nb', 'utf16le'), input('a\nb', 'a\n€'));
    expect(Buffer.from(wide, 'latin1').toString('utf16le')).toBe('\ufeffa\r\n€');
  });

  it('the mode of the file and the link it is reached by', async () => {
    await given('one', 'real');
    await chmod(at('real'), 0o755);
    await symlink('real', at('a.txt'));
    await edit(input('one', 'two'));
    expect((await lstat(at('a.txt'))).isSymbolicLink()).toBe(true);
    expect(await readFile(at('real'), 'utf8')).toBe('two');
    expect((await stat(at('real'))).mode & 0o777).toBe(0o755);
    expect((await readdir(context.cwd)).sort()).toEqual(['a.txt', 'real']);
  });

  it('the old content when the write fails', async () => {
    const host = createMemoryHost({ files: { '/a.txt': 'old' } });
    const memory = createToolContext({ host, cwd: '/' });
    await markSeen(memory, '/a.txt');
    host.failNext('replaceLocated', 'ENOSPC');
    const error = await failure(input('old', 'new'), memory);
    expect(error.message).toContain('no space is left');
    expect(error.data).toEqual({ success: false, file_path: '/a.txt', error: error.message });
    expect(host.files()).toEqual({ '/a.txt': 'old' });
    await edit(input('old', 'new'), memory);
    expect(host.files()).toEqual({ '/a.txt': 'new' });
  });
});

describe('what Edit refuses', () => {
  it('several matches, with their places, overlapping ones too', async () => {
    await given('x = 1\ny\nx = 2\n');
    const { message } = await failure(input('x =', 'z ='));
    expect(message).toContain('occurs 2 times');
    expect(message).toContain('line 1: x = 1\nline 3: x = 2');
    await given('aaa');
    expect((await failure(input('aa', 'b'))).message).toContain('occurs 2 times');
    await given('x\n'.repeat(50));
    expect((await failure(input('x', 'b'))).message).toContain('… and 40 more');
  });

  it('nothing to change', async () => {
    await given('a\nb');
    expect((await failure(input('a', 'a'))).message).toContain('the same');
    await given('a\r\nb');
    expect((await failure(input('a\nb', 'a\r\nb'))).message).toContain('line endings only');
  });

  it('an empty old_string for a file with content', async () => {
    await given('kept');
    expect((await failure(input('', 'x'))).message).toContain('not empty');
    expect(await readFile(at('a.txt'), 'utf8')).toBe('kept');
  });

  it('not a file that was only touched, or written again as it was', async () => {
    await writeFile(at('a.txt'), 'one two');
    await readTool.run({ file_path: 'a.txt' }, context);
    await utimes(at('a.txt'), new Date(), new Date());
    await writeFile(at('a.txt'), 'one two');
    await edit(input('one', '1'));
    expect(await readFile(at('a.txt'), 'utf8')).toBe('1 two');
  });

  it('a file that changed and has the size and the times it had', async () => {
    await writeFile(at('a.txt'), 'one two');
    const { atime, mtime } = await stat(at('a.txt'));
    await readTool.run({ file_path: 'a.txt' }, context);
    await writeFile(at('a.txt'), 'one six');
    await utimes(at('a.txt'), atime, mtime);
    expect((await failure(input('one', '1'))).message).toContain('changed since');
    expect(await readFile(at('a.txt'), 'utf8')).toBe('one six');
  });

  it('a file that changed since it was read, until it is read again', async () => {
    await writeFile(at('a.txt'), 'one two');
    await readTool.run({ file_path: 'a.txt' }, context);
    await writeFile(at('a.txt'), 'one 222');
    expect((await failure(input('one', 'x'))).message).toContain('Read it again');
    expect(await readFile(at('a.txt'), 'utf8')).toBe('one 222');
    await readTool.run({ file_path: 'a.txt' }, context);
    await edit(input('one', 'x'));
    await edit(input('222', 'y'));
    expect(await readFile(at('a.txt'), 'utf8')).toBe('x y');
    expect((await readTool.run({ file_path: 'a.txt' }, context)).model).toBe('     1\tx y');
  });

  it('a file that changes while the edit is worked out', async () => {
    let opens = 0;
    const host = createMemoryHost({
      files: { '/a.txt': 'one' },
      onOperation(operation) {
        // The second open is the check before the write; someone else was faster.
        if (operation === 'openLocated' && ++opens === 2) void host.fs.writeFileAtomic('/a.txt', 'theirs');
      },
    });
    const memory = createToolContext({ host, cwd: '/' });
    await markSeen(memory, '/a.txt');
    const { message } = await failure(input('one', 'mine'), memory);
    expect(message).toContain('something else stands there than when this call was decided about');
    expect(host.files()).toEqual({ '/a.txt': 'theirs' });
  });

  it('a file that was not read, until it is, by whatever name', async () => {
    await writeFile(at('a.txt'), 'one two');
    await symlink('a.txt', at('link'));
    const { message, data } = await failure(input('one', '1'));
    expect(message).toContain('you have not read it in this session, so nothing was written. Read it first');
    expect(data).toMatchObject({ success: false });
    expect(await readFile(at('a.txt'), 'utf8')).toBe('one two');
    await readTool.run({ file_path: 'link', offset: 1, limit: 1 }, context);
    await edit(input('one', '1'));
    await edit(input('two', '2', { file_path: 'link' }));
    expect(await readFile(at('a.txt'), 'utf8')).toBe('1 2');
  });

  it('no file that was only remembered, and changed since', async () => {
    await writeFile(at('a.txt'), 'one two');
    const { ctimeMs } = await stat(at('a.txt'));
    context.readFileCache.set(at('a.txt'), { hash: null, seenAtMs: Math.floor(ctimeMs) - 1 });
    expect((await failure(input('one', '1'))).message).toContain('has changed since');
    context.readFileCache.set(at('a.txt'), { hash: null, seenAtMs: Math.floor(ctimeMs) });
    await edit(input('one', '1'));
    expect(await readFile(at('a.txt'), 'utf8')).toBe('1 two');
  });

  it('directories, pipes, binary and missing files', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    await writeFile(at('a.bin'), Buffer.alloc(10));
    expect((await failure(input('a', 'b', { file_path: '.' }))).message).toContain('is a directory');
    expect((await failure(input('', 'b', { file_path: '.' }))).message).toContain('is a directory');
    expect((await failure(input('a', 'b', { file_path: 'pipe' }))).message).toContain('not a regular file');
    expect((await failure(input('', 'b', { file_path: 'pipe' }))).message).toContain('not a regular file');
    expect((await failure(input('a', 'b', { file_path: 'a.bin' }))).message).toContain('not text');
    expect((await failure(input('a', 'b', { file_path: 'b.bin' }))).message).toContain('a.bin');
  });

  it('characters the file cannot hold', async () => {
    await given(Buffer.from([0x61, 0xe9]));
    expect((await failure(input('a', '€'))).message).toContain('U+20AC');
    await given('a');
    expect((await failure(input('a', '\ud800'))).message).toContain('U+D800');
    expect((await failure(input('', '\ud800', { file_path: 'new' }))).message).toContain('U+D800');
    expect(await readdir(context.cwd)).toEqual(['a.txt']);
  });

  it('anything once the call is aborted', async () => {
    await writeFile(at('a.txt'), 'one');
    await markSeen(context, 'a.txt');
    const aborted = { ...context, signal: AbortSignal.abort() };
    expect((await failure(input('one', 'two'), aborted)).message).toContain('aborted');
    expect((await failure(input('', 'two', { file_path: 'new' }), aborted)).message).toContain('aborted');
    expect(await readFile(at('a.txt'), 'utf8')).toBe('one');
  });

  it('a result that would grow without bounds', async () => {
    await given('x'.repeat(100_000));
    const { message } = await failure(input('x', 'y'.repeat(1_000), { replace_all: true }));
    expect(message).toContain('would grow');
  });
});
