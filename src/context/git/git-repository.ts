// Where the parts of a repository lie: its worktree, the folders whose configuration git reads, and the repositories that
// it records in folders of its worktree. Nothing is started, and nothing that a folder says about itself is believed.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { lookForRepositories } from '../look.js';
import {
  configuredPath,
  type GitSetting,
  gitlinksIn,
  mayHaveGitlinks,
  readGitConfig,
  readGitText,
} from './git-files.js';

export interface GitRepository {
  /** Where programs are started. */
  readonly top: string;
  /** Whose configuration git reads: its own folder first, then the one that it shares. */
  readonly folders: readonly string[];
}

type GitHost = Pick<Host, 'fs' | 'platform'>;

/** Null if `cwd` is in no repository. */
export async function findRepository(host: Pick<Host, 'fs'>, cwd: string): Promise<GitRepository | null> {
  const { folders, found } = await lookForRepositories(host, cwd);
  for (const [at, folder] of folders.entries()) {
    const { dotGit = null, head = null } = found[at] ?? {};
    if (dotGit !== null) return { top: folder, folders: await gitFolders(host, folder) };
    if (head !== null) return { top: folder, folders: await sharedFolders(host, folder) };
  }
  return null;
}

/** `.git` may be a folder, a link to one, or a file that names one. */
async function gitFolders(host: Pick<Host, 'fs'>, top: string): Promise<readonly string[]> {
  return sharedFolders(host, await namedFolder(host, path.join(top, '.git'), top));
}

/** What a file in the place of a folder of git names; else the folder itself. */
async function namedFolder(host: Pick<Host, 'fs'>, dotGit: string, base: string): Promise<string> {
  const link = /^gitdir: (.+)/.exec((await readGitText(host, dotGit)) ?? '')?.[1];
  return link === undefined ? dotGit : path.resolve(base, link.trim());
}

/** A folder of git, and the one whose configuration it shares. */
async function sharedFolders(host: Pick<Host, 'fs'>, own: string): Promise<readonly string[]> {
  const shared = (await readGitText(host, path.join(own, 'commondir')))?.trim() ?? '';
  return shared === '' ? [own] : [own, path.resolve(own, shared)];
}

/** Where git may find a repository. */
export interface RepositorySearch {
  /** The nearest first; more than one if git may pass the nearer ones by. */
  readonly repositories: readonly GitRepository[];
  /** What would make it find others if it came to be, or went. */
  readonly marks: readonly string[];
}

/** Each repository that git may take from a folder on upwards. Contract: never throws for what stands on the disk. */
export async function searchRepositories(host: Pick<Host, 'fs'>, from: string): Promise<RepositorySearch> {
  const { folders, found } = await lookForRepositories(host, from);
  const repositories: GitRepository[] = [];
  const marks: string[] = [];
  for (const [at, top] of folders.entries()) {
    const { dotGit = null, head = null } = found[at] ?? {};
    marks.push(path.join(top, '.git'), path.join(top, '.git', 'HEAD'), path.join(top, 'HEAD'));
    const here = [
      ...(dotGit === null ? [] : [await gitFolders(host, top)]),
      ...(head === null ? [] : [await sharedFolders(host, top)]),
    ];
    for (const all of here) {
      repositories.push({ top, folders: all });
      marks.push(...all.map((folder) => path.join(folder, 'commondir')));
      if (await isWhole(host, all)) return { repositories, marks };
    }
  }
  return { repositories, marks };
}

/** True for what git takes for a repository; what lacks a part it passes by. */
async function isWhole({ fs }: Pick<Host, 'fs'>, folders: readonly string[]): Promise<boolean> {
  const [own = '', shared = own] = folders;
  const parts = [path.join(own, 'HEAD'), path.join(shared, 'objects'), path.join(shared, 'refs')];
  return (await fs.lstatAll(parts)).every((stat) => stat !== null);
}

/** The repository whose folder of git is named. */
export async function namedRepository(host: Pick<Host, 'fs'>, gitFolder: string, top: string): Promise<GitRepository> {
  return { top, folders: await sharedFolders(host, await namedFolder(host, gitFolder, path.dirname(gitFolder))) };
}

/** What a path may mean to git if it names a repository, or a template of one. */
export async function repositoriesAt(host: Pick<Host, 'fs'>, place: string): Promise<readonly GitRepository[]> {
  const names = ['.git', 'HEAD', 'config', 'hooks'];
  const [dotGit = null, ...others] = await host.fs.lstatAll(names.map((name) => path.join(place, name)));
  return [
    ...(dotGit === null ? [] : [{ top: place, folders: await gitFolders(host, place) }]),
    ...(others.some((stat) => stat !== null) ? [await namedRepository(host, place, place)] : []),
  ];
}

