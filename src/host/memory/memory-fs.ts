// HostFs in memory, for tests and for hosts without a disk. It fails when, and only when, it is told to.
import { basenameOf, dirnameOf, normalizePath } from '../../util/posix-path.js';
import {
  type AppendHandle,
  type FileStat,
  type FolderHandle,
  fileFailure,
  type HostFs,
  type Located,
  type ReadHandle,
  requireUsablePath,
} from '../host.js';
import {
  appendContent,
  contentOf,
  createDirectory,
  createFile,
  createLink,
  locate,
  type MemoryDirectory,
  type MemoryFile,
  type MemoryNode,
  makeDirectories,
  statOf,
} from './memory-tree.js';

/** What can be counted and made to fail: the calls of HostFs, those of its handles, and `run` of HostExec. */
export type MemoryOperation = keyof HostFs | 'handleStat' | 'read' | 'append' | 'sync' | 'run';

/** Called before each operation takes effect; throws to make it fail. */
export type OperationHook = (operation: MemoryOperation, path: string) => void;

/** The setters below act at once and are not operations: no hook sees them. */
export interface MemoryFs extends HostFs {
  /** Makes a directory and its parents. */
  addDirectory(path: string): void;
  /** Makes a new file (mode 0o644) and its folders. */
  addFile(path: string, content: string | Uint8Array): void;
  /** Makes a symbolic link; `target` may be relative to the link's folder, and need not exist. */
  addSymlink(path: string, target: string): void;
  /** Makes something that is neither file nor directory, like a FIFO. */
  special(path: string): void;
  /** Every file's text by absolute path, sorted by path; what is not UTF-8 shows replacement characters. */
  files(): Record<string, string>;
}

