// The list of sessions: by name and time from the folders, what to show of each from the ends of its transcript. Only
// the page asked for is read, and of it only what changed since it was read last.
import path from 'node:path';
import { entriesIn, type FileStat, type Host, isFileError } from '../../host/host.js';
import type { SDKSessionInfo } from '../../protocol/session-store.js';
import { mapBounded } from '../../util/map-bounded.js';
import { END_BYTES, factsOfEnds, lastPromptAt } from './read-ends.js';
import { type SessionFacts, toSessionInfo } from './session-facts.js';
import { placeIn, type SessionPlace, transcriptStat } from './session-places.js';
import { isSessionFile } from './store-path.js';

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
export interface FactsCache {
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
