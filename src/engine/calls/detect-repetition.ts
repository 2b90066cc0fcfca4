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
