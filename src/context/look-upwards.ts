// Which folders a working directory lies in, and where its repository begins. Small, because every session asks. One rule:
// nothing a folder says about itself is read; whatever is called `.git` ends a repository, but a folder without a `HEAD`,
// which git passes by too: a sandbox has empty ones while something runs in it.
import path from 'node:path';
import type { FileStat, Host } from '../host/host.js';

export interface FoldersAbove {
  /** The working directory and all above it, with links resolved, the nearest first. */
  readonly folders: readonly string[];
  /** Of each of them its `.git`, where that may be one, and its `HEAD`. */
  readonly found: readonly { readonly dotGit: FileStat | null; readonly head: FileStat | null }[];
}

/** Contract: never throws. Nothing is opened. */
export async function lookUpwards({ fs }: Pick<Host, 'fs'>, cwd: string): Promise<FoldersAbove> {
  const real = await fs.realpath(cwd).catch(() => cwd); // a folder that is not there is refused later
  const folders = foldersUpFrom(real);
  const stats = await fs.lstatAll(folders.flatMap((folder) => [path.join(folder, '.git'), path.join(folder, 'HEAD')]));
  const found = folders.map((_, at) => ({ dotGit: stats[2 * at] ?? null, head: stats[2 * at + 1] ?? null }));
  // Most folders have none.
  const inner = folders.filter((_, at) => found[at]?.dotGit?.kind === 'directory');
  if (inner.length === 0) return { folders, found };
  const heads = await fs.lstatAll(inner.map((folder) => path.join(folder, '.git', 'HEAD')));
  const empty = new Set(inner.filter((_, at) => heads[at] === null));
  return { folders, found: found.map((each, at) => (empty.has(folders[at] ?? '') ? { ...each, dotGit: null } : each)) };
}

/** Folders above the working directory that belong to its repository, the nearest first; none where it is in none. */
export function repositoryAbove({ folders, found }: FoldersAbove): readonly string[] {
  return folders.slice(1, found.findIndex(({ dotGit }) => dotGit !== null) + 1);
}

/** An absolute folder and all above it, the nearest first. */
export function foldersUpFrom(folder: string): readonly string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUpFrom(above)];
}
