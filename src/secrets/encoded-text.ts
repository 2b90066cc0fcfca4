// Tells which words of a text may be base64 of something that can be read. Names and paths are of the same characters, so
// each is looked at as far as its first bytes that no text has.
import { someRun } from './long-runs.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Of 18 bytes: shorter texts are looked for only if they are known. */
const SHORTEST = 24;
/** Nine bytes: wherever a text of 18 bytes begins, one such piece of it is all text. */
const PIECE = 12;

/** The value of each character of base64, in both alphabets, and 1 for each in `IS_BASE64`. */
const VALUES = new Uint8Array(128);
export const IS_BASE64 = new Uint8Array(128);
for (const [value, character] of [...ALPHABET].entries()) set(character, value);
set('-', 62);
set('_', 63);

function set(character: string, value: number): void {
  VALUES[character.charCodeAt(0)] = value;
  IS_BASE64[character.charCodeAt(0)] = 1;
}

/** True once `test` is, of the words of a text that may be such base64. */
export function someEncodedText(text: string, test: (start: number, end: number) => boolean): boolean {
  return someRun(text, IS_BASE64, SHORTEST, (start, end) => readsAsText(text, start, end) && test(start, end));
}

/** Nobody knows with which of four characters the encoded text begins, as words may stand right before it. */
function readsAsText(text: string, start: number, end: number): boolean {
  for (let from = start; from < start + 4; from++) {
    for (let at = from; at + PIECE <= end; at += PIECE) {
      if (isText(text, at)) return true;
    }
  }
  return false;
}

function isText(text: string, start: number): boolean {
  for (let at = start; at < start + PIECE; at += 4) {
    const [a, b, c, d] = [valueAt(text, at), valueAt(text, at + 1), valueAt(text, at + 2), valueAt(text, at + 3)];
    if (!isReadable((a << 2) | (b >> 4)) || !isReadable(((b & 15) << 4) | (c >> 2)) || !isReadable(((c & 3) << 6) | d))
      return false;
  }
  return true;
}

function valueAt(text: string, at: number): number {
  return VALUES[text.charCodeAt(at)] ?? 0;
}

/** ASCII: space to tilde, tab and line ends. */
function isReadable(byte: number): boolean {
  return (byte >= 32 && byte < 127) || byte === 9 || byte === 10 || byte === 13;
}
