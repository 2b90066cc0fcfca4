// Rewrites parts of a conversation. One rule: what is not changed keeps its identity, so its measured size and its
// serialised form stay known.
import type { ContentBlock, MessageParam, ToolResultContent } from '../../protocol/content.js';

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

// Rewrites the texts in parts of a conversation. One rule, as of `map-blocks.ts`: what is not changed keeps its identity.

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
