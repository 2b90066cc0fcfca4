// A first look at the git configuration of a folder: whether it could name a program that git starts while it only reads.
// Every session asks; what is certain is found out by `git-programs.ts`. Starts nothing.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { lookForRepositories, type RepositoriesAbove } from '../look.js';

/** Bytes from both ends of a configuration; a longer one is suspicious by itself. */
const MAX_CONFIG = 64 * 1024;
/** Words of keys that name programs or other files, and what continues a line. */
const SUSPICIOUS =
  /fsmonitor|hookspath|textconv|external|command|clean|smudge|process|program|include|worktreeconfig|promisor|partialclone|driver|whatchanged|\\\s*$/im;

/**
 * True if the repository that `cwd` is in has to be looked at closely.
 * @param above what is above it, if that was looked at already
 * Contract: false is certain for the configuration of that repository, but not for repositories that its index records;
 * never throws.
 */
export async function isGitSuspicious(
  { fs }: Pick<Host, 'fs'>,
  cwd: string,
  above: RepositoriesAbove | Promise<RepositoriesAbove> = lookForRepositories({ fs }, cwd),
): Promise<boolean> {
  const { folders, found } = await above;
  for (const [at, folder] of folders.entries()) {
    const { dotGit = null, head = null } = found[at] ?? {};
    // Without `.git` a folder with a HEAD may be a repository itself.
    if (dotGit === null && head !== null) return true;
    if (dotGit === null) continue;
    return dotGit.kind !== 'directory' || namesPrograms(fs, path.join(folder, '.git'));
  }
  return false;
}

async function namesPrograms(fs: Host['fs'], git: string): Promise<boolean> {
  // Submodules have configurations of their own. A repository that is recorded without a word here is found at the call.
  const telling = await fs.lstatAll([path.join(git, 'hooks', 'post-index-change'), path.join(git, 'modules')]);
  if (telling.some((stat) => stat !== null)) return true;
  try {
    const { stat, head } = await fs.readEnds(path.join(git, 'config'), MAX_CONFIG);
    return stat.size > MAX_CONFIG || SUSPICIOUS.test(new TextDecoder().decode(head));
  } catch {
    return true; // what cannot be read is looked at closely
  }
}
