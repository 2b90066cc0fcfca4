// Cuts texts in the middle until a conversation fits. One rule: the longest are cut first, all to the same level, so
// that no short text pays for a long one.
import type { ContentBlock, MessageParam } from '../../protocol/content.js';
import { mapBlocks, mapMedia, mapTexts, mediaStub } from '../history/index.js';
import { formatCount } from '../state/index.js';
import type { TokenEstimator } from '../tokens/index.js';

/** No text is cut to less. Tokens. */
const MIN_LEVEL = 60;
/** Attempts to reach the target: cutting to whole characters and the marks themselves make the first one inexact. */
const MAX_ATTEMPTS = 5;

/**
 * `messages` with the longest texts cut, or null if even that does not reach the target.
 * @param mayCut chooses the blocks whose texts may be cut
 */
export function cutLongestTexts(
  messages: readonly MessageParam[],
  targetTokens: number,
  estimator: TokenEstimator,
  mayCut: (message: MessageParam, block: ContentBlock) => boolean,
): readonly MessageParam[] | null {
  let excess = estimator.messages(messages) - targetTokens;
  if (excess <= 0) return messages;
  const sizes = collectSizes(messages, estimator, mayCut);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let room = total - excess;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const level = levelFor(sizes, room);
    if (level < MIN_LEVEL) return null;
    const cut = mapBlocks(messages, (block, message) =>
      mayCut(message, block) ? mapTexts(block, (text) => cutMiddle(text, level, estimator)) : block,
    );
    excess = estimator.messages(cut) - targetTokens;
    if (excess <= 0) return cut;
    room -= excess + 1;
  }
  return null;
}

function collectSizes(
  messages: readonly MessageParam[],
  estimator: TokenEstimator,
  mayCut: (message: MessageParam, block: ContentBlock) => boolean,
): number[] {
  const sizes: number[] = [];
  mapBlocks(messages, (block, message) => {
    if (!mayCut(message, block)) return block;
    return mapTexts(block, (text) => {
      sizes.push(estimator.text(text));
      return text;
    });
  });
  return sizes.sort((a, b) => a - b);
}

/** The largest level such that all sizes, each at most the level, sum up to the room. `sizes` is sorted. */
function levelFor(sizes: readonly number[], room: number): number {
  let left = room;
  for (const [index, size] of sizes.entries()) {
    const share = left / (sizes.length - index);
    if (size > share) return Math.floor(share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** `text` of at most `maxTokens`, both its ends kept and a mark between them; the same text if it is short enough. */
function cutMiddle(text: string, maxTokens: number, estimator: TokenEstimator): string {
  let tokens = estimator.text(text);
  if (tokens <= maxTokens) return text;
  const room = Math.max(0, maxTokens - estimator.text(markOf(text.length)));
  let kept = text.length;
  let cut = text;
  // The ends may be denser than the whole, so the outcome is measured and the rest cut again.
  for (let attempt = 0; attempt < MAX_ATTEMPTS && tokens > maxTokens; attempt++) {
    const ratio = attempt === 0 ? room / tokens : (0.9 * maxTokens) / tokens;
    kept = Math.floor(kept * ratio);
    cut = keepEnds(text, Math.ceil(kept / 2), Math.floor(kept / 2));
    tokens = estimator.text(cut);
  }
  return cut;
}

/** The first `head` and the last `tail` characters, a mark between them; the same text if they are all of it. */
export function keepEnds(text: string, head: number, tail: number): string {
  if (text.length <= head + tail) return text;
  const headEnd = endOfCharacter(text, head);
  const tailStart = endOfCharacter(text, text.length - tail);
  return text.slice(0, headEnd) + markOf(tailStart - headEnd) + text.slice(tailStart);
}

function markOf(removed: number): string {
  return `\n[... ${formatCount(removed)} characters were removed here to save space ...]\n`;
}

/** `at`, or one less if it would part a surrogate pair. */
function endOfCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

// Replaces images and documents by a text that names them. One rule: the model is told what it no longer sees.

interface MediaDropped {
  /** The same array if there was nothing to drop. Untouched messages keep their identity. */
  readonly messages: readonly MessageParam[];
  readonly dropped: number;
}

/** Drops all media of the messages that `mayDrop` chooses, also from tool results. */
export function dropMedia(
  messages: readonly MessageParam[],
  mayDrop: (message: MessageParam, index: number) => boolean,
): MediaDropped {
  let dropped = 0;
  const mapped = mapBlocks(messages, (block, message, index) => {
    if (!mayDrop(message, index)) return block;
    return mapMedia(block, (media) => {
      dropped++;
      return mediaStub(media, 'was removed to save space. Ask for it, or read it, again if needed');
    });
  });
  return { messages: mapped, dropped };
}
