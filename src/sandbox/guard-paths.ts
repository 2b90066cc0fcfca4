// Which paths a command may write, and which in them it may not: looked up on the disk before each command, since both
// come and go. Rule: a protected path is guarded whether it exists or not, and through symbolic links.

import path from 'node:path';
import { type FileStat, type HostFs, isFileError } from '../host/host.js';
import { isWithin } from '../host/is-inside.js';
import { ToolError } from '../protocol/errors.js';
import type { Stubs } from './journal.js';
import { type Mount, orderMounts } from './mount-plan.js';
import type { SandboxPolicy } from './policy.js';
import {
  GIT_HEAD,
  GIT_REDIRECTIONS,
  MADE_BY_PACKAGE_MANAGERS,
  PROTECTED,
  PROTECTED_AT_HOME,
  PROTECTED_AT_HOME_WHERE_THERE,
  PROTECTED_IN_GIT,
  PROTECTED_IN_WORKTREE,
  PROTECTED_WHERE_THERE,
} from './protected-paths.js';

export interface GuardPlace {
  readonly fs: HostFs;
  readonly home: string;
  /** The engine's own folder. */
  readonly engineFolder: string;
  /** Protected paths below the top of a workspace, that were there when the session began. */
  readonly nested: readonly string[];
  /** Further paths that no command may change or make: what git's configuration makes programs. */
  readonly hookPaths: readonly string[];
  /** Names at the top of a writable folder, see `SandboxOptions`. */
  readonly protectedNames: readonly string[];
  /** Places that get a folder of the session's own. */
  readonly tmpFolders: readonly string[];
  /** Kept by the caller from command to command, and added to. */
  readonly refusedBefore: RefusedPaths;
}

/** What refusals of the policy have led to: a link that a command removes must not take its target out of them. */
export interface RefusedPaths {
  readonly read: Set<string>;
  readonly write: Set<string>;
}

export interface GuardedPaths {
  readonly mounts: readonly Mount[];
  /** Folders if nothing new can be made, and the link that is why. */
  readonly sealed: readonly { readonly folder: string; readonly link: string }[];
  /** Must not come to be while the command runs. */
  readonly mustStayMissing: readonly string[];
  /** Files that are refused as they stand: one that another program puts in the place of theirs is not. */
  readonly standing: readonly { readonly path: string; readonly inode: number }[];
}

/** A folder with more entries is not opened entry by entry. */
const MAX_ENTRIES = 400;

/** @throws ToolError if a path cannot be looked at, or cannot be guarded */
export async function guardPaths(policy: SandboxPolicy, place: GuardPlace, stubs: Stubs): Promise<GuardedPaths> {
  const work = new Guard(policy, place, stubs);
  try {
    return await work.plan();
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new ToolError(`The sandbox cannot be set up, so nothing was run. ${error.message}`);
  }
}

class Guard {
  readonly #mounts: Mount[] = [];
  readonly #sealed: { folder: string; link: string }[] = [];
  readonly #missing: string[] = [];
  readonly #standing: { path: string; inode: number }[] = [];
  /** Folders that may be written, as far as they are not refused. */
  #areas: string[] = [];
  readonly #policy: SandboxPolicy;
  readonly #place: GuardPlace;
  readonly #fs: HostFs;
  readonly #stubs: Stubs;

  constructor(policy: SandboxPolicy, place: GuardPlace, stubs: Stubs) {
    this.#policy = policy;
    this.#place = place;
    this.#fs = place.fs;
    this.#stubs = stubs;
  }

