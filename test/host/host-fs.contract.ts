// The cases every file system of a Host must pass. Run over each of them by host-fs.test.ts.
import { expect } from 'vitest';
import { FileError, type HostFs } from '../../src/host/host.js';

export interface FsUnderTest {
  readonly fs: HostFs;
  /** An empty folder to work in, links resolved. */
  readonly root: string;
  link(path: string, target: string): Promise<void>;
  /** Makes a FIFO or what stands for it. */
  special(path: string): Promise<void>;
}

export interface FsCase {
  readonly name: string;
  run(subject: FsUnderTest): Promise<void>;
}

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export async function expectCode(work: Promise<unknown>, code: string): Promise<void> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FileError);
  expect((error as FileError).code).toBe(code);
  expect((error as FileError).message).toContain(`(${code})`);
}

const READING: readonly FsCase[] = [
  {
    name: 'every operation on a missing file says ENOENT and names the path',
    async run({ fs, root }) {
      const missing = `${root}/missing`;
      for (const call of [
        fs.stat,
        fs.lstat,
        fs.realpath,
        fs.readFile,
        fs.openRead,
        fs.readdir,
        fs.remove,
        fs.removeEntry,
      ]) {
        await expectCode(call(missing), 'ENOENT');
      }
      await expect(fs.stat(missing)).rejects.toMatchObject({ name: 'FileError', path: missing });
    },
  },
  {
    name: 'relative paths and NUL characters are EINVAL everywhere',
    async run({ fs, root }) {
      for (const path of ['relative', '', `${root}/a\0b`]) {
        await expectCode(fs.stat(path), 'EINVAL');
        await expectCode(fs.writeFileAtomic(path, 'x'), 'EINVAL');
        await expectCode(fs.openAppend(path), 'EINVAL');
        await expectCode(fs.remove(path), 'EINVAL');
        await expectCode(fs.removeEntry(path), 'EINVAL');
      }
    },
  },
  {
    name: 'a path through a file is ENOTDIR',
    async run({ fs, root }) {
      await fs.writeFileAtomic(`${root}/file`, 'x');
      await expectCode(fs.stat(`${root}/file/below`), 'ENOTDIR');
      await expectCode(fs.writeFileAtomic(`${root}/file/below`, 'x'), 'ENOTDIR');
      await expectCode(fs.openAppend(`${root}/file/below`), 'ENOTDIR');
      await expectCode(fs.mkdir(`${root}/file/below`), 'ENOTDIR');
      await expectCode(fs.readdir(`${root}/file`), 'ENOTDIR');
    },
  },
  {
    name: 'stat gives kind, size, mode and a time',
    async run({ fs, root }) {
      await fs.writeFileAtomic(`${root}/file`, 'häh', { mode: 0o600 });
      expect(await fs.stat(`${root}/file`)).toMatchObject({ kind: 'file', size: 4, mode: 0o600 });
      expect((await fs.stat(`${root}/file`)).mtimeMs).toBeGreaterThan(0);
      expect((await fs.stat(root)).kind).toBe('directory');
    },
  },
  {
    name: 'a handle reads ranges and short at the end only, and closes twice',
    async run({ fs, root }) {
      await fs.writeFileAtomic(`${root}/file`, '0123456789');
      const handle = await fs.openRead(`${root}/file`);
      expect(text(await handle.read(2, 3))).toBe('234');
      expect(text(await handle.read(8, 10))).toBe('89');
      expect((await handle.read(10, 5)).length).toBe(0);
      expect((await handle.read(999, 5)).length).toBe(0);
      expect((await handle.stat()).size).toBe(10);
      await handle.close();
      await handle.close();
      await expectCode(handle.read(0, 1), 'EBADF');
    },
  },
  {
    name: 'an open handle stays with its file while the path is replaced',
    async run({ fs, root }) {
      await fs.writeFileAtomic(`${root}/file`, 'old');
      const handle = await fs.openRead(`${root}/file`);
      await fs.writeFileAtomic(`${root}/file`, 'new', { durable: false });
      expect(text(await fs.readFile(`${root}/file`))).toBe('new');
      await fs.writeFileAtomic(`${root}/file`, 'newer');
      expect(text(await handle.read(0, 10))).toBe('old');
      expect((await handle.stat()).size).toBe(3);
      await handle.close();
    },
  },
  {
    name: 'readFile gives the bytes, and refuses directories and special files',
    async run({ fs, root, special }) {
      const bytes = Uint8Array.from([0, 255, 10, 13, 128]);
      await fs.writeFileAtomic(`${root}/file`, bytes);
      expect([...(await fs.readFile(`${root}/file`))]).toEqual([...bytes]);
      await special(`${root}/fifo`);
      await expectCode(fs.readFile(root), 'EISDIR');
      await expectCode(fs.readFile(`${root}/fifo`), 'EINVAL');
    },
  },
  {
    name: 'openRead of a special file returns and says its kind',
    async run({ fs, root, special }) {
      await special(`${root}/fifo`);
      const handle = await fs.openRead(`${root}/fifo`);
      expect((await handle.stat()).kind).toBe('other');
      await handle.close();
    },
  },
  {
    name: 'lstatAll is lstat of each, null where that fails',
    async run({ fs, root, link }) {
      await fs.writeFileAtomic(`${root}/file`, 'x');
      await link(`${root}/link`, `${root}/file`);
      const paths = [`${root}/missing`, `${root}/file`, `${root}/file/below`, `${root}/link`];
      const expected = [null, await fs.lstat(`${root}/file`), null, await fs.lstat(`${root}/link`)];
      expect(await fs.lstatAll(paths)).toEqual(expected);
      expect(await fs.lstatAll([])).toEqual([]);
      await expectCode(fs.lstatAll([`${root}/file`, 'relative']), 'EINVAL');
    },
  },
  {
    name: 'readEnds gives both ends without overlap, and refuses what is not a regular file',
    async run({ fs, root, special }) {
      const path = `${root}/file`;
      const ends = async (content: string): Promise<[string, string, number]> => {
        await fs.writeFileAtomic(path, content);
        const { head, tail, stat } = await fs.readEnds(path, 4);
        return [text(head), text(tail), stat.size];
      };
      expect(await ends('')).toEqual(['', '', 0]);
      expect(await ends('012')).toEqual(['012', '', 3]);
      expect(await ends('0123')).toEqual(['0123', '', 4]);
      expect(await ends('01234')).toEqual(['0123', '4', 5]);
      expect(await ends('01234567')).toEqual(['0123', '4567', 8]);
      expect(await ends('0123456789')).toEqual(['0123', '6789', 10]);
      expect((await fs.readEnds(path, 4)).stat).toEqual(await fs.stat(path));
      await special(`${root}/fifo`);
      await expectCode(fs.readEnds(`${root}/fifo`, 4), 'EINVAL');
      await expectCode(fs.readEnds(root, 4), 'EISDIR');
      await expectCode(fs.readEnds(`${root}/missing`, 4), 'ENOENT');
      await expectCode(fs.readEnds('relative', 4), 'EINVAL');
    },
  },
  {
    name: 'lookAtEnds shows the ends of each of many files, also of those looked at at once',
    async run({ fs, root }) {
      const contents = ['', '0', '01234', '0123456789', 'abcdefghijklmnop'];
      const paths = contents.map((_, index) => `${root}/file${index}`);
      for (const [index, path] of paths.entries()) await fs.writeFileAtomic(path, contents[index] ?? '');
      const look = async (path: string) =>
        fs.lookAtEnds(path, await fs.lstat(path), 4, ({ head, tail }) => [text(head), text(tail)]);
      const expected = [
        ['', ''],
        ['0', ''],
        ['0123', '4'],
        ['0123', '6789'],
        ['abcd', 'mnop'],
      ];
      expect(await Promise.all(paths.map(look))).toEqual(expected);
      const stat = await fs.lstat(`${root}/file2`);
      // It became shorter, or went, since it was looked at.
      await fs.writeFileAtomic(`${root}/file2`, '01');
      expect(await fs.lookAtEnds(`${root}/file2`, stat, 4, ({ head, tail }) => text(head) + text(tail))).toBe('01');
      await expectCode(
        fs.lookAtEnds(`${root}/missing`, stat, 4, () => null),
        'ENOENT',
      );
      const broken = fs.lookAtEnds(`${root}/file1`, stat, 4, () => {
        throw new Error('not about files');
      });
      await expect(broken).rejects.toThrow('not about files');
    },
  },
  {
    name: 'readdir is sorted and shows names only',
    async run({ fs, root }) {
      for (const name of ['b', 'a', 'B', '.hidden']) await fs.writeFileAtomic(`${root}/${name}`, '');
      await fs.mkdir(`${root}/c/d`);
      expect(await fs.readdir(root)).toEqual(['.hidden', 'B', 'a', 'b', 'c']);
    },
  },
];

