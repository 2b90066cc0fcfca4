// The cases of what is located once and then used without another look-up, for every file system of a Host.
import { expect } from 'vitest';
import { expectCode, type FsCase, text } from './host-fs.contract.js';

/** In place of `path`, which moves to `path.away`: a link. */
async function swapForLink({ fs, link }: Parameters<FsCase['run']>[0], path: string, target: string): Promise<void> {
  await fs.rename(path, `${path}.away`);
  await link(path, target);
}

const LOCATING: readonly FsCase[] = [
  {
    name: 'locate says where a path leads, and what stands there',
    async run({ fs, root, link }) {
      await fs.writeFileAtomic(`${root}/real/file`, 'x');
      await link(`${root}/folder`, 'real');
      await link(`${root}/chain`, 'folder/file');
      const stat = await fs.lstat(`${root}/real/file`);
      const found = await fs.locate(`${root}/chain`);
      expect(found).toEqual({ path: `${root}/chain`, realPath: `${root}/real/file`, stat, above: null });
      expect((await fs.locate(root)).stat?.kind).toBe('directory');
      expect((await fs.locate('/')).realPath).toBe('/');
    },
  },
  {
    name: 'locate says of what is missing which folder above it is there',
    async run({ fs, root, link }) {
      await fs.mkdir(`${root}/real`);
      await link(`${root}/folder`, 'real');
      const above = { path: `${root}/real`, stat: await fs.lstat(`${root}/real`) };
      expect(await fs.locate(`${root}/folder/a/b`)).toEqual({
        path: `${root}/folder/a/b`,
        realPath: `${root}/real/a/b`,
        stat: null,
        above,
      });
      await fs.writeFileAtomic(`${root}/file`, 'x');
      await expectCode(fs.locate(`${root}/file/below`), 'ENOTDIR');
    },
  },
  {
    name: 'locate tells of no file where a link leads nowhere, or in a circle',
    async run({ fs, root, link }) {
      await link(`${root}/nowhere`, 'missing');
      await link(`${root}/circle`, 'circle');
      await expectCode(fs.locate(`${root}/nowhere`), 'ENOENT');
      await expectCode(fs.locate(`${root}/nowhere/below/it`), 'ENOENT');
      await expectCode(fs.locate(`${root}/circle`), 'ELOOP');
    },
  },
];

const OPENING: readonly FsCase[] = [
  {
    name: 'openLocated opens the file, and nothing that took its name',
    async run({ fs, root }) {
      await fs.writeFileAtomic(`${root}/file`, 'first');
      const located = await fs.locate(`${root}/file`);
      const handle = await fs.openLocated(located);
      expect(text(await handle.read(0, 99))).toBe('first');
      await handle.close();
      await fs.writeFileAtomic(`${root}/other`, 'other');
      await fs.rename(`${root}/other`, `${root}/file`);
      await expectCode(fs.openLocated(located), 'ESTALE');
      await fs.remove(`${root}/file`);
      await expectCode(fs.openLocated(located), 'ENOENT');
    },
  },
  {
    name: 'openLocated follows no link that came since, at the end or on the way',
    async run(subject) {
      const { fs, root } = subject;
      await fs.writeFileAtomic(`${root}/a/b/file`, 'in');
      await fs.writeFileAtomic(`${root}/out/b/file`, 'out');
      const located = await fs.locate(`${root}/a/b/file`);
      await swapForLink(subject, `${root}/a`, `${root}/out`);
      await expectCode(fs.openLocated(located), 'ESTALE');
      await fs.remove(`${root}/a`);
      await fs.rename(`${root}/a.away`, `${root}/a`);
      await (await fs.openLocated(located)).close();
      await swapForLink(subject, `${root}/a/b/file`, `${root}/out/b/file`);
      await expectCode(fs.openLocated(located), 'ESTALE');
    },
  },
  {
    name: 'openLocated opens regular files only',
    async run({ fs, root, special }) {
      await special(`${root}/fifo`);
      await expectCode(fs.openLocated(await fs.locate(root)), 'EISDIR');
      await expectCode(fs.openLocated(await fs.locate(`${root}/fifo`)), 'EINVAL');
      await expectCode(fs.openLocated(await fs.locate(`${root}/missing`)), 'ENOENT');
      await fs.writeFileAtomic(`${root}/file`, 'x');
      const located = await fs.locate(`${root}/file`);
      await fs.remove(`${root}/file`);
      await special(`${root}/file`);
      await expectCode(fs.openLocated(located), 'ESTALE');
    },
  },
];

