// One change of a notebook: from the file as the model read it to the file as it will be.
import { ToolError } from '../../protocol/errors.js';
import type { NotebookEditInput, NotebookEditOutput } from '../../protocol/tool-io.js';
import { formatBytes } from '../../util/format-bytes.js';
import { countLines } from '../../util/lines.js';
import { count, shorten } from '../../util/text.js';
import { type DecodedText, decodeText, detectBinary, encodeText, findUnencodable } from '../../util/text-file.js';
import {
  cellNames,
  cellType,
  findCell,
  listCells,
  type Notebook,
  parseNotebook,
  sourceOf,
} from '../notebook/notebook.js';
import {
  type FileSnapshot,
  locateFile,
  readSnapshot,
  requireSeen,
  storeEdited,
  WHOLE_FILE_BYTES,
  withFileErrors,
} from '../shared/open-file.js';
import { putIntoFile } from '../shared/put-in-secrets.js';
import { resolveToolPath } from '../shared/resolve-path.js';
import type { ToolContext, ToolOutcome } from '../tool.js';
import { deleteCell, freshId, holds, insertCell, newCell, replaceCell } from './change-cells.js';

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
  if (binary !== null) throw new ToolError(`${path} is no notebook: ${binary.name}, ${formatBytes(bytes.length)}.`);
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
