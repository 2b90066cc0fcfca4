// HTML as Markdown, in one pass over the tokens of the page. One rule: time and memory follow the length of the page,
// however deep or broken it is, so nothing is kept for elements that stay open but counts and a few short stacks.
import { Tokenizer } from 'htmlparser2';

export interface MarkdownPage {
  readonly markdown: string;
  /** '' if it has none. */
  readonly title: string;
  /** False: the rest is not there, for it would be longer than the limit. */
  readonly isWhole: boolean;
}

/** Deeper ones look like these. */
const MAX_LISTS = 20;
const MAX_QUOTES = 10;
const MAX_TITLE = 300;
/** A longer address of a link says less than it costs. Characters. */
const MAX_HREF = 2_000;

type Tag =
  | 'block'
  | 'heading'
  | 'list'
  | 'item'
  | 'quote'
  | 'pre'
  | 'code'
  | 'strong'
  | 'em'
  | 'link'
  | 'image'
  | 'break'
  | 'rule'
  | 'table'
  | 'row'
  | 'cell'
  | 'title'
  | 'base'
  | 'skipped';

const NAMES: readonly (readonly [Tag, string])[] = [
  [
    'block',
    'p div section article main header footer nav aside address figure figcaption form fieldset details summary dl dt dd ' +
      'dialog hgroup center body caption option legend',
  ],
  ['heading', 'h1 h2 h3 h4 h5 h6'],
  ['list', 'ul ol menu dir'],
  ['item', 'li'],
  ['quote', 'blockquote'],
  ['pre', 'pre listing'],
  ['code', 'code kbd samp tt'],
  ['strong', 'b strong'],
  ['em', 'i em'],
  ['link', 'a'],
  ['image', 'img'],
  ['break', 'br'],
  ['rule', 'hr'],
  ['table', 'table'],
  ['row', 'tr'],
  ['cell', 'td th'],
  ['title', 'title'],
  ['base', 'base'],
  ['skipped', 'script style noscript template svg iframe object canvas audio video noembed noframes textarea select'],
];
const TAGS = new Map(NAMES.flatMap(([tag, names]) => names.split(' ').map((name): [string, Tag] => [name, tag])));
/** Have no end, so that what they hide is nothing. */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** They end when a part of the page begins, if nothing ends them before. */
const OPEN_ENDED = new Set('p li td th tr dt dd option'.split(' '));
/** Pages hide themselves until a script shows them. */
const NEVER_HIDDEN = new Set(['html', 'body', 'main', 'article']);
const ATTRIBUTES = new Set(['href', 'src', 'alt', 'class', 'start', 'hidden', 'style', 'aria-hidden']);
const SPACES = /[\t\n\f\r ]+/g;

/**
 * @param base the address that links of the page start from
 * @param maxLength characters of the Markdown
 */
export function htmlToMarkdown(html: string, base: URL | null, maxLength: number): MarkdownPage {
  const writer = new Writer(html, base, maxLength);
  const tokenizer = new Tokenizer({ decodeEntities: true }, writer);
  writer.stop = () => tokenizer.pause();
  tokenizer.write(html);
  tokenizer.end();
  return writer.finish();
}

interface List {
  readonly isOrdered: boolean;
  next: number;
  readonly indent: string;
}

class Writer {
  readonly #html: string;
  readonly #maxLength: number;
  #base: URL | null;
  stop: () => void = () => undefined;

  readonly #out: string[] = [];
  #length = 0;
  #isFull = false;
  /** Line breaks that come before the next text: 0, 1, or 2 for an empty line. */
  #breaks = 0;
  #hasSpace = false;
  #isAtStart = true;
  /** What each line begins with. */
  #prefix = '';
  #lastPrefix = '';

  #name = '';
  #isClosing = false;
  #attributes: Record<string, string> = {};
  #attribute: string | null = null;

