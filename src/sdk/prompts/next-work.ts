// What a session does next that may tell something between two prompts: the user's next message, or what there is to say of
// tasks and hooks that ended.

import type { SDKMessage } from '../../protocol/messages.js';
import type { MessageQueue } from '../../session/input/index.js';
import type { QueryEngine } from '../../session/query-engine.js';
import { ABORTED, linkAbort, raceAbort } from '../../util/abort.js';

/** `tasks`: some ended, and the model should hear of it. `told`: some have messages to show. `over`: nothing more comes. */
export type NextWork = 'message' | 'tasks' | 'told' | 'over' | typeof ABORTED;

/** Contract: a message that waits goes first. @throws what the queue failed with */
export async function nextWork(engine: QueryEngine, queue: MessageQueue, signal: AbortSignal): Promise<NextWork> {
  const { controller, release } = linkAbort(signal);
  try {
    const told = engine.told(controller.signal).then((isTold) => (isTold ? ('told' as const) : never()));
    return await Promise.race([told, workOrOver(engine, queue, controller.signal)]);
  } finally {
    controller.abort();
    release();
  }
}

/** Nothing is told any more, so the other one decides. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

async function workOrOver(engine: QueryEngine, queue: MessageQueue, signal: AbortSignal): Promise<NextWork> {
  const message = queue.ready().then((isMore) => (isMore ? 'message' : 'ended'));
  const isTask = queue.waiting.length === 0 && (await firstOf(message, engine.taskEnded(signal), signal));
  if (isTask === ABORTED) return ABORTED;
  // A message that came meanwhile takes the news along.
  if (isTask === true && queue.waiting.length === 0) return 'tasks';
  const first = await raceAbort(message, signal);
  if (first !== 'ended') return first === ABORTED ? ABORTED : 'message';
  const ended = await raceAbort(engine.taskEnded(signal, true), signal);
  if (ended === ABORTED) return ABORTED;
  return ended ? 'tasks' : 'over';
}

/** True if a task ended before there was a message, or the end of all messages. */
async function firstOf(
  message: Promise<unknown>,
  task: Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean | typeof ABORTED> {
  return raceAbort(Promise.race([task, message.then(() => false)]), signal);
}

// `prompt_suggestion` after a result, for the option `promptSuggestions`. One rule: whatever the user says goes first.

/** At most one message. Contract: the request for it ends as soon as a message of the user waits; does not throw. */
export async function suggestNext(
  engine: QueryEngine,
  queue: MessageQueue,
  signal: AbortSignal,
): Promise<readonly SDKMessage[]> {
  // What runs in the background may have something to say at any moment.
  if (signal.aborted || queue.waiting.length > 0 || engine.backgroundTasks().length > 0) return [];
  const { controller, release } = linkAbort(signal);
  const suggested = engine.controls().then((controls) => controls.suggestPrompt(controller.signal));
  // The end of the input is no message; its failure is told by whoever takes the next one.
  const said = queue.ready().then((isMessage) => (isMessage ? null : suggested));
  try {
    const message = await Promise.race([suggested, said]);
    return message === null ? [] : [message];
  } catch {
    return [];
  } finally {
    controller.abort();
    release();
    suggested.catch(() => undefined); // the session could not be opened, which its prompt has told
  }
}