const REPLACING: readonly FsCase[] = [
  {
    name: 'replaceLocated replaces a file behind links, keeps its mode, and says what is there now',
    async run({ fs, root, link }) {
      await fs.writeFileAtomic(`${root}/real/file`, 'old', { mode: 0o640 });
      await link(`${root}/link`, 'real/file');
      const written = await fs.replaceLocated(await fs.locate(`${root}/link`), 'newer');
      const { size, mtimeMs, inode, mode } = await fs.stat(`${root}/real/file`);
      expect(written).toMatchObject({ kind: 'file', size, mtimeMs, inode });
      expect([mode, text(await fs.readFile(`${root}/real/file`))]).toEqual([0o640, 'newer']);
      expect((await fs.lstat(`${root}/link`)).kind).toBe('symlink');
      expect(await fs.readdir(`${root}/real`)).toEqual(['file']);
    },
  },
  {
    name: 'replaceLocated makes a new file with its folders, also where somebody made them meanwhile',
    async run({ fs, root }) {
      const one = await fs.locate(`${root}/a/b/one`);
      const two = await fs.locate(`${root}/a/b/two`);
      await fs.replaceLocated(one, Uint8Array.from([1, 2]), { mode: 0o600, durable: false });
      await fs.replaceLocated(two, '2');
      expect(await fs.readdir(`${root}/a/b`)).toEqual(['one', 'two']);
      expect([...(await fs.readFile(`${root}/a/b/one`))]).toEqual([1, 2]);
      expect((await fs.stat(`${root}/a/b/one`)).mode).toBe(0o600);
    },
  },
  {
    name: 'replaceLocated replaces nothing that came or changed places since',
    async run({ fs, root }) {
      await fs.writeFileAtomic(`${root}/file`, 'old');
      const [file, fresh] = [await fs.locate(`${root}/file`), await fs.locate(`${root}/fresh`)];
      await fs.writeFileAtomic(`${root}/other`, 'other');
      await fs.rename(`${root}/other`, `${root}/file`);
      await fs.writeFileAtomic(`${root}/fresh`, 'theirs');
      await expectCode(fs.replaceLocated(file, 'mine'), 'ESTALE');
      await expectCode(fs.replaceLocated(fresh, 'mine'), 'ESTALE');
      await fs.remove(`${root}/file`);
      await expectCode(fs.replaceLocated(file, 'mine'), 'ENOENT');
      expect(await fs.readdir(root)).toEqual(['fresh']);
      expect(text(await fs.readFile(`${root}/fresh`))).toBe('theirs');
    },
  },
  {
    name: 'replaceLocated follows no link that came since, also for folders that are still to be made',
    async run(subject) {
      const { fs, root, link } = subject;
      await fs.writeFileAtomic(`${root}/a/file`, 'in');
      await fs.mkdir(`${root}/out`);
      const [file, deep] = [await fs.locate(`${root}/a/file`), await fs.locate(`${root}/a/made/deep`)];
      await link(`${root}/a/made`, `${root}/out`);
      await expectCode(fs.replaceLocated(deep, 'x'), 'ESTALE');
      await swapForLink(subject, `${root}/a`, `${root}/out`);
      await expectCode(fs.replaceLocated(file, 'x'), 'ESTALE');
      await expectCode(fs.replaceLocated(deep, 'x'), 'ESTALE');
      expect(await fs.readdir(`${root}/out`)).toEqual([]);
      expect(await fs.readdir(`${root}/a.away`)).toEqual(['file', 'made']);
    },
  },
  {
    name: 'replaceLocated refuses folders and special files',
    async run({ fs, root, special }) {
      await special(`${root}/fifo`);
      await expectCode(fs.replaceLocated(await fs.locate(root), 'x'), 'EISDIR');
      await expectCode(fs.replaceLocated(await fs.locate(`${root}/fifo`), 'x'), 'EINVAL');
    },
  },
];

