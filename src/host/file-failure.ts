// Builds the FileErrors of every host, so that one failure reads the same on each of them.
import { isAbsolutePath } from '../util/posix-path.js';
import { FileError } from './host.js';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBADF: 'it is already closed',
  EBUSY: 'it is in use',
  EDQUOT: 'the quota of the user is used up',
  EEXIST: 'it already exists',
  EFBIG: 'it is too large',
  EINVAL: 'this kind of file or path cannot be used here',
  EIO: 'the disk reported an error',
  EISDIR: 'it is a directory',
  ELOOP: 'a symbolic link is in the way',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it does not exist',
  ENOSPC: 'no space is left on the disk',
  ENOTDIR: 'a part of the path is not a directory',
  ENOTEMPTY: 'the directory is not empty',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ESHORT: 'only a part was written',
  ESTALE: 'something else stands there by now',
};

/** A FileError whose message names the action, the path, the reason and the code. */
export function fileFailure(code: string, path: string, action: string, cause?: unknown): FileError {
  const reason = REASONS[code] ?? 'the system refused';
  return new FileError(code, path, `Cannot ${action} ${path}: ${reason} (${code}).`, { cause });
}

/** Throws EINVAL for a path no host accepts: relative, or with a NUL in it. */
export function requireUsablePath(path: string, action: string, isAbsolute = isAbsolutePath): void {
  if (!isAbsolute(path) || path.includes('\0')) throw fileFailure('EINVAL', path, action);
}
