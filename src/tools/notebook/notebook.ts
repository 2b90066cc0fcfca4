// A Jupyter notebook as what it holds: its cells, their names and sources. Read shows them, NotebookEdit changes one.

import type { FileReadOutput } from '../../protocol/tool-io.js';
import { isNestedDeeper, isRecord } from '../../util/json.js';
import { count, cutAtWord, formatBytes, shorten, tailAtWord, toWellFormed } from '../../util/text.js';

export type CellType = 'code' | 'markdown' | 'raw';

/** A cell as the file has it: whatever stands in it stays. */
export type Cell = Readonly<Record<string, unknown>>;

export interface Notebook {
  readonly cells: readonly Cell[];
  /** The second number of the format, 4.x. From 5 on each cell has an id. */
  readonly minor: number;
  /** Of the code, as the notebook says: "python". */
  readonly language: string;
}

/** The format has cells at this level of nesting; nothing of it goes deeper than a few more. */
const MAX_DEPTH = 100;
const CELL_TYPES: readonly unknown[] = ['code', 'markdown', 'raw'] satisfies CellType[];
const CELLS_LISTED = 20;

/** The notebook, or a clause that says why it is none: "its JSON is broken (…)". */
export function parseNotebook(text: string): Notebook | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `its JSON is broken (${error instanceof Error ? error.message : String(error)})`;
  }
  if (!isRecord(value)) return 'it is not a JSON object';
  const { nbformat, nbformat_minor: minor, cells, metadata } = value;
  if (nbformat !== 4) {
    if (typeof nbformat !== 'number') return 'it does not say its format (nbformat)';
    return `it is of format ${nbformat}, and only format 4 is known here; jupyter nbconvert --to notebook converts it`;
  }
  if (!Array.isArray(cells)) return 'it has no list of cells';
  if (isNestedDeeper(value, MAX_DEPTH)) return 'it is nested too deeply';
  for (const [index, cell] of cells.entries()) {
    const wrong = whatIsWrong(cell);
    if (wrong !== null) return `its cell ${index} ${wrong}`;
  }
  return { cells, minor: typeof minor === 'number' ? minor : 0, language: languageOf(metadata) };
}

function whatIsWrong(cell: unknown): string | null {
  if (!isRecord(cell)) return 'is not an object';
  if (!CELL_TYPES.includes(cell.cell_type))
    return `has the type ${shorten(JSON.stringify(cell.cell_type) ?? 'none', 40)}`;
  const { source } = cell;
  const isText =
    typeof source === 'string' || (Array.isArray(source) && source.every((line) => typeof line === 'string'));
  return isText ? null : 'has no source';
}

export function cellType(cell: Cell): CellType {
  return cell.cell_type as CellType;
}

/** A text may be stored as one, or as its lines. */
function joinText(text: unknown): string {
  if (typeof text === 'string') return text;
  return Array.isArray(text) ? text.filter((line) => typeof line === 'string').join('') : '';
}

export function sourceOf(cell: Cell): string {
  return joinText(cell.source);
}

/** What each cell is called: its id, or `cell-` and its number from 0 if it has none that is its own. All differ. */
export function cellNames({ cells }: Notebook): readonly string[] {
  const times = new Map<unknown, number>();
  for (const { id } of cells) times.set(id, (times.get(id) ?? 0) + 1);
  return cells.map(({ id }, index) => {
    if (typeof id === 'string' && id !== '' && times.get(id) === 1) return id;
    const numbered = `cell-${index}`;
    return times.get(numbered) === 1 ? `cell-number-${index}` : numbered;
  });
}

/** The place of the cell, by its name or by `cell-` and its number; -1 if there is none. */
export function findCell(notebook: Notebook, name: string): number {
  const found = cellNames(notebook).indexOf(name);
  if (found !== -1) return found;
  const number = /^cell-(\d{1,9})$/.exec(name)?.[1];
  return number !== undefined && Number(number) < notebook.cells.length ? Number(number) : -1;
}

/** The cells in a few words, for who named none of them. */
export function listCells(notebook: Notebook): string {
  if (notebook.cells.length === 0) return 'The notebook has no cells.';
  const names = cellNames(notebook);
  const listed = notebook.cells
    .slice(0, CELLS_LISTED)
    .map((cell, index) => `${names[index]} (${cellType(cell)}: ${JSON.stringify(shorten(sourceOf(cell), 40))})`);
  const more = notebook.cells.length > listed.length ? `, and ${notebook.cells.length - listed.length} more` : '';
  return `Its cells: ${listed.join(', ')}${more}.`;
}

function languageOf(metadata: unknown): string {
  if (!isRecord(metadata)) return 'unknown';
  const { language_info: info, kernelspec } = metadata;
  const name = (isRecord(info) ? info.name : undefined) ?? (isRecord(kernelspec) ? kernelspec.language : undefined);
  return typeof name === 'string' && name !== '' ? shorten(name, 40) : 'unknown';
}

// The cells of a notebook with what they put out, as text. Pictures and pages are named, not shown.

type NotebookOutput = Extract<FileReadOutput, { type: 'notebook' }>;
type ShownCell = NotebookOutput['cells'][number];

/** The part of a notebook that a call asks for. */
interface ShownNotebook {
  readonly cells: readonly ShownCell[];
  readonly model: string;
  /** True if the range took in every cell. */
  readonly isWhole: boolean;
}

