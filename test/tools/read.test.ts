// Read over real files: what it shows, what it refuses, and what it costs.
import { execFileSync } from 'node:child_process';
import { mkdir, open, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import { ToolError } from '../../src/protocol/errors.js';
import type { FileReadInput, FileReadOutput } from '../../src/protocol/tool-io.js';
import { readTool } from '../../src/tools/files.js';
import type { ToolContext } from '../../src/tools/tool.js';
import { createToolContext } from '../support/tool-context.js';

let context: ToolContext;

beforeEach(() => {
  context = createToolContext();
});

const at = (name: string): string => join(context.cwd, name);

async function read(input: FileReadInput, using = context): Promise<{ model: string; data: FileReadOutput }> {
  const { model, data } = await readTool.run(input, using);
  if (typeof model !== 'string') throw new Error('expected text');
  return { model, data };
}

async function failure(input: FileReadInput, using = context): Promise<string> {
  const error = await readTool.run(input, using).then(
    () => new Error('did not fail'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ToolError);
  return (error as ToolError).message;
}

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('what Read shows', () => {
  it('numbers lines in six columns and a tab', async () => {
    await writeFile(at('a.txt'), 'one\n\n\ttwo  \n');
    const { model, data } = await read({ file_path: at('a.txt') });
    expect(model).toBe('     1\tone\n     2\t\n     3\t\ttwo  ');
    expect(data).toEqual({ type: 'text', text: 'one\n\n\ttwo  ', file_path: at('a.txt'), totalLines: 3 });
  });

  it('resolves a relative path against the working directory', async () => {
    await mkdir(at('sub'));
    await writeFile(at('sub/a.txt'), 'x');
    expect((await read({ file_path: './sub/../sub/a.txt' })).data.file_path).toBe(at('sub/a.txt'));
    expect(readTool.subject({ file_path: './sub/../sub/a.txt' }, context.cwd)).toEqual({
      kind: 'path',
      path: at('sub/a.txt'),
      access: 'read',
    });
  });

  it('shows a part and says where to read on', async () => {
    await writeFile(at('a.txt'), lines(10));
    const { model, data } = await read({ file_path: 'a.txt', offset: 4, limit: 2 });
    expect(model).toBe(
      '     4\tline 4\n     5\tline 5\n[Lines 4-5 of 10 shown. The file goes on: read on with offset 6.]',
    );
    expect(data).toMatchObject({ text: 'line 4\nline 5', totalLines: 10 });
    expect((await read({ file_path: 'a.txt', offset: 9 })).model).toBe('     9\tline 9\n    10\tline 10');
  });

  it('shows 2000 lines by default', async () => {
    await writeFile(at('a.txt'), lines(2_500));
    const { model } = await read({ file_path: 'a.txt' });
    expect(model).toContain('  2000\tline 2000\n[Lines 1-2000 of 2500 shown.');
    expect(model).not.toContain('line 2001');
  });

  it('cuts lines above 2000 characters, never through a character', async () => {
    await writeFile(at('a.txt'), `${'x'.repeat(1_999)}😀tail\n${'é'.repeat(2_000)}\n`);
    const [first, second] = (await read({ file_path: 'a.txt' })).model.split('\n');
    expect(first).toBe(`     1\t${'x'.repeat(1_999)}… [line cut: it has 2007 bytes]`);
    expect(second).toBe(`     2\t${'é'.repeat(2_000)}`);
  });

  it('stops at 256 KB and reads on where it stopped', async () => {
    await writeFile(at('a.txt'), `${'y'.repeat(1_500)}\n`.repeat(1_000));
    const { model } = await read({ file_path: 'a.txt' });
    expect(model.length).toBeLessThan(280_000);
    const next = Number(/read on with offset (\d+)/.exec(model)?.[1]);
    expect(model).toContain('the result is full');
    expect((await read({ file_path: 'a.txt', offset: next, limit: 1 })).model).toContain(`${next}\tyyy`);
  });

  it('shows CRLF, a byte order mark, Latin-1 and UTF-16 as text', async () => {
    await writeFile(at('crlf'), '\ufeffone\r\ntwo\r\n');
    await writeFile(at('latin'), Buffer.from('caf\xe9\n', 'latin1'));
    await writeFile(at('wide'), Buffer.from('\ufeffwide €\r\nb', 'utf16le'));
    expect((await read({ file_path: 'crlf' })).model).toBe('     1\tone\n     2\ttwo');
    expect((await read({ file_path: 'latin' })).model).toBe('     1\tcafé');
    expect((await read({ file_path: 'wide' })).model).toBe('     1\twide €\n     2\tb');
  });

  it('says that a file is empty', async () => {
    await writeFile(at('empty'), '');
    const { model, data } = await read({ file_path: 'empty' });
    expect(model).toContain('is empty');
    expect(data).toMatchObject({ type: 'text', text: '', totalLines: 0 });
  });

  it('works on a machine in memory', async () => {
    const host = createMemoryHost({ files: { '/project/a': 'x\n' } });
    expect((await read({ file_path: 'a' }, createToolContext({ host, cwd: '/project' }))).model).toBe('     1\tx');
  });
});

describe('a second read', () => {
  it('of the same content and range gives a note; of another range, the lines', async () => {
    await writeFile(at('a.txt'), lines(10));
    await read({ file_path: 'a.txt' });
    const again = await read({ file_path: 'a.txt' });
    expect(again.data.type).toBe('file_unchanged');
    expect(again.model).toContain('unchanged');
    expect((await read({ file_path: 'a.txt', offset: 2, limit: 1 })).data.type).toBe('text');
    expect((await read({ file_path: 'a.txt', offset: 2, limit: 1 })).data.type).toBe('file_unchanged');
  });

  it('sees a change of the same size and time', async () => {
    const host = createMemoryHost({ files: { '/a': 'one' } });
    const memory = createToolContext({ host, cwd: '/' });
    await read({ file_path: '/a' }, memory);
    await host.fs.writeFileAtomic('/a', 'two');
    expect((await read({ file_path: '/a' }, memory)).model).toBe('     1\ttwo');
  });

  it('knows a file by its real path', async () => {
    await writeFile(at('a.txt'), 'x');
    await symlink('a.txt', at('link'));
    await read({ file_path: 'a.txt' });
    expect((await read({ file_path: 'link' })).data.type).toBe('file_unchanged');
  });
});

describe('what Read refuses', () => {
  it('names files that may have been meant', async () => {
    await writeFile(at('config.json'), '{}');
    await writeFile(at('unrelated.md'), '');
    const message = await failure({ file_path: 'Config.jsn' });
    expect(message).toContain(at('config.json'));
    expect(message).not.toContain('unrelated');
    expect(await failure({ file_path: 'config.ts' })).toContain(at('config.json'));
    expect(await failure({ file_path: 'a/b/c/d.txt' })).toContain(`nearest folder that exists is ${context.cwd}`);
  });

  it('directories, devices and pipes, without waiting', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    expect(await failure({ file_path: '.' })).toContain('is a directory');
    expect(await failure({ file_path: 'pipe' })).toContain('not a regular file');
    expect(await failure({ file_path: '/dev/zero' })).toContain('not a regular file');
  });

  it('binary files, with their kind, size and what to do', async () => {
    await writeFile(at('a.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2]));
    await writeFile(at('a.pdf'), '%PDF-1.7\n');
    await writeFile(at('a.bin'), Buffer.alloc(2_000));
    expect(await failure({ file_path: 'a.png' })).toContain('PNG image of 6 bytes');
    expect(await failure({ file_path: 'a.pdf', pages: '1-2' })).toContain('pdftotext');
    expect(await failure({ file_path: 'a.bin' })).toContain('binary file, 2.0 KB');
  });

  it('pages of what is no PDF, and an offset past the end', async () => {
    await writeFile(at('a.txt'), lines(3));
    expect(await failure({ file_path: 'a.txt', pages: '1' })).toContain('pages is for PDF files');
    expect(await failure({ file_path: 'a.txt', offset: 9 })).toContain('only 3 lines');
  });

  it('paths it cannot mean, and says the right one for ~', async () => {
    expect(await failure({ file_path: 'a\0b' })).toContain('NUL');
    expect(await failure({ file_path: '~/x.txt' })).toContain(`${context.host.platform.homedir}/x.txt`);
  });

  it('says what the system said', async () => {
    const host = createMemoryHost({ files: { '/a': 'x' } });
    host.failNext('openLocated', 'EIO');
    expect(await failure({ file_path: '/a' }, createToolContext({ host }))).toContain('EIO');
    host.failNext('openLocated', 'EACCES');
    expect(await failure({ file_path: '/a' }, createToolContext({ host }))).toContain('No permission to read /a');
  });
});

describe('a file of 5 GB', () => {
  const SIZE = 5_000_000_000;

  async function makeSparse(start: string, end: string): Promise<void> {
    await writeFile(at('big'), start);
    await truncate(at('big'), SIZE);
    const file = await open(at('big'), 'r+');
    await file.write(end, SIZE - end.length);
    await file.close();
  }

  it('is shown from its start in bounded memory', async () => {
    await makeSparse(lines(5_000), '\nlast\n');
    const before = process.memoryUsage().rss;
    const { model, data } = await read({ file_path: 'big', offset: 3, limit: 2 });
    expect(model).toBe('     3\tline 3\n     4\tline 4\n[Lines 3-4 shown. The file goes on: read on with offset 5.]');
    expect(data).not.toHaveProperty('totalLines');
    expect(context.readFileCache.get(at('big'))).toBeUndefined();
    expect(process.memoryUsage().rss - before).toBeLessThan(128_000_000);
  });

  it('ends a line of gigabytes with a mark, in bounded memory', async () => {
    await makeSparse(lines(3_000), '\nlast\n');
    const before = process.memoryUsage().rss;
    const { model } = await read({ file_path: 'big', offset: 3_000 });
    expect(model).toContain('  3000\tline 3000\n  3001\t');
    expect(model).toContain('[line cut: it has more than ');
    expect(model).toContain('line 3001 goes on too far to be read');
    expect(process.memoryUsage().rss - before).toBeLessThan(128_000_000);
  });

  it('stops looking for a far line when the call is aborted', async () => {
    await makeSparse(lines(3_000), '\nlast\n');
    const controller = new AbortController();
    const reading = failure({ file_path: 'big', offset: 1_000_000 }, { ...context, signal: controller.signal });
    controller.abort();
    expect(await reading).toContain('aborted');
  });
});