  async plan(): Promise<GuardedPaths> {
    const { denyWrite, roots, allowWrite } = this.#policy;
    for (const folder of this.#place.tmpFolders) this.#add(folder, 'tmp', true);
    const { write: refused } = this.#place.refusedBefore;
    for (const target of await Promise.all(denyWrite.map((target) => this.#resolve(target)))) refused.add(target);
    const isRefused = (target: string) => [...refused].some((folder) => isWithin(folder, target));
    const areas = await this.#existing(roots);
    const extra = await this.#existing(allowWrite);
    this.#areas = [...areas, ...extra].map(({ real }) => real).filter((real) => !isRefused(real));
    await refuseLedAway(this.#fs, [...areas, ...extra], this.#areas);
    for (const { real, stat } of areas) if (!isRefused(real)) this.#add(real, 'write', stat.kind === 'directory');
    for (const { real, stat } of [...areas, ...extra]) {
      if (!isRefused(real) && stat.kind === 'directory') await this.#protectArea(real);
    }
    for (const target of this.#place.nested) await this.#protectNested(target);
    for (const target of this.#place.hookPaths) await this.#protectNamed(target);
    await this.#protect(await this.#resolve(this.#place.engineFolder));
    for (const target of refused) await this.#protect(target);
    const guarded = this.#mounts.filter(({ kind }) => kind === 'read').map((mount) => mount.path);
    for (const { real, stat } of extra) {
      const isGuarded = guarded.some((folder) => isWithin(folder, real));
      if (!isGuarded && !isRefused(real)) this.#add(real, 'write', stat.kind === 'directory');
    }
    await this.#hide();
    const { unixSockets } = this.#policy.network;
    if (unixSockets !== 'all' && unixSockets.length > 0) {
      this.#mounts.push(...(await coverSockets(this.#fs, unixSockets)));
    }
    return {
      mounts: orderMounts(this.#mounts, this.#areas),
      sealed: this.#sealed,
      mustStayMissing: this.#missing,
      standing: this.#standing,
    };
  }

  /** What cannot be read, and what of it can again. */
  async #hide(): Promise<void> {
    const { denyRead, allowRead } = this.#policy;
    const { read: refused } = this.#place.refusedBefore;
    for (const { real } of await this.#existing(denyRead)) refused.add(real);
    for (const { real, stat } of await this.#existing([...refused])) {
      // Its folder could be moved away with it, to a place at which the next command does not look.
      this.#pinAbove(real);
      this.#stands(real, stat);
      this.#add(real, 'hidden', stat.kind === 'directory');
    }
    const opened = await this.#existing(allowRead);
    await refuseLedAway(this.#fs, opened, this.#areas);
    for (const { real, stat } of opened) this.#add(real, 'open', stat.kind === 'directory');
  }

  /** What of a writable folder no command may change. */
  async #protectArea(area: string): Promise<void> {
    const { home } = this.#place;
    const atHome = isWithin(area, home);
    const below = (folder: string, names: readonly string[]) => names.map((name) => path.join(folder, name));
    const always = [
      ...below(area, PROTECTED),
      ...(atHome ? [...below(home, PROTECTED), ...below(home, PROTECTED_AT_HOME)] : []),
    ];
    const named = atHome
      ? []
      : below(
          area,
          this.#place.protectedNames.filter((name) => !MADE_BY_PACKAGE_MANAGERS.has(name)),
        );
    const whereThere = [
      ...new Set([...below(area, PROTECTED_WHERE_THERE), ...named].filter((target) => !always.includes(target))),
      ...(atHome ? below(home, [...PROTECTED_WHERE_THERE, ...PROTECTED_AT_HOME_WHERE_THERE]) : []),
    ];
    const stats = await this.#fs.lstatAll([...always, ...whereThere]);
    for (const [at, target] of [...always, ...whereThere].entries()) {
      const stat = this.#stubs.isStub(target) ? null : (stats[at] ?? null);
      if (stat === null && at >= always.length) {
        // A name in a folder of that kind, such as `.config/git`, is one of the home.
        if (named.includes(target) && path.dirname(target) === area) this.#missing.push(target);
        continue;
      }
      const folder = path.dirname(target);
      if (stat === null && folder !== area && folder !== home && !(await this.#makeFolders(folder))) continue;
      this.#pinAbove(target);
      await this.#guard(target, stat);
    }
    await this.#protectGit(area);
  }

  async #protectGit(area: string): Promise<void> {
    const git = path.join(area, '.git');
    const stat = await this.#lstat(git);
    const isRepository = stat?.kind === 'directory' && (await this.#lstat(path.join(git, GIT_HEAD))) !== null;
    if (isRepository) await this.#protectGitFolder(git);
    else await this.#guard(git, stat);
    if (isRepository || (stat !== null && stat.kind !== 'directory')) return;
    const head = await this.#lstat(path.join(area, GIT_HEAD));
    // A folder that is itself a repository, or could be made one by this file.
    if (head === null) await this.#guard(path.join(area, GIT_HEAD), null);
    else await this.#protectGitFolder(area);
  }

  async #protectGitFolder(folder: string): Promise<void> {
    if (!this.#areas.includes(folder)) this.#add(folder, 'pin', true);
    for (const name of PROTECTED_IN_GIT) await this.#protect(path.join(folder, name));
    await this.#refuseRedirections(folder);
    const { modules, worktrees, tooLarge } = await innerGitFolders(this.#fs, folder);
    for (const inner of modules) await this.#protectGitFolder(inner);
    for (const inner of worktrees) {
      for (const name of PROTECTED_IN_WORKTREE) await this.#protect(path.join(inner, name));
      await this.#refuseRedirections(inner);
    }
    for (const inner of tooLarge) await this.#protect(inner);
  }

  async #refuseRedirections(folder: string): Promise<void> {
    for (const name of GIT_REDIRECTIONS) {
      const redirection = path.join(folder, name);
      if ((await this.#lstat(redirection)) === null) this.#missing.push(redirection);
      else await this.#protect(redirection);
    }
  }

  async #protectNested(target: string): Promise<void> {
    const stat = await this.#lstat(target);
    if (stat === null || !this.#isWritable(target)) return;
    this.#pinAbove(target);
    if (path.basename(target) === '.git' && stat.kind === 'directory') await this.#protectGitFolder(target);
    else await this.#guard(target, stat);
  }

  /** A path that something else names: each link on the way to it is held in its place too. */
  async #protectNamed(target: string): Promise<void> {
    for (let at = path.dirname(target); this.#isWritable(at); at = path.dirname(at))
      if ((await this.#lstat(at))?.kind === 'symlink') await this.#seal(path.dirname(at), at);
    await this.#protect(target);
    const real = await this.#resolve(target);
    if (real !== target) await this.#protect(real);
  }

  /** A path, with every folder above it that could be moved away. */
  async #protect(target: string): Promise<void> {
    if (!this.#isWritable(target) && !this.#areas.includes(target)) return;
    const stat = await this.#lstat(target);
    if (stat !== null || (await this.#makeFolders(path.dirname(target)))) {
      this.#pinAbove(target);
      await this.#guard(target, stat);
    }
  }

  async #guard(target: string, stat: FileStat | null): Promise<void> {
    if (!this.#isWritable(target)) return;
    if (stat?.kind === 'symlink') {
      const real = await this.#resolve(target);
      if (this.#isWritable(real) && (await this.#lstat(real)) !== null) {
        this.#pinAbove(real);
        this.#add(real, 'read', true);
      }
      await this.#seal(path.dirname(target), target);
      return;
    }
    if (stat !== null) {
      this.#stands(target, stat);
      this.#add(target, 'read', stat.kind === 'directory');
    } else if (await this.#stubs.make(target)) this.#add(target, 'read', true);
  }

  /** A link cannot be held in its place, so its folder takes no new entries; those it has stay writable. */
  async #seal(folder: string, link: string): Promise<void> {
    if (this.#sealed.some((seal) => seal.folder === folder)) return;
    this.#sealed.push({ folder, link });
    this.#pinAbove(folder);
    this.#add(folder, 'read', true);
    const entries = await this.#fs.entries(folder);
    if (entries.length > MAX_ENTRIES) return;
    for (const { name, kind } of entries) {
      if (kind !== 'symlink') this.#add(path.join(folder, name), 'write', kind === 'directory');
    }
  }

  /** The folders between a writable folder and what lies in it. */
  #pinAbove(target: string): void {
    const area = this.#areas.filter((folder) => isWithin(folder, target)).sort((a, b) => a.length - b.length)[0];
    if (area === undefined) return;
    for (let at = path.dirname(target); at !== area && isWithin(area, at); at = path.dirname(at))
      this.#add(at, 'pin', true);
  }

  async #makeFolders(folder: string): Promise<boolean> {
    if ((await this.#lstat(folder)) !== null) return true;
    return (await this.#makeFolders(path.dirname(folder))) && this.#stubs.make(folder);
  }

  #isWritable(target: string): boolean {
    return this.#areas.some((area) => isWithin(area, target) && area !== target);
  }

  #stands(target: string, { kind, inode }: FileStat): void {
    if (kind === 'file') this.#standing.push({ path: target, inode });
  }

  #add(target: string, kind: Mount['kind'], isFolder: boolean): void {
    this.#mounts.push({ path: target, kind, isFolder });
  }

  async #existing(targets: readonly string[]): Promise<{ named: string; real: string; stat: FileStat }[]> {
    const found: { named: string; real: string; stat: FileStat }[] = [];
    for (const named of targets) {
      const real = await this.#resolve(named);
      const stat = await this.#lstat(real);
      if (stat !== null) found.push({ named, real, stat });
    }
    return found;
  }

  /** The path without symbolic links, as far as it exists. */
  async #resolve(target: string): Promise<string> {
    const missing: string[] = [];
    for (let at = target; ; at = path.dirname(at)) {
      try {
        return path.join(await this.#fs.realpath(at), ...missing.reverse());
      } catch (error) {
        if (!isMissing(error) || at === '/') throw error;
        missing.push(path.basename(at));
      }
    }
  }

  async #lstat(target: string): Promise<FileStat | null> {
    if (this.#stubs.isStub(target)) return null;
    try {
      return await this.#fs.lstat(target);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }
}

function isMissing(error: unknown): boolean {
  return isFileError(error, 'ENOENT') || isFileError(error, 'ENOTDIR');
}

// Whether a path that the policy opens is led elsewhere by a symbolic link that a command may have made. Rule: what a
// command can write never says what the next command may write.

/** As many as the system follows. */
const MAX_LINKS = 40;

/** A path as the policy names it, and without symbolic links. */
interface OpenedPath {
  readonly named: string;
  readonly real: string;
}

/**
 * @param areas what commands may write, without symbolic links
 * @throws ToolError if one of them is led away by a link that lies in an area; FileError
 */
async function refuseLedAway(fs: HostFs, opened: readonly OpenedPath[], areas: readonly string[]): Promise<void> {
  for (const { named, real } of opened) {
    if (named === real) continue;
    const links = await linksOnTheWay(fs, named);
    const made = links.find((link) => areas.some((area) => isWithin(area, link)));
    if (made === undefined) continue;
    throw new ToolError(
      `The sandbox opens ${named}, which leads to ${real} by the symbolic link ${made}. Commands can make such a link, so nothing was run. Name ${real} itself, or remove the link.`,
    );
  }
}

/** The path of each of them, without links in front of it. */
async function linksOnTheWay(fs: HostFs, target: string): Promise<readonly string[]> {
  const links: string[] = [];
  const left = target.split('/');
  let at = '/';
  while (left.length > 0 && links.length < MAX_LINKS) {
    const name = left.shift() ?? '';
    if (name === '' || name === '.') continue;
    const next = name === '..' ? path.dirname(at) : path.join(at, name);
    if (name !== '..' && (await fs.lstat(next)).kind === 'symlink') {
      links.push(next);
      const text = await fs.readlink(next);
      left.unshift(...text.split('/'));
      if (path.isAbsolute(text)) at = '/';
    } else at = next;
  }
  return links;
}

// Which unix sockets a command may see if some, but not all, are allowed. The filter of system calls knows no paths,
// so every other socket that the system lists is covered. What is made later, elsewhere, is not: see docs/sandbox.md.

/** Folders of running programs, full of sockets. */
const RUN_FOLDERS = ['/run', '/var/run'];
const LIST = '/proc/net/unix';

/** @throws ToolError if the sockets of the machine cannot be listed */
async function coverSockets(fs: HostFs, allowed: readonly string[]): Promise<Mount[]> {
  const open = await resolveAll(fs, allowed);
  const run = (await resolveAll(fs, RUN_FOLDERS)).map(
    (folder) => ({ path: folder, kind: 'hidden', isFolder: true }) as const,
  );
  const listed = await resolveAll(fs, await listSockets(fs));
  const covered = listed.filter((socket) => !open.includes(socket));
  return [
    ...run,
    ...covered.map((socket) => ({ path: socket, kind: 'hidden', isFolder: false }) as const),
    ...open.map((socket) => ({ path: socket, kind: 'open', isFolder: false }) as const),
  ];
}

async function listSockets(fs: HostFs): Promise<string[]> {
  try {
    const text = new TextDecoder().decode(await fs.readFile(LIST));
    // Number, counts, protocol, flags, type, state, inode, path.
    return text
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/).slice(7).join(' '))
      .filter((name) => path.isAbsolute(name));
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new ToolError(`The sandbox cannot list the sockets of this machine, so nothing was run. ${error.message}`);
  }
}

/** What is not there is left out. */
async function resolveAll(fs: HostFs, targets: readonly string[]): Promise<string[]> {
  const real = new Set<string>();
  for (const target of targets) {
    try {
      real.add(await fs.realpath(target));
    } catch (error) {
      if (!isFileError(error)) throw error; // it is not there, or nobody may look at it
    }
  }
  return [...real];
}

// What of a repository's own folder makes git obey a configuration, beside its top: submodules and worktrees have theirs
// below. Looked up before each command, since they come and go.

/** Names of submodules may have slashes. */
const MAX_DEPTH = 4;
const MAX_FOLDERS = 200;

interface InnerGitFolders {
  /** Folders of submodules: each as the folder of a repository. */
  readonly modules: readonly string[];
  /** Folders of worktrees: they name the folder whose configuration counts. */
  readonly worktrees: readonly string[];
  /** Folders with more in them than is looked at. */
  readonly tooLarge: readonly string[];
}

/** @throws FileError if a folder that is there cannot be looked at */
async function innerGitFolders(fs: HostFs, folder: string): Promise<InnerGitFolders> {
  const [worktrees, found] = await Promise.all([
    foldersIn(fs, path.join(folder, 'worktrees')),
    modulesIn(fs, path.join(folder, 'modules')),
  ]);
  const tooLarge = found === null ? [path.join(folder, 'modules')] : [];
  if (worktrees.length <= MAX_FOLDERS) return { modules: found ?? [], worktrees, tooLarge };
  return { modules: found ?? [], worktrees: [], tooLarge: [...tooLarge, path.join(folder, 'worktrees')] };
}

/** Null if there are too many. */
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
