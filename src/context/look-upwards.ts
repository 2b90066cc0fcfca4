// Which folders a working directory lies in, and where its repository begins. Small, because every session asks. One rule:
// nothing a folder says about itself is read; whatever is called `.git` ends a repository.
import path from 'node:path';
import type { FileStat, Host } from '../host/host.js';
import { foldersUpFrom } from './folders-up.js';

export interface FoldersAbove {
  /** The working directory and all above it, with links resolved, the nearest first. */
  readonly folders: readonly string[];
  /** Of each of them its `.git`, and its `HEAD`. */
  readonly found: readonly { readonly dotGit: FileStat | null; readonly head: FileStat | null }[];
}

/** Contract: never throws. Two batches, and nothing is opened. */
export async function lookUpwards({ fs }: Pick<Host, 'fs'>, cwd: string): Promise<FoldersAbove> {
  const real = await fs.realpath(cwd).catch(() => cwd); // a folder that is not there is refused later
  const folders = foldersUpFrom(real);
  const stats = await fs.lstatAll(folders.flatMap((folder) => [path.join(folder, '.git'), path.join(folder, 'HEAD')]));
  const found = folders.map((_, at) => ({ dotGit: stats[2 * at] ?? null, head: stats[2 * at + 1] ?? null }));
  return { folders, found };
}

/** Folders above the working directory that belong to its repository, the nearest first; none where it is in none. */
export function repositoryAbove({ folders, found }: FoldersAbove): readonly string[] {
  return folders.slice(1, found.findIndex(({ dotGit }) => dotGit !== null) + 1);
}