const WRITING: readonly FsCase[] = [
  {
    name: 'openAppend creates a private file and folders, and appends behind what is there',
    async run({ fs, root }) {
      const path = `${root}/a/b/log`;
      const first = await fs.openAppend(path);
      await first.append('one\n');
      await first.append('');
      await first.append('zwö\n');
      await first.sync();
      await first.close();
      await first.close();
      const second = await fs.openAppend(path);
      await second.append('three\n');
      await second.close();
      expect(text(await fs.readFile(path))).toBe('one\nzwö\nthree\n');
      expect((await fs.stat(path)).mode).toBe(0o600);
      expect((await fs.stat(`${root}/a/b`)).mode).toBe(0o700);
      await expectCode(second.append('late'), 'EBADF');
    },
  },
  {
    name: 'appends that are not awaited keep their order',
    async run({ fs, root }) {
      const handle = await fs.openAppend(`${root}/log`);
      const lines = Array.from({ length: 200 }, (_, index) => `${index}\n`);
      await Promise.all(lines.map((line) => handle.append(line)));
      await handle.close();
      expect(text(await fs.readFile(`${root}/log`))).toBe(lines.join(''));
    },
  },
  {
    name: 'openAppend refuses links, directories and special files',
    async run({ fs, root, link, special }) {
      await fs.writeFileAtomic(`${root}/target`, 'kept');
      await link(`${root}/link`, 'target');
      await special(`${root}/fifo`);
      await expectCode(fs.openAppend(`${root}/link`), 'ELOOP');
      await expectCode(fs.openAppend(root), 'EISDIR');
      await expectCode(fs.openAppend(`${root}/fifo`), 'EINVAL');
      expect(text(await fs.readFile(`${root}/target`))).toBe('kept');
    },
  },
  {
    name: 'writeFileAtomic creates folders, takes text and bytes, and leaves nothing else behind',
    async run({ fs, root }) {
      await fs.writeFileAtomic(`${root}/x/y/file`, 'ü');
      await fs.writeFileAtomic(`${root}/x/y/file`, Uint8Array.from([1, 2]));
      expect([...(await fs.readFile(`${root}/x/y/file`))]).toEqual([1, 2]);
      expect(await fs.readdir(`${root}/x/y`)).toEqual(['file']);
    },
  },
  {
    name: 'writeFileAtomic keeps the mode of an existing file',
    async run({ fs, root }) {
      await fs.writeFileAtomic(`${root}/file`, '1', { mode: 0o700 });
      await fs.writeFileAtomic(`${root}/file`, '2', { mode: 0o644 });
      expect((await fs.stat(`${root}/file`)).mode).toBe(0o700);
    },
  },
  {
    name: 'writeFileAtomic refuses directories and special files and leaves them',
    async run({ fs, root, special }) {
      await fs.mkdir(`${root}/folder`);
      await special(`${root}/fifo`);
      await expectCode(fs.writeFileAtomic(`${root}/folder`, 'x'), 'EISDIR');
      await expectCode(fs.writeFileAtomic(`${root}/fifo`, 'x'), 'EINVAL');
      expect(await fs.readdir(root)).toEqual(['fifo', 'folder']);
    },
  },
  {
    name: 'writeFileAtomic copies what it is given',
    async run({ fs, root }) {
      const bytes = Uint8Array.from([1, 2, 3]);
      await fs.writeFileAtomic(`${root}/file`, bytes);
      bytes[0] = 99;
      expect([...(await fs.readFile(`${root}/file`))]).toEqual([1, 2, 3]);
    },
  },
  {
    name: 'mkdir makes parents, accepts an existing directory, refuses a file',
    async run({ fs, root }) {
      await fs.mkdir(`${root}/a/b`, { mode: 0o700 });
      await fs.mkdir(`${root}/a/b`);
      expect((await fs.stat(`${root}/a/b`)).mode).toBe(0o700);
      await fs.writeFileAtomic(`${root}/file`, '');
      await expectCode(fs.mkdir(`${root}/file`), 'EEXIST');
    },
  },
  {
    name: 'remove takes files, links and whole directories, and never the root',
    async run({ fs, root, link }) {
      await fs.writeFileAtomic(`${root}/a/b/file`, 'x');
      await fs.mkdir(`${root}/kept`);
      await link(`${root}/link`, 'kept');
      await fs.remove(`${root}/link`);
      await fs.remove(`${root}/a`);
      expect(await fs.readdir(root)).toEqual(['kept']);
      await expectCode(fs.remove('/'), 'EBUSY');
    },
  },
  {
    name: 'removeEntry takes a file, a link itself and an empty directory, and nothing that has content',
    async run({ fs, root, link }) {
      await fs.writeFileAtomic(`${root}/full/file`, 'x');
      await fs.mkdir(`${root}/empty`);
      await link(`${root}/link`, 'full');
      await fs.removeEntry(`${root}/link`);
      await fs.removeEntry(`${root}/empty`);
      await expectCode(fs.removeEntry(`${root}/full`), 'ENOTEMPTY');
      expect(await fs.readdir(`${root}/full`)).toEqual(['file']);
      await fs.removeEntry(`${root}/full/file`);
      await fs.removeEntry(`${root}/full`);
      expect(await fs.readdir(root)).toEqual([]);
    },
  },
  ...[true, false].flatMap((durable): FsCase[] => {
    const told = durable ? '' : ', not durable,';
    return [
      {
        name: `createFile${told} writes the whole of a new file and never replaces anything`,
        async run({ fs, root, link }) {
          await fs.createFile(`${root}/a/lock`, 'one', { mode: 0o600, durable });
          expect(text(await fs.readFile(`${root}/a/lock`))).toBe('one');
          expect((await fs.stat(`${root}/a/lock`)).mode).toBe(0o600);
          await expectCode(fs.createFile(`${root}/a/lock`, 'two', { durable }), 'EEXIST');
          await link(`${root}/a/nowhere`, 'missing');
          await expectCode(fs.createFile(`${root}/a/nowhere`, 'two', { durable }), 'EEXIST');
          await expectCode(fs.createFile(`${root}/a`, 'two', { durable }), 'EEXIST');
          expect(text(await fs.readFile(`${root}/a/lock`))).toBe('one');
          expect(await fs.readdir(`${root}/a`)).toEqual(['lock', 'nowhere']);
        },
      },
      {
        name: `of many that create one file at once, one succeeds${told}`,
        async run({ fs, root }) {
          const writers = Array.from({ length: 20 }, (_, index) =>
            fs.createFile(`${root}/lock`, `${index}`, { durable }),
          );
          const settled = await Promise.allSettled(writers);
          const winners = settled.flatMap(({ status }, index) => (status === 'fulfilled' ? [`${index}`] : []));
          expect(winners).toEqual([text(await fs.readFile(`${root}/lock`))]);
          expect(await fs.readdir(root)).toEqual(['lock']);
        },
      },
    ];
  }),
  {
    name: 'rename moves files, links and directories, replaces files, and keeps the inode',
    async run({ fs, root, link }) {
      await fs.writeFileAtomic(`${root}/from`, 'new');
      await fs.writeFileAtomic(`${root}/to`, 'old');
      const { inode } = await fs.stat(`${root}/from`);
      await fs.rename(`${root}/from`, `${root}/to`);
      expect(text(await fs.readFile(`${root}/to`))).toBe('new');
      expect((await fs.stat(`${root}/to`)).inode).toBe(inode);
      await fs.mkdir(`${root}/folder/in`);
      await link(`${root}/link`, 'folder');
      await fs.rename(`${root}/folder`, `${root}/moved`);
      await fs.rename(`${root}/link`, `${root}/moved/link`);
      expect(await fs.readlink(`${root}/moved/link`)).toBe('folder');
      expect(await fs.readdir(root)).toEqual(['moved', 'to']);
      await expectCode(fs.rename(`${root}/missing`, `${root}/x`), 'ENOENT');
      await expectCode(fs.rename(`${root}/to`, `${root}/no/folder`), 'ENOENT');
      await expectCode(fs.rename(`${root}/to`, `${root}/moved`), 'EISDIR');
      await expectCode(fs.rename(`${root}/moved`, `${root}/moved/in/deep`), 'EINVAL');
    },
  },
  {
    name: 'chmod sets the bits of a file, and refuses a link',
    async run({ fs, root, link }) {
      await fs.writeFileAtomic(`${root}/file`, '', { mode: 0o600 });
      await fs.chmod(`${root}/file`, 0o751);
      expect((await fs.stat(`${root}/file`)).mode).toBe(0o751);
      await link(`${root}/link`, 'file');
      await expectCode(fs.chmod(`${root}/link`, 0o600), 'ELOOP');
      expect((await fs.stat(`${root}/file`)).mode).toBe(0o751);
      await expectCode(fs.chmod(`${root}/missing`, 0o600), 'ENOENT');
    },
  },
  {
    name: 'stat tells a file from another that took its path',
    async run({ fs, root }) {
      await fs.writeFileAtomic(`${root}/file`, 'x');
      await fs.writeFileAtomic(`${root}/other`, 'x');
      const first = await fs.stat(`${root}/file`);
      expect((await fs.stat(`${root}/file`)).inode).toBe(first.inode);
      expect((await fs.stat(`${root}/other`)).inode).not.toBe(first.inode);
      expect(first.ctimeMs).toBeGreaterThan(0);
    },
  },
];

