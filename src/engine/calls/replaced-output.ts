// What the model reads of an output that a hook gave in place of a tool's own, which is an object of the tool's kind.
// Loaded with the first such answer.
import type { ToolResultBlock, ToolResultContent } from '../../protocol/content.js';
import { isRecord } from '../../util/is-record.js';

/** Fields that hold the text of an output, over all tools. */
const TEXTS = ['stdout', 'stderr', 'content', 'output', 'result', 'text'] as const;

/** Contract: never throws. Of an output whose text cannot be told, all of it as JSON. */
export function contentOf(output: unknown): ToolResultBlock['content'] {
  const blocks = blocksOf(output);
  if (blocks !== null) return blocks;
  const inner = isRecord(output) && isRecord(output['file']) ? output['file'] : output;
  if (isRecord(inner)) {
    const texts = TEXTS.flatMap((name) => (typeof inner[name] === 'string' ? [inner[name]] : []));
    if (texts.length > 0) return texts.filter((text) => text !== '').join('\n');
    if (Array.isArray(inner['filenames'])) return inner['filenames'].join('\n');
  }
  return JSON.stringify(output, null, 2) ?? '';
}

/** Those of a tool of a server, alone or as its field `content`. */
function blocksOf(output: unknown): readonly ToolResultContent[] | null {
  const list: unknown = isRecord(output) ? output['content'] : output;
  if (!Array.isArray(list) || list.length === 0) return null;
  const blocks = list.map((block): ToolResultContent | null => {
    if (!isRecord(block)) return null;
    const { type, text, data, mimeType } = block;
    if (type === 'text' && typeof text === 'string') return { type, text };
    if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string')
      return { type, source: { type: 'base64', media_type: mimeType as 'image/png', data } };
    return null;
  });
  return blocks.every((block) => block !== null) ? blocks : null;
}
