// HostFs over the disk. Every failure leaves as a FileError, and nothing here waits for the other end of a pipe.
import type { Stats } from 'node:fs';
import { closeSync, constants, fstatSync, lstatSync, openSync, read, realpathSync, statSync, writeSync } from 'node:fs';
import {
  access,
  chmod,
  type FileHandle,
  link,
  lstat,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
} from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, resolve } from 'node:path';
import { fileFailure, requireUsablePath } from './file-failure.js';
import type { AppendHandle, AtomicWriteOptions, DirectoryEntry, FileStat, HostFs, ReadHandle } from './host.js';
import { makeFolders } from './make-folders.js';
import { guarded, kindOf, toFileStat } from './node-guard.js';
import type { ManyFiles } from './node-many-files.js';
import { drawRandomBytes } from './random-ids.js';
import { createVolatileFile } from './volatile-file.js';

const NEW_FILE_MODE = 0o644;
const NEW_FOLDER_MODE = 0o777;
const PRIVATE_FILE_MODE = 0o600;
const PRIVATE_FOLDER_MODE = 0o700;
const MAX_LINKS = 40;

/** Bytes of an append that is written in place. */
const SHORT_APPEND = 16 * 1024;

/**
 * The disk of this process.
 * Contract: as `HostFs`. `mkdir` creates the missing parents and accepts an existing directory; `remove` deletes a
 * directory with its content and a symbolic link itself; `readdir` is sorted; new files honour the umask; `readFile`
 * takes regular files only.
 */
export function createNodeFs(): HostFs {
  // Most sessions never look at many files, and those that do look at ten thousand: one that is loaded is not waited for.
  let many: ManyFiles | null = null;
  const loadMany = async (): Promise<ManyFiles> => {
    const { createManyFiles } = await import('./node-many-files.js');
    many ??= createManyFiles();
    return many;
  };
  return {
    // The system answers these from what it keeps in memory, in a tenth of the time a thread of the pool is woken in.
    stat: (path) => guarded('look at', path, async () => foundAt(path, statSync(path, { throwIfNoEntry: false }))),
    lstat: (path) => guarded('look at', path, async () => foundAt(path, lstatSync(path, { throwIfNoEntry: false }))),
    lstatAll: async (paths) => (many ?? (await loadMany())).lstatAll(paths),
    realpath: (path) => guarded('resolve', path, async () => realpathSync.native(path)),
    readFile: (path) => guarded('read', path, () => readWholeFile(path)),
    openRead: (path) => guarded('open', path, () => openForReading(path)),
    readEnds: async (path, length) => (many ?? (await loadMany())).readEnds(path, length),
    lookAtEnds: async (path, stat, length, look) => (many ?? (await loadMany())).lookAtEnds(path, stat, length, look),
    openAppend: (path) => guarded('open', path, () => openForAppending(path)),
    writeFileAtomic: (path, data, options = {}) => guarded('write', path, () => replaceFile(path, data, options)),
    createFile: (path, data, options = {}) => guarded('create', path, () => createNewFile(path, data, options)),
    rename: (from, to) =>
      guarded('move', from, async () => {
        requireUsablePath(to, 'move to', isAbsolute);
        await rename(from, to);
      }),
    chmod: (path, mode) =>
      guarded('change the mode of', path, async () => {
        if ((await lstat(path)).isSymbolicLink()) throw fileFailure('ELOOP', path, 'change the mode of');
        await chmod(path, mode);
      }),
    readlink: (path) => guarded('read the link', path, () => readlink(path)),
    symlink: (target, path) => guarded('link', path, () => symlink(target, path)),
    readdir: (path) => guarded('list', path, async () => (await readdir(path)).sort()),
    entries: (path) => guarded('list', path, () => listEntries(path)),
    mkdir: (path, options = {}) =>
      guarded('create the directory', path, async () => {
        await makeFolders(path, options.mode ?? NEW_FOLDER_MODE);
      }),
    remove: (path) =>
      guarded('remove', path, async () => {
        if (parse(path).root === resolve(path)) throw fileFailure('EBUSY', path, 'remove');
        await rm(path, { recursive: true });
      }),
    removeEntry: (path) =>
      guarded('remove', path, async () => {
        // Each call refuses what it is not for, so nothing goes that took the path in between.
        await ((await lstat(path)).isDirectory() ? rmdir(path) : unlink(path));
      }),
  };
}

