// Whether a path lies in a folder, and how it is named from there.
import path from 'node:path';
import { leadsOut } from '../util/posix-path.js';

/**
 * True if `target` is `root` or below it. Compares whole segments, so `/w/app-evil` is not below `/w/app`.
 * Contract: both absolute; `..` segments are resolved here, symbolic links are not.
 */
export function isInside(root: string, target: string): boolean {
  // Most are told apart by their text: without `..` nothing in the rest leads out again.
  if (target === root) return true;
  if (target.startsWith(root) && target.charAt(root.length) === path.sep && !target.includes('..')) return true;
  return pathBelow(root, target) !== null;
}

/** The path from `root` to `target`, empty if they are the same; null if it lies elsewhere. Contract: as `isInside`. */
export function pathBelow(root: string, target: string): string | null {
  const relative = path.relative(root, target);
  return leadsOut(relative, path.sep) || path.isAbsolute(relative) ? null : relative;
}

/** `isInside` of paths that are normal already, by their text alone: for many at once. */
export function isWithin(folder: string, target: string): boolean {
  return target === folder || target.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}
