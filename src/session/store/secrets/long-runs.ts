// Finds long words: unbroken runs of letters, digits, `_` and `-`. Most secrets are one, and ordinary text has few. It
// looks at about a quarter of the characters.

const LONG = 20;
const IS_WORD = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-') {
  IS_WORD[character.charCodeAt(0)] = 1;
}

/** False where a text is too short to have one. */
export function isLong(text: string): boolean {
  return text.length >= LONG;
}

export function hasLongRun(text: string): boolean {
  return someLongRun(text, () => true);
}

/**
 * True once `test` is, of the runs of at least 20 characters in order.
 * @param test gets where a run starts, and the place behind its last character
 */
export function someLongRun(text: string, test: (start: number, end: number) => boolean): boolean {
  const { length } = text;
  // Whatever run of 20 ends behind this place has a character here: a step of 20 misses none.
  let at = LONG - 1;
  while (at < length) {
    if (IS_WORD[text.charCodeAt(at)] !== 1) {
      at += LONG;
      continue;
    }
    let start = at;
    while (start > 0 && IS_WORD[text.charCodeAt(start - 1)] === 1) start -= 1;
    let end = at + 1;
    while (end < length && IS_WORD[text.charCodeAt(end)] === 1) end += 1;
    if (end - start >= LONG && test(start, end)) return true;
    at = end + LONG;
  }
  return false;
}
