// Holds the media of a conversation to what one request takes: those that are too many become texts that name them.
// Looks at messages with media only, and only at new ones.
import type { MessageParam } from '../../../protocol/content.js';
import type { HistoryRepair } from '../../state/index.js';
import { mapBlocks, mapMedia } from '../map-blocks.js';
import {
  describeMedia,
  MAX_MEDIA_SIZE,
  MAX_PDF_PAGES,
  type MediaBlock,
  type MediaFacts,
  type MediaInspector,
  mediaStub,
} from './media-facts.js';

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

export interface MediaLimiter {
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
