// What a compaction must not lose, as texts to send along word for word. One rule: what always goes along is never left
// out for want of room; the rest fills the room that is left.
import { toWellFormed } from '../../util/text.js';
import type { TokenEstimator } from '../tokens/index.js';

/** Something that a compaction must not lose, whichever kind of compaction it is. */
export interface PinSource {
  /** `always`: whatever the room. `as_fits`: whole, in its order, while there is room; only beside a summary. */
  readonly keep: 'always' | 'as_fits';
  /**
   * The texts as they are now; each is sent as a block of its own. Asked at each compaction, and only then.
   * @param room for whoever would rather say less than take more than there is
   */
  read(room: PinRoom): Promise<readonly string[]> | readonly string[];
}

export interface PinRoom {
  readonly maxTokens: number;
  readonly estimator: TokenEstimator;
}

export interface PinLimits extends PinRoom {
  /** For all pins together. What does not fit is left out, but for what always goes along. */
  readonly maxTokens: number;
  /** What those are told of it that always go along. */
  readonly maxAlways: number;
}

/**
 * Contract: deterministic; each pin holds its text unchanged, as far as it is valid Unicode; none is cut. Those that
 * always go along stand first.
 */
export async function collectPins(sources: readonly PinSource[], limits: PinLimits): Promise<string[]> {
  const { maxTokens, maxAlways, estimator } = limits;
  const pins = await alwaysPinned(sources, { maxTokens: maxAlways, estimator });
  let room = maxTokens - pins.reduce((sum, pin) => sum + estimator.text(pin), 0);
  for (const source of sources) {
    if (source.keep !== 'as_fits' || room <= 0) continue;
    for (const text of await source.read({ maxTokens: room, estimator })) {
      if (room <= 0 || text.trim() === '' || text.length > room * MAX_CHARACTERS_PER_TOKEN) continue;
      const pin = toWellFormed(text);
      const tokens = estimator.text(pin);
      if (tokens > room) continue;
      pins.push(pin);
      room -= tokens;
    }
  }
  return pins;
}

/** Only what goes along whatever the room. */
export async function alwaysPinned(sources: readonly PinSource[], room: PinRoom): Promise<string[]> {
  const pins: string[] = [];
  for (const source of sources) {
    if (source.keep !== 'always') continue;
    for (const text of await source.read(room)) if (text.trim() !== '') pins.push(toWellFormed(text));
  }
  return pins;
}

/** A longer text than this cannot fit, however blank it is, so large files need no estimate. */
const MAX_CHARACTERS_PER_TOKEN = 10;
