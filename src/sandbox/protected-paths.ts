// What no sandboxed command may change or make: files and folders that configure what runs later, outside; at the top of a workspace
// and below it, looked for once a session, within bounds, since a workspace may be very large.
import path from 'node:path';
import { type DirectoryEntry, entriesIn, type Host, type HostFs } from '../host/host.js';

/** Files that shells run when they start or end. */
const SHELL_FILES = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zprofile',
  '.zshenv',
  '.zlogin',
  '.zlogout',
] as const;

/** In each writable folder, even if they are missing. */
export const PROTECTED = [
  '.turnwright',
  '.claude',
  '.qoder',
  '.vscode',
  '.idea',
  '.mcp.json',
  '.gitmodules',
  '.envrc',
] as const;

/**
 * In each writable folder, if they are there. What stands for a missing path is an empty folder: package managers
 * stop at a folder of these names, so one that a command made is moved aside afterwards.
 */
export const PROTECTED_WHERE_THERE = [
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.husky',
  '.ripgreprc',
  '.gitconfig',
  ...SHELL_FILES,
] as const;

/** The file tools protect these too; an installation in the sandbox writes them. `.git` is guarded by its parts. */
export const MADE_BY_PACKAGE_MANAGERS: ReadonlySet<string> = new Set(['.git', '.pnp.cjs', '.pnp.loader.mjs', '.yarn']);

/** In the user's own folder, even if they are missing. */
export const PROTECTED_AT_HOME = [
  '.gitconfig',
  ...SHELL_FILES,
  '.pam_environment',
  '.xprofile',
  '.xsessionrc',
  '.claude.json',
  '.ssh',
  '.config/systemd',
  '.config/environment.d',
  '.config/autostart',
  '.local/bin',
  'bin',
] as const;

/** In the user's own folder, if they are there. */
export const PROTECTED_AT_HOME_WHERE_THERE = [
  '.gnupg',
  '.config/git',
  '.config/fish',
  '.config/nvim',
  '.config/pip',
  '.local/share/applications',
  '.aws',
  '.cargo/config.toml',
  '.curlrc',
  '.docker',
  '.emacs',
  '.emacs.d',
  '.gdbinit',
  '.inputrc',
  '.kube',
  '.netrc',
  '.pypirc',
  '.tmux.conf',
  '.vim',
  '.vimrc',
  '.wgetrc',
] as const;

/** In a folder of git: what makes git start programs. */
export const PROTECTED_IN_GIT = ['hooks', 'config'] as const;

/**
 * Files that, once they stand in a folder of git, name another folder with another configuration, or are one. What would
 * stand for a missing one would stop git, so it is removed after the command.
 */
export const GIT_REDIRECTIONS = ['commondir', 'config.worktree'] as const;

/** In a worktree's folder of git: which repository it is of. */
export const PROTECTED_IN_WORKTREE = ['gitdir'] as const;

/** With it, and two folders, any folder is a repository whose configuration git obeys. */
export const GIT_HEAD = 'HEAD';

/** Names that a search for protected files below the top looks for. */
const NESTED_NAMES: ReadonlySet<string> = new Set([...PROTECTED, '.husky', '.git']);

/** How far a search goes. */
export interface Bounds {
  /** Folders below a root. */
  readonly maxDepth: number;
  /** Folders that are looked into. */
  readonly maxFolders: number;
  /** Told of each of them. */
  readonly onFolder?: (folder: string) => void;
}

const USUAL_BOUNDS: Bounds = { maxDepth: 3, maxFolders: 600 };
/** Never looked into: very large, and made by programs. */
const SKIPPED = new Set(['node_modules', '.git', 'target', 'dist', 'build', '.venv', 'venv', '__pycache__']);

/** What is protected below the top of the roots. */
interface NestedPaths {
  /** Those that are there. */
  readonly found: readonly string[];
  /** The folders that were looked into. */
  readonly folders: readonly string[];
}

