// Takes up a session that a user's store has and this machine has not, or has less of: from the store alone, or by way of
// a local copy that is written first.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/session-store.js';
import { errorText } from '../../util/text.js';
import type { TranscriptEntry } from './entry.js';
import { createEntryContent, type EntryContentOptions } from './entry-content.js';
import { forkInStore } from './fork-in-store.js';
import type { StoreReader } from './load-stored.js';
import { isShallow } from './read-entry.js';
import { type ResumedSession, readSessionEntries, resumeEntries, resumeSession } from './resume.js';
import { type ResumeWishes, refusedDrop } from './resume-found.js';
import { takeSessionLock } from './session-lock.js';
import { placeIn, type SessionPlace } from './session-places.js';
import { idsOfSubpaths, subagentFile, subagentSubpath } from './subagent-places.js';
import { createTranscriptFile } from './transcript-file.js';

export interface StoredSession {
  readonly store: SessionStore;
  readonly reader: StoreReader;
  /** Where its local copy is, or goes. */
  readonly place: SessionPlace;
  readonly entries: readonly SessionStoreEntry[];
  /** The first of `entries` that the local copy does not have yet; 0 where there is none. */
  readonly missingFrom: number;
}

/** What becomes of large content and secrets on their way to the disk. */
export type LocalContent = Pick<EntryContentOptions, 'maxBlobBytes' | 'vault'>;

/**
 * @returns the session; or why it was not taken up: what would be cut off is not what the caller means
 * @throws SessionError
 */
export async function resumeStored(
  host: Host,
  stored: StoredSession,
  { upTo, dropsTurn, forkAs, isKept }: ResumeWishes,
  content: LocalContent,
): Promise<ResumedSession | string> {
  const { sessionId } = stored.place;
  const all = await readSessionEntries(stored.entries, sessionId);
  const refused = refusedDrop(all.entries, upTo, dropsTurn);
  if (refused !== null) return refused;
  // What cannot be resumed is not written either.
  const resumed = await resumeEntries(stored.entries, sessionId, upTo);
  const wanted = forkAs === undefined ? stored : await forkStored(host, stored, forkAs, upTo);
  const end = forkAs === undefined ? upTo : undefined;
  if (!isKept) return forkAs === undefined ? resumed : resumeEntries(wanted.entries, forkAs);
  try {
    await keepCopy(host, wanted, content);
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new SessionError(
      'transcript_unwritable',
      `Session ${wanted.place.sessionId} of the sessionStore cannot be kept here: ${errorText(error)} With persistSession: false it goes on in the store alone.`,
      error,
    );
  }
  return resumeSession(host, wanted.place, end);
}

/** The fork is in the store as a whole before anything goes on in it. */
async function forkStored(
  host: Host,
  { store, reader, place, entries }: StoredSession,
  forkAs: string,
  upTo: string | undefined,
): Promise<StoredSession> {
  const key = keyOf(place);
  try {
    const subpaths = await reader.subpaths(key);
    await forkInStore(host, store, key, entries, {
      sessionId: forkAs,
      ...(upTo === undefined ? {} : { upTo }),
      subpaths,
      load: (subpath) => reader.load({ ...key, subpath }),
    });
  } catch (error) {
    if (error instanceof SessionError) throw error;
    throw new SessionError(
      'transcript_unwritable',
      `Session ${place.sessionId} cannot be forked in the sessionStore: ${errorText(error)}`,
      error,
    );
  }
  const to = placeIn(place.folder, forkAs);
  return { store, reader, place: to, entries: (await reader.load(keyOf(to))) ?? [], missingFrom: 0 };
}

function keyOf({ folder, sessionId }: SessionPlace): SessionKey {
  return { projectKey: path.basename(folder), sessionId };
}

/** Contract: the local copy is there as a whole or not at all; one that was there gets what it has not. @throws FileError */
async function keepCopy(host: Host, stored: StoredSession, content: LocalContent): Promise<void> {
  const { place, reader, entries, missingFrom } = stored;
  const lock = await takeSessionLock(host, place.file);
  try {
    const key = keyOf(place);
    const lines = createEntryContent({ host, blobFolder: path.join(place.ownFolder, 'blobs'), ...content });
    const toLine = async (entry: SessionStoreEntry): Promise<string> => {
      const cleaned = await lines.clean(entry as unknown as TranscriptEntry);
      return lines.render(cleaned, JSON.stringify(cleaned));
    };
    for (const agentId of idsOfSubpaths(await reader.subpaths(key))) {
      const found = await reader.load({ ...key, subpath: subagentSubpath(agentId) });
      await writeWhole(host, subagentFile(place, agentId), found ?? [], toLine);
    }
    if (missingFrom === 0) await writeWhole(host, place.file, entries, toLine);
    else await appendLines(host, place.file, entries.slice(missingFrom), toLine);
  } finally {
    await lock.release();
  }
}

type ToLine = (entry: SessionStoreEntry) => Promise<string>;

async function writeWhole(host: Host, file: string, entries: readonly SessionStoreEntry[], toLine: ToLine) {
  const aside = `${file}.copy`;
  await host.fs.removeEntry(aside).catch(() => undefined); // of a process that died; where it stays, the write says why
  await appendLines(host, aside, entries, toLine);
  await host.fs.rename(aside, file);
}

async function appendLines(
  host: Host,
  path: string,
  entries: readonly SessionStoreEntry[],
  toLine: ToLine,
): Promise<void> {
  const file = createTranscriptFile({ host, path, isLocked: false, mayExist: true });
  try {
    const handle = await file.open();
    for (const entry of entries) {
      // Whatever else a store gives could not be read back.
      if (typeof entry !== 'object' || entry === null || !isShallow(entry)) continue;
      await handle.append(`${file.lineStart()}${await toLine(entry)}\n`);
    }
    await handle.sync();
  } finally {
    await file.close();
  }
}

/**
 * Where the store goes on behind the end of the local copy, as after work on another machine; -1 where it does not, or
 * nobody can tell.
 * @param lastUuid the last entry of the conversation here
 */
export function aheadOf(entries: readonly SessionStoreEntry[], lastUuid: string | null): number {
  const at = lastUuid === null ? -1 : entries.findLastIndex((entry) => entry?.uuid === lastUuid);
  const isAhead = at !== -1 && entries.slice(at + 1).some((entry) => typeof entry?.uuid === 'string');
  return isAhead ? at + 1 : -1;
}
