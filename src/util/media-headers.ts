// What an image or a PDF says of itself: type, size, pages, whether its end is there. Looks at no pixel; the work is bounded by
// the length, whatever stands in it. Bytes are given as a string of one character each, which is what `atob` makes.

/** Of images that models take. */
export const IMAGE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

interface ImageHeader {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** Pixels; null if the header does not say within the bytes given. */
  readonly width: number | null;
  readonly height: number | null;
}

/** Null if the bytes begin like none of the four types that models take. */
export function readImageHeader(head: string): ImageHeader | null {
  if (head.startsWith('\x89PNG\r\n\x1a\n')) {
    return { mediaType: 'image/png', width: bigEndian(head, 16, 4), height: bigEndian(head, 20, 4) };
  }
  if (/^GIF8[79]a/.test(head)) {
    return { mediaType: 'image/gif', width: littleEndian(head, 6, 2), height: littleEndian(head, 8, 2) };
  }
  if (head.startsWith('\xff\xd8\xff')) return { mediaType: 'image/jpeg', ...jpegSize(head) };
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return { mediaType: 'image/webp', ...webpSize(head) };
  return null;
}

/**
 * True if the image ends as its type does. What cannot be told counts as whole.
 * @param tail the last bytes, as many as may stand behind the end of the image
 * @param length of the whole, bytes
 */
export function isWholeImage(mediaType: ImageHeader['mediaType'], head: string, tail: string, length: number): boolean {
  switch (mediaType) {
    case 'image/png':
      return tail.includes('IEND');
    case 'image/jpeg':
      return tail.includes('\xff\xd9');
    case 'image/gif':
      return tail.slice(-16).includes(';');
    case 'image/webp':
      return (littleEndian(head, 4, 4) ?? 0) + 8 <= length;
    default:
      return mediaType satisfies never;
  }
}

interface Size {
  readonly width: number | null;
  readonly height: number | null;
}

const UNKNOWN: Size = { width: null, height: null };

/** Goes from segment to segment up to the one that begins a frame, which holds the size. */
function jpegSize(bytes: string): Size {
  let at = 2;
  while (at + 9 <= bytes.length && bytes.charCodeAt(at) === 0xff) {
    const marker = bytes.charCodeAt(at + 1);
    if (isFrame(marker)) return { width: bigEndian(bytes, at + 7, 2), height: bigEndian(bytes, at + 5, 2) };
    at += marker === 0xff ? 1 : 2 + (bigEndian(bytes, at + 2, 2) ?? 0);
  }
  return UNKNOWN;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function webpSize(bytes: string): Size {
  const form = bytes.slice(12, 16);
  if (form === 'VP8X')
    return { width: plusOne(littleEndian(bytes, 24, 3)), height: plusOne(littleEndian(bytes, 27, 3)) };
  if (form === 'VP8L') {
    const bits = littleEndian(bytes, 21, 4);
    return bits === null ? UNKNOWN : { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (form !== 'VP8 ') return UNKNOWN;
  const width = littleEndian(bytes, 26, 2);
  const height = littleEndian(bytes, 28, 2);
  return width === null || height === null ? UNKNOWN : { width: width & 0x3fff, height: height & 0x3fff };
}

function plusOne(value: number | null): number | null {
  return value === null ? null : value + 1;
}

function bigEndian(bytes: string, at: number, count: number): number | null {
  if (at + count > bytes.length) return null;
  let value = 0;
  for (let i = 0; i < count; i++) value = value * 256 + bytes.charCodeAt(at + i);
  return value;
}

function littleEndian(bytes: string, at: number, count: number): number | null {
  if (at + count > bytes.length) return null;
  let value = 0;
  for (let i = count - 1; i >= 0; i--) value = value * 256 + bytes.charCodeAt(at + i);
  return value;
}

interface PdfFacts {
  readonly isPdf: boolean;
  readonly isEncrypted: boolean;
  /** Null if the page tree is compressed, and the file does not say elsewhere. */
  readonly pages: number | null;
}

/** A PDF may have this many bytes before its mark. */
const MAX_BEFORE_MARK = 1_024;
/** Page tree nodes looked at, and how far around the name of one its dictionary may reach, characters. */
const MAX_NODES = 200;
const MAX_DICTIONARY = 64 * 1_024;

/** @param bytes one character each */
export function readPdfFacts(bytes: string): PdfFacts {
  const isPdf = bytes.slice(0, MAX_BEFORE_MARK).includes('%PDF-');
  if (!isPdf) return { isPdf, isEncrypted: false, pages: null };
  return { isPdf, isEncrypted: /\/Encrypt\s*(?:\d|<<)/.test(bytes), pages: pagesSaid(bytes) ?? pagesOfTree(bytes) };
}

/** A file made for the web says its number of pages in its first object. */
function pagesSaid(bytes: string): number | null {
  const start = bytes.slice(0, MAX_BEFORE_MARK * 2);
  if (!start.includes('/Linearized')) return null;
  const match = /\/N\s+(\d{1,7})\b/.exec(start);
  return match === null ? null : Number(match[1]);
}

/** The root of the page tree counts all pages; of a file that was saved again, the largest node is the root. */
function pagesOfTree(bytes: string): number | null {
  let most: number | null = null;
  let at = -1;
  for (let node = 0; node < MAX_NODES; node++) {
    at = bytes.indexOf('/Pages', at + 1);
    if (at < 0) break;
    if (!/\/Type\s*$/.test(bytes.slice(Math.max(0, at - 20), at))) continue;
    const match = /\/Count\s+(\d{1,7})\b/.exec(dictionaryAround(bytes, at));
    if (match !== null) most = Math.max(most ?? 0, Number(match[1]));
  }
  return most;
}

function dictionaryAround(bytes: string, at: number): string {
  const before = bytes.slice(Math.max(0, at - MAX_DICTIONARY), at);
  const after = bytes.slice(at, at + MAX_DICTIONARY);
  const end = after.indexOf('>>');
  return before.slice(Math.max(0, before.lastIndexOf('<<'))) + (end < 0 ? after : after.slice(0, end));
}
