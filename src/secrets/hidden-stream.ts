// Hides secrets in a text that comes in pieces. Rule: what a secret may still continue waits, up to a limit: a line that
// is not ended, a private key without its last line, lines of base64.
import type { HiddenStream } from './secret-vault.js';

/** Characters that wait at most. */
const MOST = 64 * 1024;
const PEM_BEGIN = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const PEM_END = /-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const LONGEST_KEY = 16 * 1024;
/** A line of base64 that goes on in the next. */
const BASE64_LINE = /^[A-Za-z0-9+/_-]{60,}\r?$/;

export function createHiddenStream(hide: (text: string) => Promise<string>): HiddenStream {
  let waiting = '';
  return {
    async push(text) {
      waiting += text;
      const cut = waiting.length > MOST ? lastGap(waiting) : safeCut(waiting);
      if (cut === 0) return '';
      const ready = waiting.slice(0, cut);
      waiting = waiting.slice(cut);
      return hide(ready);
    },
    async end() {
      const rest = waiting;
      waiting = '';
      return rest === '' ? '' : hide(rest);
    },
  };
}

/** Where the text can be parted so that no secret is. */
function safeCut(text: string): number {
  let cut = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
  while (cut > 0) {
    const start = text.lastIndexOf('\n', cut - 2) + 1;
    if (!BASE64_LINE.test(text.slice(start, cut - 1))) break;
    cut = start;
  }
  const begun = lastIndexOf(PEM_BEGIN, text.slice(0, cut));
  const isOpen = begun !== -1 && lastIndexOf(PEM_END, text.slice(0, cut)) < begun;
  return isOpen && cut - begun < LONGEST_KEY ? begun : cut;
}

/** Too much waits: the last place between words. All of it where there is none, for then it is no secret. */
function lastGap(text: string): number {
  const line = safeCut(text);
  if (line > text.length / 2) return line;
  const gap = /[^A-Za-z0-9+/=_.-](?=[A-Za-z0-9+/=_.-]{0,4000}$)/.exec(text.slice(-4_001));
  return gap === null ? text.length : text.length - Math.min(4_001, text.length) + gap.index + 1;
}

function lastIndexOf(pattern: RegExp, text: string): number {
  let last = -1;
  for (const { index } of text.matchAll(pattern)) last = index;
  return last;
}
