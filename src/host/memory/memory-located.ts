// Files and folders of the memory file system as they were located, by their nodes: the same contract as on the disk.
import { basenameOf, dirnameOf, normalizePath } from '../../util/posix-path.js';
import type { FileStat, FolderHandle, HostFs, Located, ReadHandle } from '../host.js';
import { fileFailure } from '../host.js';
import { createFile, locate, type MemoryDirectory, type MemoryNode, makeDirectories } from './memory-tree.js';

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
export function createMemoryLocated(parts: MemoryParts): MemoryLocated {
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
