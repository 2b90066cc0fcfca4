// Takes a session up that was found: as it is, up to a message, or as a fork of it.
import type { Host } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import { errorText } from '../../util/text.js';
import { copySession } from './fork-session.js';
import { readTranscriptFile } from './open-transcript.js';
import type { ReadEntry } from './read-transcript.js';
import { EMPTY_LEDGER } from './restore-state.js';
import { type ResumedSession, readSession, resumeSession } from './resume.js';
import { whyNotDropped } from './rewind-point.js';
import { locateSession, placeIn, type SessionPlace } from './session-places.js';

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
