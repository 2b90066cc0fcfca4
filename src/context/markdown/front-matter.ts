// The front matter of a SKILL.md: the part of YAML that such files are written in. One rule: what is not understood of a
// field that matters is a problem with the number of its line, never a guess; nothing here recurses, so no text is a bomb.

/** A field as it stands: read only if somebody wants it, so that what nobody knows can hold anything. */
export interface FrontField {
  readonly key: string;
  /** What follows the colon on its line, and the lines below that belong to it. */
  readonly first: string;
  readonly rest: readonly string[];
  /** Counted from 1. */
  readonly line: number;
}

export interface FrontMatter {
  readonly fields: readonly FrontField[];
  /** The text behind it. */
  readonly body: string;
}

/** Of a text that cannot be read. */
export interface Problem {
  readonly problem: string;
}

/** Characters; a longer front matter is none. */
export const MAX_FRONT_MATTER = 16 * 1024;

/** The first line, with its end. */
const FENCE = /^---[ \t]*\r?(?:\n|$)/;
/** A later line, with the end of the one above. */
const NEXT_FENCE = /\n---[ \t]*\r?(?:\n|$)/;
const KEY = /^([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*))?$/;
const BLANK = /^[ \t]*(?:#.*)?$/;

/** Splits a file. Without front matter all of it is body. Hundreds are read at a start, so no body is taken apart. */
export function readFrontMatter(given: string): FrontMatter | Problem {
  const text = given.startsWith('\ufeff') ? given.slice(1) : given;
  const begin = FENCE.exec(text);
  if (begin === null) return { fields: [], body: withPlainBreaks(text) };
  const end = NEXT_FENCE.exec(text);
  const head = withPlainBreaks(text.slice(begin[0].length, end?.index));
  if (head.length >= MAX_FRONT_MATTER)
    return { problem: `its front matter has more than ${MAX_FRONT_MATTER / 1024} KB` };
  if (end === null) return { problem: 'its front matter has no end: write --- on a line of its own' };
  const fields = readFields(head.split('\n'));
  return 'problem' in fields ? fields : { fields, body: withPlainBreaks(text.slice(end.index + end[0].length)) };
}

function withPlainBreaks(text: string): string {
  return text.includes('\r') ? text.replace(/\r(?=\n|$)/g, '') : text;
}

function readFields(lines: readonly string[]): readonly FrontField[] | Problem {
  const fields: { key: string; first: string; rest: string[]; line: number }[] = [];
  for (const [at, text] of lines.entries()) {
    const line = at + 2;
    const isContinued = /^(?:[ \t]|-(?:[ \t]|$))/.test(text) || text === '';
    const last = fields.at(-1);
    if (isContinued && last !== undefined) {
      last.rest.push(text);
      continue;
    }
    if (BLANK.test(text)) continue;
    const [, key, first = ''] = KEY.exec(text) ?? [];
    if (key === undefined) return { problem: `line ${line} of it is not "key: value"` };
    if (fields.some((field) => field.key === key)) return { problem: `line ${line} of it says ${key} again` };
    fields.push({ key, first: first.trim(), rest: [], line });
  }
  return fields;
}

/** On a line of its own, what tells a field from a text. */
const IS_FIELD = /:(?:\s|$)/;
const BEGINS_OTHERWISE = /^(?:[&*!%@`{[\]},|>]|[-?:](?:\s|$))/;

/** A field as one text, with white space as single spaces; '' if it says nothing. */
export function textOf({ key, first, rest, line }: FrontField): string | Problem {
  const problem = (why: string): Problem => ({ problem: `line ${line} of it: ${key} ${why}` });
  if (/^[|>][0-9+-]{0,2}(?:[ \t]+#.*)?$/.test(first)) return oneLine(rest);
  const lines = [first, ...rest].map((each) => each.trim());
  const said = lines.filter((each) => !BLANK.test(each));
  if (/^["']/.test(said[0] ?? '')) {
    // Between quotes nothing is a comment.
    const quoted = unquote(lines.slice(lines.indexOf(said[0] ?? '')).join(' '));
    if (quoted !== null) return oneLine([quoted]);
    return problem('has quotes that do not end, or that hold what is not known here');
  }
  if (said.some((each) => each.startsWith(':') || (BLANK.test(first) && IS_FIELD.test(each))))
    return problem('must be a text');
  const text = oneLine(said.map(withoutComment));
  if (BEGINS_OTHERWISE.test(text)) return problem(`begins with ${text.slice(0, 1)}: put it in quotes`);
  return /^(?:~|null)$/i.test(text) ? '' : text;
}

/** A field as a list of texts: `[a, b]`, a line for each, or one text. */
export function listOf(field: FrontField): readonly string[] | Problem {
  const { key, first, rest, line } = field;
  const problem = (why: string): Problem => ({ problem: `line ${line} of it: ${key} ${why}` });
  const below = rest.filter((each) => !BLANK.test(each)).map((each) => each.trim());
  if (first.startsWith('[') || (BLANK.test(first) && below[0]?.startsWith('['))) {
    const items = flowItems(oneLine([first, ...below].map(withoutComment)));
    return items ?? problem('is a list that is not closed, or holds more than texts');
  }
  if (first !== '' || !below[0]?.startsWith('-')) {
    const text = textOf(field);
    return typeof text !== 'string' ? text : text === '' ? [] : [text];
  }
  const items: string[] = [];
  const indent = indentOf(rest.find((text) => !BLANK.test(text)) ?? '');
  for (const text of rest) {
    const each = text.trim();
    const open = items.at(-1);
    if (/^-(?:\s|$)/.test(each) && indentOf(text) <= indent) items.push(each.slice(1).trim());
    else if (open !== undefined && (/^["']/.test(open) || !BLANK.test(each)))
      items[items.length - 1] = `${open} ${each}`;
  }
  const texts = items.map((item) => textOf({ key, first: item, rest: [], line }));
  const wrong = texts.find((text) => typeof text !== 'string');
  return wrong === undefined ? (texts as string[]).filter((text) => text !== '') : (wrong as Problem);
}

/** As it was written, but for quotes around all of it: for what only people read, and often write as `[file] [format]`. */
export function rawOf({ first, rest }: FrontField): string {
  const text = oneLine([first, ...rest]);
  return (/^["']/.test(text) ? unquote(text) : null) ?? text;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

const UNEVEN = /^\s|\s$|\s\s|[^\S ]/;

function oneLine(lines: readonly string[]): string {
  const text = lines.length === 1 ? (lines[0] ?? '') : lines.join(' ');
  // Most are one line already.
  return UNEVEN.test(text) ? text.replace(/\s+/g, ' ').trim() : text;
}

/** Of what stands in no quotes: `#` after a space begins a comment. */
function withoutComment(text: string): string {
  const at = text.search(/(?:^|[ \t])#/);
  return at < 0 ? text : text.slice(0, at);
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '"': '"',
  '\\': '\\',
  '/': '/',
  ' ': ' ',
};

/** What stands between quotes; null if they do not end, or something follows that is no comment. */
function unquote(text: string): string | null {
  const [whole] = /^'(?:[^']|'')*'/.exec(text) ?? /^"(?:[^"\\]|\\.)*"/.exec(text) ?? [];
  if (whole === undefined || !/^\s*(?:$|#)/.test(text.slice(whole.length))) return null;
  const inner = whole.slice(1, -1);
  if (whole.startsWith("'")) return inner.replaceAll("''", "'");
  if (!inner.includes('\\')) return inner;
  let isKnown = true;
  const said = inner.replace(
    /\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))/g,
    (_, u?: string, x?: string, one = '') => {
      const code = u ?? x;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      const meant = Object.hasOwn(ESCAPES, one) ? ESCAPES[one] : undefined;
      isKnown &&= meant !== undefined;
      return meant ?? '';
    },
  );
  return isKnown ? said : null;
}

const ITEM = /\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s,[\]{}"'#&*!|>%@`][^,[\]{}]*)?\s*(,|\])/y;

/** The items of `[a, "b"]`; null if it is no list of texts. */
function flowItems(text: string): string[] | null {
  const items: string[] = [];
  ITEM.lastIndex = 1;
  for (;;) {
    const match = ITEM.exec(text);
    if (match === null) return null;
    const [, item, end] = match;
    const said = item === undefined ? '' : /^["']/.test(item) ? unquote(item) : item.trim();
    if (said === null) return null;
    if (said !== '') items.push(said);
    if (end === ']') return text.slice(ITEM.lastIndex).trim() === '' ? items : null;
  }
}
