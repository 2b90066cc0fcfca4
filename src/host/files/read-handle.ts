// Reads of one open file. One rule: a read that is under way never finds another file behind its number.
import { closeSync, fstatSync, read, readSync } from 'node:fs';
import { fileFailure, type ReadHandle } from '../host.js';
import { guarded, toFileStat } from './node-guard.js';

/** Bytes that are read on the spot: that takes less than waking a thread of the pool. */
const SHORT_READ = 128 * 1024;

/**
 * Takes over an open descriptor; an object of Node around it costs as much as the reads of a small file.
 * @param path what failures name
 */
export function readHandle(opened: number, path: string): ReadHandle {
  let fd: number | null = opened;
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
        // Of a regular file only: anything else may let its reader wait.
        if (size > 0 && length <= SHORT_READ) return readRangeNow(file, position, length, size);
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

/** @param size of the file if it is known, else 0: a read that ends there needs no other that finds nothing */
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

function readRangeNow(file: number, position: number, length: number, size: number): Uint8Array {
  const buffer = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const bytesRead = readSync(file, buffer, filled, length - filled, position + filled);
    filled += bytesRead;
    if (bytesRead === 0 || position + filled === size) break;
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
