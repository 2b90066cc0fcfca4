// The text of a notebook with one cell replaced, inserted or deleted, written as the rest of the file is.
import { type Cell, type CellType, cellType, type Notebook, sourceOf } from '../notebook/notebook.js';

/** How a file writes its JSON. */
interface Layout {
  /** One level of indentation; '' where all stands on one line. */
  readonly indent: string;
  readonly lineBreak: string;
}

/** From this minor version on each cell must have an id. */
const IDS_SINCE = 5;

/** Fields of a cell that a new source changes. */
const CHANGED = ['source', 'outputs', 'execution_count'] as const;

/**
 * The cell with another source, and another type if one is given. Outputs of another source are not its own.
 * @param index of the cell, which is there
 */
export function replaceCell(text: string, index: number, before: Cell, source: string, type: CellType): string {
  const at = locateCells(text).cells[index];
  if (at === undefined) return text;
  const after = changedCell(before, source, type);
  const layout = layoutOf(text);
  const fields = locateFields(text, at.start);
  const isSameShape = cellType(before) === type && Object.keys(after).every((name) => Object.hasOwn(before, name));
  if (!isSameShape) return splice(text, at, render(after, text, layout, 2));
  // What is not changed is not written again: numbers may be such that JavaScript cannot hold them.
  const places = CHANGED.flatMap((name) => {
    const span = fields.get(name);
    return span === undefined ? [] : [{ span, value: after[name] }];
  });
  return places
    .sort((a, b) => b.span.start - a.span.start)
    .reduce((result, { span, value }) => splice(result, span, render(value, text, layout, 3)), text);
}

/** @param index where it stands then */
export function insertCell(text: string, index: number, cell: Cell): string {
  const { list, cells } = locateCells(text);
  const layout = layoutOf(text);
  const made = render(cell, text, layout, 2);
  const before = cells[index - 1];
  const gap = layout.indent === '' ? '' : `${layout.lineBreak}${layout.indent.repeat(2)}`;
  if (before !== undefined) {
    const separator = layout.indent === '' ? ', ' : `,${gap}`;
    return splice(text, { start: before.end, end: before.end }, `${separator}${made}`);
  }
  const first = cells[0];
  if (first !== undefined)
    return splice(text, { start: first.start, end: first.start }, `${made}${layout.indent === '' ? ', ' : `,${gap}`}`);
  const close = layout.indent === '' ? '' : `${layout.lineBreak}${layout.indent}`;
  return splice(text, list, `[${gap}${made}${close}]`);
}

/** @param index of the cell, which is there */
export function deleteCell(text: string, index: number): string {
  const { list, cells } = locateCells(text);
  const [at, before, after] = [cells[index], cells[index - 1], cells[index + 1]];
  if (at === undefined) return text;
  if (after !== undefined) return splice(text, { start: at.start, end: after.start }, '');
  if (before !== undefined) return splice(text, { start: before.end, end: at.end }, '');
  return splice(text, list, '[]');
}

function changedCell(cell: Cell, source: string, type: CellType): Cell {
  const written = isList(cell) ? toLines(source) : source;
  const { outputs: _outputs, execution_count: _count, ...rest } = cell;
  if (type !== 'code') {
    // Only markdown and raw cells may have attachments, only code cells outputs.
    return { ...rest, cell_type: type, source: written };
  }
  const { attachments: _attachments, ...code } = cell;
  return { ...code, cell_type: type, source: written, outputs: [], execution_count: null };
}

/** Its fields in the order in which Jupyter writes them. @param id used where the format wants one */
export function newCell(notebook: Notebook, source: string, type: 'code' | 'markdown', id: string): Cell {
  const hasLines = notebook.cells.length === 0 || notebook.cells.some(isList);
  return {
    cell_type: type,
    ...(type === 'code' ? { execution_count: null } : {}),
    ...(notebook.minor >= IDS_SINCE ? { id } : {}),
    metadata: {},
    ...(type === 'code' ? { outputs: [] } : {}),
    source: hasLines ? toLines(source) : source,
  };
}

