// The text that rules about commands are held against. One rule: a sign of a quoted word never looks like a sign that
// means something to the shell, so that a rule cannot match other words than those it spells.

/** Signs that only a quoted or escaped word can hold; they are written with a backslash in front. */
const SPECIAL = /[\s\\$`'";&|<>()*]/g;
const HAS_SPECIAL = /[\s\\$`'";&|<>()*]/;

/** One word after quote removal, in the form that rules are held against: `a b` becomes `a\ b`. */
export function escapeWord(value: string): string {
  if (value === '') return "''";
  return HAS_SPECIAL.test(value) ? value.replace(SPECIAL, '\\$&') : value;
}

/** A word that is not static, as written, in one piece: what stands in it cannot pass for another word. */
export function escapeSpaces(text: string): string {
  return text.replace(/\s/g, '\\$&');
}

/** Stands in the text of a run for what may be anything, so that no rule spells it. */
export const UNSPELLED = '\0';

/** What stands between the wildcards of a pattern, and how the last piece ends. */
export interface TextPattern {
  readonly pieces: readonly string[];
  /** True if the last piece is followed by the end of the text or a blank and anything. */
  readonly openEnd: boolean;
}

/**
 * True if the whole text is the pieces in their order with anything between them.
 * Contract: time grows with the length of the text times the number of pieces, never faster.
 */
export function matchesText({ pieces, openEnd }: TextPattern, text: string): boolean {
  const first = pieces[0] ?? '';
  if (pieces.length === 1) return text === first || (openEnd && startsWithWord(text, first));
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (let next = 1; next < pieces.length - 1; next++) {
    const piece = pieces[next] as string;
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  const last = pieces.at(-1) ?? '';
  if (text.length - last.length >= at && text.endsWith(last)) return true;
  return openEnd && text.indexOf(`${last} `, at) !== -1;
}

/** True if the text is the word or begins with it and a blank. */
function startsWithWord(text: string, word: string): boolean {
  return text.startsWith(word) && text[word.length] === ' ';
}
