// A Jupyter notebook as what it holds: its cells, their names and sources. Read shows them, NotebookEdit changes one.

import { isRecord } from '../../util/is-record.js';
import { isNestedDeeper } from '../../util/nesting.js';
import { shorten } from '../../util/text.js';

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
  if (!isRecord(value)) return 'it is no JSON object';
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
  if (!isRecord(cell)) return 'is no object';
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
export function joinText(text: unknown): string {
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
