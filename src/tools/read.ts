// Read: shows lines of a text file with their numbers, notebooks by their cells, images and PDF files as what they are. It
// never loads a huge file, never waits for a pipe, and refuses what is none of these instead of showing it as text. The same content is not shown twice.
import type { JsonSchema } from '../protocol/json.js';
import type { FileReadInput, FileReadOutput } from '../protocol/tool-io.js';
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

const DESCRIPTION = `Shows a file: text, a notebook, an image or a PDF.
- Of a text you get the first 2000 lines, or those that offset and limit name. Each line is its number, padded to six columns, a tab, and its exact text. Number and tab are not in the file. Lines over 2000 characters are cut.
- A Jupyter notebook (.ipynb) is shown by its cells with their outputs; offset and limit then count cells.
- An image (PNG, JPEG, GIF, WebP) or a PDF of up to 100 pages is shown to you directly; of a longer PDF give pages. Other binary files are refused, and so are directories: use Glob for those.
- If you read a file again that has not changed, you get a short note instead of its content.
- To read several files, send several calls in one reply.`;

export const readTool = defineTool<FileReadInput, FileReadOutput>({
  name: 'Read',
  description: DESCRIPTION,
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
