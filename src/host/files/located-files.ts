// Files and folders as they were located: opened, replaced and searched without a second look-up of their names.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  type Stats,
  statfsSync,
} from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import {
  type AtomicWriteOptions,
  type FileStat,
  type FolderHandle,
  fileFailure,
  type HostFs,
  type LentFiles,
  type Located,
  type ReadHandle,
} from '../host.js';
import { monotonicMs } from '../monotonic.js';
import { placeFile } from './atomic-write.js';
import { type HeldFolder, holdRealPath, isSameFile, StaleError } from './held-folder.js';
import { guarded, toFileStat } from './node-guard.js';
import { readHandle } from './read-handle.js';

export type LocatedFiles = Pick<HostFs, 'locate' | 'openLocated' | 'replaceLocated' | 'holdFolder'>;

const NEW_FOLDER_MODE = 0o777;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** What the system says if a link, or anything but a folder, stands in the place of a folder. */
const IN_THE_WAY: ReadonlySet<unknown> = new Set(['ELOOP', 'ENOTDIR', 'ESTALE']);

/** Contract: as in `HostFs`. */
export function createLocatedFiles(): LocatedFiles {
  return {
    locate: (path) => guarded('look at', path, async () => locate(path)),
    openLocated: (located) => guarded('open', located.path, async () => openLocated(located)),
    replaceLocated: (located, data, options = {}) =>
      guarded('write', located.path, () => replaceLocated(located, data, options)),
    holdFolder: (located) => guarded('open', located.path, async () => folderHandle(heldFolderOf(located))),
  };
}

function locate(path: string): Located {
  const missing: string[] = [];
  for (let current = resolve(path); ; current = dirname(current)) {
    const real = realPathOrNull(current);
    if (real === null) {
      if (lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink()) throw fileFailure('ENOENT', path, 'look at');
      missing.push(basename(current));
      continue;
    }
    const stats = lstatSync(real, { throwIfNoEntry: false });
    // Gone, or replaced, just now. What is decided on must be one thing.
    if (stats === undefined || stats.isSymbolicLink()) throw fileFailure('ESTALE', path, 'look at');
    const stat = toFileStat(stats);
    if (missing.length === 0) return { path, realPath: real, stat, above: null };
    if (stat.kind !== 'directory') throw fileFailure('ENOTDIR', path, 'look at');
    return { path, realPath: join(real, ...missing.reverse()), stat: null, above: { path: real, stat } };
  }
}

function realPathOrNull(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT' || dirname(path) === path) throw error;
    return null;
  }
}

function openLocated(located: Located): ReadHandle {
  const { path, realPath, stat } = located;
  if (stat === null) throw fileFailure('ENOENT', path, 'open');
  if (stat.kind === 'directory') throw fileFailure('EISDIR', path, 'open');
  if (stat.kind !== 'file') throw fileFailure('EINVAL', path, 'open');
  return orStale(path, 'open', () => {
    const folder = holdRealPath(dirname(realPath));
    try {
      const file = openSync(folder.at(basename(realPath)), READ);
      try {
        requireSame(toFileStat(fstatSync(file)), stat);
        return readHandle(file, path);
      } catch (error) {
        closeSync(file);
        throw error;
      }
    } finally {
      folder.close();
    }
  });
}

function requireSame(found: FileStat, wanted: FileStat): void {
  if (!isSameFile(found, wanted)) throw new StaleError('It was replaced.');
}

/** The folder itself, of a file the one that it stands in. */
function heldFolderOf({ path, realPath, stat }: Located): HeldFolder {
  if (stat === null) throw fileFailure('ENOENT', path, 'open');
  return orStale(path, 'open', () => {
    const isFolder = stat.kind === 'directory';
    const folder = holdRealPath(isFolder ? realPath : dirname(realPath));
    try {
      if (isFolder) requireSame(folder.stat(), stat);
      return folder;
    } catch (error) {
      folder.close();
      throw error;
    }
  });
}

