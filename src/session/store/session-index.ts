// Which sessions there are: in a folder of this machine, with what was read of them the last time, and in a store of the
// host's; and which of a folder was spoken in last. One rule: what cannot be read is told, and hides no other session.
import path from 'node:path';
import { entriesIn, type FileStat, type Host, isFileError } from '../../host/host.js';
import { ConfigError, SessionError } from '../../protocol/errors.js';
import type {
  SDKSessionInfo,
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from '../../protocol/session-store.js';
import { mapBounded } from '../../util/map-bounded.js';
import { END_BYTES, factsOfEnds, lastPromptAt } from './read-ends.js';
import { readTranscriptFile } from './read-transcript.js';
import { factsOfSummary, foldEntry, type SessionFacts, timeOf, toSessionInfo } from './session-facts.js';
import { isSessionFile, placeIn, type SessionPlace, transcriptStat } from './session-places.js';

/** A transcript in a folder, before anything of it was read. */
export interface ListedFile extends SessionPlace {
  readonly stat: FileStat;
  /** Whether something is kept beside the transcript. */
  readonly hasOwnFolder: boolean;
}

export interface ListPage {
  /** Sessions to pass over, newest first. Default 0. */
  readonly offset?: number;
  /** Default: all. */
  readonly limit?: number;
  /** False: only sessions that a person started at a terminal. Default true. */
  readonly includeProgrammatic?: boolean;
}

/** Facts read before. Contract: asked and told in any order; never throws. */
interface FactsCache {
  /** Undefined if the file changed since, or was never read. */
  find(file: ListedFile): SessionFacts | undefined;
  add(file: ListedFile, facts: SessionFacts): void;
}

/** Folders, or files, read at the same time. */
const READS_AT_ONCE = 16;
/** Sessions read ahead if it is not known how many of them have a title. */
const BATCH = 512;

/** Every transcript in the folders, the one written last first. Of several with one id, the newest. */
export async function listFiles(host: Pick<Host, 'fs'>, folders: readonly string[]): Promise<readonly ListedFile[]> {
  const named = (await mapBounded(folders, READS_AT_ONCE, (folder) => filesIn(host, folder))).flat();
  const stats = await host.fs.lstatAll(named.map(({ file }) => file));
  const newest = new Map<string, ListedFile>();
  for (let index = 0; index < named.length; index++) {
    const found = named[index];
    const stat = stats[index];
    if (found === undefined || stat?.kind !== 'file' || stat.size === 0) continue;
    found.stat = stat;
    const file = found as ListedFile;
    const other = newest.get(file.sessionId);
    if (other === undefined || stat.mtimeMs > other.stat.mtimeMs) newest.set(file.sessionId, file);
  }
  return [...newest.values()].sort(newestFirst);
}

/** Becomes a `ListedFile`: a copy of each of ten thousand costs more than looking at it. */
type NamedFile = Omit<ListedFile, 'stat'> & { stat: FileStat | null };

function newestFirst(a: ListedFile, b: ListedFile): number {
  return b.stat.mtimeMs - a.stat.mtimeMs || (a.sessionId < b.sessionId ? -1 : 1);
}

async function filesIn(host: Pick<Host, 'fs'>, folder: string): Promise<NamedFile[]> {
  const entries = await entriesIn(host.fs, folder);
  const folders = new Set(entries.filter(({ kind }) => kind === 'directory').map(({ name }) => name));
  const files: NamedFile[] = [];
  for (const { name, kind } of entries) {
    if (kind !== 'file' || !isSessionFile(name) || name !== name.toLowerCase()) continue;
    const sessionId = name.slice(0, -'.jsonl'.length);
    const { file, ownFolder } = placeIn(folder, sessionId);
    files.push({ sessionId, folder, file, ownFolder, hasOwnFolder: folders.has(sessionId), stat: null });
  }
  return files;
}

/** The page of a list. A file that cannot be read, or holds nothing to show, is passed over. */
export async function readPage(
  host: Pick<Host, 'fs'>,
  files: readonly ListedFile[],
  { offset = 0, limit = Number.POSITIVE_INFINITY, includeProgrammatic = true }: ListPage,
  cache: FactsCache | null,
): Promise<SDKSessionInfo[]> {
  const wanted = offset + limit;
  const shown: SDKSessionInfo[] = [];
  for (let start = 0; start < files.length && shown.length < wanted; ) {
    const batch = files.slice(start, start + Math.min(Math.max(wanted - shown.length, 1), BATCH));
    const read = await mapBounded(batch, READS_AT_ONCE, (file) => readInfo(host, file, cache));
    for (const found of read) {
      if (found !== null && (includeProgrammatic || !isProgrammatic(found.facts))) shown.push(found.info);
    }
    start += batch.length;
  }
  return shown.slice(offset, wanted);
}

/** One session, read now. Null if there is nothing to show. */
export async function readOne(host: Pick<Host, 'fs'>, place: SessionPlace): Promise<SDKSessionInfo | null> {
  const stat = await transcriptStat(host, place.file);
  if (stat === null) return null;
  return (await readInfo(host, { ...place, stat, hasOwnFolder: true }, null))?.info ?? null;
}

interface ReadInfo {
  readonly info: SDKSessionInfo;
  readonly facts: SessionFacts;
}

async function readInfo(host: Pick<Host, 'fs'>, file: ListedFile, cache: FactsCache | null): Promise<ReadInfo | null> {
  try {
    let facts = cache?.find(file);
    if (facts === undefined) {
      facts = await host.fs.lookAtEnds(file.file, file.stat, END_BYTES, factsOfEnds);
      cache?.add(file, facts);
    }
    const { sessionId, stat } = file;
    const archived = file.hasOwnFolder ? await readArchived(host, file) : undefined;
    const origin = { sessionId, lastModified: stat.mtimeMs, fileSize: stat.size };
    const info = toSessionInfo(facts, archived === undefined ? origin : { ...origin, archived });
    return info === null ? null : { info, facts };
  } catch (error) {
    if (isFileError(error)) return null; // gone, or not for us to read: it is no session that could be opened
    throw error;
  }
}

/** Written by programs, not by a person at a terminal; only other writers of the layout say so. */
function isProgrammatic({ entrypoint }: SessionFacts): boolean {
  return entrypoint !== undefined && /^(sdk-|daemon)/.test(entrypoint);
}

export function archiveMarkFile({ ownFolder }: SessionPlace): string {
  return path.join(ownFolder, 'archived.json');
}

/** What stands beside a transcript that was archived once. */
export interface ArchiveMark {
  readonly archived: boolean;
  /** ISO 8601. */
  readonly at: string;
  readonly by: string;
}

/** Undefined if it never was archived. A prompt sent afterwards takes it back. */
async function readArchived(host: Pick<Host, 'fs'>, file: SessionPlace): Promise<boolean | undefined> {
  let mark: Partial<ArchiveMark> | null;
  try {
    mark = JSON.parse(new TextDecoder().decode(await host.fs.readFile(archiveMarkFile(file))));
  } catch {
    return undefined; // no mark, or none that says anything
  }
  if (typeof mark?.archived !== 'boolean') return undefined;
  if (!mark.archived) return false;
  const at = Date.parse(mark.at ?? '');
  const prompted = lastPromptAt(await host.fs.readEnds(file.file, END_BYTES));
  return !(prompted !== null && prompted > at);
}

/** Below this many sessions a list is fast enough without. */
const WORTH_CACHING = 500;
/** So many new facts make it worth to be written again. */
const WORTH_WRITING = 100;
const FORMAT = 1;

/** By folder of the project and id. */
interface CachedSession {
  readonly mtimeMs: number;
  readonly size: number;
  readonly inode: number;
  readonly facts: SessionFacts;
}

type Cached = Map<string, CachedSession>;

interface IndexCache extends FactsCache {
  /** Writes what is new, if it is worth it. Contract: never throws; a cache that cannot be written is done without. */
  save(listed: readonly ListedFile[]): Promise<void>;
}

function cacheFile(home: string): string {
  return path.join(home, 'session-index.json');
}

type KeyOf = (place: SessionPlace) => string;

/** Lists name thousands of sessions of one folder in a row. */
function createKeyOf(): KeyOf {
  let last = { folder: '', name: '' };
  return ({ folder, sessionId }) => {
    if (folder !== last.folder) last = { folder, name: path.basename(folder) };
    return `${last.name}/${sessionId}`;
  };
}

/** The cache of a home, or null if so few sessions are listed that reading it would cost more than it saves. */
export async function openIndexCache(
  host: Pick<Host, 'fs'>,
  home: string,
  sessionCount: number,
): Promise<IndexCache | null> {
  if (sessionCount < WORTH_CACHING) return null;
  const cached = await readCache(host, home);
  const keyOf = createKeyOf();
  let added = 0;
  return {
    find(file) {
      const known = cached.get(keyOf(file));
      const { stat } = file;
      const isSame = known?.mtimeMs === stat.mtimeMs && known.size === stat.size && known.inode === stat.inode;
      return isSame ? known.facts : undefined;
    },
    add(file, facts) {
      const { mtimeMs, size, inode } = file.stat;
      cached.set(keyOf(file), { mtimeMs, size, inode, facts });
      added += 1;
    },
    async save(listed) {
      if (added < WORTH_WRITING) return;
      // What is only as much as was added now is all there.
      if (cached.size > added) forgetAllBut(listed, cached, keyOf);
      await writeCache(host, home, cached, false).catch(() => undefined); // the next list reads the files again
    },
  };
}

/** What is gone from the folders that were listed goes from here. */
function forgetAllBut(listed: readonly ListedFile[], cached: Cached, keyOf: KeyOf): void {
  const folders = new Set(listed.map(({ folder }) => path.basename(folder)));
  const present = new Set(listed.map(keyOf));
  for (const key of [...cached.keys()]) {
    if (folders.has(path.dirname(key)) && !present.has(key)) cached.delete(key);
  }
}

/** Contract: nothing of these sessions is in the cache when this resolves. @throws FileError */
export async function forgetSessions(
  host: Pick<Host, 'fs'>,
  home: string,
  places: readonly SessionPlace[],
): Promise<void> {
  const cached = await readCache(host, home);
  const before = cached.size;
  for (const place of places) cached.delete(createKeyOf()(place));
  if (cached.size !== before) await writeCache(host, home, cached, true);
}

async function readCache(host: Pick<Host, 'fs'>, home: string): Promise<Cached> {
  const cached: Cached = new Map();
  let value: { format?: unknown; sessions?: unknown } | null;
  try {
    value = JSON.parse(new TextDecoder().decode(await host.fs.readFile(cacheFile(home))));
  } catch {
    return cached; // no cache, or a damaged one, which the next list replaces
  }
  if (value?.format !== FORMAT || typeof value.sessions !== 'object' || value.sessions === null) return cached;
  for (const [key, row] of Object.entries(value.sessions)) {
    if (!Array.isArray(row)) continue;
    const [mtimeMs, size, inode, data] = row as unknown[];
    if (typeof mtimeMs !== 'number' || typeof size !== 'number' || typeof inode !== 'number') continue;
    if (typeof data !== 'object' || data === null) continue;
    cached.set(key, { mtimeMs, size, inode, facts: data as SessionFacts });
  }
  return cached;
}

/** @param durable false: a power cut may leave it damaged or as it was, and the next list makes it anew */
async function writeCache(host: Pick<Host, 'fs'>, home: string, cached: Cached, durable: boolean): Promise<void> {
  const sessions: Record<string, readonly unknown[]> = {};
  for (const [key, { mtimeMs, size, inode, facts }] of cached) sessions[key] = [mtimeMs, size, inode, facts];
  const text = JSON.stringify({ format: FORMAT, sessions });
  await host.fs.writeFileAtomic(cacheFile(home), text, { mode: 0o600, durable });
}

/** Sessions loaded at the same time. */
const LOADS_AT_ONCE = 8;

interface Listed {
  readonly sessionId: string;
  readonly mtime: number;
  /** Undefined if the store has no summary, or an old one. */
  readonly facts: SessionFacts | undefined;
}

/** @throws ConfigError if the store cannot list. Whatever the store throws is passed on. */
export async function listStore(
  store: SessionStore,
  projectKey: string,
  { offset = 0, limit = Number.POSITIVE_INFINITY }: ListPage,
): Promise<SDKSessionInfo[]> {
  const listed = await listNewestFirst(store, projectKey);
  const wanted = offset + limit;
  const shown: SDKSessionInfo[] = [];
  for (let start = 0; start < listed.length && shown.length < wanted; ) {
    const batch = listed.slice(start, start + Math.min(Math.max(wanted - shown.length, 1), listed.length));
    const infos = await mapBounded(batch, LOADS_AT_ONCE, async ({ sessionId, mtime, facts }) => {
      const known = facts ?? factsOf((await store.load({ projectKey, sessionId })) ?? []);
      return toSessionInfo(known, { sessionId, lastModified: mtime });
    });
    shown.push(...infos.filter((info) => info !== null));
    start += batch.length;
  }
  return shown.slice(offset, wanted);
}

async function listNewestFirst(store: SessionStore, projectKey: string): Promise<Listed[]> {
  const [summaries, sessions] = await Promise.all([
    store.listSessionSummaries?.(projectKey),
    store.listSessions?.(projectKey),
  ]);
  if (summaries === undefined && sessions === undefined) {
    throw new ConfigError('This sessionStore cannot be listed: it has neither listSessions nor listSessionSummaries.', {
      code: 'not_supported',
    });
  }
  const bySession = new Map<string, SessionSummaryEntry>();
  for (const summary of summaries ?? []) bySession.set(summary.sessionId, summary);
  const listed = (sessions ?? summaries ?? []).map(({ sessionId, mtime }): Listed => {
    const summary = bySession.get(sessionId);
    const isCurrent = summary !== undefined && summary.mtime >= mtime;
    return { sessionId, mtime, facts: isCurrent ? factsOfSummary(summary) : undefined };
  });
  return listed.sort((a, b) => b.mtime - a.mtime || (a.sessionId < b.sessionId ? -1 : 1));
}

/** One session; null if the store has none of that id, or nothing in it to show. */
export async function readStored(store: SessionStore, key: SessionKey): Promise<SDKSessionInfo | null> {
  const entries = await store.load(key);
  if (entries === null) return null;
  const listed = await store.listSessions?.(key.projectKey);
  const mtime = listed?.find(({ sessionId }) => sessionId === key.sessionId)?.mtime ?? newestTime(entries);
  return toSessionInfo(factsOf(entries), { sessionId: key.sessionId, lastModified: mtime });
}

/** @throws SessionError if the store has no such session */
export async function requireStored(store: SessionStore, key: SessionKey): Promise<void> {
  const listed = await store.listSessions?.(key.projectKey);
  if (listed?.some(({ sessionId }) => sessionId === key.sessionId)) return;
  if ((await store.load(key)) !== null) return;
  throw new SessionError(
    'session_not_found',
    `The sessionStore has no session ${key.sessionId} for the project ${key.projectKey}.`,
  );
}

function factsOf(entries: readonly SessionStoreEntry[]): SessionFacts {
  return entries.reduce<SessionFacts>((facts, entry) => foldEntry(facts, entry), {});
}

function newestTime(entries: readonly SessionStoreEntry[]): number {
  return entries.reduce((newest, entry) => Math.max(newest, timeOf(entry) ?? 0), 0);
}

export interface LatestSession {
  /** Null if there is none that can be read. */
  readonly place: SessionPlace | null;
  /** When it was spoken in last, milliseconds since the epoch; 0 if that is not known. */
  readonly at: number;
  /** Ids of newer ones that cannot be read. */
  readonly unreadable: readonly string[];
}

/**
 * By the time of the last message, not of the file: a title or a tag may be added to an old session.
 * @param folder of the project; it need not exist
 */
export async function latestSession(host: Host, folder: string): Promise<LatestSession> {
  const unreadable: string[] = [];
  let latest: { place: SessionPlace; at: number } | null = null;
  for (const file of await listFiles(host, [folder])) {
    // A file is written after the message that it ends with was said.
    if (latest !== null && file.stat.mtimeMs < latest.at) break;
    const at = await lastMessageAt(host, file);
    if (at === 'unreadable') unreadable.push(file.sessionId);
    else if (at !== null && (latest === null || at > latest.at)) latest = { place: file, at };
  }
  return { place: latest?.place ?? null, at: latest?.at ?? 0, unreadable };
}

/** Milliseconds since the epoch; 0 if the message does not say. Null if there is none, as in a subagent's. */
async function lastMessageAt(host: Host, { file, sessionId }: SessionPlace): Promise<number | 'unreadable' | null> {
  try {
    const read = await readTranscriptFile(host, file, { sessionId, isSidechain: false, maxBytes: 1 });
    const last = read.entries.at(-1);
    if (last === undefined) return Object.keys(read.damage).length === 0 ? null : 'unreadable';
    const at = typeof last.value.timestamp === 'string' ? Date.parse(last.value.timestamp) : Number.NaN;
    return Number.isFinite(at) ? at : 0;
  } catch (error) {
    if (isFileError(error)) return 'unreadable';
    throw error;
  }
}
