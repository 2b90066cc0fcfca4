// Write: creates a text file or replaces all of its content, in one step. It refuses to replace a version of a file the
// model has not seen, once it has seen another; what it is given is what the file then holds.
import { isFileError } from '../host/host.js';
import { ToolError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type { FileWriteInput, FileWriteOutput } from '../protocol/tool-io.js';
import { formatBytes } from '../util/format-bytes.js';
import { countLines } from '../util/lines.js';
import { count, shorten } from '../util/text.js';
import { findUnencodable } from '../util/text-file.js';
import {
  readSnapshot,
  rememberWritten,
  requireFresh,
  requireNotAborted,
  requireRegularFile,
  withFileErrors,
} from './open-file.js';
import { FILE_PATH_DESCRIPTION, pathSubject, resolveToolPath } from './resolve-path.js';
import { defineTool, type ToolContext, type ToolOutcome } from './tool.js';

export const writeInputSchema = {
  type: 'object',
  properties: {
    file_path: { type: 'string', minLength: 1, description: FILE_PATH_DESCRIPTION },
    content: { type: 'string', description: 'The whole content of the file.' },
  },
  required: ['file_path', 'content'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Writes a whole file: creates it with its folders, or replaces all of its content.
- To change a part of a file use Edit; it is safer and shorter.
- Read an existing file before you replace it. A file that changed since you read it is refused; read it again.
- The content is stored as UTF-8, exactly as given. An existing file keeps its permissions.`;

export const writeTool = defineTool<FileWriteInput, FileWriteOutput>({
  name: 'Write',
  description: DESCRIPTION,
  inputSchema: writeInputSchema,
  readOnly: false,
  concurrencySafe: false,
  title: ({ file_path }) => shorten(`Write ${file_path}`, 120),
  subject: ({ file_path }, cwd) => pathSubject(file_path, cwd, 'write'),
  async run(input, context) {
    const path = resolveToolPath(input.file_path, context);
    try {
      return await writeFile(input.content, path, context);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const data: FileWriteOutput = { success: false, file_path: path, error: error.message };
      throw new ToolError(error.message, data);
    }
  },
});

async function writeFile(content: string, path: string, context: ToolContext): Promise<ToolOutcome<FileWriteOutput>> {
  if (findUnencodable(content, 'utf-8') !== null) {
    throw new ToolError('content holds half of a surrogate pair, which no file can hold. Give whole characters.');
  }
  const target = await findTarget(context, path);
  requireNotAborted(context.signal);
  const bytes = new TextEncoder().encode(content);
  await withFileErrors(context, 'write', path, () => context.host.fs.writeFileAtomic(target ?? path, bytes));
  await rememberWritten(context, target ?? path, bytes, null);
  const size = `${count(countLines(content), 'line')}, ${formatBytes(bytes.length)}`;
  return {
    model: `${target === null ? 'Created' : 'Replaced the content of'} ${path} (${size}).`,
    data: { success: true, file_path: path, bytesWritten: bytes.length },
  };
}

/** The existing file behind `path`, links resolved, or null. @throws ToolError where it must not be replaced */
async function findTarget(context: ToolContext, path: string): Promise<string | null> {
  const { fs } = context.host;
  const realPath = await withFileErrors(context, 'write', path, async () => {
    try {
      requireRegularFile(await fs.stat(path), path);
      return await fs.realpath(path);
    } catch (error) {
      if (isFileError(error, 'ENOENT')) return null;
      throw error;
    }
  });
  // Only a version the model has seen can be outdated; without one there is nothing to compare.
  if (realPath !== null && context.readFileCache.get(realPath) !== undefined) {
    requireFresh(context, realPath, (await readSnapshot(context, realPath)).hash, path);
  }
  return realPath;
}
