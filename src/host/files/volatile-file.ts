// Makes a small file that must not exist yet, without waiting for the disk: what a lock needs.
import { closeSync, constants, copyFileSync, linkSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { drawRandomBytes } from '../random-ids.js';
import { makeFoldersSync } from './make-folders.js';

const PRIVATE_FOLDER_MODE = 0o700;
/** What a file system without hard links says. */
export const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

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
