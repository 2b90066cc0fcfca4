// The functions that read the conversation of a stored session, and of its subagents.
import { ConfigError } from '../../protocol/errors.js';
import type { SessionMessage } from '../../protocol/session-store.js';
import {
  idsOfSubpaths,
  locateSession,
  subagentIds,
  subagentSubpath,
  toSessionMessages,
} from '../../session/store/index.js';
import { checkPage, contextOf, storeKey, storeOf } from './context.js';
import type { GetSessionMessagesOptions, GetSubagentMessagesOptions, ListSubagentsOptions } from './session-options.js';
import { readStoredTranscript } from './stored-transcript.js';

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
