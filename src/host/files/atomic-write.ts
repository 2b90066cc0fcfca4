// A file written aside and then given its name, so that whoever sees it sees all of it, with the folders that it needs. One rule: if
// anything fails, what was written aside is gone, and the first failure is the one that is told.
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { access, type FileHandle, link, lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type AtomicWriteOptions, type FileStat, fileFailure } from '../host.js';
import { drawRandomBytes } from '../random-ids.js';
import { toFileStat } from './node-guard.js';

/** Contract: an existing folder, also behind a link, is left as it is. @throws as `mkdir` of Node */
export async function makeFolders(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const code = codeOf(error);
    // In place: faster than a thread of the pool is woken to look.
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolders(dirname(path), mode);
    await mkdir(path, { mode }).catch((again: unknown) => {
      if (codeOf(again) !== 'EEXIST') throw again; // someone else made it just now
    });
  }
}

/** As `makeFolders`, without a thread of the pool. */
function makeFoldersSync(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeFoldersSync(dirname(path), mode);
    try {
      mkdirSync(path, { mode });
    } catch (again) {
      if (codeOf(again) !== 'EEXIST') throw again; // someone else made it just now
    }
  }
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

const PRIVATE_FOLDER_MODE = 0o700;
/** What a file system without hard links says. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Written aside, then given its name, in place: for a few hundred bytes the calls take less time than waking a thread
 * of the pool for each. Creates missing folders (0o700).
 * Contract: whoever finds the file finds all of it, if the file system has hard links.
 */
export function createVolatileFile(path: string, data: Uint8Array | string, mode: number): void {
  const temporary = join(dirname(path), `.turnwright-${Buffer.from(drawRandomBytes(9)).toString('hex')}.tmp`);
  const file = openNew(temporary, mode);
  try {
    try {
      writeFileSync(file, data);
    } finally {
      closeSync(file);
    }
    giveName(temporary, path);
  } finally {
    unlinkSync(temporary);
  }
}

function openNew(path: string, mode: number): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    return openSync(path, flags, mode);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    makeFoldersSync(dirname(path), PRIVATE_FOLDER_MODE);
    return openSync(path, flags, mode);
  }
}

/** @throws EEXIST if anything has the name already */
function giveName(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (!NO_LINKS.has(String((error as { code?: unknown }).code))) throw error;
    copyFileSync(temporary, path, constants.COPYFILE_EXCL);
  }
}

const NEW_FILE_MODE = 0o644;
const PRIVATE_FILE_MODE = 0o600;

/** How a file gets its place. */
interface PlaceOptions extends AtomicWriteOptions {
  /** The file that it replaces, whose owner and mode it keeps. Undefined: there was none. */
  readonly existing: Stats | undefined;
  /** True: `EEXIST` if anything has the name by now. */
  readonly mustBeNew?: boolean;
  /** Called before anything is written and before it gets its name; what it throws ends the write. */
  readonly check?: () => void;
}

/**
 * Puts a file at `target`, which lies in `folder`, in one step.
 * @returns the new file, as it was before it had its name
 */
export async function placeFile(
  folder: string,
  target: string,
  data: Uint8Array | string,
  { existing, mustBeNew = false, mode = NEW_FILE_MODE, durable = true, check = () => undefined }: PlaceOptions,
): Promise<FileStat> {
  const { temporary, stat } = await writeAside(
    folder,
    existing === undefined ? mode : PRIVATE_FILE_MODE,
    async (file) => {
      check();
      await file.writeFile(data);
      if (existing !== undefined) await keepOwnerAndMode(file, existing);
      if (durable) await file.sync();
      check();
    },
  );
  if (mustBeNew) await giveNewName(temporary, target);
  else await orRemove(temporary, () => rename(temporary, target));
  if (durable) await syncFolder(folder);
  return stat;
}

interface Aside {
  readonly temporary: string;
  readonly stat: FileStat;
}

/** A file under a name nobody knows. @param fill is done before it is closed */
async function writeAside(folder: string, mode: number, fill: (file: FileHandle) => Promise<void>): Promise<Aside> {
  const temporary = join(folder, `.turnwright-${Buffer.from(drawRandomBytes(9)).toString('hex')}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(temporary, flags, mode);
  return orRemove(temporary, async () => {
    try {
      await fill(file);
      return { temporary, stat: toFileStat(fstatSync(file.fd)) };
    } finally {
      await file.close();
    }
  });
}

/** A link never replaces. @throws EEXIST if anything has the name */
async function giveNewName(temporary: string, target: string): Promise<void> {
  await orRemove(temporary, async () => {
    try {
      await link(temporary, target);
    } catch (error) {
      if (!NO_LINKS.has(String((error as { code?: unknown }).code))) throw error;
      if ((await unlessMissing(lstat(target))) === undefined) return rename(temporary, target);
      throw Object.assign(new Error('Something has that name by now.', { cause: error }), { code: 'EEXIST' });
    }
    await unlink(temporary);
  });
}

async function orRemove<T>(temporary: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await unlink(temporary).catch(() => undefined); // it already failed; its own error is the one to report
    throw error;
  }
}

/** Stat of the file to replace, or undefined. A rename would get past its missing write permission, so that is checked. */
export async function statReplaceable(target: string): Promise<Stats | undefined> {
  const stats = await unlessMissing(lstat(target));
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) throw fileFailure('EISDIR', target, 'write');
  if (!stats.isFile()) throw fileFailure('EINVAL', target, 'write');
  await access(target, constants.W_OK);
  return stats;
}

async function keepOwnerAndMode(file: FileHandle, existing: Stats): Promise<void> {
  const created = await file.stat();
  if (created.uid !== existing.uid || created.gid !== existing.gid) {
    // Only root may give a file away. For anyone else the new file is their own, as with every editor that renames.
    await file.chown(existing.uid, existing.gid).catch(() => undefined);
  }
  await file.chmod(existing.mode & 0o7777);
}

/** Makes the rename durable. Some file systems cannot sync a directory; there the rename is as durable as it gets. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const directory = await open(folder, constants.O_RDONLY);
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === 'EIO' || code === 'ENOSPC') throw error;
  }
}

export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
}
