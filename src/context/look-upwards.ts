// Which folders a working directory lies in, and where its repository begins. One rule:
// nothing a folder says about itself is read; whatever is called `.git` ends a repository, but a folder without a `HEAD`,
// which git passes by too: a sandbox has empty ones while something runs in it.
import path from 'node:path';
import type { FileStat, Host } from '../host/host.js';
import type { LookingFs } from './repeated-look.js';

export interface FoldersAbove {
  /** The working directory and all above it, with links resolved, the nearest first. */
  readonly folders: readonly string[];
  /** Of each of them its `.git`, if that may be one. */
  readonly found: readonly { readonly dotGit: FileStat | null }[];
}

/** The same, with what a repository without a `.git` is known by. */
export interface RepositoriesAbove extends FoldersAbove {
  /** Of each of the folders its `.git`, and its own `HEAD`. */
  readonly found: readonly { readonly dotGit: FileStat | null; readonly head: FileStat | null }[];
}

type UpwardsFs = Pick<LookingFs, 'lstatAll' | 'realpath'>;

/** Contract: never throws. Nothing is opened. */
export async function lookUpwards({ fs }: { readonly fs: UpwardsFs }, cwd: string): Promise<FoldersAbove> {
  const folders = await foldersAbove(fs, cwd);
  const stats = await fs.lstatAll(folders.map((folder) => path.join(folder, '.git')));
  return {
    folders,
    found: await withoutEmpty(
      fs,
      folders,
      stats.map((dotGit) => ({ dotGit })),
    ),
  };
}

/** Contract: as `lookUpwards`. */
export async function lookForRepositories({ fs }: Pick<Host, 'fs'>, cwd: string): Promise<RepositoriesAbove> {
  const folders = await foldersAbove(fs, cwd);
  const stats = await fs.lstatAll(folders.flatMap((folder) => [path.join(folder, '.git'), path.join(folder, 'HEAD')]));
  const found = folders.map((_, at) => ({ dotGit: stats[2 * at] ?? null, head: stats[2 * at + 1] ?? null }));
  return { folders, found: await withoutEmpty(fs, folders, found) };
}

async function foldersAbove(fs: UpwardsFs, cwd: string): Promise<readonly string[]> {
  return foldersUpFrom(await fs.realpath(cwd).catch(() => cwd)); // a folder that is not there is refused later
}

/** A `.git` that is an empty folder is none. */
async function withoutEmpty<T extends { readonly dotGit: FileStat | null }>(
  fs: UpwardsFs,
  folders: readonly string[],
  found: readonly T[],
): Promise<readonly T[]> {
  // Most folders have none.
  const inner = folders.filter((_, at) => found[at]?.dotGit?.kind === 'directory');
  if (inner.length === 0) return found;
  const heads = await fs.lstatAll(inner.map((folder) => path.join(folder, '.git', 'HEAD')));
  const empty = new Set(inner.filter((_, at) => heads[at] === null));
  return found.map((each, at) => (empty.has(folders[at] ?? '') ? { ...each, dotGit: null } : each));
}

/** Folders above the working directory that belong to its repository, the nearest first; none if it is in none. */
export function repositoryAbove({ folders, found }: FoldersAbove): readonly string[] {
  return folders.slice(1, found.findIndex(({ dotGit }) => dotGit !== null) + 1);
}

/** An absolute folder and all above it, the nearest first. */
export function foldersUpFrom(folder: string): readonly string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUpFrom(above)];
}
