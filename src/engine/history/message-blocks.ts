// The blocks of a message, whatever form it has. One rule: never throws on a damaged history.
import type { ContentBlock, MessageParam } from '../../protocol/content.js';

/** The blocks of a message; a text message is one text block. What is no block at all is left out. */
export function blocksOf({ content }: MessageParam): readonly ContentBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return (content as readonly ContentBlock[]).filter((block) => typeof block === 'object' && block !== null);
}
