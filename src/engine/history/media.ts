// Images and documents of a conversation: what the API would say of each, found before it is sent, and those that are too many
// for one request as texts that name them. One rule: each is looked into once, and messages without any cost nothing.
import type { DocumentBlock, ImageBlock, MessageParam, TextBlock } from '../../protocol/content.js';
import { IMAGE_TYPES, isWholeImage, readImageHeader, readPdfFacts } from '../../util/media-headers.js';
import { formatBytes, shorten, toWellFormed } from '../../util/text.js';
import type { HistoryRepair } from '../state/index.js';
import { mapBlocks, mapMedia } from './walk-history.js';

/** Limits of the Messages API for one medium. */
const MAX_IMAGE_SIDE = 8_000;
const MAX_PDF_PAGES = 100;
const MAX_IMAGE_BYTES = 5 * 1_024 * 1_024;
/** All media of a request together, characters: a body may have 32 MB, and some of it is text. */
const MAX_MEDIA_SIZE = 28 * 1_024 * 1_024;

// Which images and documents of a conversation one request can hold. Pure. One rule: the oldest go first, and several
// at once, so that a prompt cache that holds the rest is not lost with every new screenshot.

/** Limits of the Messages API for all media of a request. */
export interface MediaLimits {
  readonly images: number;
  /** Images from which on each may have at most `sideOfMany` pixels a side. */
  readonly many: number;
  readonly sideOfMany: number;
  readonly pages: number;
  /** Characters. */
  readonly size: number;
}

export interface MediaItem extends Pick<MediaFacts, 'width' | 'height' | 'pages' | 'size'> {
  readonly type: 'image' | 'document';
}

/** What goes when a limit is passed: so much at once. */
const STEP_SHARE = 0.2;
/** If many images are a problem because some are large, half of those that may stay go. */
const STEP_SHARE_OF_MANY = 0.5;

/**
 * For each medium, oldest first, why it cannot be sent; null if it can.
 * Contract: depends on the items alone, not on earlier plans; of what it leaves, it would drop nothing more.
 */
export function planMedia(items: readonly MediaItem[], limits: MediaLimits): (string | null)[] {
  const plan: (string | null)[] = items.map(() => null);
  planImages(items, limits, plan);
  const kept = (chosen: (item: MediaItem) => boolean) =>
    items.flatMap((item, index) => (plan[index] === null && chosen(item) ? [index] : []));
  dropOldest(
    kept((item) => item.pages > 0),
    (index) => items[index]?.pages ?? 0,
    { limit: limits.pages, step: limits.pages * STEP_SHARE },
    `a request takes at most ${limits.pages} pages of documents, and newer ones are kept`,
    plan,
  );
  dropOldest(
    kept(() => true),
    (index) => items[index]?.size ?? 0,
    { limit: limits.size, step: limits.size * STEP_SHARE },
    'a request cannot hold as much data, and newer media are kept',
    plan,
  );
  return plan;
}

function planImages(items: readonly MediaItem[], limits: MediaLimits, plan: (string | null)[]): void {
  const images = items.flatMap((item, index) => (item.type === 'image' ? [index] : []));
  const isLarge = (index: number) => sideOf(items[index]) > limits.sideOfMany;
  const newestLarge = images.findLastIndex(isLarge);
  const one = () => 1;
  if (images.length > limits.many && newestLarge >= 0) {
    const step = limits.many * STEP_SHARE_OF_MANY;
    // A large image among the newest is what the work is about: the number goes down, so that it may stay.
    if (images.length - newestLarge <= step) {
      const why = `with an image of more than ${limits.sideOfMany} pixels a side a request takes at most ${limits.many} images, and newer ones are kept`;
      dropOldest(images, one, { limit: limits.many, step }, why, plan);
      return;
    }
    for (const index of images.filter(isLarge)) {
      const { width = 0, height = 0 } = items[index] ?? {};
      plan[index] =
        `it is ${width} x ${height} pixels, and with more than ${limits.many} images at most ${limits.sideOfMany} a side are taken`;
    }
  }
  const rest = images.filter((index) => plan[index] === null);
  const why = `a request takes at most ${limits.images} images, and newer ones are kept`;
  dropOldest(rest, one, { limit: limits.images, step: limits.images * STEP_SHARE }, why, plan);
}

