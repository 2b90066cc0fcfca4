// The model's text on its way into the scrollback. One rule: a block of Markdown that nothing can change any more is
// finished and goes out; only the open one is drawn again. Code goes out line by line, without frame or indent.

import { createTextEscaper } from '../../view/escape-text.js';
import { Markdown, type MarkdownTheme } from '../pi.js';
import { wrapLine } from '../screen/index.js';
import type { Theme } from '../theme.js';

export interface MarkdownFlow {
  /** @returns the lines that are finished by it */
  push(text: string): string[];
  /** What is not finished, as it looks now: rows that fit. */
  open(): string[];
  /** The text is over. @returns what was open; the flow is as new */
  end(): string[];
}

type Kind = 'paragraph' | 'item' | 'table' | 'quote' | 'fence';

interface Block {
  readonly kind: Kind;
  readonly lines: string[];
  /** Of a fence: what closes it. */
  readonly closes?: RegExp;
  /** The last line was empty; what follows may still belong to it. */
  hasGap: boolean;
}

/** Longer blocks are not read as Markdown, characters. */
const LONGEST = 40_000;
/** Of a longer open block its end is drawn as it is. */
const LONGEST_OPEN = 4_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s+|$)/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const QUOTE = /^ {0,3}>/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
const DELIMITER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** @param columns of the window, asked for whenever something is drawn */
export function createMarkdownFlow(theme: Theme, columns: () => number): MarkdownFlow {
  const look = markdownTheme(theme);
  let escaper = createTextEscaper();
  /** The line that is not over. */
  let tail = '';
  let block: Block | null = null;
  /** What went out last; null if nothing did. */
  let last: Kind | 'line' | null = null;
  /** An empty line stood in the text since. */
  let hadGap = false;
  let cache: { readonly source: string; readonly columns: number; readonly lines: string[] } | null = null;

  const draw = (source: string, kind: Kind | 'line'): string[] => {
    const width = Math.max(1, columns());
    if (cache?.source === source && cache.columns === width) return cache.lines;
    const lines = drawMarkdown(source, width, look, kind);
    cache = { source, columns: width, lines };
    return lines;
  };

  /** Blocks stand apart; items of one list do not, unless the text has them so. */
  const apart = (kind: Kind | 'line'): string[] => {
    if (last === null) return [];
    const isSameList = kind === 'item' && last === 'item' && !hadGap;
    const isSameCode = kind === 'fence' && last === 'fence' && block?.kind === 'fence' && block.lines.length > 0;
    return isSameList || isSameCode ? [] : [''];
  };

  function emit(kind: Kind | 'line', lines: readonly string[]): string[] {
    const out = [...apart(kind), ...lines];
    last = kind;
    hadGap = false;
    return out;
  }

  function close(): string[] {
    if (block === null) return [];
    const { kind, lines, hasGap } = block;
    block = null;
    if (kind === 'fence') return [];
    const source = lines.join('\n').trimEnd();
    const out = source === '' ? [] : emit(kind, draw(source, kind));
    hadGap = hasGap;
    return out;
  }

  function takeLine(line: string): string[] {
    if (block?.kind === 'fence') {
      if (block.closes?.test(line)) {
        block = null;
        return [];
      }
      const out = emit('fence', [theme.paint(line, 'code')]);
      if (block.lines.length === 0) block.lines.push(line);
      return out;
    }
    if (line.trim() === '') {
      if (block === null) {
        hadGap = true;
        return [];
      }
      if (block.kind === 'item') {
        block.hasGap = true;
        block.lines.push('');
        return [];
      }
      const out = close();
      hadGap = true;
      return out;
    }
    if (block?.kind === 'item') {
      const isInside = /^(?: {2,}|\t)/.test(line);
      if (isInside || (!block.hasGap && !startsBlock(line))) {
        block.hasGap = false;
        block.lines.push(line);
        return [];
      }
    }
    const [, marks = ''] = FENCE.exec(line) ?? [];
    if (marks !== '') {
      const out = close();
      const closes = new RegExp(`^ {0,3}${marks[0]}{${marks.length},}[ \\t]*$`);
      block = { kind: 'fence', lines: [], closes, hasGap: false };
      return out;
    }
    if (block?.kind === 'paragraph') {
      if (UNDERLINE.test(line)) {
        block.lines.push(line);
        return close();
      }
      if (block.lines.length === 1 && DELIMITER.test(line) && (block.lines[0] ?? '').includes('|')) {
        block = { kind: 'table', lines: [block.lines[0] ?? '', line], hasGap: false };
        return [];
      }
      if (!startsBlock(line)) {
        block.lines.push(line);
        return [];
      }
    }
    if (block?.kind === 'table' && line.includes('|')) {
      block.lines.push(line);
      return [];
    }
    if (block?.kind === 'quote' && (QUOTE.test(line) || !startsBlock(line))) {
      block.lines.push(line);
      return [];
    }
    const out = close();
    if (HEADING.test(line) || RULE.test(line)) return [...out, ...emit('line', draw(line, 'line'))];
    const kind = ITEM.test(line) ? 'item' : QUOTE.test(line) ? 'quote' : 'paragraph';
    block = { kind, lines: [line], hasGap: false };
    return out;
  }

  function take(text: string): string[] {
    const lines = (tail + text).split('\n');
    tail = lines.pop() ?? '';
    return lines.flatMap(takeLine);
  }

  return {
    push: (text) => take(escaper.push(text)),
    open() {
      const width = Math.max(1, columns());
      if (block?.kind === 'fence') {
        if (tail === '' || couldClose(tail, block)) return [];
        return [...apart('fence'), ...wrapLine(theme.paint(tail, 'code'), width)];
      }
      const source = [...(block?.lines ?? []), tail].join('\n').trimEnd();
      if (source === '') return [];
      // The beginning of a fence looks like text until its line is over.
      if (block === null && /^ {0,3}(?:`{1,}|~{1,})[^`\s]*$/.test(source)) return [];
      const kind = block?.kind ?? (ITEM.test(source) ? 'item' : 'paragraph');
      const lines = source.length > LONGEST_OPEN ? endOf(source, width) : draw(source, kind);
      return [...apart(kind), ...lines];
    },
    end() {
      const rest = take(escaper.end());
      const line = tail;
      tail = '';
      const out = [...rest, ...(line === '' ? [] : takeLine(line)), ...close()];
      escaper = createTextEscaper();
      block = null;
      last = null;
      hadGap = false;
      cache = null;
      return out;
    },
  };
}

