// Calls that wait for a decision. The transcript says which were deferred; the conversation says which are open, and
// with what input. One rule: neither lets anything run.
import type { MessageParam, ToolUseBlock } from '../../protocol/content.js';
import type { SDKDeferredToolUse } from '../../protocol/messages.js';

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
