// What only a disk has: umask, owners, pipes with a reader, limits, and temp files that must not stay.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNodeFs } from '../../src/host/files/node-fs.js';

const fs = createNodeFs();
const isRoot = process.getuid?.() === 0;
const hasPrlimit = existsSync('/usr/bin/prlimit');
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'turnwright-node-fs-'));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

describe('createNodeFs', () => {
  it('gives a new file the asked mode under the umask', async () => {
    await fs.writeFileAtomic(join(root, 'plain'), 'x');
    await fs.writeFileAtomic(join(root, 'script'), 'x', { mode: 0o755 });
    const mask = process.umask();
    expect((await stat(join(root, 'plain'))).mode & 0o777).toBe(0o644 & ~mask);
    expect((await stat(join(root, 'script'))).mode & 0o777).toBe(0o755 & ~mask);
  });

  it('keeps a mode that the umask would forbid', async () => {
    await writeFile(join(root, 'shared'), 'x');
    await chmod(join(root, 'shared'), 0o666);
    await fs.writeFileAtomic(join(root, 'shared'), 'y');
    expect((await stat(join(root, 'shared'))).mode & 0o777).toBe(0o666);
  });

  it.runIf(isRoot)('keeps the owner of a file when root replaces it', async () => {
    await writeFile(join(root, 'theirs'), 'x');
    await chown(join(root, 'theirs'), 12_345, 12_345);
    await fs.writeFileAtomic(join(root, 'theirs'), 'y');
    expect(await stat(join(root, 'theirs'))).toMatchObject({ uid: 12_345, gid: 12_345 });
  });

  it.skipIf(isRoot)('does not replace a file without write permission', async () => {
    await writeFile(join(root, 'read-only'), 'old');
    await chmod(join(root, 'read-only'), 0o444);
    await expect(fs.writeFileAtomic(join(root, 'read-only'), 'new')).rejects.toMatchObject({ code: 'EACCES' });
    expect(await readFile(join(root, 'read-only'), 'utf8')).toBe('old');
  });

  it('says EINVAL for a FIFO that has a reader, too', async () => {
    const fifo = join(root, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const reader = await open(fifo, 'r+'); // opens without waiting, and makes the open for writing succeed
    await expect(fs.openAppend(fifo)).rejects.toMatchObject({ code: 'EINVAL' });
    await reader.close();
    await expect(fs.openAppend(fifo)).rejects.toMatchObject({ code: 'EINVAL' });
  });

  it('removes its temp file when the write fails', async () => {
    await writeFile(join(root, 'file'), 'old');
    const failing = new Proxy(new Uint8Array(4), {}); // no real bytes: the write rejects after the file was created
    await expect(fs.writeFileAtomic(join(root, 'file'), failing)).rejects.toMatchObject({ name: 'FileError' });
    expect(await readdir(root)).toEqual(['file']);
    expect(await readFile(join(root, 'file'), 'utf8')).toBe('old');
  });

  it.runIf(hasPrlimit)('leaves the old content and no temp file when the disk takes only a part', async () => {
    await writeFile(join(root, 'file'), 'old');
    await withFileSizeLimit(4_096, async () => {
      await expect(fs.writeFileAtomic(join(root, 'file'), 'x'.repeat(10_000))).rejects.toMatchObject({ code: 'EFBIG' });
    });
    expect(await readFile(join(root, 'file'), 'utf8')).toBe('old');
    expect(await readdir(root)).toEqual(['file']);
  });

  it.runIf(hasPrlimit)('reports a short append', async () => {
    const handle = await fs.openAppend(join(root, 'log'));
    await handle.append('a'.repeat(3_000));
    await withFileSizeLimit(4_096, async () => {
      await expect(handle.append('b'.repeat(3_000))).rejects.toMatchObject({ code: 'ESHORT' });
    });
    await handle.append('c');
    await handle.close();
    expect((await stat(join(root, 'log'))).size).toBe(4_097);
  });

  it('never shows a reader a part of the content', async () => {
    const path = join(root, 'file');
    const versions = ['a'.repeat(200_000), 'b'.repeat(100_000)];
    await fs.writeFileAtomic(path, versions[0] ?? '');
    let isWriting = true;
    const writing = (async () => {
      for (let turn = 0; turn < 30; turn++) await fs.writeFileAtomic(path, versions[turn % 2] ?? '');
      isWriting = false;
    })();
    let reads = 0;
    for (; isWriting; reads++) expect(versions).toContain(await readFile(path, 'utf8'));
    await writing;
    expect(reads).toBeGreaterThan(0);
  });

  it('reads files that state no size', async () => {
    if (!existsSync('/proc/self/status')) return;
    expect(new TextDecoder().decode(await fs.readFile('/proc/self/status'))).toContain('Name:');
  });

  it('appends at the end although another writer appends too', async () => {
    const [one, two] = [await fs.openAppend(join(root, 'log')), await fs.openAppend(join(root, 'log'))];
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? one : two).append(`${String(index).padStart(3)}\n`)),
    );
    await Promise.all([one.close(), two.close()]);
    const lines = (await readFile(join(root, 'log'), 'utf8')).trimEnd().split('\n').map(Number);
    expect(lines.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });

  it('never reads another file behind the number of one that was closed', async () => {
    for (const name of ['a', 'b']) await writeFile(join(root, name), name.repeat(1_000_000));
    for (let round = 0; round < 50; round++) {
      const first = await fs.openRead(join(root, 'a'));
      const reading = first.read(0, 1_000_000);
      const [second] = await Promise.all([fs.openRead(join(root, 'b')), first.close()]);
      const third = await fs.openRead(join(root, 'b'));
      expect((await reading).every((byte) => byte === 0x61)).toBe(true);
      await expect(first.read(0, 1)).rejects.toMatchObject({ code: 'EBADF' });
      await Promise.all([second.close(), third.close()]);
    }
  });

  it('sees what a file grew by since it was looked at', async () => {
    await writeFile(join(root, 'log'), 'one');
    const handle = await fs.openRead(join(root, 'log'));
    expect((await handle.stat()).size).toBe(3);
    await writeFile(join(root, 'log'), 'one, two');
    expect(new TextDecoder().decode(await handle.read(0, 100))).toBe('one, two');
    expect(new TextDecoder().decode(await handle.read(3, 100))).toBe(', two');
    await handle.close();
  });

  it('writes through a linked folder into the folder behind it', async () => {
    await mkdir(join(root, 'real'));
    await symlink('real', join(root, 'linked'));
    await fs.writeFileAtomic(join(root, 'linked', 'file'), 'x');
    expect(await readdir(join(root, 'real'))).toEqual(['file']);
  });

  it.runIf(existsSync('/proc/self/status'))('gives up if a file system has no room for folders', async () => {
    const below = '/proc/nope/a/b';
    const gone = { code: 'ENOENT' };
    await expect(fs.mkdir(below)).rejects.toMatchObject(gone);
    await expect(fs.openAppend(`${below}/file`)).rejects.toMatchObject(gone);
    await expect(fs.writeFileAtomic(`${below}/file`, 'x')).rejects.toMatchObject(gone);
    await expect(fs.createFile(`${below}/file`, 'x', { durable: false })).rejects.toMatchObject(gone);
  });

  it('makes the same folders for many at the same time', async () => {
    const below = join(root, 'a', 'b', 'c');
    await Promise.all(Array.from({ length: 20 }, (_, index) => fs.mkdir(join(below, String(index % 3), 'd'))));
    expect(await readdir(below)).toEqual(['0', '1', '2']);
  });
});

/** Lets this process write files of at most `bytes` while `work` runs; the system then cuts writes short. */
async function withFileSizeLimit(bytes: number, work: () => Promise<void>): Promise<void> {
  const setLimit = (limit: string) => execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${limit}:`]);
  const ignored = (): void => undefined;
  process.on('SIGXFSZ', ignored);
  setLimit(String(bytes));
  try {
    await work();
  } finally {
    setLimit('unlimited');
    process.off('SIGXFSZ', ignored);
  }
}
