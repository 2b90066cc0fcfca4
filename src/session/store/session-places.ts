// Where sessions stand on the disk: the folders of projects, the transcript of a session, its own folder beside it, and the
// transcripts of its subagents. One rule: nothing here is reached through a symbolic link, which could lead anywhere.
import path from 'node:path';
import { entriesIn, type FileStat, type Host, isFileError } from '../../host/host.js';
import { ConfigError, SessionError } from '../../protocol/errors.js';
import { mapBounded } from '../../util/map-bounded.js';
import { shorten, UUID } from '../../util/text.js';

/** Characters of a key before it is cut. */
const MAX_KEY_LENGTH = 200;

/** `$TURNWRIGHT_HOME`, or `~/.turnwright`. */
export function homeFolder(
  host: Pick<Host, 'env' | 'platform'>,
  env: Readonly<Record<string, string | undefined>> = host.env,
): string {
  const named = env.TURNWRIGHT_HOME;
  return named !== undefined && named !== ''
    ? path.resolve(host.platform.cwd, named)
    : path.join(host.platform.homedir, '.turnwright');
}

/**
 * The folder whose `projects/` holds the sessions: `$TURNWRIGHT_SESSIONS_HOME`, or the home folder. Keys, trust and what is
 * known of models stay in the home folder.
 */
export function sessionsHome(
  host: Pick<Host, 'env' | 'platform'>,
  env: Readonly<Record<string, string | undefined>> = host.env,
): string {
  const named = env.TURNWRIGHT_SESSIONS_HOME;
  return named !== undefined && named !== '' ? path.resolve(host.platform.cwd, named) : homeFolder(host, env);
}

/** The folder of all sessions of a working directory. */
export async function projectFolder(host: Host, home: string, cwd: string): Promise<string> {
  return path.join(home, 'projects', projectKey(await host.fs.realpath(cwd)));
}

/** Every character outside A-Z, a-z, 0-9 becomes `-`; a long key is cut and gets a hash of the whole. */
export function projectKey(realCwd: string): string {
  const name = realCwd.normalize('NFC');
  const key = name.replace(/[^A-Za-z0-9]/g, '-');
  return key.length <= MAX_KEY_LENGTH ? key : `${key.slice(0, MAX_KEY_LENGTH)}-${hash32(name).toString(36)}`;
}

function hash32(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) | 0;
  return Math.abs(hash);
}

/** The transcript's path. @throws SessionError for an id that is not a UUID: it may not name another path. */
export function transcriptPath(folder: string, sessionId: string): string {
  return path.join(folder, `${checkSessionId(sessionId)}.jsonl`);
}

export function checkSessionId(sessionId: string): string {
  if (isSessionId(sessionId)) return sessionId.toLowerCase();
  throw new SessionError(
    'session_invalid',
    `"${shorten(String(sessionId), 100)}" is not the id of a session: neither a whole one, which is a UUID such as the session_id of a result, nor its first 8 characters.`,
  );
}

/** A UUID, so nothing that could name another path. */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

export function isSessionFile(name: string): boolean {
  return name.endsWith('.jsonl') && isSessionId(name.slice(0, -'.jsonl'.length));
}

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

/** What a session keeps beside its transcript. */
type OwnPart = 'subagents' | 'blobs' | 'checkpoints' | 'tool-results';

/** One of the folders in it; null if it is not there, or a link stands in its place or in that of the whole. */
export async function ownPart(host: Pick<Host, 'fs'>, ownFolder: string, part: OwnPart): Promise<string | null> {
  const folder = path.join(ownFolder, part);
  return (await isOwnFolder(host, ownFolder, folder)) ? folder : null;
}

/** True if `folder`, in the folder of a session or that itself, is there and no link leads to it. */
export async function isOwnFolder({ fs }: Pick<Host, 'fs'>, ownFolder: string, folder: string): Promise<boolean> {
  for (let place = folder; place.startsWith(ownFolder); place = path.dirname(place)) {
    if ((await kindAt(fs, place)) !== 'directory') return false;
  }
  return true;
}

