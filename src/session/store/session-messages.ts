// The messages of a transcript for readers outside a session: the entries of its conversation, each as it stands there.
import type { SessionMessage } from '../../protocol/session-store.js';
import { withoutRepeats } from './history-view.js';
import type { EntryValue } from './read-entry.js';
import type { ReadEntry } from './read-transcript.js';

export interface MessageRules {
  /** What compactions wrote is left out: what they replaced is there. */
  readonly isHistorical: boolean;
  readonly includeSystemMessages: boolean;
  /** Who started the subagent whose transcript this is. */
  readonly parentToolUseId: string | null;
  readonly parentAgentId: string | null;
}

/** Contract: pure, in the order of the conversation; what the engine wrote for the model alone (`isMeta`) is left out. */
export function toSessionMessages(
  sessionId: string,
  entries: readonly ReadEntry[],
  rules: MessageRules,
): SessionMessage[] {
  const messages: SessionMessage[] = [];
  for (const { value, uuid, role } of rules.isHistorical ? withoutRepeats(entries) : entries) {
    if (value.isMeta === true || typeof value.teamName === 'string') continue;
    if (rules.isHistorical && (value.isCompactSummary === true || value.subtype === 'compact_boundary')) continue;
    const type = role ?? (rules.includeSystemMessages && value.type === 'system' ? 'system' : null);
    if (type === null) continue;
    messages.push({
      type,
      uuid,
      session_id: sessionId,
      message: role === null ? undefined : value.message,
      parent_tool_use_id: rules.parentToolUseId,
      parent_agent_id: rules.parentAgentId,
      ...(typeof value.timestamp === 'string' ? { timestamp: value.timestamp } : {}),
      ...(value.toolUseResult === undefined ? {} : { tool_use_result: value.toolUseResult }),
      ...(role === null ? systemFields(value) : {}),
    });
  }
  return messages;
}

function systemFields(value: EntryValue): Partial<SessionMessage> {
  const metadata = value.compactMetadata as EntryValue | null | undefined;
  const { trigger, preTokens, postTokens } = typeof metadata === 'object' && metadata !== null ? metadata : {};
  return {
    ...(typeof value.subtype === 'string' ? { subtype: value.subtype } : {}),
    ...(metadata == null
      ? {}
      : {
          compact_metadata: {
            ...(trigger === 'manual' || trigger === 'auto' ? { trigger } : {}),
            ...(typeof preTokens === 'number' ? { pre_tokens: preTokens } : {}),
            ...(typeof postTokens === 'number' ? { post_tokens: postTokens } : {}),
          },
        }),
  };
}
