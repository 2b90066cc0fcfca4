// A regular expression of a JSON Schema in the form that holds with the flag `u`, with which schemas are checked. Many in
// use hold only without it. One rule: what is rewritten matches what it matched before.

/** The same pattern where it holds already; null where it is no regular expression of JavaScript at all. */
export function unicodePattern(pattern: string): string | null {
  if (isValid(pattern)) return pattern;
  const strict = rewrite(pattern);
  return isValid(strict) ? strict : null;
}

function isValid(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false; // this is the question
  }
}

/** Classes such as `\w`, which may stand beside a hyphen without the flag `u` and not with it. */
const SET = /^\\(?:[dDsSwW]|[pP]\{[^}]*\})/;
const QUANTIFIER = /^\{\d+(?:,\d*)?\}/;
/** An escape that means something with the flag. */
const ESCAPE =
  /^\\(?:[\^$\\.*+?()[\]{}|/dDsSwWbBnrtfv\d]|c[A-Za-z]|x[\da-fA-F]{2}|u(?:[\da-fA-F]{4}|\{[\da-fA-F]+\})|k<|[pP]\{)/;

function rewrite(pattern: string): string {
  let strict = '';
  let isInClass = false;
  let isAfterSet = false;
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at, at + MOST_AHEAD);
    const token = SET.exec(rest)?.[0] ?? ESCAPE.exec(rest)?.[0] ?? (isInClass ? null : QUANTIFIER.exec(rest)?.[0]);
    const first = rest.charAt(0);
    if (token != null && !(isInClass && token === '\\B')) strict += token;
    else if (first === '\\') strict += escaped(rest.charAt(1), isInClass);
    else if (isInClass && first === '-' && (isAfterSet || SET.test(rest.slice(1)))) strict += '\\-';
    else if (!isInClass && (first === ']' || first === '{' || first === '}')) strict += `\\${first}`;
    else strict += first;
    isAfterSet = SET.test(rest);
    if (first === '[') isInClass = true;
    else if (first === ']') isInClass = false;
    at += token?.length ?? (first === '\\' ? 2 : 1);
  }
  return strict;
}

/** Longer than any token. Characters. */
const MOST_AHEAD = 80;

/** A character behind a backslash that it does not need; `\c` without a letter is a backslash and a `c`. */
function escaped(character: string, isInClass: boolean): string {
  if (character === 'c') return '\\\\c';
  return character === '-' && isInClass ? '\\-' : character;
}
