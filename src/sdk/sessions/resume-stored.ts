// The session that a user's store has for `resume` and `continue`: one that is not here, or that went on elsewhere.
// Loaded for queries that name a store.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError, SessionError } from '../../protocol/errors.js';
import type { SessionStore } from '../../protocol/session-store.js';
import { resolveLimits } from '../../session/config/index.js';
import { createSessionVault } from '../../session/secrets/index.js';
import {
  aheadOf,
  checkSessionId,
  createStoreReader,
  importSession,
  type LatestSession,
  placeIn,
  type ResumedSession,
  type ResumeWishes,
  readTranscriptFile,
  resumeEntries,
  resumeStored,
  type SessionPlace,
  type StoredSession,
  type StoreReader,
} from '../../session/store/index.js';
import { errorText } from '../../util/text.js';
import type { Options } from '../options/index.js';

/** Newer sessions of a store that hold no conversation, before it is given up. */
const MAX_TRIES = 20;

export interface StoreLookup {
  readonly canList: boolean;
  /** The session if the store has it and has more of it than this machine; else null. @throws SessionError */
  find(sessionId: string): Promise<StoredSession | null>;
  /** The newest session, if that is not one of this machine; else null. @throws SessionError */
  newest(local: LatestSession): Promise<StoredSession | null>;
  /** As `resumeFound`. */
  resume(stored: StoredSession, wishes: ResumeWishes): Promise<ResumedSession | string>;
  /** Gives the store a fork that was made here. @throws SessionError */
  addFork(place: SessionPlace): Promise<void>;
}

/** @param folder of the project. @throws ConfigError if `loadTimeoutMs` is no time */
export function lookIntoStore(
  store: SessionStore,
  host: Host,
  folder: string,
  options: Options,
  env: Host['env'],
): StoreLookup {
  const reader = createStoreReader(store, host.clock, checkTimeout(options.loadTimeoutMs));
  const projectKey = path.basename(folder);
  const find = async (sessionId: string): Promise<StoredSession | null> => {
    const place = placeIn(folder, sessionId);
    const entries = await reader.load({ projectKey, sessionId });
    if (entries === null) return null;
    const lastUuid = await lastHere(host, place);
    const missingFrom = lastUuid === undefined ? 0 : aheadOf(entries, lastUuid);
    return missingFrom === -1 ? null : { store, reader, place, entries, missingFrom };
  };
  return {
    canList: store.listSessions !== undefined || store.listSessionSummaries !== undefined,
    find,
    async newest(local) {
      for (const { sessionId, mtime } of (await listed(reader, projectKey)).slice(0, MAX_TRIES)) {
        if (local.place !== null && mtime <= local.at) return null;
        if (local.place?.sessionId === sessionId) return find(sessionId);
        const stored = await find(sessionId);
        if (stored !== null && (await holdsConversation(stored))) return stored;
      }
      return null;
    },
    resume: (stored, wishes) =>
      resumeStored(host, stored, wishes, {
        maxBlobBytes: resolveLimits(env, options.limits).maxBlobBytes,
        vault: options.redactSecrets === false ? null : createSessionVault({ host, env }),
      }),
    async addFork(place) {
      try {
        await importSession(host, place, store, { projectKey, sessionId: place.sessionId });
      } catch (error) {
        throw new SessionError(
          'transcript_unwritable',
          `The fork ${place.sessionId} was made, but the sessionStore did not take it: ${errorText(error)}`,
          error,
        );
      }
    },
  };
}

/** Those whose ids could be ours. */
async function listed(reader: StoreReader, projectKey: string) {
  const sessions = (await reader.newest(projectKey)) ?? [];
  return sessions.filter(({ sessionId }) => {
    try {
      return checkSessionId(sessionId) === sessionId;
    } catch {
      return false; // of another program
    }
  });
}

/** The last entry of the local copy; null if it holds none, undefined if there is no copy. */
async function lastHere(host: Host, { file, sessionId }: SessionPlace): Promise<string | null | undefined> {
  try {
    return (await readTranscriptFile(host, file, { sessionId, isSidechain: false, maxBytes: 1 })).lastUuid;
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return undefined;
    if (isFileError(error)) return null; // the reader says what is wrong with it
    throw error;
  }
}

async function holdsConversation({ entries, place }: StoredSession): Promise<boolean> {
  try {
    await resumeEntries(entries, place.sessionId);
    return true;
  } catch {
    return false; // an earlier one is looked for
  }
}

function checkTimeout(timeoutMs: number | undefined): number | undefined {
  if (timeoutMs === undefined || (Number.isFinite(timeoutMs) && timeoutMs > 0)) return timeoutMs;
  throw new ConfigError(`loadTimeoutMs is ${String(timeoutMs)}. Give a number of milliseconds above 0.`);
}
