// Between two prompts: whether the model is talked to because a background task ended. One rule: the engine says nothing
// by itself if the user has to decide first, and not without end.
import { linkAbort } from '../../util/abort.js';
import type { Session, SessionRuntime } from '../core/index.js';

/** Prompts that the engine gives itself without a word of the user. */
const MAX_PROMPTS_OF_OWN = 50;

/**
 * Waits for the end of a task. False if none runs, where the last prompt failed or left calls that wait, where the
 * engine has talked to the model by itself too often, and once `until` aborts.
 * @param isLast the user says nothing more: waits at most `limits.backgroundWaitMs`
 */
export async function taskEnded(
  { memory, host }: Session,
  { tasks, limits }: Pick<SessionRuntime, 'tasks' | 'limits'>,
  until: AbortSignal,
  isLast: boolean,
): Promise<boolean> {
  if (tasks.registry === null || memory.endedWell !== true) return false;
  if ((memory.promptsOfOwn ?? 0) >= MAX_PROMPTS_OF_OWN) return false;
  // Agents are worked with to their end, as those are that a call waits for.
  if (!isLast || tasks.registry.running.some(({ kind }) => kind === 'agent')) return tasks.registry.nextEnd(until);
  const { controller, release } = linkAbort(until);
  const cancel = host.clock.after(limits.backgroundWaitMs, () => controller.abort());
  try {
    return await tasks.registry.nextEnd(controller.signal);
  } finally {
    cancel();
    release();
  }
}