  /** The element whose content is left out, and how many of its name are open in it. */
  #skipping: string | null = null;
  #skipped = 0;
  #title: string | null = null;
  #pageTitle = '';
  #quotes = 0;
  readonly #lists: List[] = [];
  /** Lists that are open beyond those that are kept. */
  #deeper = 0;
  /** What stands before the first text of a list item. */
  #marker = '';
  #strong = 0;
  #em = 0;
  /** Marks that are written and not closed. */
  #marks: string[] = [];
  #link: { readonly href: string; isOpen: boolean } | null = null;
  /** The text of code, which is written whole; null outside of it. */
  #code: string[] | null = null;
  #codeTag: 'pre' | 'code' = 'code';
  #language = '';
  /** The columns of the first row; null outside of a table, 0 before its end. */
  #table: { columns: number; cells: number; isInCell: boolean } | null = null;
  #tables = 0;

  constructor(html: string, base: URL | null, maxLength: number) {
    this.#html = html;
    this.#base = base;
    this.#maxLength = maxLength;
  }

  finish(): MarkdownPage {
    this.#endCode();
    this.#endLink();
    this.#endMarks();
    return { markdown: this.#out.join('').trim(), title: this.#pageTitle, isWhole: !this.#isFull };
  }

  // What the tokenizer tells: places in the text.

  onopentagname(start: number, end: number): void {
    this.#name = this.#html.slice(start, end).toLowerCase();
    this.#isClosing = false;
    this.#attributes = {};
  }

  onattribname(start: number, end: number): void {
    const name = end - start > 11 ? '' : this.#html.slice(start, end).toLowerCase();
    this.#attribute = ATTRIBUTES.has(name) && this.#attributes[name] === undefined ? name : null;
    if (this.#attribute !== null) this.#attributes[this.#attribute] = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== null) this.#attributes[this.#attribute] += this.#html.slice(start, end);
  }

  onattribentity(codepoint: number): void {
    if (this.#attribute !== null) this.#attributes[this.#attribute] += String.fromCodePoint(codepoint);
  }

  onattribend(): void {
    this.#attribute = null;
  }

  onopentagend(): void {
    if (!this.#isClosing) this.#open(this.#name);
  }

  onselfclosingtag(): void {
    this.onopentagend();
  }

  onclosetag(start: number, end: number): void {
    this.#close(this.#html.slice(start, end).toLowerCase());
  }

  ontext(start: number, end: number): void {
    this.#text(this.#html.slice(start, end));
  }

  ontextentity(codepoint: number): void {
    this.#text(String.fromCodePoint(codepoint));
  }

  oncdata(): void {
    return;
  }
  oncomment(): void {
    return;
  }
  ondeclaration(): void {
    return;
  }
  onprocessinginstruction(): void {
    return;
  }
  onend(): void {
    return;
  }

  // Elements.

  #open(name: string): void {
    const tag = TAGS.get(name);
    if (this.#skipping !== null) {
      if (!OPEN_ENDED.has(this.#skipping) || !isPart(tag)) {
        if (name === this.#skipping) this.#skipped += 1;
        return;
      }
      this.#skipping = null;
    }
    const isHere = tag === 'skipped' || (isHidden(this.#attributes) && !NEVER_HIDDEN.has(name));
    if (isHere && !VOID.has(name)) {
      this.#skipping = name;
      this.#skipped = 1;
      return;
    }
    if (tag === undefined) return;
    if (this.#code !== null && tag !== 'break' && tag !== 'code') {
      // What is not closed before a new part of the page was never meant to go on.
      if (this.#codeTag === 'pre' || tag === 'strong' || tag === 'em' || tag === 'link' || tag === 'image') return;
      this.#endCode();
    }
    switch (tag) {
      case 'block':
        this.#break(2);
        return;
      case 'heading':
        this.#break(2);
        if (this.#isBlock()) this.#marker = `${'#'.repeat(Number(name[1]))} `;
        return;
      case 'list':
        this.#openList(name === 'ol');
        return;
      case 'item':
        this.#openItem();
        return;
      case 'quote':
        this.#break(2);
        this.#quotes += 1;
        this.#setPrefix();
        return;
      case 'pre':
        this.#break(2);
        this.#code = [];
        this.#codeTag = 'pre';
        this.#language = languageOf(this.#attributes.class);
        return;
      case 'code':
        this.#openCode();
        return;
      case 'strong':
        this.#strong += 1;
        return;
      case 'em':
        this.#em += 1;
        return;
      case 'link':
        this.#endLink();
        this.#openLink();
        return;
      case 'image':
        this.#image();
        return;
      case 'break':
        if (this.#code === null) this.#break(1);
        else this.#code.push('\n');
        return;
      case 'rule':
        this.#break(2);
        this.#write('---');
        this.#break(2);
        return;
      case 'table':
        this.#openTable();
        return;
      case 'row':
        this.#openRow();
        return;
      case 'cell':
        this.#openCell();
        return;
      case 'title':
        this.#title = '';
        return;
      case 'base':
        this.#base = absolute(this.#attributes.href ?? '', this.#base) ?? this.#base;
        return;
      default:
        return;
    }
  }

  #close(name: string): void {
    this.#isClosing = true;
    if (this.#skipping !== null) {
      if (name === this.#skipping && --this.#skipped === 0) this.#skipping = null;
      return;
    }
    const tag = TAGS.get(name);
    if (this.#code !== null && tag !== this.#codeTag) return;
    switch (tag) {
      case 'block':
      case 'heading':
        this.#break(2);
        return;
      case 'list':
        this.#closeList();
        return;
      case 'item':
        this.#break(1);
        return;
      case 'quote':
        this.#break(2);
        if (this.#quotes > 0) this.#quotes -= 1;
        this.#setPrefix();
        return;
      case 'pre':
      case 'code':
        this.#endCode();
        return;
      case 'strong':
        if (this.#strong > 0 && --this.#strong === 0) this.#endMarks();
        return;
      case 'em':
        if (this.#em > 0 && --this.#em === 0) this.#endMarks();
        return;
      case 'link':
        this.#endLink();
        return;
      case 'table':
        this.#closeTable();
        return;
      case 'row':
        this.#closeRow();
        return;
      case 'cell':
        this.#closeCell();
        return;
      case 'title':
        if (this.#title !== null && this.#pageTitle === '')
          this.#pageTitle = this.#title.replace(SPACES, ' ').trim().slice(0, MAX_TITLE);
        this.#title = null;
        return;
      default:
        return;
    }
  }

  /** False if nothing begins a line: in a cell, and in a link that has begun. */
  #isBlock(): boolean {
    return this.#table === null && this.#link?.isOpen !== true;
  }

  #openList(isOrdered: boolean): void {
    if (this.#table !== null) {
      this.#hasSpace = true;
      return;
    }
    this.#break(this.#lists.length > 0 ? 1 : 2);
    if (this.#lists.length >= MAX_LISTS) {
      this.#deeper += 1;
      return;
    }
    const start = Number(this.#attributes.start ?? 1);
    const next = Number.isSafeInteger(start) ? start : 1;
    this.#lists.push({ isOrdered, next, indent: isOrdered ? '   ' : '  ' });
  }

  #closeList(): void {
    if (this.#table !== null) {
      this.#hasSpace = true;
      return;
    }
    if (this.#deeper > 0) this.#deeper -= 1;
    else this.#lists.pop();
    this.#marker = '';
    this.#break(this.#lists.length > 0 ? 1 : 2);
    this.#setPrefix();
  }

  #openItem(): void {
    this.#break(1);
    if (!this.#isBlock()) return;
    const list = this.#lists.at(-1);
    this.#setPrefix();
    this.#marker = list?.isOrdered === true ? `${list.next++}. ` : '- ';
  }

  #openCode(): void {
    if (this.#code === null) {
      this.#code = [];
      this.#codeTag = 'code';
    } else if (this.#codeTag === 'pre' && this.#language === '') this.#language = languageOf(this.#attributes.class);
  }

  #endCode(): void {
    const { code, tag } = { code: this.#code?.join('') ?? null, tag: this.#codeTag };
    this.#code = null;
    if (code === null) return;
    const language = this.#language;
    this.#language = '';
    if (tag === 'pre' && this.#table === null) {
      const text = code.replace(/^\r?\n/, '').trimEnd();
      if (text === '') return;
      const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
      this.#write(`${fence}${language}`);
      for (const line of text.split(/\r?\n/)) {
        if (this.#isFull) return;
        this.#raw(`\n${this.#prefix}${line}`);
      }
      this.#raw(`\n${this.#prefix}${fence}`);
      this.#break(2);
      return;
    }
    const text = code.replace(SPACES, ' ').trim();
    if (text === '') return;
    const fence = '`'.repeat(longestRun(text) + 1);
    const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
    this.#write(this.#inCell(`${fence}${pad}${text}${pad}${fence}`));
  }

  #openLink(): void {
    const href = this.#target(this.#attributes.href);
    if (href !== null) this.#link = { href, isOpen: false };
  }

  #endLink(): void {
    const link = this.#link;
    this.#link = null;
    if (link?.isOpen !== true) return;
    this.#endMarks();
    this.#raw(`](${link.href})`);
  }

  #image(): void {
    const alt = (this.#attributes.alt ?? '').replace(SPACES, ' ').trim();
    const source = this.#target(this.#attributes.src);
    if (alt === '' || source === null) return;
    this.#write(this.#inCell(`![${alt}](${source})`));
  }

  /** Null for what leads nowhere that could be fetched. */
  #target(href: string | undefined): string | null {
    const text = href?.trim() ?? '';
    if (text === '' || text.startsWith('#')) return null;
    const url = absolute(text, this.#base);
    if (url === null || url.href.length > MAX_HREF) return null;
    return url.href.replace(/[()|<>\s]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  }

  #openTable(): void {
    this.#tables += 1;
    if (this.#tables > 1) {
      this.#hasSpace = true;
      return;
    }
    this.#break(2);
    this.#table = { columns: 0, cells: 0, isInCell: false };
  }

  #closeTable(): void {
    if (this.#tables > 0) this.#tables -= 1;
    if (this.#tables > 0) {
      this.#hasSpace = true;
      return;
    }
    this.#closeRow();
    this.#table = null;
    this.#break(2);
  }

  #openRow(): void {
    if (this.#table === null || this.#tables > 1) {
      this.#hasSpace = true;
      return;
    }
    this.#closeRow();
  }

  #closeRow(): void {
    const table = this.#table;
    if (table === null || this.#tables > 1 || table.cells === 0) return;
    this.#closeCell();
    this.#raw(' |');
    if (table.columns === 0) {
      table.columns = table.cells;
      this.#raw(`\n${this.#prefix}|${' --- |'.repeat(Math.min(table.cells, 200))}`);
    }
    table.cells = 0;
    this.#breaks = Math.max(this.#breaks, 1);
  }

  #openCell(): void {
    const table = this.#table;
    if (table === null || this.#tables > 1) {
      this.#hasSpace = true;
      return;
    }
    this.#closeCell();
    table.isInCell = false;
    if (table.cells === 0) {
      this.#break(1);
      this.#lineStart();
    }
    table.cells += 1;
    this.#raw(table.cells === 1 ? '| ' : ' | ');
    this.#hasSpace = false;
    this.#isAtStart = true;
    table.isInCell = true;
  }

  #closeCell(): void {
    this.#endLink();
    this.#endMarks();
    this.#hasSpace = false;
    if (this.#table !== null) this.#table.isInCell = false;
  }

  // Text.

  #text(text: string): void {
    if (this.#skipping !== null || this.#isFull) return;
    if (this.#title !== null) {
      if (this.#title.length < MAX_TITLE) this.#title += text;
      return;
    }
    if (this.#code !== null) {
      // It counts already: what is written in the end is as long.
      this.#code.push(text);
      return;
    }
    const plain = text.replace(SPACES, ' ');
    if (plain === ' ') {
      this.#hasSpace = true;
      return;
    }
    if (plain.startsWith(' ')) this.#hasSpace = true;
    const inner = plain.trim();
    if (inner === '') return;
    this.#write(this.#inCell(inner));
    this.#hasSpace = plain.endsWith(' ');
  }

  #inCell(text: string): string {
    return this.#table?.isInCell === true ? text.replaceAll('|', '\\|') : text;
  }

  /** A break before what comes next. In a cell or a link it is a space. */
  #break(breaks: 1 | 2): void {
    if (!this.#isBlock()) {
      this.#hasSpace = true;
      return;
    }
    if (this.#out.length === 0) return;
    this.#endMarks();
    this.#breaks = Math.max(this.#breaks, breaks);
    this.#hasSpace = false;
  }

  /** Text, behind all that was to come before it. */
  #write(text: string): void {
    const isInCell = this.#table?.isInCell === true;
    if (!isInCell) this.#lineStart();
    if (this.#hasSpace && !this.#isAtStart) this.#raw(' ');
    this.#hasSpace = false;
    if (this.#link !== null && !this.#link.isOpen) {
      this.#endMarks();
      this.#link.isOpen = true;
      this.#raw('[');
    }
    this.#mark('**', this.#strong > 0);
    this.#mark('_', this.#em > 0);
    this.#raw(text);
    this.#isAtStart = false;
  }

  #lineStart(): void {
    const isNew = this.#breaks > 0 || this.#out.length === 0;
    if (this.#breaks > 0) {
      const shared = sharedStart(this.#prefix, this.#lastPrefix);
      this.#raw(this.#breaks === 2 ? `\n${shared.trimEnd()}\n` : '\n');
      this.#breaks = 0;
    }
    if (!isNew && this.#marker === '') return;
    // The marker of an item takes the place of its own indent.
    const list = this.#lists.at(-1);
    const isItem = list !== undefined && this.#marker !== '' && !this.#marker.startsWith('#');
    this.#raw(
      isItem ? `${this.#prefix.slice(0, -list.indent.length)}${this.#marker}` : `${this.#prefix}${this.#marker}`,
    );
    this.#marker = '';
    this.#lastPrefix = this.#prefix;
    this.#isAtStart = true;
  }

  #mark(mark: string, isWanted: boolean): void {
    if (!isWanted || this.#marks.includes(mark)) return;
    this.#marks.push(mark);
    this.#raw(mark);
  }

  /** Marks close before spaces and lines; what still counts is opened again with the next text. */
  #endMarks(): void {
    while (this.#marks.length > 0) this.#raw(this.#marks.pop() ?? '');
  }

  #setPrefix(): void {
    this.#prefix = '> '.repeat(Math.min(this.#quotes, MAX_QUOTES)) + this.#lists.map(({ indent }) => indent).join('');
  }

  #raw(text: string): void {
    if (this.#isFull) return;
    const room = this.#maxLength - this.#length;
    this.#out.push(text.length > room ? text.slice(0, room) : text);
    this.#length += text.length;
    if (this.#length <= this.#maxLength) return;
    this.#isFull = true;
    this.stop();
  }
}

function isPart(tag: Tag | undefined): boolean {
  return (
    tag !== undefined && ['block', 'heading', 'list', 'item', 'quote', 'pre', 'table', 'row', 'cell'].includes(tag)
  );
}

const HIDING = /(?:display\s{0,5}:\s{0,5}none|visibility\s{0,5}:\s{0,5}hidden)/i;

/** What people do not see is not for the model either. */
function isHidden({ hidden, style, 'aria-hidden': aria }: Readonly<Record<string, string>>): boolean {
  if (hidden !== undefined && hidden !== 'until-found') return true;
  return aria === 'true' || (style !== undefined && HIDING.test(style.slice(0, 1_000)));
}

/** What the lines around an empty one both begin with. */
function sharedStart(a: string, b: string): string {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return long.startsWith(short) ? short : '';
}

function languageOf(classes: string | undefined): string {
  return /(?:^|\s)(?:lang|language|highlight-source)-([\w+#-]{1,30})/.exec((classes ?? '').slice(0, 500))?.[1] ?? '';
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function absolute(href: string, base: URL | null): URL | null {
  try {
    const url = base === null ? new URL(href) : new URL(href, base);
    return url.protocol === 'https:' || url.protocol === 'http:' || url.protocol === 'mailto:' ? url : null;
  } catch {
    return null; // it leads nowhere
  }
}

// The text of a page: in the encoding that its first bytes, its server or itself names, else UTF-8.

/** Within so many bytes a page may say its own encoding. */
const HEAD_BYTES = 2_048;

/** Contract: never throws; what is no text in its encoding becomes U+FFFD. */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const label = markOf(bytes) ?? named(contentType) ?? declared(bytes) ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // an encoding that nobody knows
  }
}

function markOf([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : null;
}

function named(contentType: string): string | null {
  return /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1] ?? null;
}

function declared(bytes: Uint8Array): string | null {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES));
  const label = /<(?:meta|\?xml)\b[^>]{0,300}?(?:charset|encoding)\s*=\s*["']?([\w.:-]{1,40})/i.exec(head)?.[1];
  // A page that can be read so far is in no encoding of two bytes a character.
  return label === undefined || /^utf-16/i.test(label) ? null : label;
}
