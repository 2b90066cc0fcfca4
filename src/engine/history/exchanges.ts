// The anatomy of a conversation: its exchanges, what the user typed last, and where it may be cut. One rule: a cut
// never parts a tool call from its result, and never leaves a running turn without the thinking it began with.
import type { AssistantMessageParam, ContentBlock, MessageParam } from '../../protocol/content.js';
import { isEngineNote, isPinsMessage, isSummaryMessage } from '../state/index.js';

/** An assistant message and the user messages up to the next one: `messages[start]` to before `messages[end]`. */
export interface Exchange {
  readonly start: number;
  readonly end: number;
  /** Null only in the first exchange: what stands before the first reply. */
  readonly assistant: AssistantMessageParam | null;
}

/** All exchanges, oldest first. They cover every message. */
export function groupExchanges(messages: readonly MessageParam[]): Exchange[] {
  const exchanges: Exchange[] = [];
  for (let start = 0; start < messages.length; ) {
    let end = start + 1;
    while (end < messages.length && messages[end]?.role === 'user') end++;
    const first = messages[start];
    exchanges.push({ start, end, assistant: first?.role === 'assistant' ? first : null });
    start = end;
  }
  return exchanges;
}

/** A message that outlives a cut before which it stood. */
export interface Keeper {
  readonly index: number;
  readonly message: MessageParam;
  readonly kind: 'summary' | 'prompt';
}

/**
 * The newest summary of a compaction and what the user typed last, in order.
 * What was typed may have been merged with tool results; then only the typed part is kept.
 */
export function findKeepers(messages: readonly MessageParam[]): Keeper[] {
  const keepers: Keeper[] = [];
  let typedAmongResults: Keeper | null = null;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role !== 'user' || isPinsMessage(message)) continue;
    if (isSummaryMessage(message)) {
      keepers.push({ index, message, kind: 'summary' });
      break;
    }
    if (keepers.length > 0 || !hasTyped(message)) continue;
    if (blocksOf(message).every((block) => block.type !== 'tool_result')) {
      keepers.push({ index, message, kind: 'prompt' });
    } else if (typedAmongResults === null) {
      const content = blocksOf(message).filter((block) => block.type !== 'tool_result');
      typedAmongResults = { index, message: { role: 'user', content } as MessageParam, kind: 'prompt' };
    }
  }
  if (typedAmongResults !== null) keepers.push(typedAmongResults);
  return keepers.sort((a, b) => a.index - b.index);
}

function hasTyped(message: MessageParam): boolean {
  return blocksOf(message).some((block) => {
    if (block.type !== 'text') return block.type === 'image' || block.type === 'document';
    return typeof block.text === 'string' && block.text.trim() !== '' && !isEngineNote(block.text);
  });
}

/**
 * The first exchange with thinking of the turn that still goes on, or null if there is none.
 * The API wants such a turn to begin with its thinking, so a cut behind this exchange must keep it, unless what
 * follows the cut begins with thinking of its own.
 */
export function findRunningThinking(exchanges: readonly Exchange[]): Exchange | null {
  let first = exchanges.length;
  while (first > 0 && hasCalls(exchanges[first - 1])) first--;
  return exchanges.slice(first).find(opensWithThinking) ?? null;
}

/** True if the exchange's reply begins with thinking. */
export function opensWithThinking(exchange: Exchange | undefined): boolean {
  if (exchange?.assistant == null) return false;
  const type = blocksOf(exchange.assistant)[0]?.type;
  return type === 'thinking' || type === 'redacted_thinking';
}

function hasCalls(exchange: Exchange | undefined): boolean {
  return exchange?.assistant != null && blocksOf(exchange.assistant).some((block) => block.type === 'tool_use');
}

// The blocks of a message, whatever form it has. One rule: never throws on a damaged history.

/** The blocks of a message; a text message is one text block. What is no block at all is left out. */
export function blocksOf({ content }: MessageParam): readonly ContentBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return (content as readonly ContentBlock[]).filter((block) => typeof block === 'object' && block !== null);
}
