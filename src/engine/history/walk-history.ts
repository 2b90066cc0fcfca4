// How a conversation is walked. In exchanges: what the user typed last, and where it may be cut; a cut never parts a call from its
// result, nor a running turn from the thinking it began with. Block by block: what is not changed keeps its identity, so its
// measured size and its serialised form stay known.
import type { AssistantMessageParam, ContentBlock, MessageParam, ToolResultContent } from '../../protocol/content.js';
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

/** Each message with `map` over its blocks; a text message counts as one text block. The same array if nothing changed. */
export function mapBlocks(
  messages: readonly MessageParam[],
  map: (block: ContentBlock, message: MessageParam, index: number) => ContentBlock,
): readonly MessageParam[] {
  return keepIdentity(messages, (message, index) => mapMessage(message, (block) => map(block, message, index)));
}

function mapMessage(message: MessageParam, map: (block: ContentBlock) => ContentBlock): MessageParam {
  const { role, content } = message;
  if (typeof content === 'string') {
    const block: ContentBlock = { type: 'text', text: content };
    const mapped = map(block);
    if (mapped === block) return message;
    return { role, content: mapped.type === 'text' ? mapped.text : [mapped] } as MessageParam;
  }
  if (!Array.isArray(content)) return message;
  const mapped = keepIdentity(content as readonly ContentBlock[], (block) => (isObject(block) ? map(block) : block));
  return mapped === content ? message : ({ role, content: mapped } as MessageParam);
}

/** `block` with `map` over its media, also inside a tool result. */
export function mapMedia(
  block: ContentBlock,
  map: (media: Extract<ContentBlock, { type: 'image' | 'document' }>) => ToolResultContent,
): ContentBlock {
  if (block.type === 'image' || block.type === 'document') return map(block);
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return block;
  const parts: readonly ToolResultContent[] = block.content;
  const content = keepIdentity(parts, (part) =>
    isObject(part) && (part.type === 'image' || part.type === 'document') ? map(part) : part,
  );
  return content === block.content ? block : { ...block, content };
}

/** Each item with `map`; the same array if nothing changed. */
function keepIdentity<T>(items: readonly T[], map: (item: T, index: number) => T): readonly T[] {
  const mapped = items.map(map);
  return mapped.some((item, index) => item !== items[index]) ? mapped : items;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** `block` with `map` over every text in it that may be rewritten: not thinking, which is signed. */
export function mapTexts(block: ContentBlock, map: (text: string) => string): ContentBlock {
  switch (block.type) {
    case 'text': {
      const text = mapText(block.text, map);
      return text === block.text ? block : { type: 'text', text };
    }
    case 'tool_use': {
      const input = mapStrings(block.input, map);
      return input === block.input ? block : { ...block, input };
    }
    case 'tool_result': {
      const content = Array.isArray(block.content)
        ? keepIdentity(block.content as readonly ToolResultContent[], (part) =>
            isObject(part) ? (mapTexts(part, map) as ToolResultContent) : part,
          )
        : mapText(block.content as string, map);
      return content === block.content ? block : { ...block, content };
    }
    case 'document': {
      const { source } = block;
      if (source?.type !== 'text') return block;
      const data = mapText(source.data, map);
      return data === source.data ? block : { ...block, source: { ...source, data } };
    }
    default:
      return block;
  }
}

/** Deeper values are left as they are. */
const MAX_DEPTH = 50;

/** A JSON value with `map` over its strings, keys left alone. */
export function mapStrings(value: unknown, map: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return map(value);
  if (depth >= MAX_DEPTH || !isObject(value)) return value;
  if (Array.isArray(value)) return keepIdentity(value, (item: unknown) => mapStrings(item, map, depth + 1));
  const entries = Object.entries(value);
  const mapped = keepIdentity(entries, (entry): [string, unknown] => {
    const item = mapStrings(entry[1], map, depth + 1);
    return item === entry[1] ? entry : [entry[0], item];
  });
  return mapped === entries ? value : Object.fromEntries(mapped);
}

function mapText(text: string, map: (text: string) => string): string {
  return typeof text === 'string' ? map(text) : text;
}
