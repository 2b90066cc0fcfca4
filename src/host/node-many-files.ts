// Small looks at very many files, for lists of them. Each is made on the spot, which takes a tenth of the time that
// waking a thread of the pool takes, and the event loop gets its turn every few milliseconds.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileFailure, requireUsablePath } from './file-failure.js';
import type { FileEnds, FileStat, HostFs } from './host.js';
import { guarded, toFileStat } from './node-guard.js';

/** Longest run of such looks before other work has its turn, milliseconds. */
const SLICE_MS = 4;

/** Contract: as in `HostFs`. */
export function createManyFiles(): Pick<HostFs, 'lstatAll' | 'readEnds'> {
  /** Null before the first look: asking for the time loads a module that most sessions do without. */
  let turnBegan: number | null = null;
  const isTurnOver = (): boolean => {
    turnBegan ??= performance.now();
    return performance.now() - turnBegan >= SLICE_MS;
  };
  const giveTurn = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    turnBegan = performance.now();
  };
  return {
    async lstatAll(paths) {
      for (const path of paths) requireUsablePath(path, 'look at', isAbsolute);
      const found: (FileStat | null)[] = [];
      for (const path of paths) {
        if (isTurnOver()) await giveTurn();
        found.push(lstatOrNull(path));
      }
      return found;
    },
    readEnds: (path, length) =>
      guarded('read', path, async () => {
        if (isTurnOver()) await giveTurn();
        return readEndsNow(path, length);
      }),
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

function readEndsNow(path: string, length: number): FileEnds {
  // O_NONBLOCK: opening a FIFO without a writer returns at once.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) throw fileFailure('EISDIR', path, 'read');
    if (!stats.isFile()) throw fileFailure('EINVAL', path, 'read');
    const head = readRangeNow(descriptor, 0, Math.min(length, stats.size));
    const rest = Math.max(0, Math.min(length, stats.size - length));
    return { stat: toFileStat(stats), head, tail: readRangeNow(descriptor, stats.size - rest, rest) };
  } finally {
    closeSync(descriptor);
  }
}

/** Fewer bytes than asked for only where the file became shorter. */
function readRangeNow(descriptor: number, position: number, length: number): Uint8Array {
  const buffer = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, buffer, filled, length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}
