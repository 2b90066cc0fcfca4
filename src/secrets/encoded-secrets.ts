// Finds secrets in what a text holds as base64: `kubectl get secret`, a header, a file that went through `base64`.

import type { SecretFinder, Stand } from './find-secrets.js';
import { IS_BASE64, someEncodedText } from './hints.js';

export interface EncodedFinder {
  /** False if the text surely has none. */
  suspects(text: string): boolean;
  /** The text with what `stand` gives in place of each run of base64 that holds one. */
  redact(text: string, stand: Stand): string;
}

/** Shorter texts are looked for only if they are known. */
const SHORTEST_BYTES = 18;
/** A line that long may go on in the next one. */
const SHORTEST_LINE = 60;
/** To the next line of the same base64; a tool may have numbered it. */
const NEXT_LINE = /\r?\n(?: {0,8}[0-9]{1,7}\t)?/y;
/** Nobody knows which of four characters the encoded text begins with, as words may stand right before it. */
const ALIGNMENTS = [0, 1, 2, 3];

/**
 * @param values what is known to be secret, each with its kind
 * @param isMarked tells of what the finder does not suspect
 */
export function createEncodedFinder(
  finder: SecretFinder,
  values: ReadonlyMap<string, string>,
  isMarked: (text: string) => boolean,
): EncodedFinder {
  const short = formsOfShort(values);
  const isSuspect = (text: string): boolean => finder.suspects(text) || isMarked(text);
  /** The kind of the first secret within; null if there is none. */
  const kindWithin = (data: string): string | null => {
    for (const from of ALIGNMENTS) {
      const decoded = Buffer.from(data.slice(from), 'base64').toString('latin1');
      if (!isSuspect(decoded)) continue;
      let found: string | null = null;
      finder.redact(decoded, (kind) => {
        found ??= kind;
        return '';
      });
      if (found !== null) return found;
    }
    return null;
  };

  return {
    suspects: (text) =>
      short.some(({ form }) => text.includes(form)) ||
      someBlock(text, ({ data }) =>
        ALIGNMENTS.some((from) => isSuspect(Buffer.from(data.slice(from), 'base64').toString('latin1'))),
      ),
    redact(given, stand) {
      const text = redactShort(given, short, stand);
      let clean = '';
      let copied = 0;
      someBlock(text, ({ start, end, data }) => {
        const kind = kindWithin(data);
        if (kind === null) return false;
        clean += text.slice(copied, start) + stand(encodedKind(kind), text.slice(start, end));
        copied = end;
        return false;
      });
      return clean + text.slice(copied);
    },
  };
}

interface ShortForm {
  readonly form: string;
  readonly kind: string;
}

/** With what else of base64 stands around it. Made when it is needed: most forms are in no text. */
function runAround(form: string): RegExp {
  return new RegExp(`[A-Za-z0-9+/]*${form.replace(/[+/]/g, '\\$&')}[A-Za-z0-9+/]*=*`, 'g');
}

/** What every encoded text has that holds one of the values, wherever in it. Longer ones are found by decoding. */
function formsOfShort(values: ReadonlyMap<string, string>): readonly ShortForm[] {
  return [...values].flatMap(([value, kind]) => {
    const { length } = Buffer.from(value);
    if (length >= SHORTEST_BYTES) return [];
    return [0, 1, 2].map((before) => {
      const encoded = Buffer.from(' '.repeat(before) + value).toString('base64');
      // Without the characters that hold bits of what stands before or behind.
      const form = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + length) * 8) / 6));
      return { form, kind };
    });
  });
}

function redactShort(text: string, short: readonly ShortForm[], stand: Stand): string {
  return short.reduce((rest, { form, kind }) => {
    return rest.includes(form) ? rest.replace(runAround(form), (run) => stand(encodedKind(kind), run)) : rest;
  }, text);
}

function encodedKind(kind: string): string {
  return `base64-${kind.replace(/^value of /, '')}`;
}

interface Block {
  readonly start: number;
  readonly end: number;
  /** Without what stands between its lines. */
  readonly data: string;
}

function someBlock(text: string, test: (block: Block) => boolean): boolean {
  let seen = 0;
  return someEncodedText(text, (start, end) => {
    if (start < seen) return false;
    const block = withNextLines(text, start, end);
    seen = block.end;
    return test(block);
  });
}

function withNextLines(text: string, start: number, firstEnd: number): Block {
  let end = firstEnd;
  let data = text.slice(start, firstEnd);
  let lineLength = end - start;
  while (lineLength >= SHORTEST_LINE) {
    NEXT_LINE.lastIndex = end;
    const gap = NEXT_LINE.exec(text)?.[0];
    if (gap === undefined) break;
    const from = end + gap.length;
    let to = from;
    while (to < text.length && IS_BASE64[text.charCodeAt(to)] === 1) to += 1;
    // The lines of one encoded text are of one length, but for the last.
    if (to === from || to - from > lineLength) break;
    lineLength = to - from;
    data += text.slice(from, to);
    end = to;
  }
  while (text[end] === '=' && end - start < text.length) end += 1;
  return { start, end, data };
}
