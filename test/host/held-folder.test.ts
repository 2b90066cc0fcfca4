// Folders that are held open: by descriptor if the system has them, by name elsewhere; and what a search asks of them.
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { holdByName, holdRealPath } from '../../src/host/files/held-folder.js';
import { folderHandle } from '../../src/host/files/located-files.js';

/** Nobody adds a file to what was installed while tests run. */
const INSTALLED = realpathSync(fileURLToPath(new URL('../../node_modules/vitest', import.meta.url)));
/** Where a file system keeps times of its own, nobody can tell. */
const hasOurTimes =
  process.platform !== 'linux' ||
  [0xef53, 0x58465342, 0x9123683e, 0x794c7630, 0x01021994].includes(statfsSync(INSTALLED).type);

function place(): { readonly root: string; readonly inside: string; readonly outside: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'turnwright-held-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  for (const folder of ['in/sub', 'out/sub']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'in/sub/file'), 'in');
  writeFileSync(join(root, 'out/sub/file'), 'outside');
  return { root, inside: join(root, 'in'), outside: join(root, 'out') };
}

function swap(inside: string, outside: string): void {
  renameSync(inside, `${inside}.away`);
  symlinkSync(outside, inside);
}

it('a path that goes through a link is no real path', () => {
  const { root, inside } = place();
  symlinkSync(inside, join(root, 'link'));
  for (const hold of [holdRealPath, holdByName]) {
    expect(() => hold(join(root, 'link/sub'))).toThrow();
    expect(() => hold(join(root, 'link'))).toThrow();
    const folder = hold(join(inside, 'sub'));
    expect(folder.stat()).toMatchObject({ kind: 'directory', inode: statSync(join(inside, 'sub')).ino });
    folder.close();
  }
});

it('if there is nothing but names, a link that stays is noticed', async () => {
  const { inside, outside } = place();
  const folder = folderHandle(holdByName(inside));
  expect((await folder.lstatAll(['sub/file', 'missing', '../out']))[0]).toMatchObject({ kind: 'file', size: 2 });
  const lent = await folder.lend(['sub/file']);
  expect(lent.files).toMatchObject([{ path: join(inside, 'sub/file'), stat: { size: 2 } }]);
  await lent.giveBack();
  swap(join(inside, 'sub'), join(outside, 'sub'));
  expect(await folder.lstatAll(['sub/file'])).toEqual([null]);
  expect((await folder.lend(['sub/file'])).files).toEqual([null]);
  swap(inside, outside);
  await expect(folder.lstatAll(['sub/file'])).rejects.toMatchObject({ code: 'ESTALE' });
  await folder.close();
});

it('folders in which nothing happened for a while were quiet, and others were not', async () => {
  const { inside } = place();
  const old = folderHandle(holdRealPath(INSTALLED));
  expect(await old.wasQuiet([])).toBe(hasOurTimes);
  expect(await old.wasQuiet(['dist', 'dist/chunks'])).toBe(hasOurTimes);
  expect(await old.wasQuiet(['dist/missing'])).toBe(false);
  await old.close();
  // What was made just now may have been made since.
  const fresh = folderHandle(holdRealPath(inside));
  expect(await fresh.wasQuiet(['sub'])).toBe(false);
  await fresh.close();
});
