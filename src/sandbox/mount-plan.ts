// What of the file system a command sees, and how: one entry a path, the less specific first. Pure.
// Rule: what is not named is read-only, and a refusal is never lifted by something allowed at the same path.

import path from 'node:path';
import { isWithin } from '../host/is-inside.js';

/**
 * `write`: as it is. `pin`: as `write`, but stands as a mount of its own, so that it cannot be moved away from under
 * what lies in it. `read`: read-only. `hidden`: neither it nor what it holds can be read. `open`: opened again
 * inside of something hidden. `tmp`: the private folder for temporary files.
 */
export type MountKind = 'write' | 'pin' | 'read' | 'hidden' | 'open' | 'tmp';

export interface Mount {
  /** Absolute, without symbolic links. */
  readonly path: string;
  readonly kind: MountKind;
  readonly isFolder: boolean;
}

/** At one path the stronger wins. */
const STRENGTH: Readonly<Record<MountKind, number>> = {
  tmp: 0,
  write: 1,
  pin: 2,
  open: 3,
  read: 4,
  hidden: 5,
};

/** Entries in the order they must be made, without those that change nothing. */
export function orderMounts(wanted: readonly Mount[], writable: readonly string[]): Mount[] {
  const byPath = new Map<string, Mount>();
  for (const mount of wanted) {
    const other = byPath.get(mount.path);
    if (other === undefined || STRENGTH[mount.kind] > STRENGTH[other.kind]) byPath.set(mount.path, mount);
  }
  const sorted = [...byPath.values()].sort((a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1));
  const kept = new Map<string, Mount>();
  for (const mount of sorted) {
    const around = kindAround(kept, mount.path);
    const made = mount.kind === 'open' ? reopened(mount, around, writable) : mount;
    if (made !== null && changesSomething(made.kind, around, mount.kind === 'open')) kept.set(made.path, made);
  }
  return [...kept.values()];
}

/** What holds at a path. */
export function kindAt(mounts: readonly Mount[], target: string): MountKind {
  const byPath = new Map(mounts.map((mount) => [mount.path, mount]));
  return byPath.get(target)?.kind ?? kindAround(byPath, target);
}

function kindAround(mounts: ReadonlyMap<string, Mount>, target: string): MountKind {
  for (let at = target; at !== '/'; ) {
    at = path.dirname(at);
    const found = mounts.get(at);
    if (found !== undefined) return found.kind;
  }
  return 'read';
}

function reopened(mount: Mount, around: MountKind, writable: readonly string[]): Mount | null {
  if (around !== 'hidden' && around !== 'tmp') return null;
  return { ...mount, kind: writable.some((root) => isWithin(root, mount.path)) ? 'write' : 'read' };
}

function changesSomething(kind: MountKind, around: MountKind, isOpened: boolean): boolean {
  const isWritable = around === 'write' || around === 'pin';
  if (isOpened || kind === 'tmp') return true;
  if (kind === 'write') return !isWritable;
  if (kind === 'hidden') return around !== 'hidden' && around !== 'tmp';
  // What is read-only anyway needs no mount of its own; in a hidden or a private folder there is nothing of it.
  return isWritable;
}

function depth(target: string): number {
  return target === '/' ? 0 : target.split('/').length - 1;
}
