// The result of an MCP tool as content blocks of the model API, within bounds. Every part is shown or told of; of a text too long both
// ends are shown, and a file keeps all of it.
import path from 'node:path';
import type { ImageBlock, ToolResultContent } from '../protocol/content.js';
import type { ToolContext } from '../tools/tool.js';
import { createHeadTailBuffer } from '../util/head-tail-buffer.js';
import { isRecord } from '../util/json.js';
import { IMAGE_TYPES } from '../util/media-headers.js';
import { errorText, formatBytes } from '../util/text.js';

interface McpResult {
  readonly content: readonly ToolResultContent[];
  readonly isError: boolean;
}

/** Null if the value is no result of a tool. */
export function readToolResult(value: unknown): McpResult | null {
  if (!isRecord(value)) return null;
  const { content, structuredContent, isError } = value;
  if (!Array.isArray(content) && structuredContent === undefined) return null;
  const blocks = (Array.isArray(content) ? content : []).map(toBlock);
  const hasText = blocks.some((block) => block.type === 'text');
  // Servers repeat structured content as text; if one does not, its JSON is the text.
  const structured = structuredContent === undefined || hasText ? [] : [textBlock(JSON.stringify(structuredContent))];
  return { content: [...blocks, ...structured], isError: isError === true };
}

function toBlock(part: unknown): ToolResultContent {
  if (!isRecord(part)) return textBlock('[A part of the result that is not an object was left out.]');
  switch (part['type']) {
    case 'text':
      return textBlock(String(part['text'] ?? ''));
    case 'image':
      return imageBlock(part['mimeType'], part['data']) ?? stub('An image', part['mimeType'], part['data']);
    case 'audio':
      return stub('Sound', part['mimeType'], part['data']);
    case 'resource_link':
      return textBlock(linkText(part));
    case 'resource':
      return resourceBlock(part['resource']);
    default:
      return textBlock(`[A part of the unknown type ${JSON.stringify(part['type'])} was left out.]`);
  }
}

function resourceBlock(resource: unknown): ToolResultContent {
  if (!isRecord(resource)) return textBlock('[A resource without content was left out.]');
  const { uri, mimeType, text, blob } = resource;
  if (typeof text === 'string') return textBlock(`[Resource ${String(uri)}]\n${text}`);
  return imageBlock(mimeType, blob) ?? stub(`The resource ${String(uri)}`, mimeType, blob);
}

function linkText({ uri, name, description }: Record<string, unknown>): string {
  const title = typeof name === 'string' && name !== '' ? `${name}: ` : '';
  const about = typeof description === 'string' && description !== '' ? ` (${description})` : '';
  return `[Link to a resource: ${title}${String(uri)}${about}]`;
}

function imageBlock(mimeType: unknown, data: unknown): ImageBlock | null {
  if (typeof mimeType !== 'string' || typeof data !== 'string' || !IMAGE_TYPES.includes(mimeType)) return null;
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
}

/** What stands for data that a model cannot be shown. */
function stub(what: string, mimeType: unknown, data: unknown): ToolResultContent {
  const bytes = typeof data === 'string' ? Math.floor((data.length * 3) / 4) : 0;
  return textBlock(`[${what} of type ${String(mimeType ?? 'unknown')} (${formatBytes(bytes)}) cannot be shown.]`);
}

function textBlock(text: string): ToolResultContent {
  return { type: 'text', text };
}

/** Text of one result that a model sees if nothing else is said, bytes. */
const MAX_SHOWN_BYTES = 30_000;

/** The blocks as they are if their text is short enough; else one text, cut in the middle, and the other blocks. */
export async function capText(
  blocks: readonly ToolResultContent[],
  context: Pick<ToolContext, 'host' | 'spoolDirectory' | 'secrets'>,
  maxShownBytes = MAX_SHOWN_BYTES,
): Promise<readonly ToolResultContent[]> {
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  // A character is three bytes of UTF-8 at most.
  if (text.length * 3 <= maxShownBytes) return blocks;
  if (Buffer.byteLength(text) <= maxShownBytes) return blocks;
  // Before it is cut: half a secret would not be known for one.
  const clean = (await context.secrets?.hide(text, 'found', false)) ?? text;
  const bytes = new TextEncoder().encode(clean);
  const buffer = createHeadTailBuffer(maxShownBytes);
  buffer.append(bytes);
  const kept = await keepWhole(clean, context);
  const shown = buffer.render(maxShownBytes, (omitted) => `[… ${omitted} bytes omitted; ${kept} …]`).text;
  return [{ type: 'text', text: shown }, ...blocks.filter((block) => block.type !== 'text')];
}

/** Says where the whole text is. A disk that fails does not fail the call. */
async function keepWhole(
  text: string,
  { host, spoolDirectory }: Pick<ToolContext, 'host' | 'spoolDirectory'>,
): Promise<string> {
  if (spoolDirectory === null) return 'the full result was not saved';
  const file = path.join(spoolDirectory, `mcp-${host.ids.uuid()}.txt`);
  try {
    const handle = await host.fs.openAppend(file);
    try {
      await handle.append(text);
    } finally {
      await handle.close();
    }
    return `the full result is in ${file}`;
  } catch (error) {
    return `the full result could not be saved: ${errorText(error)}`;
  }
}
