// Files and folders as they were located: opened, replaced and searched without a second look-up of their names.
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, realpathSync, type Stats } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { AtomicWriteOptions, FileStat, HostFs, Located, ReadHandle } from '../host.js';
import { fileFailure } from '../host.js';
import { placeFile } from './atomic-write.js';
import { folderHandle } from './folder-handle.js';
import { type HeldFolder, holdRealPath, isSameFile, StaleError } from './held-folder.js';
import { guarded, toFileStat } from './node-guard.js';
import { readHandle } from './read-handle.js';

export type LocatedFiles = Pick<HostFs, 'locate' | 'openLocated' | 'replaceLocated' | 'holdFolder'>;

const NEW_FOLDER_MODE = 0o777;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** What the system says where a link, or anything but a folder, stands where a folder was. */
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
