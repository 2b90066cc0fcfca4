// Instruction files of a folder: AGENTS.md and CLAUDE.md. They are text for the model; they grant nothing.
import path from 'node:path';
import { type Host, isFileError } from '../host/host.js';

const FILE_NAMES = ['AGENTS.md', 'CLAUDE.md'];
/** Bytes of each file that are used. */
const MAX_BYTES = 64 * 1024;

/** The folder's instruction files by name. A file that is a link to one already read, or the same text, counts once. */
export async function readInstructions(host: Host, cwd: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const texts = await Promise.all(FILE_NAMES.map((name) => readText(host, path.join(cwd, name))));
  for (const [index, name] of FILE_NAMES.entries()) {
    const text = texts[index] ?? null;
    if (text !== null && text.trim() !== '' && !Object.values(found).includes(text)) found[name] = text;
  }
  return found;
}

async function readText(host: Host, file: string): Promise<string | null> {
  try {
    const handle = await host.fs.openRead(file);
    try {
      const stat = await handle.stat();
      if (stat.kind !== 'file') return null;
      const text = new TextDecoder().decode(await handle.read(0, MAX_BYTES));
      return stat.size > MAX_BYTES
        ? `${text}\n[${name(file)} is longer; the rest was left out. Read the file for it.]`
        : text;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isFileError(error)) return null; // there is none, or it cannot be read: the session works without
    throw error;
  }
}

function name(file: string): string {
  return path.basename(file);
}
