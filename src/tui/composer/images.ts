// Images of a prompt: from the clipboard, or a file that was dropped into the window. In the draft a mark stands for each; the
// prompt carries those whose mark is still there.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { UserBlock } from '../../protocol/content.js';
import { readImageHeader } from '../../util/media-headers.js';
import { formatBytes } from '../../util/text.js';
import { type ClipboardParts, imageOfClipboard, imageProgramAdvice } from '../clipboard.js';

/** Larger ones no request takes, bytes. */
const MAX_IMAGE_BYTES = 5 * 1_024 * 1_024;
/** Enough to tell the type, bytes. */
const HEAD_BYTES = 64;
/** A dropped path is no longer. */
const LONGEST_PATH = 4_096;
const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp)$/i;
const MARK = /\[image #(\d+)\]/g;

export type TakenImage = { readonly mark: string } | { readonly problem: string };

export interface DraftImages {
  /** The image of the clipboard, as a mark for the draft. */
  fromClipboard(): Promise<TakenImage>;
  /**
   * The image that a paste names: terminals paste the path of a file that is dropped into them. Null if it names none,
   * and is a text like any other.
   */
  fromPaste(text: string): Promise<TakenImage | null>;
  /** True if a paste may name an image, so that it is worth to wait for `fromPaste`. */
  mayBePath(text: string): boolean;
  /** What is sent: the text, and behind it each image whose mark stands in it. */
  contentOf(text: string): string | UserBlock[];
  /** The draft was sent or thrown away. */
  clear(): void;
}

interface KeptImage {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly data: string;
}

export function createDraftImages(parts: ClipboardParts & { readonly cwd: string }): DraftImages {
  const images = new Map<number, KeptImage>();
  let last = 0;
  const take = (bytes: Uint8Array, what: string): TakenImage => {
    if (bytes.length > MAX_IMAGE_BYTES)
      return {
        problem: `${what} has ${formatBytes(bytes.length)}, and at most ${formatBytes(MAX_IMAGE_BYTES)} are taken.`,
      };
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const header = readImageHeader(buffer.subarray(0, HEAD_BYTES).toString('latin1'));
    if (header === null) return { problem: `${what} is not a PNG, JPEG, GIF or WebP image.` };
    last += 1;
    images.set(last, { mediaType: header.mediaType, data: buffer.toString('base64') });
    return { mark: `[image #${last}]` };
  };
  return {
    async fromClipboard() {
      const bytes = await imageOfClipboard(parts, MAX_IMAGE_BYTES + 1);
      return bytes === null
        ? { problem: `No image was found. ${imageProgramAdvice(parts)}` }
        : take(bytes, 'The image of the clipboard');
    },
    mayBePath: (text) => pathOf(text, parts.cwd) !== null,
    async fromPaste(text) {
      const file = pathOf(text, parts.cwd);
      const bytes = file === null ? null : await readBounded(file);
      if (file === null || bytes === null) return null;
      const name = path.basename(file);
      // What only ends like an image is a text.
      if (
        bytes.length <= MAX_IMAGE_BYTES &&
        readImageHeader(Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1')) === null
      )
        return null;
      return take(bytes, name);
    },
    contentOf(text) {
      const used = [...text.matchAll(MARK)].flatMap(([mark, number]) => {
        const image = images.get(Number(number));
        return image === undefined ? [] : [{ mark, image }];
      });
      const once = used.filter(({ mark }, at) => used.findIndex((other) => other.mark === mark) === at);
      if (once.length === 0) return text;
      return [
        { type: 'text', text },
        ...once.flatMap(({ mark, image }): UserBlock[] => [
          { type: 'text', text: `${mark}:` },
          { type: 'image', source: { type: 'base64', media_type: image.mediaType, data: image.data } },
        ]),
      ];
    },
    clear: () => images.clear(),
  };
}

/** The file that a paste names, as terminals write it: in quotes, with backslashes before blanks, or as an address. */
function pathOf(text: string, cwd: string): string | null {
  const word = text.trim();
  if (word.length > LONGEST_PATH || word === '' || word.includes('\n')) return null;
  const quoted = /^'([^']+)'$|^"([^"]+)"$/.exec(word);
  const plain = quoted?.[1] ?? quoted?.[2] ?? word.replace(/\\(.)/g, '$1');
  if (!IMAGE_NAME.test(plain)) return null;
  if (plain.startsWith('file://')) {
    try {
      return fileURLToPath(plain);
    } catch {
      return null; // of another machine
    }
  }
  // Words of a sentence that end in the name of an image are a text.
  if (quoted === null && /\s/.test(word.replace(/\\\s/g, ''))) return null;
  return path.resolve(cwd, plain.startsWith('~/') ? path.join(homedir(), plain.slice(2)) : plain);
}

/** A byte more than is taken at the most; null for what is not a file that can be read. */
async function readBounded(file: string): Promise<Uint8Array | null> {
  try {
    // A pipe would be waited for.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) return null;
      const buffer = Buffer.alloc(Math.min(stat.size, MAX_IMAGE_BYTES + 1));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return null; // no such file: the paste is a text
  }
}
