// Writes a whole file in one step, unless it would replace a version the model has not seen.
import { isFileError } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import type { FileWriteInput, FileWriteOutput } from '../../protocol/tool-io.js';
import { formatBytes } from '../../util/format-bytes.js';
import { countLines } from '../../util/lines.js';
import { count } from '../../util/text.js';
import { decodeText, findUnencodable } from '../../util/text-file.js';
import {
  readSnapshot,
  rememberWritten,
  requireFresh,
  requireNotAborted,
  requireRegularFile,
  withFileErrors,
} from '../open-file.js';
import { putIntoFile } from '../put-in-secrets.js';
import { resolveToolPath } from '../resolve-path.js';
import type { ToolContext, ToolOutcome } from '../tool.js';

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
  const target = await findTarget(context, path);
  const whole = await putIntoFile(content, await currentText(target, content, context), context);
  requireNotAborted(context.signal);
  const bytes = new TextEncoder().encode(whole);
  await withFileErrors(context, 'write', path, () => context.host.fs.writeFileAtomic(target ?? path, bytes));
  await rememberWritten(context, target ?? path, bytes, null);
  const size = `${count(countLines(content), 'line')}, ${formatBytes(bytes.length)}`;
  return {
    model: `${target === null ? 'Created' : 'Replaced the content of'} ${path} (${size}).`,
    data: { success: true, file_path: path, bytesWritten: bytes.length },
  };
}

/** What the file holds; looked at only where that decides which secrets may be written. */
async function currentText(target: string | null, content: string, context: ToolContext): Promise<string> {
  if (target === null || context.secrets?.mayHoldPlaceholder(content) !== true) return '';
  return decodeText((await readSnapshot(context, target)).bytes).text;
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