async function listEntries(path: string): Promise<DirectoryEntry[]> {
  const found = await readdir(path, { withFileTypes: true });
  return found
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** What is missing is told without an error of Node, which takes a stack trace each time. */
function foundAt(path: string, stats: Stats | undefined): FileStat {
  if (stats === undefined) throw fileFailure(reasonOfMissing(path), path, 'look at');
  return toFileStat(stats);
}

/** Node 20 throws where the way to a path leads through a file; later ones say no more than that there is nothing. */
function reasonOfMissing(path: string): 'ENOENT' | 'ENOTDIR' {
  const parent = dirname(path);
  if (parent === path) return 'ENOENT';
  const found = statSync(parent, { throwIfNoEntry: false });
  if (found === undefined) return reasonOfMissing(parent);
  return found.isDirectory() ? 'ENOENT' : 'ENOTDIR';
}

async function readWholeFile(path: string): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    await requireRegularFile(file, path, 'read');
    const data = await file.readFile();
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  } finally {
    await file.close();
  }
}

async function requireRegularFile(file: FileHandle, path: string, action: string): Promise<void> {
  const stats = await file.stat();
  if (stats.isDirectory()) throw fileFailure('EISDIR', path, action);
  if (!stats.isFile()) throw fileFailure('EINVAL', path, action);
}

/** A file descriptor of its own: an object around it costs as much as the reads of a small file. */
async function openForReading(path: string): Promise<ReadHandle> {
  // O_NONBLOCK: opening a FIFO without a writer returns at once, and the caller sees its kind.
  // In place, as it costs less than to wake a thread for it: whoever opens a file to read it has mostly looked at it.
  let fd: number | null = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let size = 0;
  const reads = new Set<Promise<Uint8Array>>();
  const withFile = <T>(action: string, work: (fd: number) => T | Promise<T>): Promise<T> =>
    guarded(action, path, async () => {
      if (fd === null) throw fileFailure('EBADF', path, action);
      return work(fd);
    });
  return {
    // Of an open file the system answers at once, faster than a thread of the pool is woken to ask.
    stat: () =>
      withFile('look at', (file) => {
        const found = toFileStat(fstatSync(file));
        size = found.kind === 'file' ? found.size : 0;
        return found;
      }),
    read: (position, length) =>
      withFile('read', async (file) => {
        const reading = readRange(file, position, length, size);
        reads.add(reading);
        return reading.finally(() => reads.delete(reading));
      }),
    async close() {
      if (fd === null) return;
      const file = fd;
      fd = null;
      // A read that is under way must not find another file behind its number.
      if (reads.size > 0) await Promise.allSettled(reads);
      await guarded('close', path, async () => closeSync(file));
    },
  };
}

/** @param size of the file where it is known, else 0: a read that ends there needs no other that finds nothing */
async function readRange(file: number, position: number, length: number, size: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const bytesRead = await readFile(file, buffer, filled, position + filled);
    filled += bytesRead;
    if (bytesRead === 0 || (size > 0 && position + filled === size)) break;
  }
  return buffer.subarray(0, filled);
}

function readFile(file: number, buffer: Uint8Array, offset: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(file, buffer, offset, buffer.length - offset, position, (error, bytesRead) =>
      error === null ? resolve(bytesRead) : reject(error),
    );
  });
}

function closeOnce(file: FileHandle, path: string): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= guarded('close', path, () => file.close());
    return closing;
  };
}

async function openForAppending(path: string): Promise<AppendHandle> {
  await makeFolder(path, PRIVATE_FOLDER_MODE);
  const flags =
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags, PRIVATE_FILE_MODE).catch((error: unknown) => {
    // A FIFO nobody reads from; said as what it is, a file of the wrong kind.
    if ((error as { code?: unknown }).code === 'ENXIO') throw fileFailure('EINVAL', path, 'append to', error);
    throw error;
  });
  try {
    await requireRegularFile(file, path, 'append to');
  } catch (error) {
    await file.close();
    throw error;
  }
  return appendHandle(file, path);
}

