// `prompt_suggestion` after a result, for the option `promptSuggestions`. One rule: whatever the user says goes first.
import type { SDKMessage } from '../../protocol/messages.js';
import type { MessageQueue } from '../../session/input/index.js';
import type { QueryEngine } from '../../session/query-engine.js';
import { linkAbort } from '../../util/abort.js';

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