async function replaceLocated(
  { path, realPath, stat, above }: Located,
  data: Uint8Array | string,
  options: AtomicWriteOptions,
): Promise<FileStat> {
  if (stat?.kind === 'directory') throw fileFailure('EISDIR', path, 'write');
  if (stat !== null && stat.kind !== 'file') throw fileFailure('EINVAL', path, 'write');
  const name = basename(realPath);
  const folder = orStale(path, 'write', () =>
    above === null ? holdRealPath(dirname(realPath)) : makeFoldersTo(dirname(realPath), above),
  );
  try {
    const target = folder.at(name).toString();
    const existing = stat === null ? undefined : orStale(path, 'write', () => existingFile(target, stat));
    // A rename would get past its missing write permission.
    if (existing !== undefined) await access(target, constants.W_OK);
    const { check } = folder;
    return await placeFile(folder.self, target, data, {
      ...options,
      existing,
      mustBeNew: existing === undefined,
      check,
    });
  } catch (error) {
    // Somebody made it since it was located, so nobody has seen what it holds.
    if ((error as { code?: unknown }).code === 'EEXIST') throw fileFailure('ESTALE', path, 'write', error);
    throw error;
  } finally {
    folder.close();
  }
}

function existingFile(target: string, wanted: FileStat): Stats {
  const stats = lstatSync(target);
  requireSame(toFileStat(stats), wanted);
  return stats;
}

/** Goes down from the folder that was there, and makes those that were not. */
function makeFoldersTo(realPath: string, above: NonNullable<Located['above']>): HeldFolder {
  let folder = holdRealPath(above.path);
  try {
    requireSame(folder.stat(), above.stat);
    for (const name of realPath.slice(above.path.length).split(sep).filter(Boolean)) {
      makeFolder(folder, name);
      const next = folder.enter(name);
      folder.close();
      folder = next;
    }
    return folder;
  } catch (error) {
    folder.close();
    throw error;
  }
}

function makeFolder(folder: HeldFolder, name: string): void {
  try {
    mkdirSync(folder.at(name), { mode: NEW_FOLDER_MODE });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error; // somebody else made it just now
  }
}

/** What stands in the way now was not there when it was located. */
function orStale<T>(path: string, action: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!IN_THE_WAY.has((error as { code?: unknown }).code)) throw error;
    throw fileFailure('ESTALE', path, action, error);
  }
}

// A held folder for those who search in it: what stands below it, found by its descriptor and through no link.

/** Longest run of looks before other work has its turn, milliseconds. */
const SLICE_MS = 4;
/** The system's times tick: a change may bear the time of this long before it, milliseconds. */
const TICK_MS = 100;
/** The clock was set if it went otherwise than time by more than this, milliseconds. */
const CLOCK_STEP_MS = 20;
/** File systems whose times are those of this machine's clock: ext, XFS, Btrfs, F2FS, ZFS, overlay, tmpfs. */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x794c7630, 0x01021994,
]);

/** Takes the folder over. Contract: as `FolderHandle`. */
export function folderHandle(folder: HeldFolder): FolderHandle {
  const opened = { wall: Date.now(), monotonic: monotonicMs() };
  const turns = takeTurns();
  let isOpen = true;
  const open = <T>(work: () => Promise<T>): Promise<T> =>
    guarded('look into', folder.self, async () => {
      if (!isOpen) throw fileFailure('EBADF', folder.self, 'look into');
      folder.check();
      return work();
    });
  /** Enters each folder once, in an order in which most of the way to the next is open already. */
  const visit = async <T>(paths: readonly string[], work: (at: string | Buffer) => T): Promise<(T | null)[]> => {
    const results: (T | null)[] = paths.map(() => null);
    const groups = byFolder(paths);
    const way = openWay(folder);
    try {
      for (const parent of [...groups.keys()].sort()) {
        await turns();
        const entered = orNull(() => way.enter(parent));
        if (entered === null) continue;
        for (const { name, index } of groups.get(parent) ?? []) {
          results[index] = orNull(() => work(entered.at(rawName(entered, name))));
        }
        if (!isStill(entered)) for (const { index } of groups.get(parent) ?? []) results[index] = null;
      }
      return results;
    } finally {
      way.close();
    }
  };
  return {
    cwd: folder.self,
    names: () => open(async () => readdirSync(folder.self).sort()),
    lstatAll: (paths) => open(() => visit(paths, lstatOrNull)),
    lend: (paths) =>
      open(async () => {
        const lent: number[] = [];
        const files = await visit(paths, (at) => lendFile(at, folder.isHeld, lent));
        return lentFiles(files, lent);
      }),
    wasQuiet: (folders) =>
      open(async () => {
        const drift = Date.now() - opened.wall - (monotonicMs() - opened.monotonic);
        if (Math.abs(drift) > CLOCK_STEP_MS || (folder.isHeld && !LOCAL.has(statfsSync(folder.self).type)))
          return false;
        const own = folder.stat();
        const isQuiet = (stat: FileStat | null) =>
          stat?.kind === 'directory' && stat.device === own.device && stat.ctimeMs < opened.wall - TICK_MS;
        if (!isQuiet(own)) return false;
        const below = await visit(withFoldersAbove(folders), (at) => isQuiet(lstatOrNull(at)));
        return below.every((quiet) => quiet === true);
      }),
    async close() {
      if (isOpen) folder.close();
      isOpen = false;
    },
  };
}

