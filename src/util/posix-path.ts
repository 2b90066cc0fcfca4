// Paths as text, and the plain beginning of a file name pattern, for hosts without a path module. Nothing here looks at a disk.

export function isAbsolutePath(path: string): boolean {
  return path.startsWith('/');
}

/** `path` without `.`, `..`, doubled and trailing slashes, by text alone. An empty path becomes `.`. */
export function normalizePath(path: string): string {
  const absolute = isAbsolutePath(path);
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    const above = parts.at(-1);
    if (part !== '..') parts.push(part);
    else if (above !== undefined && above !== '..') parts.pop();
    else if (!absolute) parts.push(part);
  }
  return absolute ? `/${parts.join('/')}` : parts.join('/') || '.';
}

/** `path` if it is absolute, else `path` below `base`; normalized either way. */
export function resolvePath(base: string, path: string): string {
  return normalizePath(isAbsolutePath(path) ? path : `${base}/${path}`);
}

/** The folder of an absolute path; `/` for `/`. */
export function dirnameOf(path: string): string {
  const normal = normalizePath(path);
  return normal.slice(0, Math.max(1, normal.lastIndexOf('/')));
}

/** The last part of an absolute path; empty for `/`. */
export function basenameOf(path: string): string {
  const normal = normalizePath(path);
  return normal.slice(normal.lastIndexOf('/') + 1);
}

/**
 * Contract: `relative` is normal, as `path.relative` gives it. `..x` is a name like any other.
 * @param separator between the parts of a path on this machine
 */
export function leadsOut(relative: string, separator: string): boolean {
  return relative === '..' || relative.startsWith(`..${separator}`);
}

/**
 * The folders of a PATH that are not in the workspace: what stands in there must not pass for a program of the machine. `npx`
 * and environments of Python put such folders in front. By text alone, so what is written relatively is left out.
 */
export function searchOutside(search: string, workspace: string): string {
  // Of Windows, with backslashes, where a colon is no delimiter.
  const [delimiter, slash] = workspace.startsWith('/') ? [':', '/'] : [';', '\\'];
  const isOutside = (folder: string): boolean => {
    const [inner, outer] = [folder, workspace].map((path) => `${normalizePath(path.replaceAll(slash, '/'))}/`);
    return /^(?:[A-Za-z]:)?[/\\]/.test(folder) && inner?.startsWith(outer ?? '') === false;
  };
  return search.split(delimiter).filter(isOutside).join(delimiter);
}

const MAGIC = /[*?[\]{}\\]/;

/** True if the text stands for more than itself. */
export function isMagic(pattern: string): boolean {
  return MAGIC.test(pattern);
}

/** Splits off the folders that are plain text: `src/a/*.ts` is root `src/a` and rest `*.ts`. */
export function splitGlobRoot(pattern: string): { readonly root: string; readonly rest: string } {
  const parts = pattern.split('/');
  let plain = 0;
  while (plain < parts.length - 1 && !isMagic(parts[plain] ?? '')) plain += 1;
  const root = parts.slice(0, plain).join('/');
  return { root: root === '' && plain > 0 ? '/' : root, rest: parts.slice(plain).join('/') };
}
