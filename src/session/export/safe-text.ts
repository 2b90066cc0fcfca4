// What every export does to text that it did not write itself: nothing hidden, nothing carried out, nothing lost in
// silence. Code blocks are found here once, for all formats.

/** Controls, directions, tags, lone surrogates: what a reader would not see, or a terminal would carry out. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/** `text` with line feeds for line ends, and hidden characters written out: `\x1b`, `\u202e`. */
export function visible(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(HIDDEN, (character) => {
    if (character === '\n' || character === '\t') return character;
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`;
    return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
  });
}

/** At most `limit` characters of the text, from its start and its end, with a line that says what is missing. */
export function fold(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.ceil(limit * 0.75);
  const tail = limit - head;
  const cut = text.length - head - tail;
  const end = tail === 0 ? '' : text.slice(-tail);
  return `${wellCut(text.slice(0, head), 'end')}\n[… ${cut} characters left out …]\n${wellCut(end, 'start')}`;
}

/** A cut must not leave half of a pair of surrogates. */
function wellCut(text: string, side: 'start' | 'end'): string {
  const code = text.charCodeAt(side === 'end' ? text.length - 1 : 0);
  if (side === 'end') return code >= 0xd800 && code <= 0xdbff ? text.slice(0, -1) : text;
  return code >= 0xdc00 && code <= 0xdfff ? text.slice(1) : text;
}

/** A piece of running text, or of code. */
export interface Segment {
  readonly kind: 'text' | 'code';
  readonly text: string;
  /** Of code; empty if none is named. */
  readonly language: string;
}

/** A line that could open a code block, at any depth: three backticks without one behind them, or three tildes. */
const OPENING = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})[ \t]*([\w+#.-]{0,40})/;

/**
 * Splits Markdown into running text and fenced code.
 * Contract: every line that a Markdown reader takes for the start of a fence at the top level starts a segment here.
 */
export function splitCode(text: string): readonly Segment[] {
  const segments: Segment[] = [];
  let lines: string[] = [];
  let open: { readonly mark: string; readonly language: string } | null = null;
  const push = (): void => {
    const joined = lines.join('\n');
    if (open !== null) segments.push({ kind: 'code', text: joined, language: open.language });
    else if (joined.trim() !== '') segments.push({ kind: 'text', text: joined, language: '' });
    lines = [];
  };
  for (const line of text.split('\n')) {
    if (open === null) {
      const [, mark, language = ''] = OPENING.exec(line) ?? [];
      if (mark === undefined) lines.push(line);
      else {
        push();
        open = { mark, language };
      }
    } else if (closes(line.trim(), open.mark)) {
      push();
      open = null;
    } else lines.push(line);
  }
  push();
  return segments;
}

function closes(line: string, mark: string): boolean {
  return line.length >= mark.length && line === (mark[0] ?? '').repeat(line.length);
}
