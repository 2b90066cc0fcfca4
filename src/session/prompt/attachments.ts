// Files that a prompt names with `@path`: their text, or the image or PDF that they are, goes along with the prompt. Only files of
// the workspace that no rule keeps from being read, since a prompt may quote text that the user did not write.
import path from 'node:path';
import { isFileError, type ReadHandle } from '../../host/host.js';
import { isInside } from '../../host/is-inside.js';
import type { UserBlock } from '../../protocol/content.js';
import { toBase64 } from '../../util/bytes.js';
import { readImageHeader } from '../../util/media-headers.js';
import { count, cutAtWord, formatBytes, toWellFormed } from '../../util/text.js';
import { type BinaryKind, decodeBytes, detectBinary } from '../../util/text-file.js';
import type { AttachmentPlace, Attachments } from '../core/index.js';

const MAX_FILES = 20;
/** Bytes of each text that go along. */
const MAX_BYTES = 100_000;
/** Of an image, enough to tell its type. */
const HEAD_BYTES = 64;
/** An `@` inside a word is an address, not a file. */
const MENTION = /(?:^|\s)@(?:"([^"\n]+)"|([^\s"]+))/g;

/**
 * A name without a file behind it is no attachment: `@types/node` and `@alice` stay what they are.
 */
export async function readAttachments(prompt: string, place: AttachmentPlace): Promise<Attachments> {
  const blocks: UserBlock[] = [];
  const files: string[] = [];
  const leftOut: string[] = [];
  const names = new Set(
    [...prompt.matchAll(MENTION)].map((match) => match[1] ?? (match[2] ?? '').replace(/[.,;:!?)]+$/, '')),
  );
  for (const name of names) {
    if (name === '' || name.includes('\0')) continue;
    const read = await readOne(name, place);
    if (read === null) continue;
    if (files.length >= MAX_FILES) leftOut.push(`${name}: more than ${count(MAX_FILES, 'file')}`);
    else if ('problem' in read) leftOut.push(`${name}: ${read.problem}`);
    else {
      files.push(read.file);
      blocks.push(...read.blocks);
    }
  }
  return { blocks, files, leftOut };
}

type Read = { readonly blocks: readonly UserBlock[]; readonly file: string } | { readonly problem: string };

async function readOne(name: string, { host: { fs }, cwd, roots, isKept }: AttachmentPlace): Promise<Read | null> {
  try {
    const located = await fs.locate(path.resolve(cwd, name));
    const { path: written, realPath: real, stat } = located;
    if (stat === null) return null;
    if (!roots.some((root) => isInside(root, real))) return { problem: 'it is outside the workspace' };
    if (stat.kind !== 'file') return null;
    if (isKept(written) || isKept(real)) return { problem: 'a rule keeps it from being read' };
    const handle = await fs.openLocated(located);
    try {
      const bytes = await handle.read(0, MAX_BYTES);
      const binary = detectBinary(bytes);
      if (binary?.kind === 'image' || binary?.kind === 'pdf')
        return await readMedium(name, real, binary, handle, stat.size);
      if (bytes.includes(0)) return { problem: 'it is not text' };
      const cut = stat.size > MAX_BYTES ? `\n[The file is longer; read the rest with a tool.]` : '';
      const read = new TextDecoder().decode(bytes);
      const shown = cut === '' ? read : cutAtWord(`${read}x`, read.length);
      const text = `<file path="${name}">\n${toWellFormed(shown)}${cut}\n</file>`;
      return { blocks: [{ type: 'text', text }], file: real };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isFileError(error)) return null; // there is no such file, so it was no attachment
    throw error;
  }
}

/** Larger ones no request takes. Bytes. */
const MAX_IMAGE_BYTES = 5 * 1_024 * 1_024;
const MAX_PDF_BYTES = 20_000_000;

/**
 * Whether a request can hold it is found out when the request is built: if it cannot, it becomes a text that says why.
 */
async function readMedium(
  name: string,
  file: string,
  { kind, name: what }: BinaryKind,
  handle: ReadHandle,
  size: number,
): Promise<Read> {
  const most = kind === 'pdf' ? MAX_PDF_BYTES : MAX_IMAGE_BYTES;
  if (size > most)
    return { problem: `it is a ${what} of ${formatBytes(size)}, and at most ${formatBytes(most)} are taken` };
  const bytes = await handle.read(0, size);
  const text: UserBlock = { type: 'text', text: `<file path="${name}"> is this ${what}:` };
  const data = toBase64(bytes);
  if (kind === 'pdf')
    return {
      blocks: [text, { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } }],
      file,
    };
  const header = readImageHeader(decodeBytes(bytes.subarray(0, HEAD_BYTES), 'latin-1'));
  if (header === null) return { problem: `it is a ${what} that cannot be read` };
  return { blocks: [text, { type: 'image', source: { type: 'base64', media_type: header.mediaType, data } }], file };
}
