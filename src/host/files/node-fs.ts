// HostFs over the disk. Every failure leaves as a FileError, and nothing here waits for the other end of a pipe.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import {
  chmod,
  type FileHandle,
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
import { dirname, isAbsolute, parse, resolve } from 'node:path';
import { DOORS } from '../doors.js';
import {
  type AppendHandle,
  type AtomicWriteOptions,
  type DirectoryEntry,
  type FileEnds,
  type FileStat,
  fileFailure,
  type HostFs,
  type ReadHandle,
  requireUsablePath,
} from '../host.js';
import { monotonicMs } from '../monotonic.js';
import { createVolatileFile, makeFolders, placeFile, statReplaceable, unlessMissing } from './atomic-write.js';
import type { LocatedFiles } from './located-files.js';
import { guarded, guardedNow, kindOf, toFileStat } from './node-guard.js';
import { readHandle } from './read-handle.js';

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
  const many = createManyFiles();
  // Needed with the first call of a file tool.
  let located: LocatedFiles | null = null;
  const loadLocated = async (): Promise<LocatedFiles> => {
    const { createLocatedFiles } = await DOORS.locatedFiles();
    located ??= createLocatedFiles();
    return located;
  };
  return {
    // The system answers these from what it keeps in memory, in a tenth of the time a thread of the pool is woken in.
    stat: (path) => guarded('look at', path, async () => foundAt(path, statSync(path, { throwIfNoEntry: false }))),
    lstat: (path) => guarded('look at', path, async () => foundAt(path, lstatSync(path, { throwIfNoEntry: false }))),
    lstatAll: async (paths) => many.lstatAll(paths),
    realpath: (path) => guarded('resolve', path, async () => realpathSync.native(path)),
    readFile: (path) => guarded('read', path, () => readWholeFile(path)),
    openRead: (path) => guarded('open', path, async () => openForReading(path)),
    readEnds: async (path, length) => many.readEnds(path, length),
    lookAtEnds: async (path, stat, length, look) => many.lookAtEnds(path, stat, length, look),
    openAppend: (path) => guarded('open', path, () => openForAppending(path)),
    writeFileAtomic: (path, data, options = {}) => guarded('write', path, () => replaceFile(path, data, options)),
    createFile: (path, data, options = {}) => guarded('create', path, () => createNewFile(path, data, options)),
    locate: async (path) => (located ?? (await loadLocated())).locate(path),
    openLocated: async (file) => (located ?? (await loadLocated())).openLocated(file),
    replaceLocated: async (file, data, options) =>
      (located ?? (await loadLocated())).replaceLocated(file, data, options),
    holdFolder: async (folder) => (located ?? (await loadLocated())).holdFolder(folder),
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

/** Node 20 throws if the way to a path leads through a file; later ones say no more than that there is nothing. */
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

/** In place, as it costs less than to wake a thread for it: whoever opens a file to read it has mostly looked at it. */
function openForReading(path: string): ReadHandle {
  // O_NONBLOCK: opening a FIFO without a writer returns at once, and the caller sees its kind.
  return readHandle(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), path);
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
  await placeFile(dirname(path), path, data, { ...options, existing: undefined, mustBeNew: true });
}

async function replaceFile(path: string, data: Uint8Array | string, options: AtomicWriteOptions): Promise<void> {
  await makeFolder(path, NEW_FOLDER_MODE);
  const target = await resolveLinks(path);
  await placeFile(dirname(target), target, data, { ...options, existing: await statReplaceable(target) });
}

/** The path a write through `path` would land on, even if the last link points to nothing yet. */
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

// Small looks at very many files, for lists of them. Each is made on the spot, which takes a tenth of the time that
// waking a thread of the pool takes, and the event loop gets its turn every few milliseconds.

/** Longest run of such looks before other work has its turn, milliseconds. */
const SLICE_MS = 4;
/** Looks between two looks at the clock. */
const LOOKS_AT_ONCE = 32;

type ManyFiles = Pick<HostFs, 'lstatAll' | 'readEnds' | 'lookAtEnds'>;

/** Contract: as in `HostFs`. */
function createManyFiles(): ManyFiles {
  /** Null before the first look in a turn of the event loop: whoever looks again after a pause holds nobody up. */
  let turnBegan: number | null = null;
  const isTurnOver = (): boolean => {
    if (turnBegan !== null) return monotonicMs() - turnBegan >= SLICE_MS;
    turnBegan = monotonicMs();
    setImmediate(() => {
      turnBegan = null;
    });
    return false;
  };
  const giveTurn = () => new Promise((resolve) => setImmediate(resolve));
  /** Memory of its own for each of ten thousand files would cost more than reading them. */
  let room = Buffer.alloc(0);
  const borrow = (size: number): Uint8Array => {
    if (room.length < size) room = Buffer.alloc(size);
    return room.subarray(0, size);
  };
  return {
    async lstatAll(paths) {
      for (const path of paths) requireUsablePath(path, 'look at', isAbsolute);
      const found: (FileStat | null)[] = [];
      for (const path of paths) {
        // To ask for the time takes as long as a look.
        if (found.length % LOOKS_AT_ONCE === 0 && isTurnOver()) await giveTurn();
        found.push(lstatOrNull(path));
      }
      return found;
    },
    readEnds: (path, length) =>
      guarded('read', path, async () => {
        if (isTurnOver()) await giveTurn();
        return withFile(path, (file) => endsOf(file, regularFile(file, path), length, (size) => new Uint8Array(size)));
      }),
    async lookAtEnds(path, stat, length, look) {
      if (isTurnOver()) await giveTurn();
      // Nothing is waited for until `look` is through, so each look can have the same room as the one before.
      return look(guardedNow('read', path, () => withFile(path, (file) => endsOf(file, stat, length, borrow))));
    },
  };
}

function lstatOrNull(path: string): FileStat | null {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined ? null : toFileStat(stats);
  } catch {
    return null; // said by null
  }
}

function withFile<T>(path: string, work: (file: number) => T): T {
  // O_NONBLOCK: opening a FIFO without a writer returns at once.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}

function regularFile(file: number, path: string): FileStat {
  const stats = fstatSync(file);
  if (stats.isDirectory()) throw fileFailure('EISDIR', path, 'read');
  if (!stats.isFile()) throw fileFailure('EINVAL', path, 'read');
  return toFileStat(stats);
}

/** @param take gives room for so many bytes; of two rooms both must last */
function endsOf(file: number, stat: FileStat, length: number, take: (length: number) => Uint8Array): FileEnds {
  const headLength = Math.min(length, stat.size);
  const tailLength = Math.min(length, stat.size - headLength);
  const room = take(headLength + tailLength);
  // Most files are short, and each view of memory costs a list as much as a read.
  if (tailLength === 0) return { stat, head: readRangeNow(file, 0, room), tail: NOTHING };
  const head = readRangeNow(file, 0, room.subarray(0, headLength));
  return { stat, head, tail: readRangeNow(file, stat.size - tailLength, room.subarray(headLength)) };
}

const NOTHING = new Uint8Array(0);

/** Fewer bytes than there is room for only if the file became shorter. */
function readRangeNow(file: number, position: number, room: Uint8Array): Uint8Array {
  let filled = 0;
  while (filled < room.length) {
    const count = readSync(file, room, filled, room.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled === room.length ? room : room.subarray(0, filled);
}
