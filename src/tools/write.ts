// Write: creates a text file or replaces all of its content, in one step. It refuses to replace a version of a file that
// the model has not seen; what it is given is what the file then holds.
import type { JsonSchema } from '../protocol/json.js';
import type { FileWriteInput, FileWriteOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { loadFiles } from './bodies.js';
import { FILE_PATH_DESCRIPTION, pathSubject } from './shared/index.js';
import { defineTool } from './tool.js';

export const writeInputSchema = {
  type: 'object',
  properties: {
    file_path: { type: 'string', minLength: 1, description: FILE_PATH_DESCRIPTION },
    content: { type: 'string', description: 'The whole content of the file.' },
  },
  required: ['file_path', 'content'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Writes a whole file: creates it, with its folders, or replaces all of its content.
- To change a part of a file, use Edit: it is shorter and safer.
- Read an existing file before you replace it: one that you have not read, or that changed since, is refused.
- The content is stored as UTF-8, exactly as given. An existing file keeps its permissions.`;

export const writeTool = defineTool<FileWriteInput, FileWriteOutput>({
  name: 'Write',
  description: DESCRIPTION,
  inputSchema: writeInputSchema,
  otherFields: { append: 'give the whole content, or add to a file with Edit' },
  readOnly: false,
  concurrencySafe: false,
  title: ({ file_path }) => shorten(`Write ${file_path}`, 120),
  subject: ({ file_path }, cwd) => pathSubject(file_path, cwd, 'write'),
  run: async (input, context) => (await loadFiles()).writeFile(input, context),
});
