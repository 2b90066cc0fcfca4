// The work of `exportSession`: reads a session with its subagents, counts what it cost, and writes it down.

import { ConfigError, SessionError } from '../../protocol/errors.js';
import type { SDKSessionInfo, SessionMessage } from '../../protocol/session-store.js';
import { loadCatalogue } from '../../providers/models/index.js';
import {
  type DocumentHead,
  type DocumentItem,
  type SessionDocument,
  sessionCosts,
  toDocumentItems,
  toHtml,
  toMarkdown,
} from '../../session/export/index.js';
import { type ReadEntry, toConversation, toSessionMessages, withoutRepeats } from '../../session/store/index.js';
import { getSessionInfo } from './list-sessions.js';
import { contextOf, type ExportFormat, type ExportSessionOptions, type SessionContext } from './session-options.js';
import { listSubagents, readStoredTranscript, type StoredTranscript } from './stored-transcript.js';

const FORMATS: readonly ExportFormat[] = ['markdown', 'html', 'json'];
/** Characters of one tool input or result that are shown. */
const MAX_RESULT_CHARS = 10_000;
/** Characters of base64 that the images of one page may take: about 15 MB of images. */
const MAX_IMAGE_CHARS = 20_000_000;

interface Agent {
  readonly agentId: string;
  readonly read: StoredTranscript;
}

/** Contract: as `exportSession`. */
export async function exportSession(sessionId: string, options: ExportSessionOptions): Promise<string> {
  const { format = 'markdown', includeThinking = false, maxResultChars = MAX_RESULT_CHARS } = options;
  if (!FORMATS.includes(format)) {
    throw new ConfigError(`There is no export format ${JSON.stringify(format)}. Formats: ${FORMATS.join(', ')}.`);
  }
  if (!Number.isSafeInteger(maxResultChars) || maxResultChars < 1) {
    throw new ConfigError(`maxResultChars is ${String(maxResultChars)}. Give a whole number of at least 1.`);
  }
  const context = contextOf(options);
  const read = await readStoredTranscript(context, sessionId, options, { acrossCompactions: true });
  if (read === null) throw new SessionError('session_not_found', `There is no session ${sessionId}.`);
  const info = await getSessionInfo(sessionId, options);
  const agents = await readAgents(context, sessionId, options);
  const costs = await sessionCosts(read.entries, read.metadata.get('turnwright-state')?.[0]?.value, loadCatalogue);
  const head = headOf(sessionId.toLowerCase(), info);
  if (format === 'json') return toJson(head, read, agents, costs, includeThinking);
  const document: SessionDocument = {
    head,
    items: itemsOf(read.entries, includeThinking),
    ...costs,
    subagents: agents.map((agent) => ({
      agentId: agent.agentId,
      items: itemsOf(agent.read.entries, includeThinking),
    })),
  };
  return format === 'html'
    ? toHtml(document, { maxChars: maxResultChars, maxImageChars: MAX_IMAGE_CHARS })
    : toMarkdown(document, maxResultChars);
}

async function readAgents(
  context: SessionContext,
  sessionId: string,
  options: ExportSessionOptions,
): Promise<readonly Agent[]> {
  // A store that cannot list them has none that could be asked for.
  if (options.sessionStore !== undefined && options.sessionStore.listSubkeys === undefined) return [];
  const agents: Agent[] = [];
  for (const agentId of await listSubagents(sessionId, options)) {
    const read = await readStoredTranscript(context, sessionId, options, { agentId, acrossCompactions: true });
    if (read !== null) agents.push({ agentId, read });
  }
  return agents;
}

function headOf(sessionId: string, info: SDKSessionInfo | undefined): DocumentHead {
  if (info === undefined) return { sessionId, title: '' };
  const { summary, cwd, gitBranch, tag, createdAt, lastModified } = info;
  return {
    sessionId,
    title: summary,
    lastModified,
    ...(cwd === undefined ? {} : { cwd }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
    ...(tag === undefined ? {} : { tag }),
    ...(createdAt === undefined ? {} : { createdAt }),
  };
}

function itemsOf(entries: readonly ReadEntry[], includeThinking: boolean): DocumentItem[] {
  const summaries = new Set(entries.filter(({ value }) => value.isCompactSummary === true).map(({ uuid }) => uuid));
  const messages = toConversation(withoutRepeats(entries)).map((message) =>
    summaries.has(message.uuid) ? { ...message, isCompactSummary: true as const } : message,
  );
  return toDocumentItems(messages, includeThinking);
}

function toJson(
  session: DocumentHead,
  read: StoredTranscript,
  agents: readonly Agent[],
  { costs, totalCostUsd }: Pick<SessionDocument, 'costs' | 'totalCostUsd'>,
  includeThinking: boolean,
): string {
  const messagesOf = ({ entries, origin }: StoredTranscript) =>
    toSessionMessages(session.sessionId, entries, {
      isHistorical: true,
      includeSystemMessages: true,
      parentToolUseId: origin.toolUseId,
      parentAgentId: origin.parentAgentId,
    }).map((message) => (includeThinking ? message : withoutThinking(message)));
  const value = {
    format: 'turnwright-session',
    version: 1,
    session,
    usage: costs,
    totalCostUsd,
    messages: messagesOf(read),
    subagents: agents.map((agent) => ({ agentId: agent.agentId, messages: messagesOf(agent.read) })),
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

function withoutThinking(message: SessionMessage): SessionMessage {
  const inner = message.message as { content?: unknown } | null | undefined;
  if (message.type !== 'assistant' || !Array.isArray(inner?.content)) return message;
  const content = inner.content.filter(
    (block: { type?: unknown } | null) => block?.type !== 'thinking' && block?.type !== 'redacted_thinking',
  );
  return { ...message, message: { ...inner, content } };
}