const LINKS: readonly FsCase[] = [
  {
    name: 'stat, readFile and realpath follow links; lstat does not',
    async run({ fs, root, link }) {
      await fs.writeFileAtomic(`${root}/real/file`, 'x');
      await link(`${root}/folder`, 'real');
      await link(`${root}/absolute`, `${root}/folder/file`);
      expect((await fs.stat(`${root}/absolute`)).kind).toBe('file');
      expect((await fs.lstat(`${root}/absolute`)).kind).toBe('symlink');
      expect(await fs.realpath(`${root}/absolute`)).toBe(`${root}/real/file`);
      expect(text(await fs.readFile(`${root}/folder/file`))).toBe('x');
    },
  },
  {
    name: 'symlink and readlink keep the text of a link, and entries tells links from what they point to',
    async run({ fs, root }) {
      await fs.mkdir(`${root}/folder`);
      await fs.writeFileAtomic(`${root}/file`, '');
      await fs.symlink('../somewhere/else', `${root}/nowhere`);
      await fs.symlink('folder', `${root}/linked`);
      expect(await fs.readlink(`${root}/nowhere`)).toBe('../somewhere/else');
      expect(await fs.entries(root)).toEqual([
        { name: 'file', kind: 'file' },
        { name: 'folder', kind: 'directory' },
        { name: 'linked', kind: 'symlink' },
        { name: 'nowhere', kind: 'symlink' },
      ]);
      await expectCode(fs.symlink('x', `${root}/file`), 'EEXIST');
      await expectCode(fs.symlink('x', `${root}/nowhere`), 'EEXIST');
      await expectCode(fs.readlink(`${root}/file`), 'EINVAL');
      await expectCode(fs.readlink(`${root}/missing`), 'ENOENT');
      await expectCode(fs.entries(`${root}/file`), 'ENOTDIR');
    },
  },
  {
    name: 'a link loop is ELOOP, a link to nothing ENOENT',
    async run({ fs, root, link }) {
      await link(`${root}/a`, 'b');
      await link(`${root}/b`, 'a');
      await link(`${root}/nowhere`, 'missing');
      await expectCode(fs.stat(`${root}/a`), 'ELOOP');
      await expectCode(fs.readFile(`${root}/nowhere`), 'ENOENT');
      await expectCode(fs.realpath(`${root}/nowhere`), 'ENOENT');
      await expectCode(fs.writeFileAtomic(`${root}/a`, 'x'), 'ELOOP');
    },
  },
  {
    name: 'writeFileAtomic writes through a link, also to a target that is yet to be',
    async run({ fs, root, link }) {
      await fs.writeFileAtomic(`${root}/real/file`, 'old', { mode: 0o600 });
      await link(`${root}/link`, 'real/file');
      await link(`${root}/chain`, 'link');
      await link(`${root}/fresh`, 'real/new');
      await fs.writeFileAtomic(`${root}/chain`, 'new');
      await fs.writeFileAtomic(`${root}/fresh`, 'made');
      expect((await fs.lstat(`${root}/link`)).kind).toBe('symlink');
      expect((await fs.lstat(`${root}/fresh`)).kind).toBe('symlink');
      expect(text(await fs.readFile(`${root}/real/file`))).toBe('new');
      expect((await fs.stat(`${root}/real/file`)).mode).toBe(0o600);
      expect(text(await fs.readFile(`${root}/real/new`))).toBe('made');
      expect(await fs.readdir(`${root}/real`)).toEqual(['file', 'new']);
    },
  },
];

export const FS_CASES: readonly FsCase[] = [...READING, ...WRITING, ...LINKS];
