// What a background task has written so far. One rule: what is read here is not taken from the model, which reads for
// itself.
import { isFileError } from '../../host/host.js';
import type { SDKControlGetTaskOutputResponse } from '../../protocol/control-answers.js';
import { ToolError } from '../../protocol/errors.js';
import { shorten } from '../../util/text.js';
import type { Session, SessionRuntime } from '../core/index.js';

/** Bytes of its end that are shown. */
const SHOWN_BYTES = 100_000;

/** @throws ToolError if there is no such task, or nothing of it was kept */
export async function taskOutput(
  { host }: Session,
  { tasks }: SessionRuntime,
  taskId: string,
): Promise<SDKControlGetTaskOutputResponse> {
  const id = String(taskId);
  const registry = await tasks.open();
  const file = registry.knows(id)
    ? (await registry.forAgent(null).find(id)).outputFile
    : await registry.earlierOutput(id);
  if (file === null) {
    if (!registry.knows(id)) await registry.forAgent(null).find(id); // says what there is
    throw new ToolError(`Nothing of the output of task ${shorten(id, 60)} was kept: the session keeps no files.`);
  }
  try {
    const handle = await host.fs.openRead(file);
    try {
      const { size } = await handle.stat();
      const from = Math.max(0, size - SHOWN_BYTES);
      const output = new TextDecoder().decode(await handle.read(from, SHOWN_BYTES));
      // A character may be cut where the end begins.
      return { output: from === 0 ? output : output.replace(/^\uFFFD+/, ''), total_bytes: size, truncated: from > 0 };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return { output: '', total_bytes: 0, truncated: false };
    throw error;
  }
}
