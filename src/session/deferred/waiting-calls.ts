// Calls that wait for a decision. The transcript says which were deferred; the conversation says which are open, and
// with what input. One rule: neither lets anything run.
import type { MessageParam, ToolUseBlock } from '../../protocol/content.js';
import type { SDKDeferredToolUse } from '../../protocol/messages.js';
import type { WaitingCall } from '../store/entry.js';

type Waiting = Map<string, SDKDeferredToolUse>;

/** Those of a resumed session. */
export function waitingCalls(
  kept: readonly WaitingCall[] | undefined,
  history: readonly MessageParam[],
  expiryMs: number | undefined,
): Waiting {
  const waiting: Waiting = new Map();
  if (kept === undefined) return waiting;
  const open = unanswered(history);
  for (const { toolUseId, reason, timestamp, expiresAt } of kept) {
    const call = open.find(({ id }) => id === toolUseId);
    if (call === undefined) continue;
    const expiry = soonest(expiresAt, timestamp, expiryMs);
    waiting.set(call.id, { id: call.id, name: call.name, input: inputOf(call), reason, ...expiry });
  }
  return waiting;
}

/** When a call that is deferred now expires; nothing where it does not. */
export function expiryFrom(now: number, expiryMs: number | undefined): { readonly expires_at?: string } {
  return expiryMs === undefined ? {} : { expires_at: timeText(now + expiryMs) };
}

/** True where no decision about the call counts any more. A time that cannot be read is over. */
export function isExpired({ expires_at: end }: SDKDeferredToolUse, now: number): boolean {
  return end !== undefined && !(now < Date.parse(end));
}

/** What the session said when it was deferred and what this one says: the sooner counts. */
function soonest(expiresAt: unknown, timestamp: unknown, expiryMs: number | undefined): { expires_at?: string } {
  const ends: number[] = [];
  if (expiresAt !== undefined) ends.push(timeOf(expiresAt));
  if (expiryMs !== undefined) ends.push(timeOf(timestamp) + expiryMs);
  return ends.length === 0 ? {} : { expires_at: timeText(Math.min(...ends)) };
}

function timeOf(value: unknown): number {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
}

/** The last time that a date can be, milliseconds. */
const MAX_TIME = 8.64e15;

function timeText(time: number): string {
  return new Date(Math.min(time, MAX_TIME)).toISOString();
}

/** Those of `waiting` that are still open, in the order of their reply. */
export function openCalls(waiting: ReadonlyMap<string, SDKDeferredToolUse>, history: readonly MessageParam[]) {
  if (waiting.size === 0) return [];
  return unanswered(history).flatMap(({ id }) => waiting.get(id) ?? []);
}

/** The calls of the last reply that nothing answered. */
export function unanswered(history: readonly MessageParam[]): ToolUseBlock[] {
  const last = history.findLastIndex((message) => message.role === 'assistant');
  const reply = history[last];
  if (reply?.role !== 'assistant' || typeof reply.content === 'string') return [];
  const answered = new Set<string>();
  for (const { role, content } of history.slice(last + 1)) {
    if (role !== 'user' || typeof content === 'string') continue;
    for (const block of content) if (block.type === 'tool_result') answered.add(block.tool_use_id);
  }
  return reply.content.filter((block): block is ToolUseBlock => block.type === 'tool_use' && !answered.has(block.id));
}

function inputOf({ input }: ToolUseBlock): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
}
