// The index of a folder of notes, for a system prompt. One rule: what stands there is data of earlier runs, and is bounded.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { MEMORY_INDEX } from '../core/index.js';

/** Characters of it that a prompt has: about 1,500 tokens. */
const MAX_INDEX = 6_000;
/** Bytes that are read of it. */
const MAX_BYTES = 64 * 1024;

/**
 * Its text as a prompt has it, between marks that nothing in it ends; null if there is none.
 * @param isHidden true for a file that rules keep from being read
 */
export async function readMemoryIndex(
  { fs }: Pick<Host, 'fs'>,
  folder: string,
  isHidden: ((file: string) => boolean) | null,
): Promise<string | null> {
  try {
    const located = await fs.locate(path.join(folder, MEMORY_INDEX));
    if (isHidden?.(located.path) === true || isHidden?.(located.realPath) === true) return null;
    // A link could lead to what nobody wants in a prompt.
    if (located.stat?.kind !== 'file' || path.basename(located.realPath) !== MEMORY_INDEX) return null;
    const handle = await fs.openLocated(located);
    try {
      const text = new TextDecoder().decode(await handle.read(0, MAX_BYTES)).trim();
      const escaped = text.replaceAll(/<\s*\/\s*memory\s*>/gi, '< /memory>');
      return escaped === '' ? null : `<memory>\n${shortenLines(escaped)}\n</memory>`;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isFileError(error)) return null; // it has none that could be read
    throw error;
  }
}

function shortenLines(text: string): string {
  if (text.length <= MAX_INDEX) return text;
  const cut = text.slice(0, MAX_INDEX);
  return `${cut.slice(0, Math.max(cut.lastIndexOf('\n'), MAX_INDEX / 2))}\n[The index is longer than is shown here: shorten it.]`;
}
