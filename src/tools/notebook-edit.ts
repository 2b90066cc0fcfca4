// NotebookEdit: replaces, inserts or deletes one cell of a Jupyter notebook that was read before. Every other byte of the
// file stays as it is.
import type { JsonSchema } from '../protocol/json.js';
import type { NotebookEditInput, NotebookEditOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { loadNotebook } from './bodies.js';
import { pathSubject } from './shared/index.js';
import { defineTool } from './tool.js';

export const notebookEditInputSchema = {
  type: 'object',
  properties: {
    notebook_path: {
      type: 'string',
      minLength: 1,
      description: 'Path of the notebook, absolute or relative to the working directory.',
    },
    cell_id: {
      type: 'string',
      description:
        'Id of the cell, as Read shows it. With insert, the new cell goes after this one; without an id it goes first.',
    },
    cell_type: {
      type: 'string',
      enum: ['code', 'markdown'],
      description: 'Type of the cell. Needed for insert; replace keeps it by default.',
    },
    new_source: { type: 'string', description: 'The whole new source. Empty for delete.' },
    edit_mode: {
      type: 'string',
      enum: ['replace', 'insert', 'delete'],
      description: 'Default replace.',
    },
  },
  required: ['notebook_path', 'new_source'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Changes one cell of a Jupyter notebook (.ipynb): replaces its source, inserts a new cell, or deletes it. The rest of the file stays as it is.
- Read the notebook first: Read shows the id of each cell. One that you have not read, or that changed since, is refused.
- A code cell with a new source loses its outputs.`;

export const notebookEditTool = defineTool<NotebookEditInput, NotebookEditOutput>({
  name: 'NotebookEdit',
  description: DESCRIPTION,
  inputSchema: notebookEditInputSchema,
  otherFields: { cell_number: 'use cell_id: Read shows the id of each cell' },
  deferrable: 'rare',
  readOnly: false,
  concurrencySafe: false,
  title: ({ notebook_path, edit_mode, cell_id }) =>
    shorten(`${edit_mode ?? 'replace'} ${cell_id ?? 'cell'} of ${notebook_path}`, 120),
  subject: ({ notebook_path }, cwd) => pathSubject(notebook_path, cwd, 'write'),
  run: async (input, context) => (await loadNotebook()).editNotebook(input, context),
});
