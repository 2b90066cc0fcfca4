// Write over real files: what the file holds afterwards, and what is refused.
import { execFileSync } from 'node:child_process';
import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import { ToolError } from '../../src/protocol/errors.js';
import { readTool, writeTool } from '../../src/tools/files.js';
import type { ToolContext } from '../../src/tools/tool.js';
import { wholePng } from '../support/media-fixtures.js';
import { markSeen } from '../support/seen-file.js';
import { createToolContext } from '../support/tool-context.js';

let context: ToolContext;

beforeEach(() => {
  context = createToolContext();
});

const at = (name: string): string => join(context.cwd, name);

async function failure(file_path: string, content: string, using = context): Promise<ToolError> {
  const error = await writeTool.run({ file_path, content }, using).then(
    () => new Error('did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ToolError)) throw error;
  return error;
}

describe('Write', () => {
  it('creates a file and its folders', async () => {
    const { model, data } = await writeTool.run({ file_path: 'a/b/c.txt', content: 'é\n€' }, context);
    expect(await readFile(at('a/b/c.txt'), 'utf8')).toBe('é\n€');
    expect(data).toEqual({ success: true, file_path: at('a/b/c.txt'), bytesWritten: 6, created: true });
    expect(model).toBe(`Created ${at('a/b/c.txt')} (2 lines, 6 bytes).`);
    expect(await readdir(at('a/b'))).toEqual(['c.txt']);
  });

  it('replaces content exactly as given and keeps the mode', async () => {
    await writeFile(at('x'), '\ufeffold\r\n');
    await chmod(at('x'), 0o755);
    await readTool.run({ file_path: 'x' }, context);
    const { model } = await writeTool.run({ file_path: 'x', content: 'a\r\nb\n' }, context);
    expect(model).toContain('Replaced the content of');
    expect(await readFile(at('x'), 'latin1')).toBe('a\r\nb\n');
    expect((await stat(at('x'))).mode & 0o777).toBe(0o755);
  });

  it('writes through a link and leaves the link', async () => {
    await writeFile(at('real'), 'old');
    await symlink('real', at('link'));
    await readTool.run({ file_path: 'real' }, context);
    await writeTool.run({ file_path: 'link', content: 'new' }, context);
    expect((await lstat(at('link'))).isSymbolicLink()).toBe(true);
    expect(await readFile(at('real'), 'utf8')).toBe('new');
  });

  it('declares the file it writes', () => {
    expect(writeTool.subject({ file_path: '../x', content: '' }, '/a/b')).toEqual({
      kind: 'path',
      path: '/a/x',
      access: 'write',
    });
    expect(writeTool.title({ file_path: 'a\nb', content: '' })).toBe('Write a b');
  });

  it('refuses a file that changed since it was read or written', async () => {
    await writeTool.run({ file_path: 'x', content: 'mine' }, context);
    await writeTool.run({ file_path: 'x', content: 'mine again' }, context);
    await writeFile(at('x'), 'theirs');
    expect((await failure('x', 'mine')).message).toContain('Read it again');
    expect(await readFile(at('x'), 'utf8')).toBe('theirs');
    await readTool.run({ file_path: 'x' }, context);
    await writeTool.run({ file_path: 'x', content: 'mine' }, context);
    expect(await readFile(at('x'), 'utf8')).toBe('mine');
  });

  it('replaces no file that was never read, unless there is nothing in it', async () => {
    await writeFile(at('x'), 'unseen');
    const { message, data } = await failure('x', 'one');
    expect(message).toContain('you have not read it in this session, so nothing was written. Read it first');
    expect(data).toMatchObject({ success: false });
    expect(await readFile(at('x'), 'utf8')).toBe('unseen');
    await writeFile(at('x'), '');
    await writeTool.run({ file_path: 'x', content: 'one' }, context);
    expect(await readFile(at('x'), 'utf8')).toBe('one');
  });

  it('replaces a file of which a part was read, and an image that was shown', async () => {
    await writeFile(at('x'), 'one\ntwo\nthree\n');
    await readTool.run({ file_path: 'x', offset: 2, limit: 1 }, context);
    await writeTool.run({ file_path: 'x', content: 'new' }, context);
    await writeFile(at('i.png'), wholePng(2, 2));
    await failure('i.png', 'text');
    await readTool.run({ file_path: 'i.png' }, context);
    await writeTool.run({ file_path: 'i.png', content: 'text' }, context);
    expect(await readFile(at('i.png'), 'utf8')).toBe('text');
  });

  it('writes a file that is gone again', async () => {
    await writeTool.run({ file_path: 'x', content: 'one' }, context);
    execFileSync('rm', [at('x')]);
    expect((await writeTool.run({ file_path: 'x', content: 'two' }, context)).model).toContain('Created');
  });

  it('refuses directories, pipes and half characters', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const error = await failure('.', 'x');
    expect(error.message).toContain('is a directory');
    expect(error.data).toEqual({ success: false, file_path: context.cwd, error: error.message });
    expect((await failure('pipe', 'x')).message).toContain('not a regular file');
    expect((await failure('new', 'a\ud83d')).message).toContain('surrogate');
    expect(await readdir(context.cwd)).toEqual(['pipe']);
  });

  it('leaves the old content when the write fails or the call is aborted', async () => {
    const host = createMemoryHost({ files: { '/x': 'old', '/file': '' } });
    const memory = createToolContext({ host, cwd: '/' });
    await markSeen(memory, '/x');
    host.failNext('replaceLocated', 'EACCES');
    expect((await failure('x', 'new', memory)).message).toContain('No permission to write /x');
    expect((await failure('x', 'new', { ...memory, signal: AbortSignal.abort() })).message).toContain('aborted');
    expect((await failure('file/below', 'new', memory)).message).toContain('is a file, not a directory');
    expect(host.files()).toEqual({ '/file': '', '/x': 'old' });
  });
});
