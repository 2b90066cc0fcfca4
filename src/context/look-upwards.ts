// Which folders a working directory lies in, and where its repository begins. Small, because every session asks. One rule:
// nothing a folder says about itself is read; whatever is called `.git` ends a repository, but a folder without a `HEAD`,
// which git passes by too: a sandbox has empty ones while something runs in it.
import path from 'node:path';
import type { FileStat, Host } from '../host/host.js';
import { foldersUpFrom } from './folders-up.js';

export interface FoldersAbove {
  /** The working directory and all above it, with links resolved, the nearest first. */
  readonly folders: readonly string[];
  /** Of each of them its `.git`, where that may be one, and its `HEAD`. */
  readonly found: readonly { readonly dotGit: FileStat | null; readonly head: FileStat | null }[];
}

/** Contract: never throws. Two batches, and nothing is opened. */
export async function lookUpwards({ fs }: Pick<Host, 'fs'>, cwd: string): Promise<FoldersAbove> {
  const real = await fs.realpath(cwd).catch(() => cwd); // a folder that is not there is refused later
  const folders = foldersUpFrom(real);
  const names = ['.git', 'HEAD', '.git/HEAD'];
  const stats = await fs.lstatAll(folders.flatMap((folder) => names.map((name) => path.join(folder, name))));
  const found = folders.map((_, at) => {
    const [dotGit = null, head = null, inner = null] = stats.slice(3 * at);
    return { dotGit: inner === null && dotGit?.kind === 'directory' ? null : dotGit, head };
  });
  return { folders, found };
}

/** Folders above the working directory that belong to its repository, the nearest first; none where it is in none. */
export function repositoryAbove({ folders, found }: FoldersAbove): readonly string[] {
  return folders.slice(1, found.findIndex(({ dotGit }) => dotGit !== null) + 1);
}
