// What every operation on the disk goes through: a path that is one, and a failure that says what it is.
import type { Dirent, Stats } from 'node:fs';
import { isAbsolute } from 'node:path';
import { FileError, type FileStat, fileFailure, requireUsablePath } from '../host.js';

/** @throws FileError for whatever the work throws */
export async function guarded<T>(action: string, path: string, work: () => Promise<T>): Promise<T> {
  requireUsablePath(path, action, isAbsolute);
  try {
    return await work();
  } catch (error) {
    throw toFileError(error, path, action);
  }
}

/** As `guarded`, for work that waits for nothing. */
export function guardedNow<T>(action: string, path: string, work: () => T): T {
  requireUsablePath(path, action, isAbsolute);
  try {
    return work();
  } catch (error) {
    throw toFileError(error, path, action);
  }
}

function toFileError(error: unknown, path: string, action: string): FileError {
  if (error instanceof FileError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 'ERR_FS_FILE_TOO_LARGE') return fileFailure('EFBIG', path, action, error);
  if (code === 'ERR_INVALID_ARG_VALUE') return fileFailure('EINVAL', path, action, error);
  return fileFailure(typeof code === 'string' ? code : 'EIO', path, action, error);
}

export function toFileStat(stats: Stats): FileStat {
  const { size, mtimeMs, ctimeMs, ino, dev } = stats;
  return { kind: kindOf(stats), size, mtimeMs, ctimeMs, mode: stats.mode & 0o7777, device: dev, inode: ino };
}

export function kindOf(stats: Stats | Dirent): FileStat['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}
