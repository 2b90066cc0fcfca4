// What the API would say of one image or document, found before it is sent. One rule: each medium is looked into once.

import type { DocumentBlock, ImageBlock, TextBlock } from '../../../protocol/content.js';
import { isWholeImage, readImageHeader, readPdfFacts } from '../../../util/media-headers.js';
import { formatBytes, shorten, toWellFormed } from '../../../util/text.js';

export interface MediaFacts {
  /** Why the API would refuse it, whatever stands beside it; null if nothing speaks against it. */
  readonly problem: string | null;
  /** The type its bytes have, if that is another one than it says. */
  readonly actualType: string | null;
  /** Pixels; 0 if they are not known. */
  readonly width: number;
  readonly height: number;
  /** Pages of a PDF, 1 if it does not say; 0 for everything else. */
  readonly pages: number;
  /** What it takes in a request, characters. */
  readonly size: number;
}

export interface MediaInspector {
  /** Contract: the same answer for the same object, until it is refused; never throws, whatever a damaged history holds. */
  inspect(block: MediaBlock): MediaFacts;
  /** From here on there is a problem with it: the API said so. */
  refuse(block: MediaBlock, why: string): void;
  /** Tells which block of the history another one stands for, so that a refusal of the one is one of the other. */
  standsFor(sent: MediaBlock, stored: MediaBlock): void;
}

/** Limits of the Messages API for one medium. */
const MAX_IMAGE_SIDE = 8_000;
export const MAX_PDF_PAGES = 100;
const MAX_IMAGE_BYTES = 5 * 1_024 * 1_024;
/** All media of a request together, characters: a body may have 32 MB, and some of it is text. */
export const MAX_MEDIA_SIZE = 28 * 1_024 * 1_024;

const IMAGE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Characters of base64 decoded for the dimensions, as a JPEG may carry a thumbnail before them, and for the end. */
const HEAD_CHARACTERS = 256 * 1_024;
const TAIL_CHARACTERS = 64 * 1_024;

/** One per session: it remembers what it has looked into, and keeps nothing alive. */
export function createMediaInspector(): MediaInspector {
  const known = new WeakMap<object, MediaFacts>();
  const stored = new WeakMap<object, MediaBlock>();
  return {
    inspect(block) {
      const before = known.get(block);
      if (before !== undefined) return before;
      const facts = inspect(block);
      known.set(block, facts);
      return facts;
    },
    refuse(block, why) {
      known.set(stored.get(block) ?? block, refused(why));
    },
    standsFor: (sent, original) => void stored.set(sent, original),
  };
}

const PLAIN: MediaFacts = { problem: null, actualType: null, width: 0, height: 0, pages: 0, size: 0 };
const refused = (problem: string): MediaFacts => ({ ...PLAIN, problem });

function inspect(block: MediaBlock): MediaFacts {
  // The block may come from a damaged file, whatever its type says.
  const source = block.source as unknown as Record<string, unknown> | null | undefined;
  if (typeof source !== 'object' || source === null) return refused('it has no source');
  const { type, data, url } = source;
  const fields = Object.keys(source).sort().join();
  if (type === 'url') {
    const isAddress = fields === 'type,url' && typeof url === 'string' && /^https?:\/\//.test(url);
    return isAddress ? { ...PLAIN, pages: block.type === 'document' ? 1 : 0 } : refused('it has no address');
  }
  if (fields !== 'data,media_type,type' || typeof data !== 'string' || data === '') return refused('it has no data');
  const mediaType = String(source.media_type);
  if (block.type === 'document' && type === 'text') return inspectText(mediaType, data);
  if (type !== 'base64') return refused(`its source is ${String(type)}`);
  const isKnown = block.type === 'image' ? IMAGE_TYPES.includes(mediaType) : mediaType === 'application/pdf';
  if (!isKnown) return refused(`its type is ${mediaType}`);
  if (data.length % 4 !== 0 || !BASE64.test(data)) return refused('its data is not base64');
  return block.type === 'image' ? inspectImage(mediaType, data) : inspectPdf(data);
}

