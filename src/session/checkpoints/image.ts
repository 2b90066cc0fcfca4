// What stands at a path: enough to tell whether it changed and, with the content kept, to put it back.
import { type FileStat, type Host, type HostFs, isFileError } from '../../host/host.js';

/** The part of a host that files are looked at with. */
export type Disk = Pick<Host, 'fs' | 'sha256'>;

/** The state of one path. `mode`: permission bits. `hash`: SHA-256, hex. */
export type Image =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly mode: number; readonly size: number; readonly hash: string }
  /** A file whose content was not read: told from another by what `stat` says. */
  | ({ readonly kind: 'unread' } & Fingerprint)
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'directory'; readonly mode: number }
  /** A pipe, a socket, a device. */
  | { readonly kind: 'other' };

export type Fingerprint = Pick<FileStat, 'mode' | 'size' | 'mtimeMs' | 'ctimeMs' | 'inode'>;

/** Why a content is not known. */
export type LostReason = 'too_large' | 'too_much' | 'too_slow' | 'unreadable' | 'changing' | 'not_kept';

export interface Seen {
  readonly image: Image;
  /** Null if nothing is there. */
  readonly stat: FileStat | null;
  /** The content of an image `file`. */
  readonly bytes: Uint8Array | null;
  /** Set for an image `unread`. */
  readonly lost: LostReason | null;
}

export const ABSENT: Image = { kind: 'absent' };
const NOTHING: Seen = { image: ABSENT, stat: null, bytes: null, lost: null };
/** Times that a file is read again because it changed meanwhile. */
const ATTEMPTS = 3;

/**
 * Looks at a path, following no link at its end. A file of up to `maxBytes` is read.
 * @throws FileError if not even its kind can be told
 */
export async function look(disk: Disk, path: string, maxBytes: number): Promise<Seen> {
  let last: FileStat | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stat = await lstatOrNull(disk.fs, path);
    if (stat === null) return NOTHING;
    last = stat;
    try {
      const seen = await lookAt(disk, path, stat, maxBytes);
      if (seen !== null) return seen;
    } catch (error) {
      if (!isFileError(error)) throw error;
      // It went, or became something else, between two calls: look again.
      if (error.code !== 'ENOENT' && error.code !== 'EINVAL' && error.code !== 'EISDIR' && error.code !== 'ESTALE')
        return unread(stat, 'unreadable');
    }
  }
  return last === null ? NOTHING : unread(last, 'changing');
}

/** Null if it changed while it was looked at. */
async function lookAt(disk: Disk, path: string, stat: FileStat, maxBytes: number): Promise<Seen | null> {
  const { fs } = disk;
  switch (stat.kind) {
    case 'directory':
      return { image: { kind: 'directory', mode: stat.mode }, stat, bytes: null, lost: null };
    case 'symlink':
      return { image: { kind: 'symlink', target: await fs.readlink(path) }, stat, bytes: null, lost: null };
    case 'other':
      return { image: { kind: 'other' }, stat, bytes: null, lost: null };
    case 'file': {
      if (stat.size > maxBytes) return unread(stat, 'too_large');
      const { bytes, after } = await readPlainly(fs, path, stat);
      if (!isSameStat(stat, after)) return null;
      return { image: await fileImage(disk, bytes, stat.mode), stat, bytes, lost: null };
    }
  }
}

/**
 * The content of a file at a path without links, and what it was once it was read: what is reached through a link that
 * came meanwhile is none of the workspace.
 * @throws FileError `ESTALE` if it is no longer the file of `stat`
 */
export async function readPlainly(
  fs: HostFs,
  path: string,
  stat: FileStat,
): Promise<{ readonly bytes: Uint8Array; readonly after: FileStat }> {
  const handle = await fs.openLocated({ path, realPath: path, stat, above: null });
  try {
    const bytes = await handle.read(0, stat.size + 1);
    return { bytes, after: await handle.stat() };
  } finally {
    await handle.close();
  }
}

export async function fileImage(disk: Disk, bytes: Uint8Array, mode: number): Promise<Image> {
  return { kind: 'file', mode, size: bytes.length, hash: await disk.sha256(bytes) };
}

function unread(stat: FileStat, lost: LostReason): Seen {
  return { image: unreadImage(stat), stat, bytes: null, lost };
}

export function unreadImage({ mode, size, mtimeMs, ctimeMs, inode }: Fingerprint): Image {
  return { kind: 'unread', mode, size, mtimeMs, ctimeMs, inode };
}

/** @throws FileError for anything but its absence */
export async function lstatOrNull(fs: HostFs, path: string): Promise<FileStat | null> {
  try {
    return await fs.lstat(path);
  } catch (error) {
    if (isFileError(error, 'ENOENT') || isFileError(error, 'ENOTDIR')) return null;
    throw error;
  }
}

/** Nothing about it changed. A folder's size and times follow what is in it, so they do not count. */
export function isSameStat(a: FileStat, b: FileStat): boolean {
  if (a.kind !== b.kind || a.mode !== b.mode) return false;
  return a.kind === 'directory' || isSameFingerprint(a, b);
}

export function isSameFingerprint(a: Fingerprint, b: Fingerprint): boolean {
  return (
    a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.inode === b.inode && a.mode === b.mode
  );
}

/** True if what was seen is what `image` says. */
export function isImageOf(image: Image, seen: Pick<Seen, 'image' | 'stat'>): boolean {
  if (image.kind === 'unread') return seen.stat?.kind === 'file' && isSameFingerprint(image, seen.stat);
  return isSameImage(image, seen.image);
}

export function isSameImage(a: Image, b: Image): boolean {
  switch (a.kind) {
    case 'absent':
    case 'other':
      return a.kind === b.kind;
    case 'file':
      return b.kind === 'file' && a.hash === b.hash && a.mode === b.mode;
    case 'unread':
      return b.kind === 'unread' && isSameFingerprint(a, b);
    case 'symlink':
      return b.kind === 'symlink' && a.target === b.target;
    case 'directory':
      return b.kind === 'directory' && a.mode === b.mode;
  }
}
