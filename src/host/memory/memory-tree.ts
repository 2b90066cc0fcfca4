// The tree behind the in-memory file system: nodes, and how a path walks to one. No faults, no handles.
import { dirnameOf, normalizePath } from '../../util/posix-path.js';
import { type FileStat, fileFailure } from '../host.js';

export interface MemoryFile {
  readonly kind: 'file';
  /** Grows ahead of its content; `length` bytes of it count. */
  buffer: Uint8Array;
  length: number;
  mode: number;
  mtimeMs: number;
  ctimeMs: number;
}

export interface MemoryDirectory {
  readonly kind: 'directory';
  readonly children: Map<string, MemoryNode>;
  mode: number;
  mtimeMs: number;
  ctimeMs: number;
}

interface MemoryLink {
  readonly kind: 'symlink';
  readonly target: string;
  mode: number;
  mtimeMs: number;
  ctimeMs: number;
}

/** Stands for what is neither file, directory nor link: a FIFO, a device. */
interface MemorySpecial {
  readonly kind: 'other';
  mode: number;
  mtimeMs: number;
  ctimeMs: number;
}

export type MemoryNode = MemoryFile | MemoryDirectory | MemoryLink | MemorySpecial;

/** Where a path leads: the directory it ends in, the name there, and the node if there is one. */
interface Place {
  readonly parent: MemoryDirectory;
  readonly name: string;
  readonly node: MemoryNode | undefined;
  /** Absolute path with the links on the way resolved. */
  readonly path: string;
}

const MAX_LINKS = 40;

export function createDirectory(mode: number, mtimeMs: number): MemoryDirectory {
  return { kind: 'directory', children: new Map(), mode, mtimeMs, ctimeMs: mtimeMs };
}

export function createFile(data: Uint8Array, mode: number, mtimeMs: number): MemoryFile {
  return { kind: 'file', buffer: data.slice(), length: data.length, mode, mtimeMs, ctimeMs: mtimeMs };
}

export function createLink(target: string, mtimeMs: number): MemoryNode {
  return { kind: 'symlink', target, mode: 0o777, mtimeMs, ctimeMs: mtimeMs };
}

/** A copy of the file's content. */
export function contentOf(file: MemoryFile): Uint8Array {
  return file.buffer.slice(0, file.length);
}

/** Adds `data` at the end, in time proportional to `data`. */
export function appendContent(file: MemoryFile, data: Uint8Array): void {
  const needed = file.length + data.length;
  if (needed > file.buffer.length) {
    const grown = new Uint8Array(Math.max(needed, file.buffer.length * 2));
    grown.set(file.buffer.subarray(0, file.length));
    file.buffer = grown;
  }
  file.buffer.set(data, file.length);
  file.length = needed;
}

export function statOf(node: MemoryNode, inode: number): FileStat {
  const size = node.kind === 'file' ? node.length : node.kind === 'symlink' ? node.target.length : 0;
  const { kind, mtimeMs, ctimeMs, mode } = node;
  return { kind, size, mtimeMs, ctimeMs, mode, device: 1, inode };
}

/**
 * Walks to `path`. The folders on the way must exist; the last part need not.
 * @param followLast whether a link at the very end is followed; a link to nothing gives the place it points to
 */
export function locate(root: MemoryDirectory, path: string, followLast: boolean, action: string): Place {
  let rest = normalizePath(path);
  for (let links = 0; links <= MAX_LINKS; links++) {
    const step = walkToLink(root, rest, followLast, path, action);
    if (typeof step !== 'string') return step;
    rest = step;
  }
  throw fileFailure('ELOOP', path, action);
}

/** The place, or the path to go on with after the first link on the way was replaced by its target. */
function walkToLink(
  root: MemoryDirectory,
  path: string,
  followLast: boolean,
  asked: string,
  action: string,
): Place | string {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.length === 0) return { parent: root, name: '', node: root, path: '/' };
  let parent = root;
  for (const [index, name] of parts.entries()) {
    const here = `/${parts.slice(0, index + 1).join('/')}`;
    const node = parent.children.get(name);
    const isLast = index === parts.length - 1;
    if (node?.kind === 'symlink' && (!isLast || followLast)) {
      const base = node.target.startsWith('/') ? '' : `${dirnameOf(here)}/`;
      return normalizePath(`${base}${node.target}/${parts.slice(index + 1).join('/')}`);
    }
    if (isLast) return { parent, name, node, path: here };
    if (node === undefined) throw fileFailure('ENOENT', asked, action);
    if (node.kind !== 'directory') throw fileFailure('ENOTDIR', asked, action);
    parent = node;
  }
  throw fileFailure('ENOENT', asked, action);
}

/** Creates the directory and its missing parents; an existing directory is left as it is. */
export function makeDirectories(
  root: MemoryDirectory,
  path: string,
  mode: number,
  mtimeMs: number,
  action: string,
): void {
  const normal = normalizePath(path);
  if (normal === '/') return;
  makeDirectories(root, dirnameOf(normal), mode, mtimeMs, action);
  const { parent, name, node } = locate(root, normal, true, action);
  if (node === undefined) parent.children.set(name, createDirectory(mode, mtimeMs));
  else if (node.kind !== 'directory') throw fileFailure('ENOTDIR', path, action);
}
