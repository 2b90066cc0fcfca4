// Read: shows lines of a text file with their numbers, notebooks by their cells, images and PDF files as what they are. It
// never loads a huge file, never waits for a pipe, and refuses what is none of these instead of showing it as text. The same content is not shown twice.
import type { JsonSchema } from '../protocol/json.js';
import type { FileReadInput, FileReadOutput } from '../protocol/tool-io.js';
import { loadOnce } from '../util/load-once.js';
import { shorten } from '../util/text.js';
import { FILE_PATH_DESCRIPTION, pathSubject } from './resolve-path.js';
import { defineTool } from './tool.js';

export const readInputSchema = {
  type: 'object',
  properties: {
    file_path: { type: 'string', minLength: 1, description: FILE_PATH_DESCRIPTION },
    offset: { type: 'integer', minimum: 1, description: 'First line to show, counted from 1. Default 1.' },
    limit: { type: 'integer', minimum: 1, description: 'Number of lines to show. Default 2000.' },
    pages: {
      type: 'string',
      description: 'Leave it out: a PDF file is shown whole. Extract a part of one with a command in Bash.',
    },
  },
  required: ['file_path'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Shows a file: of a text, by default the first 2000 lines.
- Each line comes as its number, right-aligned to six columns, one tab, and then the exact text of the line. Number and tab are not part of the file.
- Use offset and limit for a part of a long file; the result says where to read on. Lines above 2000 characters are cut.
- Reading a file again that did not change since gives a short note in place of the content.
- A Jupyter notebook (.ipynb) comes as its cells with their outputs; offset and limit count cells there.
- An image (PNG, JPEG, GIF, WebP) or a PDF file of up to 100 pages comes as what it is. Other binary files are refused. Directories too: use Glob for those.
- Several files can be read at once by several calls in one reply.`;

const loadShowLines = loadOnce(() => import('./read/show-lines.js'));

export const readTool = defineTool<FileReadInput, FileReadOutput>({
  name: 'Read',
  description: DESCRIPTION,
  inputSchema: readInputSchema,
  readOnly: true,
  concurrencySafe: true,
  title: ({ file_path }) => shorten(`Read ${file_path}`, 120),
  subject: ({ file_path }, cwd) => pathSubject(file_path, cwd, 'read'),
  run: async (input, context) => (await loadShowLines()).showLines(input, context),
});
