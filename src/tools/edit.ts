// Edit: replaces an exact piece of a text file. It edits only what is proven to be meant: one exact match, or all with
// replace_all, in the version of the file the model knows. Everything else about the file stays as it was.
import type { JsonSchema } from '../protocol/json.js';
import type { FileEditInput, FileEditOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { loadFiles } from './bodies.js';
import { FILE_PATH_DESCRIPTION, pathSubject } from './shared/index.js';
import { defineTool } from './tool.js';

export const editInputSchema = {
  type: 'object',
  properties: {
    file_path: { type: 'string', minLength: 1, description: FILE_PATH_DESCRIPTION },
    old_string: {
      type: 'string',
      description: 'The exact text to replace.',
    },
    new_string: { type: 'string', description: 'The text to put in its place.' },
    replace_all: { type: 'boolean', description: 'Replace every occurrence. Default false.' },
  },
  required: ['file_path', 'old_string', 'new_string'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Replaces an exact piece of text in a file.
- old_string must match the file exactly, indentation included, without the line numbers that Read shows. It must occur exactly once: include enough of the lines around it, or set replace_all to change every occurrence.
- Read the file before you edit it: one that you have not read, or that changed since, is refused.
- Write line breaks as \\n; the file keeps its own kind, and its encoding and permissions.
- With an empty old_string, new_string becomes the content of a new or empty file.`;

export const editTool = defineTool<FileEditInput, FileEditOutput>({
  name: 'Edit',
  description: DESCRIPTION,
  inputSchema: editInputSchema,
  otherFields: {
    edits: 'a call makes one change, so send several calls',
    expected_replacements: 'use replace_all to change every occurrence',
  },
  readOnly: false,
  concurrencySafe: false,
  title: ({ file_path }) => shorten(`Edit ${file_path}`, 120),
  subject: ({ file_path }, cwd) => pathSubject(file_path, cwd, 'write'),
  run: async (input, context) => (await loadFiles()).editFile(input, context),
});
