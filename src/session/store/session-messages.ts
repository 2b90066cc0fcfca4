// The messages of a transcript for readers outside a session: the entries of its conversation, each as it stands there.
import type { SessionMessage } from '../../protocol/session-store.js';
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

// A conversation across its compactions as it happened: each message once. After a compaction, the transcript goes on
// with a summary and with copies of the newest messages; in a view of all that happened, those are there already.

/** The entries without those that only repeat what a compaction kept. Summaries and boundaries stay. */
export function withoutRepeats(entries: readonly ReadEntry[]): ReadEntry[] {
  const kept: ReadEntry[] = [];
  let before: ReadEntry[] = [];
  for (const part of splitAtSummaries(entries)) {
    const [summary, rest] = isSummary(part[0]) ? [part.slice(0, 1), part.slice(1)] : [[], part];
    const repeated = summary.length === 0 ? 0 : repeatedAtStart(before.map(contentOf), rest.map(contentOf));
    const isCopy = summary.length > 0 && repeated === 0 && isOneOf(before, rest[0]);
    kept.push(...summary, ...rest.slice(isCopy ? 1 : repeated));
    before = rest.filter(({ role }) => role !== null);
  }
  return kept;
}

function isSummary(entry: ReadEntry | undefined): boolean {
  return entry?.value.isCompactSummary === true;
}

function splitAtSummaries(entries: readonly ReadEntry[]): ReadEntry[][] {
  const parts: ReadEntry[][] = [[]];
  for (const entry of entries) {
    if (isSummary(entry)) parts.push([]);
    parts.at(-1)?.push(entry);
  }
  return parts;
}

/** What the user typed last may be all that was kept. A copy has the time of the message; what is typed again has its own. */
function isOneOf(before: readonly ReadEntry[], first: ReadEntry | undefined): boolean {
  const time = first?.value.timestamp;
  if (first === undefined || typeof time !== 'string') return false;
  return before.some((entry) => entry.value.timestamp === time && contentOf(entry) === contentOf(first));
}

/** Places where a copy could end that are looked at: only a transcript made for it has more. */
const MAX_TRIES = 100;

/**
 * How many of `after`, from its start, repeat the end of `before`: in one piece, or behind the last prompt, which goes
 * on even if what followed it did not.
 */
function repeatedAtStart(before: readonly string[], after: readonly string[]): number {
  const last = before.at(-1);
  const first = after[0];
  if (last === undefined || first === undefined) return 0;
  for (const [from, isPossible] of [
    [0, true],
    [1, before.includes(first)],
  ] as const) {
    if (!isPossible) continue;
    let end = after.lastIndexOf(last);
    for (let tries = 0; end >= from && tries < MAX_TRIES; tries++) {
      const length = end - from + 1;
      if (length <= before.length) {
        const start = before.length - length;
        if (after.slice(from, end + 1).every((content, at) => content === before[start + at])) return end + 1;
      }
      end = end === 0 ? -1 : after.lastIndexOf(last, end - 1);
    }
  }
  return 0;
}

function contentOf({ role, value }: ReadEntry): string {
  const message = value.message as { content?: unknown } | null | undefined;
  return JSON.stringify([role, message?.content ?? null]);
}