/** For who is about to write in it. @throws SessionError if a link stands in its place, or in that of a part */
export async function refuseLinks({ fs }: Pick<Host, 'fs'>, ownFolder: string): Promise<void> {
  const kind = await kindAt(fs, ownFolder);
  if (kind === null) return;
  if (kind === 'symlink') throw linked(ownFolder);
  if (kind !== 'directory') return; // nothing can be written there, and whoever tries says so
  const found = (await fs.entries(ownFolder)).find((entry) => entry.kind === 'symlink');
  if (found !== undefined) throw linked(path.join(ownFolder, found.name));
}

async function kindAt(fs: Host['fs'], place: string) {
  try {
    return (await fs.lstat(place)).kind;
  } catch (error) {
    if (isFileError(error)) return null; // not there, or not for us to see
    throw error;
  }
}

function linked(place: string): SessionError {
  return new SessionError(
    'session_invalid',
    `${place} is a symbolic link, and what belongs to a session is not kept behind one. Remove the link, or put what it names in its place.`,
  );
}

const TRANSCRIPT = /^agent-([A-Za-z0-9_-]{1,128})\.jsonl$/;
const SUBPATH = /^subagents\/agent-([A-Za-z0-9_-]{1,128})$/;
const AGENT_ID = /^[A-Za-z0-9_-]{1,128}$/;
const MAX_META_BYTES = 65_536;

/** Under which the calls are kept that a call makes, such as those of a script: as the id of a subagent. */
export function nestedCallsId(toolUseId: string): string {
  return `call-${toolUseId.replace(/[^A-Za-z0-9_-]/g, '_').slice(-100)}`;
}

export interface SubagentOrigin {
  readonly toolUseId: string | null;
  readonly parentAgentId: string | null;
}

export const UNKNOWN_ORIGIN: SubagentOrigin = { toolUseId: null, parentAgentId: null };

/** Sorted. */
export async function subagentIds(host: Pick<Host, 'fs'>, { ownFolder }: SessionPlace): Promise<string[]> {
  const folder = await ownPart(host, ownFolder, 'subagents');
  const entries = folder === null ? [] : await entriesIn(host.fs, folder);
  return entries.flatMap(({ name, kind }) => (kind === 'file' ? (TRANSCRIPT.exec(name)?.[1] ?? []) : []));
}

/** @throws ConfigError for an id that could name another path */
export function subagentSubpath(agentId: string): string {
  if (typeof agentId === 'string' && AGENT_ID.test(agentId)) return `subagents/agent-${agentId}`;
  throw new ConfigError(`"${String(agentId)}" is not the id of a subagent. listSubagents gives those of a session.`);
}

export function subagentFile({ ownFolder }: SessionPlace, agentId: string): string {
  return path.join(ownFolder, `${subagentSubpath(agentId)}.jsonl`);
}

/** The ids among the subpaths that a store gave. */
export function idsOfSubpaths(subpaths: readonly string[]): string[] {
  return subpaths.flatMap((subpath) => SUBPATH.exec(subpath)?.[1] ?? []).sort();
}

export async function readSubagentOrigin(
  host: Pick<Host, 'fs'>,
  place: SessionPlace,
  agentId: string,
): Promise<SubagentOrigin> {
  const file = subagentFile(place, agentId).replace(/\.jsonl$/, '.meta.json');
  try {
    if ((await ownPart(host, place.ownFolder, 'subagents')) === null) return UNKNOWN_ORIGIN;
    const { kind, size } = await host.fs.lstat(file);
    if (kind !== 'file' || size > MAX_META_BYTES) return UNKNOWN_ORIGIN;
    const meta: unknown = JSON.parse(new TextDecoder().decode(await host.fs.readFile(file)));
    const { toolUseId, parentAgentId } = (meta ?? {}) as Readonly<Record<string, unknown>>;
    return {
      toolUseId: typeof toolUseId === 'string' ? toolUseId : null,
      parentAgentId: typeof parentAgentId === 'string' ? parentAgentId : null,
    };
  } catch (error) {
    if (isFileError(error) || error instanceof SyntaxError) return UNKNOWN_ORIGIN; // not said, or not readably
    throw error;
  }
}
