// The cells of a notebook with what they put out, as text. Pictures and pages are named, not shown.
import type { FileReadOutput } from '../../protocol/tool-io.js';
import { formatBytes } from '../../util/format-bytes.js';
import { isRecord } from '../../util/is-record.js';
import { count, cutAtWord, tailAtWord, toWellFormed } from '../../util/text.js';
import { type Cell, cellNames, cellType, joinText, type Notebook, sourceOf } from '../notebook/notebook.js';

type NotebookOutput = Extract<FileReadOutput, { type: 'notebook' }>;
type ShownCell = NotebookOutput['cells'][number];

/** The part of a notebook that a call asks for. */
export interface ShownNotebook {
  readonly cells: readonly ShownCell[];
  readonly model: string;
  /** True where the range took in every cell. */
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