/** Interrupts a paragraph. */
function startsBlock(line: string): boolean {
  return (
    FENCE.test(line) ||
    HEADING.test(line) ||
    RULE.test(line) ||
    QUOTE.test(line) ||
    /^ {0,3}(?:[-*+]|1[.)]|\d{1,9}[.)])\s/.test(line)
  );
}

function couldClose(tail: string, { closes }: Block): boolean {
  return closes?.test(tail) === true || /^ {0,3}(?:`{1,2}|~{1,2})$/.test(tail);
}

/** The blank behind a styled word that ended with its row: the library begins the next row with it. */
const LEFT_OVER = new RegExp(String.raw`^((?:ESC\[[\d;:]*m)*) (?=\S)`.replace('ESC', '\\x1b'));

function drawMarkdown(source: string, columns: number, look: MarkdownTheme, kind: Kind | 'line'): string[] {
  if (source.length > LONGEST) return source.split('\n');
  try {
    const lines = new Markdown(source, 0, 0, look).render(columns).map((line) => line.trimEnd());
    return kind === 'paragraph' ? lines.map((line) => line.replace(LEFT_OVER, '$1')) : lines;
  } catch {
    // Nested deeper than the reader of Markdown can follow: then the text stands as it is.
    return source.split('\n');
  }
}

/** The end of a long open block, as it is. */
function endOf(source: string, columns: number): string[] {
  return source
    .slice(-LONGEST_OPEN)
    .split('\n')
    .flatMap((line) => wrapLine(line, columns));
}

function markdownTheme(theme: Theme): MarkdownTheme {
  const tone = (name: Parameters<Theme['paint']>[1]) => (text: string) => theme.paint(text, name);
  const sgr = (on: number, off: number) => (text: string) => `\x1b[${on}m${text}\x1b[${off}m`;
  return {
    heading: tone('heading'),
    link: tone('link'),
    linkUrl: tone('dim'),
    code: tone('code'),
    codeBlock: tone('code'),
    // Of code inside a list: what copies as it is has no frame.
    codeBlockBorder: () => '',
    codeBlockIndent: '',
    quote: tone('quote'),
    quoteBorder: tone('dim'),
    hr: tone('dim'),
    listBullet: tone('accent'),
    bold: tone('strong'),
    italic: sgr(3, 23),
    strikethrough: sgr(9, 29),
    underline: sgr(4, 24),
  };
}