const HOLDING: readonly FsCase[] = [
  {
    name: 'a held folder stays the one it was, whatever takes its name',
    async run(subject) {
      const { fs, root } = subject;
      await fs.writeFileAtomic(`${root}/a/sub/in`, 'in');
      await fs.writeFileAtomic(`${root}/out/sub/in`, 'out, longer');
      await fs.writeFileAtomic(`${root}/out/secret`, 'out');
      const located = await fs.locate(`${root}/a`);
      const folder = await fs.holdFolder(located);
      await swapForLink(subject, `${root}/a`, `${root}/out`);
      expect(await folder.names()).toEqual(['sub']);
      const [within, secret] = await folder.lstatAll(['sub/in', 'secret']);
      expect([within?.size, secret]).toEqual([2, null]);
      await folder.close();
      await folder.close();
      await expectCode(fs.holdFolder(located), 'ESTALE');
      await expectCode(folder.names(), 'EBADF');
    },
  },
  {
    name: 'of a file the folder it stands in is held',
    async run({ fs, root }) {
      await fs.writeFileAtomic(`${root}/a/file`, 'x');
      const folder = await fs.holdFolder(await fs.locate(`${root}/a/file`));
      expect(await folder.names()).toEqual(['file']);
      await folder.close();
      await expectCode(fs.holdFolder(await fs.locate(`${root}/missing`)), 'ENOENT');
    },
  },
  {
    name: 'what is reached through a link, or not below, is not there',
    async run({ fs, root, link, special }) {
      await fs.writeFileAtomic(`${root}/a/b/file`, 'x');
      await fs.writeFileAtomic(`${root}/out/file`, 'x');
      await link(`${root}/a/link`, `${root}/out`);
      await special(`${root}/a/fifo`);
      const folder = await fs.holdFolder(await fs.locate(`${root}/a`));
      const paths = ['b/file', 'link/file', '../out/file', 'b/../../out/file', `${root}/out/file`, 'b/file/x', '', 'b'];
      const kinds = (await folder.lstatAll(paths)).map((stat) => stat?.kind ?? null);
      expect(kinds).toEqual(['file', null, null, null, null, null, null, 'directory']);
      const lent = await folder.lend(['b/file', 'link/file', 'link', 'fifo', 'b', 'missing']);
      expect(lent.files.map((file) => file?.stat.kind ?? null)).toEqual(['file', null, null, null, null, null]);
      expect(text(await fs.readFile(lent.files[0]?.path ?? ''))).toBe('x');
      await lent.giveBack();
      await lent.giveBack();
      await folder.close();
    },
  },
  {
    name: 'a folder was not quiet where a name in it was made, moved or taken away',
    async run({ fs, root }) {
      await fs.writeFileAtomic(`${root}/a/b/c/file`, 'x');
      const folder = await fs.holdFolder(await fs.locate(`${root}/a`));
      expect(await folder.wasQuiet(['b/missing'])).toBe(false);
      await fs.rename(`${root}/a/b/c`, `${root}/a/b/d`);
      expect(await folder.wasQuiet(['b'])).toBe(false);
      await folder.close();
    },
  },
];

export const LOCATED_CASES: readonly FsCase[] = [...LOCATING, ...OPENING, ...REPLACING, ...HOLDING];