/** An id that no cell has. @param uuid whose end differs from that of others */
export function freshId({ cells }: Notebook, uuid: string): string {
  const taken = new Set(cells.map(({ id }) => id));
  const base = uuid.slice(-8);
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(id)) return id;
  }
}

/** True if nothing would change. */
export function holds(cell: Cell, source: string, type: CellType): boolean {
  return sourceOf(cell) === source && cellType(cell) === type;
}

function isList({ source }: Cell): boolean {
  return Array.isArray(source);
}

/** Each line with its break, as Jupyter stores a text. */
function toLines(source: string): string[] {
  return source === '' ? [] : source.split(/(?<=\n)/);
}

function splice(text: string, { start, end }: Span, put: string): string {
  return text.slice(0, start) + put + text.slice(end);
}

/** By the first line break of the file and what stands before the first name in it. */
function layoutOf(text: string): Layout {
  const [, lineBreak, indent] = /^\s*\{[ \t]*(\r?\n)([ \t]*)"/.exec(text) ?? [];
  return { indent: indent ?? '', lineBreak: lineBreak ?? '\n' };
}

/** @param level of the nesting at which the value stands */
function render(value: unknown, text: string, { indent, lineBreak }: Layout, level: number): string {
  // As Python writes it: characters that are no ASCII are escaped everywhere or nowhere.
  const json = JSON.stringify(value, null, indent);
  const escaped = isEscaped(text) ? json.replace(/[\u0080-\uffff]/g, escapeUnit) : json;
  return indent === '' ? escaped : escaped.replaceAll('\n', `${lineBreak}${indent.repeat(level)}`);
}

const NOT_ASCII = /[\u0080-\uffff]/;
const ESCAPED_LETTER = /\\u(?!00[0-7])[0-9a-f]{4}/i;

/** The file has escaped letters, and none that are not. */
function isEscaped(text: string): boolean {
  return !NOT_ASCII.test(text) && ESCAPED_LETTER.test(text);
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

// Where the cells of a notebook stand in its text, so that one can be changed and every other byte left alone.
// Contract: the text is valid JSON, an object with a list `cells`; nothing here checks that again, and no recursion.

/** From its first character to behind its last one. */

interface Span {
  readonly start: number;
  readonly end: number;
}

interface CellPlaces {
  /** The brackets of the list, and all between. */
  readonly list: Span;
  readonly cells: readonly Span[];
}

function locateCells(text: string): CellPlaces {
  const list = locateFields(text, skipSpace(text, 0)).get('cells') ?? { start: 0, end: 0 };
  const cells: Span[] = [];
  for (let start = skipSpace(text, list.start + 1); start < list.end - 1; ) {
    const end = endOfValue(text, start);
    cells.push({ start, end });
    start = skipSpace(text, skipSpace(text, end) + 1);
  }
  return { list, cells };
}

/**
 * The values of an object by their names; of several with one name the last, as JSON.parse has it.
 * @param start of the object
 */
function locateFields(text: string, start: number): ReadonlyMap<string, Span> {
  const fields = new Map<string, Span>();
  for (let at = skipSpace(text, start + 1); text[at] === '"'; ) {
    const nameEnd = endOfString(text, at);
    const value = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = endOfValue(text, value);
    fields.set(JSON.parse(text.slice(at, nameEnd)) as string, { start: value, end });
    at = skipSpace(text, skipSpace(text, end) + 1);
  }
  return fields;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1;
  return at;
}

/** @param start of a value */
function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') {
    const behind = /[\s,\]}]/g;
    behind.lastIndex = start;
    return behind.exec(text)?.index ?? text.length;
  }
  const structure = /["[\]{}]/g;
  let depth = 0;
  for (let at = start; ; ) {
    structure.lastIndex = at;
    const found = structure.exec(text);
    if (found === null) return text.length;
    at = found.index;
    if (found[0] === '"') {
      at = endOfString(text, at);
      continue;
    }
    depth += found[0] === '{' || found[0] === '[' ? 1 : -1;
    at += 1;
    if (depth === 0) return at;
  }
}

/** Step by step: a pattern for a string of megabytes may need more stack than there is. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let before = quote;
    while (text[before - 1] === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}