/** @param before runs ahead of each operation and may throw a FileError; `ESHORT` on `append` leaves half of the text */
export function createMemoryFs(now: () => number, before: OperationHook): MemoryFs {
  const root = createDirectory(0o755, now());
  const enter = (operation: MemoryOperation, action: string, path: string): void => {
    requireUsablePath(path, action);
    before(operation, path);
  };
  const find = (path: string, followLast: boolean, action: string): MemoryNode => {
    const { node } = locate(root, path, followLast, action);
    if (node === undefined) throw fileFailure('ENOENT', path, action);
    return node;
  };
  const inodes = new WeakMap<MemoryNode, number>();
  let lastInode = 0;
  const toStat = (node: MemoryNode): FileStat => {
    const inode = inodes.get(node) ?? ++lastInode;
    inodes.set(node, inode);
    return statOf(node, inode);
  };
  return {
    async stat(path) {
      enter('stat', 'look at', path);
      return toStat(find(path, true, 'look at'));
    },
    async lstat(path) {
      enter('lstat', 'look at', path);
      return toStat(find(path, false, 'look at'));
    },
    async lstatAll(paths) {
      for (const path of paths) enter('lstatAll', 'look at', path);
      return paths.map((path) => {
        try {
          return toStat(find(path, false, 'look at'));
        } catch {
          return null; // said by null
        }
      });
    },
    async realpath(path) {
      enter('realpath', 'resolve', path);
      find(path, true, 'resolve');
      return locate(root, path, true, 'resolve').path;
    },
    async readFile(path) {
      enter('readFile', 'read', path);
      return contentOf(requireFile(find(path, true, 'read'), path, 'read'));
    },
    async openRead(path) {
      enter('openRead', 'open', path);
      return readHandle(find(path, true, 'open'), path, before, toStat);
    },
    async readEnds(path, length) {
      enter('readEnds', 'read', path);
      const file = requireFile(find(path, true, 'read'), path, 'read');
      return { stat: toStat(file), ...endsOf(file, length) };
    },
    async lookAtEnds(path, stat, length, look) {
      enter('lookAtEnds', 'read', path);
      return look({ stat, ...endsOf(requireFile(find(path, true, 'read'), path, 'read'), length) });
    },
    async openAppend(path) {
      enter('openAppend', 'open', path);
      makeDirectories(root, dirnameOf(path), 0o700, now(), 'open');
      const { parent, name, node } = locate(root, path, false, 'open');
      if (node?.kind === 'symlink') throw fileFailure('ELOOP', path, 'open');
      const file = requireFile(node ?? createFile(new Uint8Array(0), 0o600, now()), path, 'append to');
      if (node === undefined) addChild(parent, name, file, now());
      return appendHandle(file, path, now, before);
    },
    async writeFileAtomic(path, data, options = {}) {
      enter('writeFileAtomic', 'write', path);
      makeDirectories(root, dirnameOf(path), 0o755, now(), 'write');
      const target = locate(root, path, true, 'write');
      const mode = target.node === undefined ? (options.mode ?? 0o644) : requireFile(target.node, path, 'write').mode;
      addChild(target.parent, target.name, createFile(toBytes(data), mode, now()), now());
    },
    async createFile(path, data, options = {}) {
      enter('createFile', 'create', path);
      makeDirectories(root, dirnameOf(path), 0o700, now(), 'create');
      place(root, path, createFile(toBytes(data), options.mode ?? 0o644, now()), now());
    },
    ...createMemoryLocated({
      root,
      now,
      enter,
      toStat,
      open: (node, path) => readHandle(node, path, before, toStat),
      put: (parent, name, node) => addChild(parent, name, node, now()),
    }),
    async rename(from, to) {
      enter('rename', 'move', from);
      requireUsablePath(to, 'move to');
      moveNode(root, from, to, now());
    },
    async chmod(path, mode) {
      enter('chmod', 'change the mode of', path);
      const node = find(path, false, 'change the mode of');
      if (node.kind === 'symlink') throw fileFailure('ELOOP', path, 'change the mode of');
      node.mode = mode;
      node.ctimeMs = now();
    },
    async readlink(path) {
      enter('readlink', 'read the link', path);
      const node = find(path, false, 'read the link');
      if (node.kind !== 'symlink') throw fileFailure('EINVAL', path, 'read the link');
      return node.target;
    },
    async symlink(target, path) {
      enter('symlink', 'link', path);
      const { parent, name, node } = locate(root, path, false, 'link');
      if (node !== undefined) throw fileFailure('EEXIST', path, 'link');
      addChild(parent, name, createLink(target, now()), now());
    },
    async readdir(path) {
      enter('readdir', 'list', path);
      return childrenOf(find(path, true, 'list'), path).map(([name]) => name);
    },
    async entries(path) {
      enter('entries', 'list', path);
      return childrenOf(find(path, true, 'list'), path).map(([name, { kind }]) => ({ name, kind }));
    },
    async mkdir(path, options = {}) {
      enter('mkdir', 'create the directory', path);
      makeDirectories(root, dirnameOf(path), options.mode ?? 0o755, now(), 'create the directory');
      const { node } = locate(root, path, true, 'create the directory');
      if (node !== undefined && node.kind !== 'directory') throw fileFailure('EEXIST', path, 'create the directory');
      makeDirectories(root, path, options.mode ?? 0o755, now(), 'create the directory');
    },
    async remove(path) {
      enter('remove', 'remove', path);
      removeNode(root, path, now());
    },
    async removeEntry(path) {
      enter('removeEntry', 'remove', path);
      const { node } = locate(root, path, false, 'remove');
      if (node !== root && node?.kind === 'directory' && node.children.size > 0)
        throw fileFailure('ENOTEMPTY', path, 'remove');
      removeNode(root, path, now());
    },
    addDirectory: (path) => makeDirectories(root, path, 0o755, now(), 'create'),
    addFile: (path, content) => place(root, path, createFile(toBytes(content), 0o644, now()), now()),
    addSymlink: (path, target) => place(root, path, createLink(target, now()), now()),
    special(path) {
      place(root, path, { kind: 'other', mode: 0o644, mtimeMs: now(), ctimeMs: now() }, now());
    },
    files: () => Object.fromEntries([...textFiles(root, '')].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data;
}

function requireFile(node: MemoryNode, path: string, action: string): MemoryFile {
  if (node.kind === 'directory') throw fileFailure('EISDIR', path, action);
  if (node.kind !== 'file') throw fileFailure('EINVAL', path, action);
  return node;
}

/** By name, sorted. */
function childrenOf(node: MemoryNode, path: string): [string, MemoryNode][] {
  if (node.kind !== 'directory') throw fileFailure('ENOTDIR', path, 'list');
  return [...node.children].sort(([a], [b]) => (a < b ? -1 : 1));
}

function moveNode(root: MemoryDirectory, from: string, to: string, mtimeMs: number): void {
  const source = locate(root, from, false, 'move');
  if (source.node === undefined) throw fileFailure('ENOENT', from, 'move');
  const target = locate(root, to, false, 'move');
  if (target.node === source.node) return;
  if (source.node.kind === 'directory') {
    if (`${target.path}/`.startsWith(`${source.path}/`)) throw fileFailure('EINVAL', from, 'move');
    if (target.node !== undefined && target.node.kind !== 'directory') throw fileFailure('ENOTDIR', from, 'move');
  } else if (target.node?.kind === 'directory') throw fileFailure('EISDIR', from, 'move');
  if (target.node?.kind === 'directory' && target.node.children.size > 0) throw fileFailure('ENOTEMPTY', from, 'move');
  source.parent.children.delete(source.name);
  source.parent.mtimeMs = mtimeMs;
  source.node.ctimeMs = mtimeMs;
  target.parent.children.set(target.name, source.node);
  target.parent.mtimeMs = mtimeMs;
}

function removeNode(root: MemoryDirectory, path: string, mtimeMs: number): void {
  const { parent, name, node } = locate(root, path, false, 'remove');
  if (node === undefined) throw fileFailure('ENOENT', path, 'remove');
  if (node === root) throw fileFailure('EBUSY', path, 'remove');
  parent.children.delete(name);
  parent.mtimeMs = mtimeMs;
}

function addChild(parent: MemoryDirectory, name: string, node: MemoryNode, mtimeMs: number): void {
  if (!parent.children.has(name)) parent.mtimeMs = mtimeMs;
  parent.children.set(name, node);
}

function place(root: MemoryDirectory, path: string, node: MemoryNode, mtimeMs: number): void {
  makeDirectories(root, dirnameOf(path), 0o755, mtimeMs, 'create');
  const { parent, name, node: existing } = locate(root, path, false, 'create');
  if (existing !== undefined) throw fileFailure('EEXIST', path, 'create');
  addChild(parent, name, node, mtimeMs);
}

/** Copies of both ends, without overlap. */
function endsOf(file: MemoryFile, length: number): { readonly head: Uint8Array; readonly tail: Uint8Array } {
  const tailFrom = Math.max(length, file.length - length);
  return {
    head: file.buffer.slice(0, Math.min(length, file.length)),
    tail: file.buffer.slice(tailFrom, Math.max(tailFrom, file.length)),
  };
}

function readHandle(
  node: MemoryNode,
  path: string,
  before: OperationHook,
  toStat: (node: MemoryNode) => FileStat,
): ReadHandle {
  let isOpen = true;
  const enter = (operation: MemoryOperation, action: string): void => {
    if (!isOpen) throw fileFailure('EBADF', path, action);
    before(operation, path);
  };
  return {
    async stat() {
      enter('handleStat', 'look at');
      return toStat(node);
    },
    async read(position, length) {
      enter('read', 'read');
      const file = requireFile(node, path, 'read');
      return file.buffer.slice(position, Math.min(position + length, file.length));
    },
    async close() {
      isOpen = false;
    },
  };
}

function appendHandle(file: MemoryFile, path: string, now: () => number, before: OperationHook): AppendHandle {
  let isOpen = true;
  const enter = (operation: MemoryOperation, action: string): void => {
    if (!isOpen) throw fileFailure('EBADF', path, action);
    before(operation, path);
  };
  return {
    async append(text) {
      const data = new TextEncoder().encode(text);
      try {
        enter('append', 'append to');
      } catch (error) {
        // A short write is the one failure that leaves something behind: the torn line a reader must survive.
        if ((error as { code?: unknown }).code === 'ESHORT') appendContent(file, data.subarray(0, data.length >> 1));
        throw error;
      }
      appendContent(file, data);
      file.mtimeMs = now();
      file.ctimeMs = file.mtimeMs;
    },
    async sync() {
      enter('sync', 'sync');
    },
    async close() {
      isOpen = false;
    },
  };
}

function* textFiles(directory: MemoryDirectory, path: string): Generator<[string, string]> {
  for (const [name, node] of directory.children) {
    if (node.kind === 'directory') yield* textFiles(node, `${path}/${name}`);
    if (node.kind === 'file') yield [`${path}/${name}`, new TextDecoder().decode(contentOf(node))];
  }
}

// Files and folders of the memory file system as they were located, by their nodes: the same contract as on the disk.

export type MemoryLocated = Pick<HostFs, 'locate' | 'openLocated' | 'replaceLocated' | 'holdFolder'>;

export interface MemoryParts {
  readonly root: MemoryDirectory;
  now(): number;
  /** Before each operation; throws to make it fail. */
  enter(operation: keyof MemoryLocated, action: string, path: string): void;
  toStat(node: MemoryNode): FileStat;
  open(node: MemoryNode, path: string): ReadHandle;
  put(parent: MemoryDirectory, name: string, node: MemoryNode): void;
}

/** Contract: as in `HostFs`. */
function createMemoryLocated(parts: MemoryParts): MemoryLocated {
  const { root, now, enter, toStat } = parts;
  /** What stands at a path that has no link in it by now. */
  const plainNode = (path: string, action: string): MemoryNode | undefined => {
    const found = orStale(path, action, () => locate(root, path, false, action));
    if (found.path !== path || found.node?.kind === 'symlink') throw fileFailure('ESTALE', path, action);
    return found.node;
  };
  const sameNode = (path: string, wanted: FileStat, action: string): MemoryNode => {
    const node = plainNode(path, action);
    if (node === undefined) throw fileFailure('ENOENT', path, action);
    const stat = toStat(node);
    if (stat.inode !== wanted.inode || stat.kind !== wanted.kind) throw fileFailure('ESTALE', path, action);
    return node;
  };
  const requireFile = ({ path, stat }: Located, action: string): void => {
    if (stat?.kind === 'directory') throw fileFailure('EISDIR', path, action);
    if (stat !== null && stat.kind !== 'file') throw fileFailure('EINVAL', path, action);
  };
  return {
    async locate(path) {
      enter('locate', 'look at', path);
      return find(path, parts);
    },
    async openLocated(located) {
      enter('openLocated', 'open', located.path);
      requireFile(located, 'open');
      if (located.stat === null) throw fileFailure('ENOENT', located.path, 'open');
      return parts.open(sameNode(located.realPath, located.stat, 'open'), located.path);
    },
    async replaceLocated(located, data, options = {}) {
      enter('replaceLocated', 'write', located.path);
      requireFile(located, 'write');
      const { realPath, stat, above } = located;
      if (above !== null) sameNode(above.path, above.stat, 'write');
      if (stat === null)
        orStale(realPath, 'write', () => makeDirectories(root, dirnameOf(realPath), 0o755, now(), 'write'));
      const existing = stat === null ? plainNode(realPath, 'write') : sameNode(realPath, stat, 'write');
      if (stat === null && existing !== undefined) throw fileFailure('ESTALE', located.path, 'write');
      const { parent, name } = locate(root, realPath, false, 'write');
      const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
      const file = createFile(bytes, stat?.mode ?? options.mode ?? 0o644, now());
      parts.put(parent, name, file);
      return toStat(file);
    },
    async holdFolder(located) {
      enter('holdFolder', 'open', located.path);
      const { path, realPath, stat } = located;
      if (stat === null) throw fileFailure('ENOENT', path, 'open');
      const folder =
        stat.kind === 'directory' ? sameNode(realPath, stat, 'open') : plainNode(dirnameOf(realPath), 'open');
      if (folder?.kind !== 'directory') throw fileFailure('ESTALE', path, 'open');
      return folderHandle(folder, stat.kind === 'directory' ? realPath : dirnameOf(realPath), parts);
    },
  };
}

/** What is in the way now was not there when it was located. */
function orStale<T>(path: string, action: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error;
    throw fileFailure('ESTALE', path, action, error);
  }
}

function find(path: string, { root, toStat }: MemoryParts): Located {
  const missing: string[] = [];
  for (let current = normalizePath(path); ; current = dirnameOf(current)) {
    const found = locateOrNull(root, current);
    if (found === null) {
      missing.push(basenameOf(current));
      continue;
    }
    if (found.node === undefined) {
      if (found.path !== current && locate(root, current, false, 'look at').node?.kind === 'symlink')
        throw fileFailure('ENOENT', path, 'look at');
      missing.push(basenameOf(current));
      continue;
    }
    const stat = toStat(found.node);
    if (missing.length === 0) return { path, realPath: found.path, stat, above: null };
    if (stat.kind !== 'directory') throw fileFailure('ENOTDIR', path, 'look at');
    const realPath = normalizePath([found.path, ...missing.reverse()].join('/'));
    return { path, realPath, stat: null, above: { path: found.path, stat } };
  }
}

function locateOrNull(root: MemoryDirectory, path: string) {
  try {
    return locate(root, path, true, 'look at');
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    return null;
  }
}

function folderHandle(folder: MemoryDirectory, path: string, { now, toStat }: MemoryParts): FolderHandle {
  const openedAt = now();
  let isOpen = true;
  const requireOpen = (): void => {
    if (!isOpen) throw fileFailure('EBADF', path, 'look into');
  };
  const nodeAt = (relative: string): MemoryNode | null => {
    const names = relative.split('/').filter((name) => name !== '' && name !== '.');
    if (names.length === 0 || relative.startsWith('/') || names.includes('..')) return null;
    let node: MemoryNode | undefined = folder;
    for (const name of names) node = node?.kind === 'directory' ? node.children.get(name) : undefined;
    return node ?? null;
  };
  return {
    cwd: path,
    async names() {
      requireOpen();
      return [...folder.children.keys()].sort();
    },
    async lstatAll(paths) {
      requireOpen();
      return paths.map((each) => {
        const node = nodeAt(each);
        return node === null ? null : toStat(node);
      });
    },
    async lend(paths) {
      requireOpen();
      const files = paths.map((each) => {
        const node = nodeAt(each);
        return node?.kind === 'file' ? { path: normalizePath(`${path}/${each}`), stat: toStat(node) } : null;
      });
      return { files, giveBack: async () => undefined };
    },
    async wasQuiet(folders) {
      requireOpen();
      const nodes = [folder, ...folders.flatMap((each) => prefixes(each).map(nodeAt))];
      return nodes.every((node) => node?.kind === 'directory' && node.mtimeMs < openedAt);
    },
    async close() {
      isOpen = false;
    },
  };
}

function prefixes(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