/** The files of configuration that belong to the repository itself. */
export function ownConfigFiles({ folders }: GitRepository): readonly string[] {
  return folders.flatMap((folder) => [path.join(folder, 'config'), path.join(folder, 'config.worktree')]);
}

export function readOwnConfig(host: GitHost, repository: GitRepository): Promise<readonly GitSetting[]> {
  return readGitConfig(host, ownConfigFiles(repository));
}

/** Repositories that are looked at, at all depths together. */
const MAX_NESTED = 300;
const MAX_INDEX_BYTES = 128 * 1024 * 1024;

/** The repositories below one. */
export interface NestedRepositories {
  readonly repositories: readonly GitRepository[];
  /** Files that may record more of them: they cannot be read, or record too many. */
  readonly untold: readonly string[];
  /** True if no index records any, also none that is not there. */
  readonly isPlain: boolean;
}

/**
 * The repositories that the index of one records in folders of its worktree, and those that these record: git looks into
 * them even when it only reads (`status`, `diff`). One that is recorded and not there is none.
 * Contract: never throws for what stands on the disk.
 */
export async function nestedRepositories(host: GitHost, repository: GitRepository): Promise<NestedRepositories> {
  const found: GitRepository[] = [];
  const untold: string[] = [];
  const seen = new Set<string>([repository.top]);
  let isPlain = true;
  for (let next: readonly GitRepository[] = [repository]; next.length > 0; ) {
    const inner: GitRepository[] = [];
    for (const each of next) {
      const index = path.join(each.folders[0] ?? '', 'index');
      const links = await recordedFolders(host, each, index);
      if (links === null || links.length > 0) isPlain = false;
      if (links === null || found.length + inner.length + links.length > MAX_NESTED) {
        untold.push(index);
        continue;
      }
      const stats = await host.fs.lstatAll(links.map((folder) => path.join(folder, '.git')));
      for (const folder of links.filter((top, at) => (stats[at] ?? null) !== null && !seen.has(top))) {
        seen.add(folder);
        inner.push({ top: folder, folders: await gitFolders(host, folder) });
      }
    }
    found.push(...inner);
    next = inner;
  }
  return { repositories: found, untold, isPlain };
}

/** Absolute; null if it cannot be told. */
async function recordedFolders(host: GitHost, repository: GitRepository, index: string): Promise<string[] | null> {
  const links = await readGitlinks(host, index);
  if (links === null) return null;
  if (links.length === 0) return [];
  const settings = await readOwnConfig(host, repository);
  const worktrees = settings.filter(({ key }) => key === 'core.worktree');
  const bases = [
    repository.top,
    ...worktrees.map(({ file, value }) => configuredPath(host, path.dirname(file), value)),
  ];
  return [...new Set(bases.flatMap((base) => links.map((link) => path.resolve(base, link))))];
}

/** Of an index, and of the file that it may share entries with. */
async function readGitlinks({ fs }: GitHost, index: string): Promise<readonly string[] | null> {
  try {
    const bytes = await readIndex(fs, index);
    if (bytes === null) return null;
    const shared = mayBeShared(bytes) ? (await fs.readdir(path.dirname(index))).filter(isSharedIndex) : [];
    const links: string[] = [];
    for (const part of [
      bytes,
      ...(await Promise.all(shared.map((name) => readIndex(fs, path.join(path.dirname(index), name))))),
    ]) {
      const found = part === null ? null : mayHaveGitlinks(part) ? gitlinksIn(part) : [];
      if (found === null) return null;
      links.push(...found);
    }
    return links;
  } catch (error) {
    if (isFileError(error, 'ENOENT') || isFileError(error, 'ENOTDIR')) return [];
    if (isFileError(error)) return null;
    throw error;
  }
}

async function readIndex(fs: Host['fs'], file: string): Promise<Uint8Array | null> {
  const { size } = await fs.stat(file);
  return size > MAX_INDEX_BYTES ? null : fs.readFile(file);
}

function isSharedIndex(name: string): boolean {
  return name.startsWith('sharedindex.');
}

const LINK = new TextEncoder().encode('link');

/** True if the extension that names another index may be there. */
function mayBeShared(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(LINK[0] as number); at !== -1; at = bytes.indexOf(LINK[0] as number, at + 1))
    if (LINK.every((byte, offset) => bytes[at + offset] === byte)) return true;
  return false;
}
