// A transcript from wherever it is kept: the disk or a user's store, a session's own or that of a subagent.
import { isFileError } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import {
  entriesSource,
  locateSession,
  ownPart,
  putBack,
  type ReadOptions,
  readSubagentOrigin,
  readTranscript,
  readTranscriptFile,
  type SubagentOrigin,
  subagentFile,
  subagentSubpath,
  type TranscriptRead,
} from '../../session/store/index.js';
import { type SessionContext, storeKey, storeOf } from './context.js';
import type { SessionFunctionOptions } from './session-options.js';

export interface StoredTranscript extends TranscriptRead {
  /** Who started it, if it is a subagent's. */
  readonly origin: SubagentOrigin;
}

export interface StoredTranscriptOptions {
  /** The transcript of this subagent instead of the session's own. */
  readonly agentId?: string;
  readonly acrossCompactions?: boolean;
}

const NO_ORIGIN: SubagentOrigin = { toolUseId: null, parentAgentId: null };

/**
 * Null if there is no such transcript.
 * @throws SessionError if the id is no UUID, or the transcript cannot be read; ConfigError for the id of no agent
 */
export async function readStoredTranscript(
  { host, home }: SessionContext,
  sessionId: string,
  options: SessionFunctionOptions,
  { agentId, acrossCompactions = false }: StoredTranscriptOptions = {},
): Promise<StoredTranscript | null> {
  const store = storeOf(options);
  if (store !== null) {
    const key = await storeKey(host, sessionId, options.dir);
    const entries = await store.load(agentId === undefined ? key : { ...key, subpath: subagentSubpath(agentId) });
    if (entries === null) return null;
    const read = await readTranscript(entriesSource(entries), rulesFor(key.sessionId, agentId, acrossCompactions));
    return { ...read, origin: NO_ORIGIN };
  }
  const place = await locateSession(host, home, sessionId, options.dir);
  if (place === null) return null;
  if (agentId !== undefined && (await ownPart(host, place.ownFolder, 'subagents')) === null) return null;
  const file = agentId === undefined ? place.file : subagentFile(place, agentId);
  try {
    const stored = await readTranscriptFile(host, file, rulesFor(place.sessionId, agentId, acrossCompactions));
    const { read } = await putBack(host, place.ownFolder, stored);
    return { ...read, origin: agentId === undefined ? NO_ORIGIN : await readSubagentOrigin(host, place, agentId) };
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return null;
    if (isFileError(error))
      throw new SessionError('session_invalid', `${file} cannot be read: ${error.message}`, error);
    throw error;
  }
}

function rulesFor(sessionId: string, agentId: string | undefined, acrossCompactions: boolean): ReadOptions {
  return agentId === undefined
    ? { sessionId, isSidechain: false, acrossCompactions }
    : { sessionId: null, isSidechain: true, acrossCompactions };
}
