// Read, Edit and Write: text files by their lines, and what else can be shown. Read refuses what it cannot show instead of showing it
// as text, and shows the same content once. Edit changes only what is proven to be meant, Write what the model has seen; what
// they are given is what the file then holds.
import type { JsonSchema } from '../protocol/json.js';
import type {
  FileEditInput,
  FileEditOutput,
  FileReadInput,
  FileReadOutput,
  FileWriteInput,
  FileWriteOutput,
} from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { loadFiles } from './bodies.js';
import { FILE_PATH_DESCRIPTION, pathSubject } from './shared/index.js';
import { defineTool } from './tool.js';

export const readInputSchema = {
  type: 'object',
  properties: {
    file_path: { type: 'string', minLength: 1, description: FILE_PATH_DESCRIPTION },
    offset: { type: 'integer', minimum: 1, description: 'First line, counted from 1. Default 1.' },
    limit: { type: 'integer', minimum: 1, description: 'Number of lines. Default 2000.' },
    pages: { type: 'string', description: 'Of a PDF only: "3", "1-5" or "1,4-6", at most 20 pages.' },
  },
  required: ['file_path'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const READ_DESCRIPTION = `Shows a file: text, a notebook, an image or a PDF.
- Of a text you get the first 2000 lines, or those that offset and limit name. Each line is its number, padded to six columns, a tab, and its exact text. Number and tab are not in the file. Lines over 2000 characters are cut.
- A Jupyter notebook (.ipynb) is shown by its cells with their outputs; offset and limit then count cells.
- An image (PNG, JPEG, GIF, WebP) or a PDF of up to 100 pages is shown to you directly; of a longer PDF give pages. Other binary files are refused, and so are directories: use Glob for those.
- If you read a file again that has not changed, you get a short note instead of its content.
- To read several files, send several calls in one reply.`;

export const readTool = defineTool<FileReadInput, FileReadOutput>({
  name: 'Read',
  description: READ_DESCRIPTION,
  inputSchema: readInputSchema,
  otherFields: {
    allow_large: 'a text of any size is shown in parts, so use offset and limit',
    view_range: 'use offset and limit',
  },
  readOnly: true,
  concurrencySafe: true,
  title: ({ file_path }) => shorten(`Read ${file_path}`, 120),
  subject: ({ file_path }, cwd) => pathSubject(file_path, cwd, 'read'),
  run: async (input, context) => (await loadFiles()).showLines(input, context),
});

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

const EDIT_DESCRIPTION = `Replaces an exact piece of text in a file.
- old_string must match the file exactly, indentation included, without the line numbers that Read shows. It must occur exactly once: include enough of the lines around it, or set replace_all to change every occurrence.
- Read the file before you edit it: one that you have not read, or that changed since, is refused.
- Write line breaks as \\n; the file keeps its own kind, and its encoding and permissions.
- With an empty old_string, new_string becomes the content of a new or empty file.`;

export const editTool = defineTool<FileEditInput, FileEditOutput>({
  name: 'Edit',
  description: EDIT_DESCRIPTION,
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

export const writeInputSchema = {
  type: 'object',
  properties: {
    file_path: { type: 'string', minLength: 1, description: FILE_PATH_DESCRIPTION },
    content: { type: 'string', description: 'The whole content of the file.' },
  },
  required: ['file_path', 'content'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const WRITE_DESCRIPTION = `Writes a whole file: creates it, with its folders, or replaces all of its content.
- To change a part of a file, use Edit: it is shorter and safer.
- Read an existing file before you replace it: one that you have not read, or that changed since, is refused.
- The content is stored as UTF-8, exactly as given. An existing file keeps its permissions.`;

export const writeTool = defineTool<FileWriteInput, FileWriteOutput>({
  name: 'Write',
  description: WRITE_DESCRIPTION,
  inputSchema: writeInputSchema,
  otherFields: { append: 'give the whole content, or add to a file with Edit' },
  readOnly: false,
  concurrencySafe: false,
  title: ({ file_path }) => shorten(`Write ${file_path}`, 120),
  subject: ({ file_path }, cwd) => pathSubject(file_path, cwd, 'write'),
  run: async (input, context) => (await loadFiles()).writeFile(input, context),
});