/** Makes the folder a file is to stand in. */
async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await makeFolders(dirname(path), mode);
  } catch (error) {
    // What exists there is no directory; for the file inside it that is the thing to say.
    if ((error as { code?: unknown }).code === 'EEXIST') throw fileFailure('ENOTDIR', path, 'write', error);
    throw error;
  }
}

function appendHandle(file: FileHandle, path: string): AppendHandle {
  // Writes of one handle run one after the other, so that lines stand in the order they were appended.
  let last: Promise<void> = Promise.resolve();
  const inOrder = (action: string, work: () => Promise<void>): Promise<void> => {
    const next = last.then(() => guarded(action, path, work));
    last = next.catch(() => undefined); // whoever appended gets the failure; it must not block the next write
    return next;
  };
  const close = closeOnce(file, path);
  return {
    append: (text) => inOrder('append to', () => writeOnce(file, path, Buffer.from(text, 'utf8'))),
    sync: () => inOrder('sync', () => file.datasync()),
    close: () => last.then(close),
  };
}

async function writeOnce(file: FileHandle, path: string, data: Uint8Array): Promise<void> {
  if (data.length === 0) return;
  if (file.fd < 0) throw fileFailure('EBADF', path, 'append to'); // closed before
  // A short line is written faster than a thread of the pool is woken to write it.
  const bytesWritten =
    data.length <= SHORT_APPEND
      ? writeSync(file.fd, data, 0, data.length, null)
      : (await file.write(data, 0, data.length, null)).bytesWritten;
  if (bytesWritten < data.length) throw fileFailure('ESHORT', path, 'append to');
}

/** Written aside, then given its name: whoever sees the file sees all of it. A link made by `link` never replaces. */
async function createNewFile(path: string, data: Uint8Array | string, options: AtomicWriteOptions): Promise<void> {
  if (options.durable === false) return createVolatileFile(path, data, options.mode ?? NEW_FILE_MODE);
  await makeFolder(path, PRIVATE_FOLDER_MODE);
  const temporary = await writeAside(dirname(path), data, options.mode ?? NEW_FILE_MODE, (file) => file.sync());
  try {
    await link(temporary, path);
  } finally {
    await unlink(temporary);
  }
  await syncFolder(dirname(path));
}

async function replaceFile(path: string, data: Uint8Array | string, options: AtomicWriteOptions): Promise<void> {
  await makeFolder(path, NEW_FOLDER_MODE);
  const target = await resolveLinks(path);
  const folder = dirname(target);
  const existing = await statReplaceable(target);
  const mode = existing === undefined ? (options.mode ?? NEW_FILE_MODE) : PRIVATE_FILE_MODE;
  const isDurable = options.durable ?? true;
  const temporary = await writeAside(folder, data, mode, async (file) => {
    if (existing !== undefined) await keepOwnerAndMode(file, existing);
    if (isDurable) await file.sync();
  });
  try {
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined); // the write already failed; its own error is the one to report
    throw error;
  }
  if (isDurable) await syncFolder(folder);
}

/** A file with the whole content under a name nobody knows. @param finish what is done before it is closed */
async function writeAside(
  folder: string,
  data: Uint8Array | string,
  mode: number,
  finish: (file: FileHandle) => Promise<void>,
): Promise<string> {
  const temporary = join(folder, `.turnwright-${Buffer.from(drawRandomBytes(9)).toString('hex')}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(temporary, flags, mode);
  try {
    try {
      await file.writeFile(data);
      await finish(file);
    } finally {
      await file.close();
    }
    return temporary;
  } catch (error) {
    await unlink(temporary).catch(() => undefined); // the write already failed; its own error is the one to report
    throw error;
  }
}

/** The path a write through `path` would land on, also where the last link points to nothing yet. */
async function resolveLinks(path: string): Promise<string> {
  let current = path;
  for (let links = 0; links <= MAX_LINKS; links++) {
    const found = await unlessMissing(realpath(current));
    if (found !== undefined) return found;
    const stats = await unlessMissing(lstat(current));
    if (stats === undefined || !stats.isSymbolicLink()) return current;
    current = resolve(await realpath(dirname(current)), await readlink(current));
  }
  throw fileFailure('ELOOP', path, 'write');
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Stat of the file to replace, or undefined. A rename would get past its missing write permission, so that is checked. */
async function statReplaceable(target: string): Promise<Stats | undefined> {
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
