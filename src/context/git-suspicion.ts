// A first look at the git configuration of a folder: whether it could name a program that git starts while it only reads.
// Small, because every session asks; what is certain is found out by `git-programs.ts`. Starts nothing.
import path from 'node:path';
import type { Host } from '../host/host.js';
import { foldersUpFrom } from './folders-up.js';

/** Bytes from both ends of a configuration; a longer one is suspicious by itself. */
const MAX_CONFIG = 64 * 1024;
/** Words of keys that name programs or other files, and what continues a line. */
const SUSPICIOUS =
  /fsmonitor|hookspath|textconv|external|command|clean|smudge|process|program|include|worktreeconfig|\\\s*$/im;

/**
 * True where the repository that `cwd` is in has to be looked at closely.
 * Contract: false is certain, for git as it is started in `cwd`; never throws.
 */
export async function isGitSuspicious({ fs }: Pick<Host, 'fs'>, cwd: string): Promise<boolean> {
  const real = await fs.realpath(cwd).catch(() => cwd); // a folder that is not there is refused later
  const folders = foldersUpFrom(real);
  const found = await fs.lstatAll(folders.flatMap((folder) => [path.join(folder, '.git'), path.join(folder, 'HEAD')]));
  for (const [at, folder] of folders.entries()) {
    const dotGit = found[2 * at] ?? null;
    // Without `.git` a folder with a HEAD may be a repository itself.
    if (dotGit === null && (found[2 * at + 1] ?? null) !== null) return true;
    if (dotGit === null) continue;
    return dotGit.kind !== 'directory' || namesPrograms(fs, path.join(folder, '.git'));
  }
  return false;
}

async function namesPrograms(fs: Host['fs'], git: string): Promise<boolean> {
  const [hook = null] = await fs.lstatAll([path.join(git, 'hooks', 'post-index-change')]);
  if (hook !== null) return true;
  try {
    const { stat, head } = await fs.readEnds(path.join(git, 'config'), MAX_CONFIG);
    return stat.size > MAX_CONFIG || SUSPICIOUS.test(new TextDecoder().decode(head));
  } catch {
    return true; // what cannot be read is looked at closely
  }
}
