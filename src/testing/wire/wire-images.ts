// Checks of one image source: the declared type, the base64, the bytes, the size, the dimensions, the end.
import { isRecord } from './wire-json.js';
import type { Report } from './wire-violation.js';

/** Media types the API takes. */
const IMAGE_MEDIA_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
/** Decoded bytes of one image. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** Images of one request. */
export const MAX_IMAGES = 100;
/** Longest side, pixels. */
export const MAX_IMAGE_SIDE = 8000;
/** Longest side once a request holds more than `MANY_IMAGES` images. */
export const MAX_IMAGE_SIDE_OF_MANY = 2000;
export const MANY_IMAGES = 20;

/** A whole PNG of one pixel, base64: the smallest image the validator takes. */
export const ONE_PIXEL_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Base64 characters decoded to look for the dimensions; a JPEG may carry a thumbnail before them. */
const HEADER_CHARACTERS = 256 * 1024;

/**
 * Checks `image.source`.
 * @returns the longest side in pixels; 0 if it is not known
 */
export function checkImageSource(source: unknown, path: string, report: Report): number {
  if (!isRecord(source)) {
    report('image_invalid', path, 'An image needs a source object');
    return 0;
  }
  if (source['type'] === 'url') {
    const url = source['url'];
    if (typeof url !== 'string' || !/^https?:\/\//.test(url))
      report('image_invalid', `${path}.url`, 'Not an http(s) URL');
    return 0;
  }
  if (source['type'] !== 'base64') {
    report('image_invalid', `${path}.type`, `Unknown image source type ${JSON.stringify(source['type'])}`);
    return 0;
  }
  const mediaType = source['media_type'];
  if (typeof mediaType !== 'string' || !IMAGE_MEDIA_TYPES.includes(mediaType)) {
    report('image_invalid', `${path}.media_type`, `Media type must be one of ${IMAGE_MEDIA_TYPES.join(', ')}`);
    return 0;
  }
  const data = source['data'];
  if (!checkBase64(data)) {
    report('image_invalid', `${path}.data`, 'Not valid base64');
    return 0;
  }
  if (decodedLength(data) > MAX_IMAGE_BYTES) {
    report('image_too_large', `${path}.data`, `Image exceeds 5 MB maximum: ${decodedLength(data)} bytes`);
  }
  return checkImageBytes(data, mediaType, path, report);
}

/** True for non-empty standard base64 with its padding, without line breaks. */
export function checkBase64(data: unknown): data is string {
  if (typeof data !== 'string' || data === '' || data.length % 4 !== 0) return false;
  const body = data.endsWith('==') ? data.length - 2 : data.endsWith('=') ? data.length - 1 : data.length;
  return data.slice(0, body).search(/[^A-Za-z0-9+/]/) === -1;
}

function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

interface ImageHeader {
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

function checkImageBytes(data: string, mediaType: string, path: string, report: Report): number {
  const header = readImageHeader(Buffer.from(data.slice(0, HEADER_CHARACTERS), 'base64'));
  if (header === undefined) {
    report('image_unreadable', `${path}.data`, 'Could not process image: the bytes are not PNG, JPEG, GIF or WebP');
    return 0;
  }
  if (header.mediaType !== mediaType) {
    report('image_type_mismatch', `${path}.media_type`, `Declared ${mediaType}, but the bytes are ${header.mediaType}`);
  }
  if (!hasEnd(header.mediaType, Buffer.from(data, 'base64')))
    report('image_unreadable', `${path}.data`, 'Could not process image: its end is missing');
  return Math.max(header.width, header.height);
}

function readImageHeader(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47 && bytes.readUInt32BE(4) === 0x0d0a1a0a) {
    return { mediaType: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.length >= 10 && /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) {
    return { mediaType: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (bytes.length >= 3 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return readJpegHeader(bytes);
  if (bytes.length >= 25 && bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') {
    return readWebpHeader(bytes);
  }
  return undefined;
}

/** A decoder reads to the end of the image, so a file that was cut is refused. */
function hasEnd(mediaType: string, bytes: Buffer): boolean {
  if (mediaType === 'image/png') return bytes.lastIndexOf('IEND') !== -1;
  if (mediaType === 'image/jpeg') return bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) !== -1;
  if (mediaType === 'image/gif') return bytes.subarray(-16).includes(0x3b);
  return bytes.readUInt32LE(4) + 8 <= bytes.length;
}

/** Walks the segments to the start of frame, which holds the dimensions. */
function readJpegHeader(bytes: Buffer): ImageHeader {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      return { mediaType: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return { mediaType: 'image/jpeg', width: 0, height: 0 };
}

function readWebpHeader(bytes: Buffer): ImageHeader | undefined {
  const mediaType = 'image/webp';
  const form = bytes.toString('latin1', 12, 16);
  // The lossless form is the only one whose smallest images are shorter than this.
  if (form !== 'VP8L' && bytes.length < 30) return undefined;
  if (form === 'VP8X') return { mediaType, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (form === 'VP8L') {
    const bits = bytes.readUInt32LE(21);
    return { mediaType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return { mediaType, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}