/** @param isNested of `nestedNames` */
export async function findNested(
  fs: HostFs,
  roots: readonly string[],
  isNested: (target: string) => boolean,
): Promise<NestedPaths> {
  const folders: string[] = [];
  const found = await findBelow(fs, roots, isNested, { ...USUAL_BOUNDS, onFolder: (folder) => folders.push(folder) });
  const isBelow = (folder: string) => !roots.includes(folder);
  return { found: found.filter((target) => isBelow(path.dirname(target))), folders: folders.filter(isBelow) };
}

/**
 * Tells what is protected in a folder below the top by its name.
 * @param names as the file tools have them, in lower case; with two parts the second is meant within the first
 */
export function nestedNames(names: readonly string[]): (target: string) => boolean {
  const all = new Set([...NESTED_NAMES, ...names.filter((name) => !MADE_BY_PACKAGE_MANAGERS.has(name))]);
  return (target) => {
    const name = path.basename(target).toLowerCase();
    return all.has(name) || all.has(`${path.basename(path.dirname(target)).toLowerCase()}/${name}`);
  };
}

/** A folder whose time lies this far back had no change that its time does not tell. */
const SETTLED_MS = 2_000;

interface Listed {
  readonly inode: number;
  readonly ctimeMs: number;
  readonly isSettled: boolean;
  readonly found: readonly string[];
}

/** What of the protected names stands in some folders, now and again: a folder that did not change is not listed anew. */
export class NestedWatch {
  readonly #host: Pick<Host, 'fs' | 'clock'>;
  readonly #folders: readonly string[];
  readonly #isNested: (target: string) => boolean;
  readonly #listed = new Map<string, Listed>();

  constructor(host: Pick<Host, 'fs' | 'clock'>, folders: readonly string[], isNested: (target: string) => boolean) {
    this.#host = host;
    this.#folders = folders;
    this.#isNested = isNested;
  }

  /** Contract: never throws; in a folder that is gone there is nothing. Repositories are left out: they are guarded by their parts. */
  async now(): Promise<ReadonlySet<string>> {
    const { fs, clock } = this.#host;
    const stats = await fs.lstatAll(this.#folders);
    const all = new Set<string>();
    for (const [at, folder] of this.#folders.entries()) {
      const stat = stats[at] ?? null;
      if (stat?.kind !== 'directory') continue;
      const { inode, ctimeMs } = stat;
      let listed = this.#listed.get(folder);
      if (listed?.isSettled !== true || listed.inode !== inode || listed.ctimeMs !== ctimeMs) {
        const isSettled = ctimeMs + SETTLED_MS < clock.now();
        const targets = (await entriesIn(fs, folder)).map(({ name }) => path.join(folder, name));
        const found = targets.filter((target) => path.basename(target) !== '.git' && this.#isNested(target));
        listed = { inode, ctimeMs, isSettled, found };
        this.#listed.set(folder, listed);
      }
      for (const target of listed.found) all.add(target);
    }
    return all;
  }
}

/**
 * What is wanted of all that lies in the roots, within bounds. What is wanted is not looked into.
 * Contract: never throws; a folder that cannot be read holds nothing that is found.
 */
export async function findBelow(
  fs: HostFs,
  roots: readonly string[],
  isWanted: (target: string, kind: DirectoryEntry['kind']) => boolean,
  { maxDepth, maxFolders, onFolder }: Bounds = USUAL_BOUNDS,
): Promise<string[]> {
  const found: string[] = [];
  let looked = 0;
  let level: readonly string[] = roots;
  for (let depth = 0; depth <= maxDepth; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (++looked > maxFolders) return found;
      onFolder?.(folder);
      for (const { name, kind } of await entriesIn(fs, folder)) {
        const target = path.join(folder, name);
        if (isWanted(target, kind)) found.push(target);
        else if (kind === 'directory' && !SKIPPED.has(name)) next.push(target);
      }
    }
    level = next;
  }
  return found;
}
