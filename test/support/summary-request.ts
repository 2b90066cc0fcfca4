// Which request of a session asks for a summary of it.
import type { ModelRequest } from '../../src/providers/contract/provider.js';

/** True for the request of a compaction, whichever form it takes. */
export function isSummaryRequest({ messages }: ModelRequest): boolean {
  const content = messages.at(-1)?.content;
  const last = Array.isArray(content) ? content.at(-1) : undefined;
  return last?.type === 'text' && last.text.startsWith('Summarise this conversation');
}
