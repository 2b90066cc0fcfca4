// Small looks at very many files, for lists of them. Each is made on the spot, which takes a tenth of the time that
// waking a thread of the pool takes, and the event loop gets its turn every few milliseconds.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { FileEnds, FileStat, HostFs } from '../host.js';
import { fileFailure, requireUsablePath } from '../host.js';
import { monotonicMs } from '../monotonic.js';
import { guarded, guardedNow, toFileStat } from './node-guard.js';

/** Longest run of such looks before other work has its turn, milliseconds. */
const SLICE_MS = 4;
/** Looks between two looks at the clock. */
const LOOKS_AT_ONCE = 32;

export type ManyFiles = Pick<HostFs, 'lstatAll' | 'readEnds' | 'lookAtEnds'>;

/** Contract: as in `HostFs`. */
export function createManyFiles(): ManyFiles {
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
