// One change of a notebook: from the file as the model read it to the file as it will be.
import { ToolError } from '../../protocol/errors.js';
import type { NotebookEditInput, NotebookEditOutput } from '../../protocol/tool-io.js';
import { countLines } from '../../util/lines.js';
import { count, formatBytes, shorten } from '../../util/text.js';
import { type DecodedText, decodeText, detectBinary, encodeText, findUnencodable } from '../../util/text-file.js';
import {
  type FileSnapshot,
  locateFile,
  putIntoFile,
  readSnapshot,
  requireSeen,
  resolveToolPath,
  storeEdited,
  WHOLE_FILE_BYTES,
  withFileErrors,
} from '../shared/index.js';
import type { ToolContext, ToolOutcome } from '../tool.js';
import {
  type Cell,
  type CellType,
  cellNames,
  cellType,
  findCell,
  listCells,
  type Notebook,
  parseNotebook,
  sourceOf,
} from './notebook.js';

/** The text of the file then, and what was done, for the model. */
interface Change {
  readonly text: string;
  readonly done: string;
}

export async function editNotebook(
  input: NotebookEditInput,
  context: ToolContext,
): Promise<ToolOutcome<NotebookEditOutput>> {
  const path = resolveToolPath(input.notebook_path, context, 'notebook_path');
  try {
    const located = await withFileErrors(context, 'read', path, () => locateFile(context, path));
    const snapshot = await readSnapshot(context, path, located);
    requireSeen(context, snapshot, path);
    const decoded = decodeText(snapshot.bytes);
    const notebook = requireNotebook(snapshot, decoded, path);
    const source = await putIntoFile(input.new_source ?? '', sourcesOf(notebook), context);
    const { text, done } = change({ ...input, new_source: source }, decoded.text, notebook, context);
    if (text.length > WHOLE_FILE_BYTES)
      throw new ToolError(`${path} would grow above ${formatBytes(WHOLE_FILE_BYTES)}. Use a command in Bash.`);
    await storeEdited(encodeText(text, decoded), snapshot, path, context);
    return { model: `${done} in ${path}.`, data: { success: true, notebook_path: path } };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const data: NotebookEditOutput = { success: false, notebook_path: path, error: error.message };
    throw new ToolError(error.message, data);
  }
}

function requireNotebook({ bytes }: FileSnapshot, { text, encoding }: DecodedText, path: string): Notebook {
  const binary = detectBinary(bytes);
  if (binary !== null) throw new ToolError(`${path} is not a notebook: ${binary.name}, ${formatBytes(bytes.length)}.`);
  const notebook = encoding === 'latin-1' ? 'it is not UTF-8' : parseNotebook(text);
  if (typeof notebook !== 'string') return notebook;
  const next = path.endsWith('.ipynb') ? 'Mend it with Edit' : 'Change it with Edit';
  throw new ToolError(`${path} cannot be changed cell by cell: ${notebook}. ${next}.`);
}

/** What its cells hold, as a model reads it. */
function sourcesOf({ cells }: Notebook): string {
  return cells.map(sourceOf).join('\n');
}

function change(input: NotebookEditInput, text: string, notebook: Notebook, context: ToolContext): Change {
  const { cell_id: id, cell_type: type, new_source: source, edit_mode: mode = 'replace' } = input;
  if (mode !== 'delete' && findUnencodable(source, 'utf-8') !== null)
    throw new ToolError('new_source holds half of a surrogate pair, which no file can hold. Give whole characters.');
  if (mode === 'insert') {
    if (type === undefined)
      throw new ToolError('insert needs cell_type: say whether the new cell is code or markdown.');
    const index = id === undefined ? 0 : requireCell(notebook, id) + 1;
    const cell = newCell(notebook, source, type, freshId(notebook, context.host.ids.uuid()));
    const name = typeof cell.id === 'string' ? cell.id : `cell-${index}`;
    return { text: insertCell(text, index, cell), done: `Inserted ${type} cell ${name} (${linesOf(source)})` };
  }
  if (id === undefined) throw new ToolError(`cell_id is missing: say which cell to ${mode}. ${listCells(notebook)}`);
  const index = requireCell(notebook, id);
  const [cell, name] = [notebook.cells[index] ?? {}, cellNames(notebook)[index]];
  if (mode === 'delete')
    return {
      text: deleteCell(text, index),
      done: `Deleted ${cellType(cell)} cell ${name} (${linesOf(sourceOf(cell))})`,
    };
  const newType = type ?? cellType(cell);
  if (holds(cell, source, newType))
    throw new ToolError(`Cell ${name} holds that source already, so there is nothing to change.`);
  const hadOutputs = Array.isArray(cell.outputs) && cell.outputs.length > 0;
  const what = `Replaced the source of ${newType} cell ${name} (${linesOf(source)}${hadOutputs ? '; its outputs are gone' : ''})`;
  return { text: replaceCell(text, index, cell, source, newType), done: what };
}

function requireCell(notebook: Notebook, id: string): number {
  const index = findCell(notebook, id);
  if (index === -1) throw new ToolError(`There is no cell ${JSON.stringify(shorten(id, 100))}. ${listCells(notebook)}`);
  return index;
}

function linesOf(source: string): string {
  return count(countLines(source), 'line');
}

// The text of a notebook with one cell replaced, inserted or deleted, written as the rest of the file is.

/** How a file writes its JSON. */
interface Layout {
  /** One level of indentation; '' if all stands on one line. */
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
function replaceCell(text: string, index: number, before: Cell, source: string, type: CellType): string {
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

/** @param index the place of the new cell */
function insertCell(text: string, index: number, cell: Cell): string {
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
function deleteCell(text: string, index: number): string {
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

/** Its fields in the order in which Jupyter writes them. @param id used if the format wants one */
function newCell(notebook: Notebook, source: string, type: 'code' | 'markdown', id: string): Cell {
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
function freshId({ cells }: Notebook, uuid: string): string {
  const taken = new Set(cells.map(({ id }) => id));
  const base = uuid.slice(-8);
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(id)) return id;
  }
}

/** True if nothing would change. */
function holds(cell: Cell, source: string, type: CellType): boolean {
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
