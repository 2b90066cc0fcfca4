// Finds long words: unbroken runs of letters, digits, `_` and `-`. Most secrets are one, and ordinary text has few. It
// looks at about a quarter of the characters.

const LONG = 20;
const IS_WORD = charactersOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-');

export function hasLongRun(text: string): boolean {
  return someLongRun(text, () => true);
}

/** A table of characters below 128. */
function charactersOf(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

/**
 * True once `test` is, of the runs of at least 20 characters in order.
 * @param test gets the start of a run, and the place behind its last character
 */
export function someLongRun(text: string, test: (start: number, end: number) => boolean): boolean {
  return someRun(text, IS_WORD, LONG, test);
}

/** As `someLongRun`, of runs of at least `long` characters of a table. */
export function someRun(
  text: string,
  table: Uint8Array,
  long: number,
  test: (start: number, end: number) => boolean,
): boolean {
  const { length } = text;
  // Whatever run of that length ends behind this place has a character here: a step of as many misses none.
  let at = long - 1;
  while (at < length) {
    if (table[text.charCodeAt(at)] !== 1) {
      at += long;
      continue;
    }
    let start = at;
    while (start > 0 && table[text.charCodeAt(start - 1)] === 1) start -= 1;
    let end = at + 1;
    while (end < length && table[text.charCodeAt(end)] === 1) end += 1;
    if (end - start >= long && test(start, end)) return true;
    at = end + long;
  }
  return false;
}
