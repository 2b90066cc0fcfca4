// Edit: replaces an exact piece of a text file. It edits only what is proven to be meant: one exact match, or all with
// replace_all, in the version of the file the model knows. Everything else about the file stays as it was.
import type { JsonSchema } from '../protocol/json.js';
import type { FileEditInput, FileEditOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { FILE_PATH_DESCRIPTION, pathSubject } from './resolve-path.js';
import { defineTool } from './tool.js';

export const editInputSchema = {
  type: 'object',
  properties: {
    file_path: { type: 'string', minLength: 1, description: FILE_PATH_DESCRIPTION },
    old_string: {
      type: 'string',
      description: 'The exact text to replace. Empty only to create a new file or fill an empty one.',
    },
    new_string: { type: 'string', description: 'The text to put in its place. Must differ from old_string.' },
    replace_all: { type: 'boolean', description: 'Replace every occurrence instead of exactly one. Default false.' },
  },
  required: ['file_path', 'old_string', 'new_string'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Replaces an exact piece of text in a file.
- old_string must be the file's text to the letter, with its indentation, and without the line numbers Read shows. It must occur exactly once: give enough lines around the change, or set replace_all to change every occurrence (for example to rename something).
- Read the file first: one that you have not read, or that changed since, is refused.
- Line endings may be written as \\n; the file keeps its own, and its encoding and permissions.
- An empty old_string creates a new file with new_string as its content. To replace a whole file use Write.`;

export const editTool = defineTool<FileEditInput, FileEditOutput>({
  name: 'Edit',
  description: DESCRIPTION,
  inputSchema: editInputSchema,
  readOnly: false,
  concurrencySafe: false,
  title: ({ file_path }) => shorten(`Edit ${file_path}`, 120),
  subject: ({ file_path }, cwd) => pathSubject(file_path, cwd, 'write'),
  run: async (input, context) => (await import('./edit/edit-file.js')).editFile(input, context),
});
