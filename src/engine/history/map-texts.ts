// Rewrites the texts in parts of a conversation. One rule, as of `map-blocks.ts`: what is not changed keeps its identity.
import type { ContentBlock, ToolResultContent } from '../../protocol/content.js';
import { isObject, keepIdentity } from './map-blocks.js';

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
