// Holds the media of a conversation to what one request takes: those that are too many become texts that name them.
// Looks at messages with media only, and only at new ones.
import type { MessageParam } from '../../../protocol/content.js';
import type { HistoryRepair } from '../../state/index.js';
import { mapBlocks, mapMedia } from '../map-blocks.js';
import { MAX_MEDIA_SIZE, MAX_PDF_PAGES, type MediaInspector } from './media-facts.js';
import { type MediaLimits, planMedia } from './media-limits.js';
import { describeMedia, type MediaBlock, mediaStub } from './media-stub.js';

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
