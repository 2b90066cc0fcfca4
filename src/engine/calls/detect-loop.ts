import { type CallTrace, LOOP_HEADER, type TracedCall } from '../state/index.js';

export type LoopVerdict =
  | { readonly kind: 'none' }
  /** Tell the model, with this text. */
  | { readonly kind: 'nudge'; readonly text: string }
  | { readonly kind: 'stop'; readonly text: string };

/** Repeats of a cycle after which the model is told, and after which the prompt ends. */
const NUDGE_AFTER = 3;
const STOP_AFTER = 6;
/** Cycles up to this many calls are looked for. */
const LONGEST_CYCLE = 6;
const KEPT_KEYS = LONGEST_CYCLE * STOP_AFTER;
/** A call that takes this long is waiting for something; asking again later is what it is for. */
const WAITING_MS = 1_500;

/** Adds calls to the trace and says what they show. Pure. */
export function traceCalls(
  trace: CallTrace,
  calls: readonly TracedCall[],
): { readonly trace: CallTrace; readonly verdict: LoopVerdict } {
  // A call that waits breaks every cycle: its key is never seen again. The calls of one reply are sorted, as a model may
  // name them in another order each time.
  const fresh = calls
    .map((traced, index) => {
      const isWaiting = traced.polls || traced.durationMs >= WAITING_MS;
      return isWaiting ? `waited ${trace.keys.length + index} ${traced.call.id}` : keyOf(traced);
    })
    .sort();
  const keys = [...trace.keys, ...fresh].slice(-KEPT_KEYS);
  const found = longestRepeat(keys);
  if (found === null || found.repeats < NUDGE_AFTER) return { trace: { keys, nudges: 0 }, verdict: { kind: 'none' } };

  const last = calls.at(-1);
  const what = found.length === 1 ? ` of ${last?.call.name ?? 'a tool'}` : `s, ${found.length} in turn,`;
  const seen = `${LOOP_HEADER}${what} ${found.repeats} times in a row, with the same result each time.`;
  if (trace.nudges > 0) {
    const verdict: LoopVerdict = found.repeats >= STOP_AFTER ? { kind: 'stop', text: seen } : { kind: 'none' };
    return { trace: { keys, nudges: trace.nudges }, verdict };
  }
  const text = `${seen} Repeating it will not help. Try something else, or say what keeps you from going on. If you are waiting for something, let one call wait until it is there.`;
  return { trace: { keys, nudges: trace.nudges + 1 }, verdict: { kind: 'nudge', text } };
}

/** The shortest cycle at the end of `keys` that repeats most often. */
function longestRepeat(keys: readonly string[]): { readonly length: number; readonly repeats: number } | null {
  let best: { length: number; repeats: number } | null = null;
  for (let length = 1; length <= LONGEST_CYCLE; length++) {
    let matched = 0;
    while (
      matched + length < keys.length &&
      keys[keys.length - 1 - matched] === keys[keys.length - 1 - matched - length]
    )
      matched++;
    const repeats = Math.floor(matched / length) + 1;
    if (best === null || repeats > best.repeats) best = { length, repeats };
  }
  return best;
}

function keyOf({ call, result }: TracedCall): string {
  return `${call.name} ${hash(canonical(call.input))} ${hash(JSON.stringify(result.content))}${result.is_error ? ' !' : ''}`;
}

/** JSON with sorted keys, so that the order in which a model names its arguments does not matter. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join()}}`;
}

/** 53 bits, not for security: two different results must only be unlikely to look the same. */
function hash(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return `${(high >>> 0).toString(36)}${(low >>> 0).toString(36)}`;
}

// Notices a text that only repeats itself: a model that lost its thread says the same until the output limit ends it.
// Looks at the end of the text alone.

/** What repeats at the end of a text. */

export interface Repetition {
  readonly passage: string;
  readonly times: number;
}

/** How much of the end is looked at, the longest passage, how often it must come, and over how much text. Characters. */
const WINDOW = 4_000;
const LONGEST = 400;
const TIMES = 6;
const SHORTEST_RUN = 600;

/**
 * The shortest passage of which the end of the text consists, or null if it does not repeat. Pure.
 * A run of one sign (a ruler, a row of blanks) is one too, once it is long.
 */
export function findRepetition(text: string): Repetition | null {
  const end = text.slice(-WINDOW);
  for (let length = 1; length <= Math.min(LONGEST, Math.floor(end.length / TIMES)); length++) {
    const run = runOf(end, length);
    if (run >= Math.max(SHORTEST_RUN, length * TIMES)) {
      return { passage: end.slice(-length), times: Math.floor(run / length) };
    }
  }
  return null;
}

/** Signs at the end that are the same as those `length` before them, and the first `length` of them. */
function runOf(text: string, length: number): number {
  let same = 0;
  let at = text.length - 1;
  while (at - length >= 0 && text.charCodeAt(at) === text.charCodeAt(at - length)) {
    same++;
    at--;
  }
  return same === 0 ? 0 : same + length;
}
