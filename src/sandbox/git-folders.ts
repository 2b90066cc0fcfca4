// What of a repository's own folder makes git obey a configuration, beside its top: submodules and worktrees have theirs
// below. Looked up before each command, since they come and go.
import path from 'node:path';
import { type HostFs, isFileError } from '../host/host.js';
import { GIT_HEAD } from './protected-paths.js';

/** Names of submodules may have slashes. */
const MAX_DEPTH = 4;
const MAX_FOLDERS = 200;

export interface InnerGitFolders {
  /** Folders of submodules: each as the folder of a repository. */
  readonly modules: readonly string[];
  /** Folders of worktrees: they name the folder whose configuration counts. */
  readonly worktrees: readonly string[];
  /** Folders with more in them than is looked at. */
  readonly tooLarge: readonly string[];
}

/** @throws FileError where a folder that is there cannot be looked at */
export async function innerGitFolders(fs: HostFs, folder: string): Promise<InnerGitFolders> {
  const [worktrees, found] = await Promise.all([
    foldersIn(fs, path.join(folder, 'worktrees')),
    modulesIn(fs, path.join(folder, 'modules')),
  ]);
  const tooLarge = found === null ? [path.join(folder, 'modules')] : [];
  if (worktrees.length <= MAX_FOLDERS) return { modules: found ?? [], worktrees, tooLarge };
  return { modules: found ?? [], worktrees: [], tooLarge: [...tooLarge, path.join(folder, 'worktrees')] };
}

/** Null where there are too many. */
async function modulesIn(fs: HostFs, top: string): Promise<readonly string[] | null> {
  const modules: string[] = [];
  let level = await foldersIn(fs, top);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_DEPTH || modules.length + level.length > MAX_FOLDERS) return null;
    const heads = await fs.lstatAll(level.map((folder) => path.join(folder, GIT_HEAD)));
    modules.push(...level.filter((_, at) => heads[at] !== null));
    const others = level.filter((_, at) => heads[at] === null);
    level = (await Promise.all(others.map((folder) => foldersIn(fs, folder)))).flat();
  }
  return modules;
}

async function foldersIn(fs: HostFs, folder: string): Promise<readonly string[]> {
  try {
    const entries = await fs.entries(folder);
    return entries.filter(({ kind }) => kind === 'directory').map(({ name }) => path.join(folder, name));
  } catch (error) {
    if (isFileError(error, 'ENOENT') || isFileError(error, 'ENOTDIR')) return [];
    throw error;
  }
}
