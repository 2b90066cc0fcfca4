// Takes a session up again: finds where it stands, reads its conversation and its state, and goes on with it as it is, up to a
// message, or as a fork of it. One rule: what is missing or damaged is told.
import { type Host, isFileError } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import { count, errorText, formatBytes, shorten } from '../../util/text.js';
import type { PendingNotice } from '../config/index.js';
import type { Message } from '../messages/index.js';
import { type PutBack, putBack } from './blobs.js';
import { openCalls, toConversation } from './conversation.js';
import { REWOUND } from './entry.js';
import { copySession } from './fork-session.js';
import { entriesSource } from './line-reader.js';
import { damageText } from './read-entry.js';
import {
  type ReadEntry,
  type ReadOptions,
  readTranscript,
  readTranscriptFile,
  type TranscriptRead,
} from './read-transcript.js';
import { EMPTY_LEDGER, type RestoredState, restoreState } from './restore-state.js';
import { whyNotDropped } from './rewind-point.js';
import { locateSession, placeIn, type SessionPlace } from './session-places.js';

export interface ResumedSession extends RestoredState {
  readonly sessionId: string;
  readonly messages: readonly Message[];
  /** Uuid of the last entry, which the next message follows. */
  readonly lastUuid: string | null;
  /** The place of its line in the transcript. */
  readonly lastAt: number;
  readonly notices: readonly PendingNotice[];
}

/**
 * Bytes of the lines of a conversation that are read back, the newest. Several times what the largest window holds, so
 * that compaction decides what is kept, and little enough to be in memory beside everything else.
 */
const MAX_RESUMED_BYTES = 16 * 1024 * 1024;

const CANDIDATES = 5;

/**
 * The newest conversation of the session.
 * @param upTo the conversation up to and including the entry of that uuid
 * @throws SessionError if there is no such session or entry, or its file is not a transcript
 */
export async function resumeSession(host: Host, place: SessionPlace, upTo?: string): Promise<ResumedSession> {
  const { read, missing } = await withLargeContent(
    host,
    place,
    await readSession(host, place, upTo === undefined ? {} : { upTo }),
  );
  const resumed = toResumed(place.sessionId, read, missing);
  if (resumed !== null) return resumed;
  if (upTo === undefined) throw await holdsNothing(host, place, read);
  throw noSuchMessage(place.sessionId, upTo, await readSession(host, place));
}

/** Most sessions have none. */
async function withLargeContent(
  host: Host,
  { ownFolder }: SessionPlace,
  read: TranscriptRead,
): Promise<PutBack<TranscriptRead>> {
  if (!read.entries.some(({ value }) => value.blobs !== undefined)) return { read, missing: 0 };
  return putBack(host, ownFolder, read);
}

/**
 * As `resumeSession`, from the entries of a store.
 * @throws SessionError if they hold no conversation, or no such entry
 */
export async function resumeEntries(
  entries: readonly unknown[],
  sessionId: string,
  upTo?: string,
): Promise<ResumedSession> {
  const read = await readSessionEntries(entries, sessionId, upTo === undefined ? {} : { upTo });
  const resumed = toResumed(sessionId, read, 0);
  if (resumed !== null) return resumed;
  if (upTo !== undefined) throw noSuchMessage(sessionId, upTo, await readSessionEntries(entries, sessionId));
  const damage = damageText(read.damage);
  throw new SessionError(
    'session_invalid',
    `Session ${sessionId} of the sessionStore holds no conversation.${damage === null ? '' : ` ${damage}`} Start a new session.`,
  );
}

/** Null if there is no conversation. */
function toResumed(sessionId: string, read: TranscriptRead, missing: number): ResumedSession | null {
  const messages = toConversation(read.entries);
  if (messages.length === 0 && !isRewoundToNothing(read)) return null;
  const restored = restoreState(read, messages);
  return {
    ...restored,
    sessionId,
    messages,
    lastUuid: read.lastUuid,
    lastAt: read.entries.at(-1)?.at ?? 0,
    notices: [...noticesOf(read, messages, restored), ...missingContent(missing)],
  };
}