/** Contract: no number of them is given away twice. */
function lentFiles(files: LentFiles['files'], lent: readonly number[]): LentFiles {
  let isLent = true;
  return {
    files,
    async giveBack() {
      if (isLent) for (const file of lent) closeSync(file);
      isLent = false;
    },
  };
}

/** @param isHeld false: its name is all that can be lent */
function lendFile(at: string | Buffer, isHeld: boolean, lent: number[]) {
  const file = openSync(at, READ);
  const stat = toFileStat(fstatSync(file));
  if (stat.kind === 'file' && isHeld) lent.push(file);
  else closeSync(file);
  return stat.kind === 'file' ? { path: isHeld ? `/proc/${process.pid}/fd/${file}` : at.toString(), stat } : null;
}

function lstatOrNull(at: string | Buffer): FileStat | null {
  const stats = lstatSync(at, { throwIfNoEntry: false });
  return stats === undefined ? null : toFileStat(stats);
}

interface Name {
  readonly name: string;
  /** Of the path that it ends. */
  readonly index: number;
}

/** Names by the folder that they stand in. What is no path below is left out. */
function byFolder(paths: readonly string[]): Map<string, Name[]> {
  const groups = new Map<string, Name[]>();
  for (const [index, path] of paths.entries()) {
    const parts = partsOf(path);
    const name = parts.pop();
    if (name === undefined) continue;
    const parent = parts.join('/');
    const group = groups.get(parent);
    if (group === undefined) groups.set(parent, [{ name, index }]);
    else group.push({ name, index });
  }
  return groups;
}

/** The folders between the held one and what was found last, open as long as the next may lie in them. */
function openWay(top: HeldFolder) {
  const entered: { readonly name: string; readonly folder: HeldFolder }[] = [];
  const leaveTo = (depth: number): void => {
    while (entered.length > depth) entered.pop()?.folder.close();
  };
  return {
    /** @throws if a part is missing, or a link is on the way */
    enter(path: string): HeldFolder {
      const folders = path === '' ? [] : path.split('/');
      const same = folders.findIndex((name, depth) => entered[depth]?.name !== name);
      leaveTo(same === -1 ? folders.length : same);
      for (const name of folders.slice(entered.length)) {
        const folder = entered.at(-1)?.folder ?? top;
        entered.push({ name, folder: folder.enter(rawName(folder, name)) });
      }
      return entered.at(-1)?.folder ?? top;
    },
    close: () => leaveTo(0),
  };
}

/** A name that is no text has lost bytes on its way to here: the folder knows which one it is. */
function rawName(folder: HeldFolder, name: string): string | Buffer {
  if (!name.includes('\ufffd')) return name;
  return readdirSync(folder.self, { encoding: 'buffer' }).find((raw) => raw.toString('utf8') === name) ?? name;
}

/** Empty for a path that does not lie below. */
function partsOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return isAbsolute(path) || parts.includes('..') || path.includes('\0') ? [] : parts;
}

function withFoldersAbove(folders: readonly string[]): readonly string[] {
  const all = new Set<string>();
  for (const folder of folders) {
    const parts = folder.split('/').filter((part) => part !== '' && part !== '.');
    for (let depth = parts.length; depth > 0 && !all.has(parts.slice(0, depth).join('/')); depth--)
      all.add(parts.slice(0, depth).join('/'));
  }
  return [...all];
}

/** If it is only known by its name, something else may have that by now. */
function isStill(folder: HeldFolder): boolean {
  if (folder.isHeld) return true;
  try {
    folder.check();
    return true;
  } catch {
    return false; // said by false
  }
}

/** What is not there, or is reached through a link, is said by null. */
function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

function takeTurns(): () => Promise<void> {
  let began = monotonicMs();
  return async () => {
    if (monotonicMs() - began < SLICE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    began = monotonicMs();
  };
}