/** Characters shown of one source, of one output, and of all. */
const SOURCE_CHARACTERS = 100_000;
const OUTPUT_CHARACTERS = 10_000;
const SHOWN_CHARACTERS = 262_144;
/** Kinds of output that are text, the plainest first. */
const TEXT_TYPES = ['text/plain', 'text/markdown', 'text/latex', 'application/json', 'text/html', 'image/svg+xml'];

/** @param range cells, counted from 1. */
export function showNotebook(
  notebook: Notebook,
  range: { readonly offset: number; readonly limit: number },
): ShownNotebook {
  const names = cellNames(notebook);
  const wanted = notebook.cells.slice(range.offset - 1, range.offset - 1 + range.limit);
  const cells: ShownCell[] = [];
  const texts: string[] = [];
  let shown = 0;
  for (const [at, cell] of wanted.entries()) {
    const number = range.offset - 1 + at;
    const seen = showCell(cell, number);
    const text = render(seen, cell, names[number] ?? '');
    if (shown + text.length > SHOWN_CHARACTERS && cells.length > 0) break;
    shown += text.length;
    cells.push(seen);
    texts.push(text);
  }
  const isWhole = range.offset === 1 && cells.length === notebook.cells.length;
  const head = `[Notebook with ${count(notebook.cells.length, 'cell')}, language ${notebook.language}. Change it with NotebookEdit, by the ids of its cells.]`;
  const last = range.offset + cells.length - 1;
  const rest =
    last >= notebook.cells.length ? [] : [restNote(range.offset, last, notebook, cells.length < wanted.length)];
  return { cells, isWhole, model: [head, ...texts, ...rest].join('\n') };
}

function restNote(first: number, last: number, { cells }: Notebook, isFull: boolean): string {
  const reason = isFull ? `; the result is full at ${formatBytes(SHOWN_CHARACTERS)}` : '';
  return `[Cells ${first}-${last} of ${cells.length} shown, counted from 1${reason}. Read on with offset ${last + 1}.]`;
}

function showCell(cell: Cell, number: number): ShownCell {
  const outputs = Array.isArray(cell.outputs) ? cell.outputs.flatMap(showOutput) : [];
  const shown = { cell_number: number, cell_type: cellType(cell), source: cut(sourceOf(cell), SOURCE_CHARACTERS) };
  return cellType(cell) === 'code' && outputs.length > 0 ? { ...shown, outputs } : shown;
}

function render(
  { cell_number: number, cell_type: type, source, outputs = [] }: ShownCell,
  cell: Cell,
  name: string,
): string {
  const count =
    type === 'code' && typeof cell.execution_count === 'number' ? ` execution_count="${cell.execution_count}"` : '';
  const head = `<cell number="${number}" id=${JSON.stringify(name)} type="${type}"${count}>`;
  const body = source === '' ? [] : [source.replace(/\n$/, '')];
  const results = outputs.flatMap((output) => ['<output>', output.replace(/\n$/, ''), '</output>']);
  return [head, ...body, '</cell>', ...results].join('\n');
}

function showOutput(output: unknown): readonly string[] {
  if (!isRecord(output)) return [];
  switch (output.output_type) {
    case 'stream':
      return [plain(joinText(output.text))];
    case 'error': {
      const trace = Array.isArray(output.traceback) ? output.traceback.map(String).join('\n') : '';
      return [plain(trace === '' ? `${String(output.ename)}: ${String(output.evalue)}` : trace)];
    }
    case 'display_data':
    case 'execute_result':
      return isRecord(output.data) ? showData(output.data) : [];
    default:
      return [];
  }
}

/** The plainest text of it, and the names of what cannot be shown. */
function showData(data: Readonly<Record<string, unknown>>): readonly string[] {
  const type = TEXT_TYPES.find((name) => name in data);
  const shown =
    type === undefined ? [] : [plain(type === 'application/json' ? JSON.stringify(data[type]) : joinText(data[type]))];
  const pictures = Object.keys(data).filter((name) => name !== type && !TEXT_TYPES.includes(name));
  return [...shown, ...pictures.map((name) => `[${cut(name, 80)}, ${sizeOf(data[name])}: not shown]`)];
}

/** Of a picture, the bytes that its base64 stands for. */
function sizeOf(value: unknown): string {
  const text = joinText(value);
  return formatBytes(text === '' ? (JSON.stringify(value) ?? '').length : Math.floor((text.length * 3) / 4));
}

/** Without the colours of a terminal; a line that was written over again and again shows what it ended with. */
function plain(text: string): string {
  const words = text.replace(COLOURS, '');
  return cut(words.includes('\r') ? words.split('\n').map(lastWritten).join('\n') : words, OUTPUT_CHARACTERS);
}

function lastWritten(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.slice(text.lastIndexOf('\r') + 1);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const COLOURS = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

/** Beginning and end: of an output the end says how it came out. */
function cut(text: string, characters: number): string {
  const safe = toWellFormed(text).replaceAll('\0', '\ufffd');
  if (safe.length <= characters) return safe;
  const half = Math.floor(characters / 2);
  const [start, end] = [toWellFormed(cutAtWord(safe, half)), toWellFormed(tailAtWord(safe, half))];
  return `${start}\n[… ${safe.length - start.length - end.length} characters left out …]\n${end}`;
}
