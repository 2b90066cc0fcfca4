// Steps of the loop that run beside it: what they have to show is kept and shown, and what they give comes back.
import type { Draft } from '../../engine/state/index.js';
import type { SDKMessage } from '../../protocol/messages.js';
import { publish } from './publish.js';
import type { Runtime, Session } from './session.js';

/** Contract: a caller that leaves before the end ends the steps as well. */
export async function* showSteps<T>(
  session: Session,
  runtime: Runtime,
  steps: AsyncGenerator<Draft, T>,
): AsyncGenerator<SDKMessage, T> {
  let isOver = false;
  try {
    for (;;) {
      const step = await steps.next();
      isOver = step.done === true;
      if (step.done) return step.value;
      yield* publish(session, runtime, step.value);
    }
  } finally {
    if (!isOver) await steps.return(undefined as never);
    runtime.spending.release();
  }
}
