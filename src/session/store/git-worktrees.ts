// Finds the worktrees of a repository by reading its files: a git command would obey the repository's own
// configuration, which may name programs to run.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';

const SMALL_FILE = 4_096;

/**
 * The roots of all worktrees of the repository that `folder` is in, the main one first; none where it is in no
 * repository. Folders that are gone may be among them.
 */
export async function worktreeRoots(host: Pick<Host, 'fs'>, folder: string): Promise<readonly string[]> {
  const repository = await findRepository(host, folder);
  if (repository === null) return [];
  const { root, commonFolder } = repository;
  const main = path.basename(commonFolder) === '.git' ? path.dirname(commonFolder) : root;
  const linked: string[] = [];
  for (const name of await namesIn(host, path.join(commonFolder, 'worktrees'))) {
    const record = path.join(commonFolder, 'worktrees', name);
    const gitFile = await readSmallText(host, path.join(record, 'gitdir'));
    if (gitFile !== null && gitFile !== '') linked.push(path.dirname(path.resolve(record, gitFile)));
  }
  return [...new Set([main, root, ...linked])];
}

interface Repository {
  /** The worktree that the folder is in. */
  readonly root: string;
  /** What all worktrees share: `.git` of the main one. */
  readonly commonFolder: string;
}

async function findRepository(host: Pick<Host, 'fs'>, start: string): Promise<Repository | null> {
  for (let root = start; ; root = path.dirname(root)) {
    const dotGit = path.join(root, '.git');
    const kind = await kindOf(host, dotGit);
    if (kind === 'directory') return { root, commonFolder: dotGit };
    if (kind === 'file') {
      const link = /^gitdir: (.+)/.exec((await readSmallText(host, dotGit)) ?? '')?.[1];
      if (link === undefined) return null;
      const own = path.resolve(root, link.trim());
      const shared = await readSmallText(host, path.join(own, 'commondir'));
      return { root, commonFolder: shared === null || shared === '' ? own : path.resolve(own, shared) };
    }
    if (path.dirname(root) === root) return null;
  }
}

async function kindOf({ fs }: Pick<Host, 'fs'>, file: string): Promise<string | null> {
  try {
    return (await fs.stat(file)).kind;
  } catch (error) {
    if (isFileError(error)) return null; // not there, or not for us: no repository that could be read
    throw error;
  }
}

async function namesIn({ fs }: Pick<Host, 'fs'>, folder: string): Promise<readonly string[]> {
  try {
    return await fs.readdir(folder);
  } catch (error) {
    if (isFileError(error)) return []; // a repository without other worktrees has no such folder
    throw error;
  }
}

async function readSmallText({ fs }: Pick<Host, 'fs'>, file: string): Promise<string | null> {
  try {
    const { kind, size } = await fs.stat(file);
    if (kind !== 'file' || size > SMALL_FILE) return null;
    return new TextDecoder().decode(await fs.readFile(file)).trim();
  } catch (error) {
    if (isFileError(error)) return null; // as if it were not there
    throw error;
  }
}