/** A conversation that was set back to before its first prompt can go on, unlike one that was lost. */
function isRewoundToNothing({ entries, end }: TranscriptRead): boolean {
  return end === 'root' && entries.at(-1)?.value.subtype === REWOUND;
}

function missingContent(missing: number): readonly PendingNotice[] {
  if (missing === 0) return [];
  const message = `${count(missing, 'large content', 'large contents')} of the session (media or long text) could not be found. The model sees a line that names each instead.`;
  return [{ code: 'transcript_damaged', message }];
}

/** As much of the entries of a store as a conversation may hold. */
export function readSessionEntries(
  entries: readonly unknown[],
  sessionId: string,
  options: Pick<ReadOptions, 'upTo'> = {},
): Promise<TranscriptRead> {
  const rules = { sessionId, isSidechain: false, maxBytes: MAX_RESUMED_BYTES, ...options };
  return readTranscript(entriesSource(entries), rules);
}

/** As much of the session as a conversation may hold. @throws SessionError */
export async function readSession(
  host: Host,
  { sessionId, file }: SessionPlace,
  options: Pick<ReadOptions, 'upTo'> = {},
): Promise<TranscriptRead> {
  try {
    return await readTranscriptFile(host, file, {
      sessionId,
      isSidechain: false,
      maxBytes: MAX_RESUMED_BYTES,
      ...options,
    });
  } catch (error) {
    if (isFileError(error, 'ENOENT')) {
      throw new SessionError(
        'session_not_found',
        `There is no session ${sessionId} for this folder (looked for ${file}). Sessions belong to the folder they were started in.`,
      );
    }
    if (!isFileError(error)) throw error;
    throw new SessionError('session_invalid', `Session ${sessionId} cannot be read: ${error.message}`, error);
  }
}

async function holdsNothing(
  host: Host,
  { file, sessionId }: SessionPlace,
  read: TranscriptRead,
): Promise<SessionError> {
  const other = (read.damage.other_session ?? 0) > 0 ? await sessionIn(host, file) : null;
  const what = other === null ? 'no conversation' : `only lines of another session, ${shorten(other, 40)}`;
  const damage = damageText(read.damage);
  return new SessionError(
    'session_invalid',
    `The transcript ${file} of session ${sessionId} holds ${what}.${damage === null ? '' : ` ${damage}`} Start a new session.`,
  );
}

/** The session that the newest message says it belongs to. */
async function sessionIn(host: Host, file: string): Promise<string | null> {
  const { entries } = await readTranscriptFile(host, file, { sessionId: null, isSidechain: false, maxBytes: 1 });
  const found = entries.at(-1)?.value.sessionId;
  return typeof found === 'string' ? found : null;
}

function noSuchMessage(sessionId: string, upTo: string, whole: TranscriptRead): SessionError {
  const messages = toConversation(whole.entries);
  const newest = messages.slice(-CANDIDATES).map((message) => `${message.uuid} (${message.type}: ${saidIn(message)})`);
  return new SessionError(
    'session_invalid',
    `Session ${sessionId} has no message ${JSON.stringify(shorten(upTo, 60))}. Its newest messages: ${newest.join('; ')}.`,
  );
}

function saidIn({ message: { content } }: Message): string {
  if (typeof content === 'string') return JSON.stringify(shorten(content, 40));
  const text = content.find((block) => block?.type === 'text');
  if (text?.type === 'text' && typeof text.text === 'string') return JSON.stringify(shorten(text.text, 40));
  return [...new Set(content.map((block) => String(block?.type)))].join(', ');
}

