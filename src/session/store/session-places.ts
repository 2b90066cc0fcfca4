// Where the transcripts of a home lie: by working directory, in all of its worktrees, or anywhere. Looks at names
// only; nothing outside the folder of projects is ever named, and symbolic links are not followed.
import path from 'node:path';
import { entriesIn, type FileStat, type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { mapBounded } from '../../util/map-bounded.js';
import { checkSessionId, MAX_KEY_LENGTH, projectKey } from './store-path.js';

/** A transcript and what belongs to it. */
export interface SessionPlace {
  readonly sessionId: string;
  /** The folder of the project. */
  readonly folder: string;
  readonly file: string;
  /** Subagents, blobs, spooled output: everything of the session that is not in the transcript. */
  readonly ownFolder: string;
}

/** Folders looked into at the same time. */
const AT_ONCE = 32;

function projectsFolder(home: string): string {
  return path.join(home, 'projects');
}

/**
 * @param folder absolute, without a separator at its end
 * @param sessionId a UUID in lower case
 */
export function placeIn(folder: string, sessionId: string): SessionPlace {
  // The id names nothing but itself, so nothing has to be resolved: lists do this ten thousand times.
  const ownFolder = `${folder}${path.sep}${sessionId}`;
  return { sessionId, folder, file: `${ownFolder}.jsonl`, ownFolder };
}

/**
 * The folders in which sessions of a working directory are kept: its own first, then those of its worktrees. Without a
 * directory, the folders of all. They need not exist.
 * @throws ConfigError if `dir` is no path
 */
export async function sessionFolders(
  host: Host,
  home: string,
  dir: string | undefined,
  includeWorktrees = true,
): Promise<readonly string[]> {
  const projects = projectsFolder(home);
  if (dir === undefined) {
    const found = await entriesIn(host.fs, projects);
    return found.filter(({ kind }) => kind === 'directory').map(({ name }) => path.join(projects, name));
  }
  const real = await realFolder(host, dir);
  const roots = includeWorktrees ? await worktreeRoots(host, real) : [];
  const keys = await Promise.all([real, ...roots].map((root) => keysOf(host, projects, root)));
  return [...new Set(keys.flat())].map((key) => path.join(projects, key));
}

/** The path of a working directory as its key is made of it; of one that is gone, as it was given. */
export async function realFolder(host: Host, dir: string): Promise<string> {
  if (typeof dir !== 'string' || dir === '' || dir.includes('\0')) {
    throw new ConfigError(`dir is ${JSON.stringify(dir) ?? 'missing'}. Give the path of a working directory.`);
  }
  const absolute = path.resolve(host.platform.cwd, dir);
  try {
    return await host.fs.realpath(absolute);
  } catch (error) {
    if (isFileError(error)) return absolute;
    throw error;
  }
}

/** Writers differ in the hash that ends a long key, so there every folder with the same beginning counts. */
async function keysOf(host: Host, projects: string, root: string): Promise<readonly string[]> {
  const key = projectKey(root);
  if (key.length <= MAX_KEY_LENGTH) return [key];
  const beginning = key.slice(0, MAX_KEY_LENGTH + 1);
  const others = (await entriesIn(host.fs, projects))
    .map(({ name }) => name)
    .filter((name) => name.startsWith(beginning));
  return [key, ...others];
}

/**
 * Where a session lies. Of several of the same id, the one written last.
 * @param look what counts as its transcript
 * @throws SessionError if the id is no UUID
 */
export async function locateSession(
  host: Host,
  home: string,
  sessionId: string,
  dir: string | undefined,
  look: typeof transcriptStat = transcriptStat,
): Promise<SessionPlace | null> {
  const id = checkSessionId(sessionId);
  const folders = await sessionFolders(host, home, dir);
  const found = await mapBounded(folders, AT_ONCE, async (folder) => {
    const place = placeIn(folder, id);
    const stat = await look(host, place.file);
    return stat === null ? null : { place, stat };
  });
  let newest: { place: SessionPlace; stat: FileStat } | null = null;
  for (const candidate of found) {
    if (candidate !== null && (newest === null || candidate.stat.mtimeMs > newest.stat.mtimeMs)) newest = candidate;
  }
  return newest?.place ?? null;
}

/** Null if no transcript stands there: nothing, an empty file, or something that is no file. */
export async function transcriptStat(host: Pick<Host, 'fs'>, file: string): Promise<FileStat | null> {
  try {
    const stat = await host.fs.lstat(file);
    return stat.kind === 'file' && stat.size > 0 ? stat : null;
  } catch (error) {
    if (isFileError(error)) return null; // not there, or not for us to read
    throw error;
  }
}

/** As `transcriptStat`, for whatever stands in the place of a transcript: it cannot be read, but it can be removed. */
export async function anyStat(host: Pick<Host, 'fs'>, file: string): Promise<FileStat | null> {
  try {
    return await host.fs.lstat(file);
  } catch (error) {
    if (isFileError(error)) return null; // not there, or not for us to see
    throw error;
  }
}

// Finds the worktrees of a repository by reading its files: a git command would obey the repository's own
// configuration, which may name programs to run.

const SMALL_FILE = 4_096;

/**
 * The roots of all worktrees of the repository that `folder` is in, the main one first; none if it is in no
 * repository. Folders that are gone may be among them.
 */
async function worktreeRoots(host: Pick<Host, 'fs'>, folder: string): Promise<readonly string[]> {
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
