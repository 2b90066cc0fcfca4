// Writes a whole file in one step, unless it would replace a version the model has not seen.
import type { Located } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import type { FileWriteInput, FileWriteOutput } from '../../protocol/tool-io.js';
import { countLines } from '../../util/lines.js';
import { count, formatBytes } from '../../util/text.js';
import { decodeText, detectBinary, findUnencodable } from '../../util/text-file.js';
import {
  locateFile,
  notSeen,
  putIntoFile,
  readSnapshot,
  rememberWritten,
  requireNotAborted,
  requireRegularFile,
  requireSeen,
  resolveToolPath,
  withFileErrors,
} from '../shared/index.js';
import type { ToolContext, ToolOutcome } from '../tool.js';
import { describeChange } from './text-diff.js';

export async function writeFile(input: FileWriteInput, context: ToolContext): Promise<ToolOutcome<FileWriteOutput>> {
  const path = resolveToolPath(input.file_path, context);
  try {
    return await replaceContent(input.content, path, context);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const data: FileWriteOutput = { success: false, file_path: path, error: error.message };
    throw new ToolError(error.message, data);
  }
}

async function replaceContent(
  content: string,
  path: string,
  context: ToolContext,
): Promise<ToolOutcome<FileWriteOutput>> {
  if (findUnencodable(content, 'utf-8') !== null) {
    throw new ToolError('content holds half of a surrogate pair, which no file can hold. Give whole characters.');
  }
  const located = await withFileErrors(context, 'write', path, () => locateFile(context, path));
  const current = await currentContent(located, path, context);
  const holdsSecrets = context.secrets?.mayHoldPlaceholder(content) === true;
  const whole = holdsSecrets ? await putIntoFile(content, decodeText(current).text, context) : content;
  requireNotAborted(context.signal);
  const bytes = new TextEncoder().encode(whole);
  const written = await withFileErrors(context, 'write', path, () => context.host.fs.replaceLocated(located, bytes));
  await rememberWritten(context, located, bytes, written, null);
  const size = `${count(countLines(content), 'line')}, ${formatBytes(bytes.length)}`;
  return {
    model: `${located.stat === null ? 'Created' : 'Replaced the content of'} ${path} (${size}).`,
    data: {
      success: true,
      file_path: path,
      bytesWritten: bytes.length,
      ...(located.stat === null ? { created: true } : await changeOf(current, whole, path)),
    },
  };
}

/** Of a text; a picture has no lines. */
async function changeOf(
  before: Uint8Array,
  after: string,
  path: string,
): Promise<Pick<FileWriteOutput, 'structuredPatch'>> {
  if (detectBinary(before) !== null) return {};
  const { structuredPatch } = await describeChange(path, decodeText(before).text, after);
  return structuredPatch === undefined ? {} : { structuredPatch };
}

/** What the file holds; nothing if there is none. @throws ToolError if the model has not seen it */
async function currentContent(located: Located, path: string, context: ToolContext): Promise<Uint8Array> {
  if (located.stat === null) return new Uint8Array(0);
  requireRegularFile(located.stat, path);
  const isEmpty = located.stat.size === 0;
  // Said before it is read: it may be larger than what is read.
  if (!isEmpty && context.readFileCache.get(located.realPath) === undefined) throw new ToolError(notSeen(path));
  const snapshot = await readSnapshot(context, path, located);
  requireSeen(context, snapshot, path);
  return snapshot.bytes;
}
