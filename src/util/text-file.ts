// Text files as bytes: which encoding, which line endings, or no text at all. Decoding and encoding again gives the
// same bytes, so an edit leaves what it does not touch as it was.

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin-1';

export interface EncodingInfo {
  readonly encoding: TextEncoding;
  /** True if the file starts with a byte order mark; the mark is not part of the text. */
  readonly bom: boolean;
}

export interface DecodedText extends EncodingInfo {
  readonly text: string;
}

/** What a file holds that is no text. */
export interface BinaryKind {
  readonly kind: 'image' | 'pdf' | 'other';
  /** For people and models: "PNG image", "binary file". */
  readonly name: string;
}

const UTF8_BOM = [0xef, 0xbb, 0xbf];
const SNIFF_BYTES = 8_192;
const CHUNK = 8_192;
const DECODE_CHUNK = 1_048_576;

const SIGNATURES: readonly { readonly bytes: readonly number[]; readonly found: BinaryKind }[] = [
  { bytes: [0x89, 0x50, 0x4e, 0x47], found: { kind: 'image', name: 'PNG image' } },
  { bytes: [0xff, 0xd8, 0xff], found: { kind: 'image', name: 'JPEG image' } },
  { bytes: [0x47, 0x49, 0x46, 0x38], found: { kind: 'image', name: 'GIF image' } },
  { bytes: [0x25, 0x50, 0x44, 0x46, 0x2d], found: { kind: 'pdf', name: 'PDF document' } },
  { bytes: [0x50, 0x4b, 0x03, 0x04], found: { kind: 'other', name: 'ZIP archive or office document' } },
  { bytes: [0x1f, 0x8b], found: { kind: 'other', name: 'gzip archive' } },
  { bytes: [0x7f, 0x45, 0x4c, 0x46], found: { kind: 'other', name: 'program or library (ELF)' } },
];

/**
 * Names what a file holds if it is not text, from its first bytes (8 KB are enough), or null for text.
 * A NUL byte means binary, unless the file is marked as UTF-16.
 */
export function detectBinary(head: Uint8Array): BinaryKind | null {
  for (const { bytes, found } of SIGNATURES) if (startsWith(head, bytes)) return found;
  if (startsWith(head, [0x52, 0x49, 0x46, 0x46]) && startsWith(head.subarray(8), [0x57, 0x45, 0x42, 0x50])) {
    return { kind: 'image', name: 'WebP image' };
  }
  const sniffed = head.subarray(0, SNIFF_BYTES);
  const utf16 = utf16Mark(sniffed);
  const isBinary = utf16 === null ? sniffed.includes(0) : decodeUtf16(sniffed.subarray(2), utf16).includes('\0');
  return isBinary ? { kind: 'other', name: 'binary file' } : null;
}

/** UTF-8 if every byte of it is valid, UTF-16 if it is marked so, else Latin-1, which fits any bytes. */
export function detectEncoding(bytes: Uint8Array): EncodingInfo {
  const utf16 = utf16Mark(bytes);
  if (utf16 !== null && bytes.length % 2 === 0) return { encoding: utf16, bom: true };
  if (isUtf8(bytes)) return { encoding: 'utf-8', bom: startsWith(bytes, UTF8_BOM) };
  return { encoding: 'latin-1', bom: false };
}

/** Contract: `encodeText` of the result gives `bytes` again, for any bytes. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const { encoding, bom } = detectEncoding(bytes);
  const body = bom ? bytes.subarray(encoding === 'utf-8' ? 3 : 2) : bytes;
  return { text: decodeBytes(body, encoding), encoding, bom };
}

/** Decodes bytes without a byte order mark. What is not valid in `encoding` shows replacement characters. */
export function decodeBytes(bytes: Uint8Array, encoding: TextEncoding): string {
  if (encoding === 'utf-8') return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return encoding === 'latin-1' ? fromUnits(bytes) : decodeUtf16(bytes, encoding);
}

/**
 * The first character of `text` that `encoding` cannot hold, or null. UTF-8 cannot hold half a surrogate pair,
 * Latin-1 nothing above U+00FF, UTF-16 holds all.
 */
export function findUnencodable(text: string, encoding: TextEncoding): string | null {
  if (encoding === 'utf-8') return /\p{Surrogate}/u.exec(text)?.[0] ?? null;
  return encoding === 'latin-1' ? (/[\u{100}-\u{10ffff}]/u.exec(text)?.[0] ?? null) : null;
}

/** Contract: the caller asked `findUnencodable` first; what cannot be held is replaced here. */
export function encodeText(text: string, { encoding, bom }: EncodingInfo): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode(bom ? `\ufeff${text}` : text);
  if (encoding === 'latin-1') return Uint8Array.from(text, (character) => Math.min(character.charCodeAt(0), 0xff));
  const marked = bom ? `\ufeff${text}` : text;
  const bytes = new Uint8Array(marked.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < marked.length; index++) {
    view.setUint16(index * 2, marked.charCodeAt(index), encoding === 'utf-16le');
  }
  return bytes;
}

/** True if the bytes are valid UTF-8; with `isPrefix`, a character may be cut off at the end. */
export function isUtf8(bytes: Uint8Array, isPrefix = false): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    if (!isPrefix && bytes.length <= DECODE_CHUNK) {
      // Without `stream` Node has a way that is many times faster.
      decoder.decode(bytes);
      return true;
    }
    for (let start = 0; start < bytes.length; start += DECODE_CHUNK) {
      decoder.decode(bytes.subarray(start, start + DECODE_CHUNK), { stream: true });
    }
    if (!isPrefix) decoder.decode();
    return true;
  } catch {
    // A fatal decoder throws on invalid bytes and for nothing else.
    return false;
  }
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}

function utf16Mark(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (startsWith(bytes, [0xff, 0xfe])) return 'utf-16le';
  return startsWith(bytes, [0xfe, 0xff]) ? 'utf-16be' : null;
}

/** Unit by unit: TextDecoder would replace half pairs, and the bytes would not come back. */
function decodeUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const units = new Uint16Array(bytes.length >> 1);
  for (let index = 0; index < units.length; index++) units[index] = view.getUint16(index * 2, encoding === 'utf-16le');
  return fromUnits(units);
}

function fromUnits(units: Uint8Array | Uint16Array): string {
  let text = '';
  for (let start = 0; start < units.length; start += CHUNK) {
    text += String.fromCharCode(...units.subarray(start, start + CHUNK));
  }
  return text;
}
