// NotebookEdit: replaces, inserts or deletes one cell of a Jupyter notebook that was read before. Every other byte of the
// file stays as it is.
import type { JsonSchema } from '../protocol/json.js';
import type { NotebookEditInput, NotebookEditOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { pathSubject } from './resolve-path.js';
import { defineTool } from './tool.js';

export const notebookEditInputSchema = {
  type: 'object',
  properties: {
    notebook_path: {
      type: 'string',
      minLength: 1,
      description: 'Absolute path of the notebook (.ipynb), or a path relative to the working directory.',
    },
    cell_id: {
      type: 'string',
      description:
        'The cell, by the id that Read shows. With insert, the cell to put the new one behind; without it, the new one comes first.',
    },
    cell_type: {
      type: 'string',
      enum: ['code', 'markdown'],
      description: 'The type of the cell. Needed for insert; for replace it stays as it is by default.',
    },
    new_source: { type: 'string', description: 'The whole new source of the cell. Not used by delete.' },
    edit_mode: {
      type: 'string',
      enum: ['replace', 'insert', 'delete'],
      description: 'What to do with the cell. Default replace.',
    },
  },
  required: ['notebook_path', 'new_source'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Changes one cell of a Jupyter notebook (.ipynb): replaces its source, inserts a new cell, or deletes it.
- Read the notebook first; it shows each cell with its id. One that you have not read, or that changed since, is refused.
- A code cell with a new source loses its outputs, because they are no longer its own. All else in the file stays as it is.`;

export const notebookEditTool = defineTool<NotebookEditInput, NotebookEditOutput>({
  name: 'NotebookEdit',
  description: DESCRIPTION,
  inputSchema: notebookEditInputSchema,
  readOnly: false,
  concurrencySafe: false,
  title: ({ notebook_path, edit_mode, cell_id }) =>
    shorten(`${edit_mode ?? 'replace'} ${cell_id ?? 'cell'} of ${notebook_path}`, 120),
  subject: ({ notebook_path }, cwd) => pathSubject(notebook_path, cwd, 'write'),
  run: async (input, context) => (await import('./notebook-edit/edit-notebook.js')).editNotebook(input, context),
});
