// Whether a relative path leads out of the folder that it begins in.

/**
 * Contract: `relative` is normal, as `path.relative` gives it. `..x` is a name like any other.
 * @param separator between the parts of a path on this machine
 */
export function leadsOut(relative: string, separator: string): boolean {
  return relative === '..' || relative.startsWith(`..${separator}`);
}