function inspectText(mediaType: string, data: string): MediaFacts {
  if (mediaType !== 'text/plain') return refused(`its type is ${mediaType}`);
  if (data.length > MAX_MEDIA_SIZE) return refused(`it is larger than ${formatBytes(MAX_MEDIA_SIZE)}`);
  return toWellFormed(data) === data ? { ...PLAIN, size: data.length } : refused('it is not valid text');
}

function inspectImage(declared: string, data: string): MediaFacts {
  const length = decodedLength(data);
  if (length > MAX_IMAGE_BYTES) return refused(`it is larger than ${formatBytes(MAX_IMAGE_BYTES)}`);
  const head = atob(data.slice(0, HEAD_CHARACTERS));
  const header = readImageHeader(head);
  if (header === null) return refused('its data is no image that can be read');
  const { mediaType } = header;
  if (!isWholeImage(mediaType, head, atob(data.slice(-TAIL_CHARACTERS)), length)) return refused('its end is missing');
  // Only a JPEG may say its size far behind its beginning.
  if (header.width === null && mediaType !== 'image/jpeg') return refused('its data is no image that can be read');
  if (header.width === 0 || header.height === 0) return refused('it has no pixels');
  const width = header.width ?? 0;
  const height = header.height ?? 0;
  if (Math.max(width, height) > MAX_IMAGE_SIDE)
    return refused(`it is ${width} x ${height} pixels, and at most ${MAX_IMAGE_SIDE} a side are taken`);
  return { ...PLAIN, actualType: mediaType === declared ? null : mediaType, width, height, size: data.length };
}

function inspectPdf(data: string): MediaFacts {
  if (data.length > MAX_MEDIA_SIZE)
    return refused(`it is larger than ${formatBytes((MAX_MEDIA_SIZE / 4) * 3)}, more than a request holds`);
  const { isPdf, isEncrypted, pages } = readPdfFacts(atob(data));
  if (!isPdf) return refused('its data is no PDF');
  if (isEncrypted) return refused('it is protected by a password');
  if (pages !== null && pages > MAX_PDF_PAGES)
    return refused(`it has ${pages} pages, and at most ${MAX_PDF_PAGES} are taken`);
  return { ...PLAIN, pages: pages ?? 1, size: data.length };
}

// The text that stands for an image or document that is not sent. One rule: it names what is gone, and why.

export type MediaBlock = ImageBlock | DocumentBlock;

/** @param why what follows the name, as "was left out: it is too large" */
export function mediaStub(media: MediaBlock, why: string): TextBlock {
  const kind = media.type === 'image' ? 'An image' : 'A document';
  const facts = describeMedia(media);
  return { type: 'text', text: `[${facts === '' ? kind : `${kind} (${facts})`} ${why}.]` };
}

/** Title or address, type and size: "plan.pdf, application/pdf, 2.1 MB"; empty if nothing is known. */
export function describeMedia(media: MediaBlock): string {
  const facts: string[] = [];
  if (media.type === 'document' && typeof media.title === 'string') facts.push(oneLine(media.title));
  // The block may come from a damaged file, whatever its type says.
  const source = media.source as unknown as Record<string, unknown> | null | undefined;
  if (typeof source !== 'object' || source === null) return facts.join(', ');
  if (source.type === 'url') return [...facts, oneLine(String(source.url))].join(', ');
  if (typeof source.media_type === 'string') facts.push(oneLine(source.media_type));
  if (typeof source.data === 'string') {
    facts.push(formatBytes(source.type === 'text' ? source.data.length : decodedLength(source.data)));
  }
  return facts.join(', ');
}

/** Bytes that base64 of that form stands for. */
function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

function oneLine(text: string): string {
  return toWellFormed(shorten(text.slice(0, 1_000), 120));
}
