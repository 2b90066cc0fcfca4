// Stops a background task for people. One rule: a session that was not put together has none, and is not put together
// for that.
import { ToolError } from '../../protocol/errors.js';
import { shorten } from '../../util/text.js';
import type { SessionTasks } from './session-tasks.js';

/** The task's agent is told. @throws ToolError if there is no such task */
export async function stopTask(runtime: { readonly tasks: SessionTasks } | null, id: string): Promise<void> {
  if (runtime === null) throw new ToolError(`There is no task ${shorten(id, 60)} here: the session has not begun.`);
  await (await runtime.tasks.open()).stop(id, '');
}
