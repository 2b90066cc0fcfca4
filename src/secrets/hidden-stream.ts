// Hides secrets in a text that comes in pieces. Rule: what a secret may still continue waits, up to a limit: a line that
// is not ended, a key without its last line, lines of base64; and beyond the limit it is parted if no secret is.
import type { HiddenStream } from './secret-vault.js';

/** Characters that wait at most. */
const MOST = 64 * 1024;
/** A place to part a text is made sure of by as much before and behind it: longer than any secret but a key. */
const AROUND = 1_024;
/** Places that are tried. */
const TRIES = 24;
const BETWEEN_TRIES = 1_024;
const KEY_BEGIN = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-Lines: /g;
const KEY_END = /-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: /g;
const LONGEST_KEY = 16 * 1024;
/** A line of base64 that goes on in the next. */
const BASE64_LINE = /^[A-Za-z0-9+/_-]{60,}\r?$/;
/** At the end of a text: it may be the first part of a secret. */
const BEGUN_WORD = /\S{12,}$/;
/** A place between words. */
const GAP = /[^A-Za-z0-9+/=_.-]/;

interface StreamFinder {
  hide(text: string): Promise<string> | string;
  /** The text with a mark in each secret's place, of which nothing is remembered. */
  mark(text: string): string;
  /** What is known to be secret and goes over several lines. */
  values(): readonly string[];
}

export function createHiddenStream({ hide, mark, values }: StreamFinder): HiddenStream {
  const severalLines = values();
  let waiting = '';

  const parts = (text: string, at: number): boolean => {
    const before = text.slice(Math.max(0, at - AROUND), at);
    const behind = text.slice(at, at + AROUND);
    return mark(before + behind) === mark(before) + mark(behind);
  };
  /** Too much waits. */
  const farCut = (text: string): number => {
    const line = safeCut(text, severalLines);
    if (line > text.length / 2 && parts(text, line)) return line;
    let last = text.length;
    for (let turn = 1; turn <= TRIES; turn++) {
      const at = gapBefore(text, text.length - turn * BETWEEN_TRIES);
      if (at < text.length / 4) break;
      if (last === text.length) last = at;
      if (parts(text, at)) return at;
    }
    return last;
  };

  return {
    async push(text) {
      waiting += text;
      const cut = waiting.length > MOST ? farCut(waiting) : safeCut(waiting, severalLines);
      if (cut === 0) return '';
      const ready = waiting.slice(0, cut);
      waiting = waiting.slice(cut);
      return hide(ready);
    },
    line: () => (waiting.includes('\n') || BEGUN_WORD.test(waiting) || mark(waiting) !== waiting ? '' : waiting),
    async end() {
      const rest = waiting;
      waiting = '';
      return rest === '' ? '' : hide(rest);
    },
  };
}

/** Where the text can be parted so that no secret is. */
function safeCut(text: string, severalLines: readonly string[]): number {
  let cut = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
  while (cut > 0) {
    const start = text.lastIndexOf('\n', cut - 2) + 1;
    if (!BASE64_LINE.test(text.slice(start, cut - 1))) break;
    cut = start;
  }
  const begun = lastIndexOf(KEY_BEGIN, text.slice(0, cut));
  const isOpen = begun !== -1 && lastIndexOf(KEY_END, text.slice(0, cut)) < begun;
  if (isOpen && cut - begun < LONGEST_KEY) cut = begun;
  for (const value of severalLines) {
    const at = text.lastIndexOf(value.slice(0, value.indexOf('\n') + 1), cut);
    if (at !== -1 && at < cut && cut < at + value.length && value.startsWith(text.slice(at, cut))) cut = at;
  }
  return cut;
}

/** The last place between words before `end`; `end` if there is none near, but in no character. */
function gapBefore(text: string, end: number): number {
  const least = Math.max(0, end - BETWEEN_TRIES);
  let at = end;
  while (at > least && !GAP.test(text[at - 1] ?? '')) at -= 1;
  const place = at === least ? end : at;
  return /[\uD800-\uDBFF]/.test(text[place - 1] ?? '') ? place - 1 : place;
}

function lastIndexOf(pattern: RegExp, text: string): number {
  let last = -1;
  for (const { index } of text.matchAll(pattern)) last = index;
  return last;
}
