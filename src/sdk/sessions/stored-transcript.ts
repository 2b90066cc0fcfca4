// A transcript from wherever it is kept, the disk or a user's store, a session's own or that of a subagent, and the functions that
// read a conversation out of it.

import { isFileError } from '../../host/host.js';
import { ConfigError, SessionError } from '../../protocol/errors.js';
import type { SessionMessage } from '../../protocol/session-store.js';
import {
  entriesSource,
  idsOfSubpaths,
  locateSession,
  ownPart,
  putBack,
  type ReadOptions,
  readSubagentOrigin,
  readTranscript,
  readTranscriptFile,
  type SubagentOrigin,
  subagentFile,
  subagentIds,
  subagentSubpath,
  type TranscriptRead,
  toSessionMessages,
  UNKNOWN_ORIGIN,
} from '../../session/store/index.js';
import {
  checkPage,
  contextOf,
  type GetSessionMessagesOptions,
  type GetSubagentMessagesOptions,
  type ListSubagentsOptions,
  type SessionContext,
  type SessionFunctionOptions,
  storeKey,
  storeOf,
} from './session-options.js';

export interface StoredTranscript extends TranscriptRead {
  /** Who started it, if it is a subagent's. */
  readonly origin: SubagentOrigin;
}

interface StoredTranscriptOptions {
  /** The transcript of this subagent instead of the session's own. */
  readonly agentId?: string;
  readonly acrossCompactions?: boolean;
}

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
    return { ...read, origin: UNKNOWN_ORIGIN };
  }
  const place = await locateSession(host, home, sessionId, options.dir);
  if (place === null) return null;
  if (agentId !== undefined && (await ownPart(host, place.ownFolder, 'subagents')) === null) return null;
  const file = agentId === undefined ? place.file : subagentFile(place, agentId);
  try {
    const stored = await readTranscriptFile(host, file, rulesFor(place.sessionId, agentId, acrossCompactions));
    const { read } = await putBack(host, place.ownFolder, stored);
    return { ...read, origin: agentId === undefined ? UNKNOWN_ORIGIN : await readSubagentOrigin(host, place, agentId) };
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

/** Contract: as in `sdk/sessions.ts`. */
export async function getSessionMessages(
  sessionId: string,
  options: GetSessionMessagesOptions,
): Promise<SessionMessage[]> {
  const context = contextOf(options);
  const { includeSystemMessages = false, view = 'runtime' } = options;
  if (view !== 'runtime' && view !== 'historical') {
    throw new ConfigError(`view is ${JSON.stringify(view)}. It is runtime or historical.`);
  }
  const { limit, offset } = checkPage(options);
  const isHistorical = view === 'historical';
  const read = await readStoredTranscript(context, sessionId, options, { acrossCompactions: isHistorical });
  if (read === null) return [];
  const rules = { isHistorical, includeSystemMessages, parentToolUseId: null, parentAgentId: null };
  return toSessionMessages(sessionId.toLowerCase(), read.entries, rules).slice(offset, offset + limit);
}

/** Contract: as in `sdk/sessions.ts`. */
export async function listSubagents(sessionId: string, options: ListSubagentsOptions): Promise<string[]> {
  const context = contextOf(options);
  const store = storeOf(options);
  if (store === null) {
    const place = await locateSession(context.host, context.home, sessionId, options.dir);
    return place === null ? [] : subagentIds(context.host, place);
  }
  if (store.listSubkeys === undefined) {
    throw new ConfigError('This sessionStore cannot list subagents: it has no listSubkeys.', { code: 'not_supported' });
  }
  return idsOfSubpaths(await store.listSubkeys(await storeKey(context.host, sessionId, options.dir)));
}

/** Contract: as in `sdk/sessions.ts`. */
export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: GetSubagentMessagesOptions,
): Promise<SessionMessage[]> {
  const context = contextOf(options);
  const { limit, offset } = checkPage(options);
  subagentSubpath(agentId);
  const read = await readStoredTranscript(context, sessionId, options, { agentId });
  if (read === null) return [];
  const { toolUseId, parentAgentId } = read.origin;
  return toSessionMessages(sessionId.toLowerCase(), read.entries, {
    isHistorical: false,
    includeSystemMessages: false,
    parentToolUseId: toolUseId,
    parentAgentId,
  }).slice(offset, offset + limit);
}