function noticesOf(read: TranscriptRead, messages: readonly Message[], { state }: RestoredState): PendingNotice[] {
  const notices: PendingNotice[] = [];
  const damage = damageText(read.damage);
  if (damage !== null || read.end === 'gap') {
    const lost = read.end === 'gap' ? 'The beginning of the conversation is lost.' : '';
    notices.push({ code: 'transcript_damaged', message: [damage, lost].filter(Boolean).join(' ') });
  }
  if (read.end === 'limit') {
    notices.push({
      code: 'transcript_cut',
      message: `The conversation is longer than what can be sent. It goes on with its newest part (${formatBytes(MAX_RESUMED_BYTES)} of the transcript); the rest stays in the file.`,
    });
  }
  // A call that waits for a decision never started.
  const waiting = new Set(state.deferred?.map(({ toolUseId }) => toolUseId));
  const open = openCalls(messages).filter(({ id }) => !waiting.has(id));
  if (open.length > 0) {
    notices.push({
      code: 'session_resumed_with_open_calls',
      message: `${count(open.length, 'tool call')} had not ended when the session stopped (${open.map((call) => shorten(String(call.name), 60)).join(', ')}). Effects are unknown; nothing is run again.`,
    });
  }
  return notices;
}

export interface ResumeWishes {
  readonly upTo: string | undefined;
  /** The prompt whose turn `upTo` is meant to cut off. */
  readonly dropsTurn: string | undefined;
  /** Id of the fork to go on with. */
  readonly forkAs: string | undefined;
  /** False: nothing is written. */
  readonly isKept: boolean;
}

/** Said in front of the reason, so that a caller can tell this refusal from every other error. */
const REFUSAL = 'Resume rejected by --resume-drops-turn:';

/**
 * @returns the session, or why it was not taken up: what would be cut off is not what the caller means
 * @throws SessionError
 */
export async function resumeFound(
  host: Host,
  place: SessionPlace,
  { upTo, dropsTurn, forkAs, isKept }: ResumeWishes,
): Promise<ResumedSession | string> {
  if (upTo !== undefined && dropsTurn !== undefined) {
    const refused = refusedDrop((await readSession(host, place)).entries, upTo, dropsTurn);
    if (refused !== null) return refused;
  }
  const resumed = await resumeSession(host, place, upTo);
  return forkAs === undefined ? resumed : forked(host, place, resumed, { forkAs, upTo, isKept });
}

/** Null if nothing else would be cut off than what is meant. @param entries the whole conversation */
export function refusedDrop(
  entries: readonly ReadEntry[],
  upTo: string | undefined,
  dropsTurn: string | undefined,
): string | null {
  if (upTo === undefined || dropsTurn === undefined) return null;
  const why = whyNotDropped(entries, upTo, dropsTurn);
  return why === null
    ? null
    : `${REFUSAL} ${why}. Nothing was changed; resume without resumeSessionAt to see all of it.`;
}

/** The fork has spent nothing yet: what the other session cost is in that one's bill. */
async function forked(
  host: Host,
  from: SessionPlace,
  resumed: ResumedSession,
  { forkAs, upTo, isKept }: { forkAs: string; upTo: string | undefined; isKept: boolean },
): Promise<ResumedSession> {
  const state = { ...resumed.state, ledger: EMPTY_LEDGER };
  const fork = { ...resumed, sessionId: forkAs, state, laterReplies: [] };
  if (!isKept) return fork;
  const { lastUuid } = resumed;
  try {
    const map = await copySession(host, {
      from,
      to: placeIn(from.folder, forkAs),
      state,
      lastUuid,
      ...(upTo === undefined ? {} : { upToAt: resumed.lastAt }),
    });
    return {
      ...fork,
      lastUuid: lastUuid === null ? null : map.id(lastUuid),
      messages: resumed.messages.map((message) => ({ ...message, uuid: map.id(message.uuid) })),
    };
  } catch (error) {
    throw new SessionError(
      'transcript_unwritable',
      `Session ${from.sessionId} cannot be forked: ${errorText(error)}`,
      error,
    );
  }
}

/** The working directory of a session of any folder; null if there is none of that id. */
export async function folderOfSession(host: Host, home: string, sessionId: string): Promise<string | null> {
  const place = await locateSession(host, home, sessionId, undefined);
  if (place === null) return null;
  const read = await readTranscriptFile(host, place.file, { sessionId, isSidechain: false, maxBytes: 1 }).catch(
    () => null, // whatever is wrong with it is not asked for
  );
  const cwd = read?.entries.at(-1)?.value.cwd;
  return typeof cwd === 'string' ? cwd : place.folder;
}
