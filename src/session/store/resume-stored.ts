// Takes up a session that a user's store has and this machine has not, or has less of: from the store alone, or by way of
// a local copy that is written first.
import path from 'node:path';
import { type Host, type HostClock, isFileError } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/session-store.js';
import { errorText } from '../../util/text.js';
import { toConversation } from './conversation.js';
import { type TranscriptEntry, toStateLine } from './entry.js';
import { createEntryContent, type EntryContentOptions } from './entry-content.js';
import { createForkMap } from './fork-session.js';
import { entriesSource } from './line-reader.js';
import { type EntryValue, isShallow } from './read-entry.js';
import { readTranscript } from './read-transcript.js';
import { EMPTY_LEDGER, restoreState } from './restore-state.js';
import {
  type ResumedSession,
  type ResumeWishes,
  readSessionEntries,
  refusedDrop,
  resumeEntries,
  resumeSession,
} from './resume.js';
import { foldEntry, lastingTitle, type SessionFacts } from './session-facts.js';
import { takeSessionLock } from './session-lock.js';
import { idsOfSubpaths, placeIn, type SessionPlace, subagentFile, subagentSubpath } from './session-places.js';
import { createTranscriptFile } from './transcript-file.js';

export interface StoredSession {
  readonly store: SessionStore;
  readonly reader: StoreReader;
  /** Where its local copy is, or goes. */
  readonly place: SessionPlace;
  readonly entries: readonly SessionStoreEntry[];
  /** The first of `entries` that the local copy does not have yet; 0 if there is none. */
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
  await host.fs.removeEntry(aside).catch(() => undefined); // of a process that died; if it stays, the write says why
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
 * The index at which the store goes on behind the end of the local copy, as after work on another machine; -1 if it
 * does not, or nobody can tell.
 * @param lastUuid the last entry of the conversation here
 */
export function aheadOf(entries: readonly SessionStoreEntry[], lastUuid: string | null): number {
  const at = lastUuid === null ? -1 : entries.findLastIndex((entry) => entry?.uuid === lastUuid);
  const isAhead = at !== -1 && entries.slice(at + 1).some((entry) => typeof entry?.uuid === 'string');
  return isAhead ? at + 1 : -1;
}

// A fork within a user's store: the entries of a session with new ids, under another key. The original is only read.

interface StoreFork {
  /** Id of the fork: a UUID that no session has. */
  readonly sessionId: string;
  /** The last entry of the original that the fork has, by its uuid. Default: all. */
  readonly upTo?: string;
  /** Default: the title of the original and " (fork)". */
  readonly title?: string;
  /** Transcripts beside the session's own that the fork has too. Default: none. */
  readonly subpaths?: readonly string[];
  readonly load?: (subpath: string) => Promise<readonly SessionStoreEntry[] | null>;
}

/** @throws SessionError if `upTo` is not in the original; whatever the store throws */
export async function forkInStore(
  host: Pick<Host, 'clock'>,
  store: SessionStore,
  key: SessionKey,
  entries: readonly SessionStoreEntry[],
  { sessionId, upTo, title, subpaths = [], load = async () => null }: StoreFork,
): Promise<void> {
  const rules = { sessionId: key.sessionId, isSidechain: false };
  const read = await readTranscript(entriesSource(entries), upTo === undefined ? rules : { ...rules, upTo });
  const messages = toConversation(read.entries);
  if (messages.length === 0) {
    const what = upTo === undefined ? 'no conversation' : `no message ${JSON.stringify(upTo)}`;
    throw new SessionError('session_invalid', `Session ${key.sessionId} has ${what}, so it cannot be forked.`);
  }
  const end = upTo === undefined ? entries.length : (read.entries.at(-1)?.at ?? 0) + 1;
  const taken: readonly EntryValue[] = entries.slice(0, end);
  const map = createForkMap(key.sessionId, sessionId);
  const facts = taken.reduce<SessionFacts>((known, entry) => foldEntry(known, entry), {});
  const customTitle = title ?? `${lastingTitle(facts, sessionId)} (fork)`;
  const state = { ...restoreState(read, messages).state, ledger: EMPTY_LEDGER };
  const leafUuid = read.lastUuid === null ? null : map.id(read.lastUuid);
  for (const subpath of subpaths) {
    const beside = ((await load(subpath)) ?? []).map((entry) => map.record(entry) as SessionStoreEntry);
    if (beside.length > 0) await store.append({ projectKey: key.projectKey, sessionId, subpath }, beside);
  }
  const lines = [
    ...taken.filter(({ uuid }) => typeof uuid === 'string').map((entry) => map.entry(entry)),
    { type: 'custom-title', customTitle, sessionId },
    { ...toStateLine(state, leafUuid, new Date(host.clock.now()).toISOString()), sessionId },
  ];
  await store.append({ projectKey: key.projectKey, sessionId }, lines as SessionStoreEntry[]);
}

// Asks a user's store for what it keeps of a session. A store that fails, does not answer or gives something else ends
// in a clear error: nothing of a session is guessed.

/** How long one call may take if nobody says otherwise, milliseconds. */
const LOAD_TIMEOUT_MS = 60_000;

export interface StoreReader {
  /** Null if the store has no such transcript, or an empty one. @throws SessionError */
  load(key: SessionKey): Promise<readonly SessionStoreEntry[] | null>;
  /** The subpaths of a session; none if the store cannot list them. @throws SessionError */
  subpaths(key: SessionKey): Promise<readonly string[]>;
  /** The sessions of a project, the newest first; null if the store cannot list. @throws SessionError */
  newest(projectKey: string): Promise<readonly ListedSession[] | null>;
}

interface ListedSession {
  readonly sessionId: string;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly mtime: number;
}

/** @param timeoutMs of each call */
export function createStoreReader(store: SessionStore, clock: HostClock, timeoutMs = LOAD_TIMEOUT_MS): StoreReader {
  const ask = async <T>(what: string, call: () => Promise<T>): Promise<T> => {
    let cancel: () => void = () => undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      cancel = clock.after(timeoutMs, () =>
        reject(failed(what, `It did not answer within ${timeoutMs / 1_000} seconds (loadTimeoutMs).`)),
      );
    });
    try {
      // A store may be plain JavaScript, and throw before it gives a promise.
      return await Promise.race([Promise.resolve().then(call), tooLate]);
    } catch (error) {
      throw error instanceof SessionError ? error : failed(what, errorText(error), error);
    } finally {
      cancel();
    }
  };
  return {
    async load(key) {
      const what = key.subpath === undefined ? `session ${key.sessionId}` : `${key.subpath} of ${key.sessionId}`;
      const entries: unknown = await ask(what, () => store.load(key));
      if (entries === null || entries === undefined) return null;
      if (!Array.isArray(entries)) throw failed(what, 'It gave no list of entries.');
      return entries.length === 0 ? null : (entries as SessionStoreEntry[]);
    },
    async subpaths({ projectKey, sessionId }) {
      if (store.listSubkeys === undefined) return [];
      return ask(
        `the subagents of ${sessionId}`,
        async () => (await store.listSubkeys?.({ projectKey, sessionId })) ?? [],
      );
    },
    async newest(projectKey) {
      if (store.listSessionSummaries === undefined && store.listSessions === undefined) return null;
      const listed = await ask('the list of sessions', async () =>
        store.listSessions === undefined
          ? ((await store.listSessionSummaries?.(projectKey)) ?? [])
          : store.listSessions(projectKey),
      );
      return [...listed].sort((a, b) => b.mtime - a.mtime || (a.sessionId < b.sessionId ? -1 : 1));
    },
  };
}

function failed(what: string, why: string, cause?: unknown): SessionError {
  return new SessionError('session_invalid', `The sessionStore could not give ${what}: ${why}`, cause);
}
