// Files that a prompt names with `@path`: their text goes along with the prompt. Only files of the workspace, since a
// prompt may quote text that the user did not write.
import path from 'node:path';
import { type Host, isFileError } from '../host/host.js';
import { isInside } from '../permissions/paths.js';
import { count, toWellFormed } from '../util/text.js';

export interface Attachments {
  /** One text a file, in the order they are named. */
  readonly texts: readonly string[];
  /** Files that were named and left out, and why. */
  readonly leftOut: readonly string[];
}

const MAX_FILES = 20;
/** Bytes of each file that go along. */
const MAX_BYTES = 100_000;
/** An `@` inside a word is an address, not a file. */
const MENTION = /(?:^|\s)@(?:"([^"\n]+)"|([^\s"]+))/g;

/**
 * @param roots workspace folders, absolute, symbolic links resolved
 * A name without a file behind it is no attachment: `@types/node` and `@alice` stay what they are.
 */
export async function readAttachments(
  prompt: string,
  host: Host,
  cwd: string,
  roots: readonly string[],
): Promise<Attachments> {
  const texts: string[] = [];
  const leftOut: string[] = [];
  const names = new Set(
    [...prompt.matchAll(MENTION)].map((match) => match[1] ?? (match[2] ?? '').replace(/[.,;:!?)]+$/, '')),
  );
  for (const name of names) {
    if (name === '' || name.includes('\0')) continue;
    const read = await readOne(name, host, cwd, roots);
    if (read === null) continue;
    if (texts.length >= MAX_FILES) leftOut.push(`${name}: more than ${count(MAX_FILES, 'file')}`);
    else if ('problem' in read) leftOut.push(`${name}: ${read.problem}`);
    else texts.push(read.text);
  }
  return { texts, leftOut };
}

async function readOne(
  name: string,
  host: Host,
  cwd: string,
  roots: readonly string[],
): Promise<{ readonly text: string } | { readonly problem: string } | null> {
  try {
    const real = await host.fs.realpath(path.resolve(cwd, name));
    if (!roots.some((root) => isInside(root, real))) return { problem: 'it is outside the workspace' };
    const handle = await host.fs.openRead(real);
    try {
      const stat = await handle.stat();
      if (stat.kind !== 'file') return null;
      const bytes = await handle.read(0, MAX_BYTES);
      if (bytes.includes(0)) return { problem: 'it is not text' };
      const cut = stat.size > MAX_BYTES ? `\n[The file is longer; read the rest with a tool.]` : '';
      return { text: `<file path="${name}">\n${toWellFormed(new TextDecoder().decode(bytes))}${cut}\n</file>` };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isFileError(error)) return null; // there is no such file, so it was no attachment
    throw error;
  }
}