/**
 * Plans that the first of `indexes` go until the rest is within the limit, and on to the next whole step, so that the
 * next one that comes does not move the boundary again. The very last goes only if it alone is too much.
 */
function dropOldest(
  indexes: readonly number[],
  sizeOf: (index: number) => number,
  { limit, step }: { readonly limit: number; readonly step: number },
  why: string,
  plan: (string | null)[],
): void {
  const total = indexes.reduce((sum, index) => sum + sizeOf(index), 0);
  if (total <= limit) return;
  const boundary = Math.ceil((total - limit) / step) * step;
  let dropped = 0;
  for (const [at, index] of indexes.entries()) {
    const isNeeded = total - dropped > limit;
    if (!isNeeded && (dropped + sizeOf(index) > boundary || at === indexes.length - 1)) return;
    plan[index] = why;
    dropped += sizeOf(index);
  }
}

function sideOf(item: MediaItem | undefined): number {
  return Math.max(item?.width ?? 0, item?.height ?? 0);
}

/** A prepared message with media, and its place among the prepared ones. */
export interface MediaMessage {
  readonly index: number;
  readonly message: MessageParam;
  readonly media: readonly MediaBlock[];
}

const REQUEST_LIMITS: MediaLimits = {
  images: 100,
  many: 20,
  sideOfMany: 2_000,
  pages: MAX_PDF_PAGES,
  size: MAX_MEDIA_SIZE,
};

/** The messages from `from` on that hold media. */
export function findMedia(messages: readonly MessageParam[], from: number): MediaMessage[] {
  const found: MediaMessage[] = [];
  for (let index = from; index < messages.length; index++) {
    const message = messages[index];
    if (message?.role !== 'user' || typeof message.content === 'string') continue;
    const media: MediaBlock[] = [];
    for (const block of message.content) {
      mapMedia(block, (one) => {
        media.push(one);
        return one;
      });
    }
    if (media.length > 0) found.push({ index, message, media });
  }
  return found;
}

interface MediaLimiter {
  /**
   * Puts the messages that have to be other ones into `prepared`, at their places.
   * Contract: a message is made once, and found again as long as it loses the same media.
   */
  limit(prepared: MessageParam[], found: readonly MediaMessage[], repairs: HistoryRepair[]): void;
}

/** One per session. It keeps nothing alive. */
export function createMediaLimiter(inspector: MediaInspector): MediaLimiter {
  const made = new WeakMap<MessageParam, { readonly key: string; readonly message: MessageParam }>();
  return {
    limit(prepared, found, repairs) {
      if (found.length === 0) return;
      const items = found.flatMap(({ media }) =>
        media.map((block) => ({ type: block.type, ...inspector.inspect(block) })),
      );
      const plan = planMedia(items, REQUEST_LIMITS);
      let at = 0;
      for (const { index, message, media } of found) {
        const first = at;
        at += media.length;
        const whys = plan.slice(first, at);
        const key = whys.join('\n');
        if (whys.every((why) => why === null)) continue;
        for (const [place, why] of whys.entries()) {
          const block = media[place];
          // Its number tells it from another one of the same size, and does not change while the conversation grows.
          if (why !== null && block !== undefined)
            repairs.push({
              kind: 'media_removed',
              detail: `${block.type} ${first + place + 1} (${describeMedia(block)}): ${why}`,
            });
        }
        const known = made.get(message);
        const limited = known?.key === key ? known.message : withoutMedia(message, whys);
        made.set(message, { key, message: limited });
        prepared[index] = limited;
      }
    },
  };
}

function withoutMedia(message: MessageParam, whys: readonly (string | null)[]): MessageParam {
  let place = 0;
  const [limited = message] = mapBlocks([message], (block) =>
    mapMedia(block, (media) => {
      const why = whys[place++] ?? null;
      return why === null ? media : mediaStub(media, `was left out: ${why}`);
    }),
  );
  return limited;
}

interface MediaFacts {
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
