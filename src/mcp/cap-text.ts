// Bounds what one result adds to the context: of a text too long both ends are shown, and a file keeps all of it.
import path from 'node:path';
import type { ToolResultContent } from '../protocol/content.js';
import type { ToolContext } from '../tools/tool.js';
import { createHeadTailBuffer } from '../util/head-tail-buffer.js';
import { errorText } from '../util/text.js';

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
