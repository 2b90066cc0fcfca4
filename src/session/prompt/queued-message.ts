// Finds the message that may join the running prompt between two of its turns; how it joins, `deliver-queued.ts` says.
import type { Draft } from '../../engine/state/index.js';
import { commandsOf, type Runtime, type Session } from '../core/index.js';
import { type QueuedMessage, readPrompt, slashOf } from '../input/index.js';

/**
 * The next message for the place between two turns of the running prompt, and what is to be told of it; null where
 * there is none.
 * Contract: the message is taken out of the queue only when it is given, or blocked by a hook; an abort leaves it.
 */
export function takeBetweenTurns(
  session: Session,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<readonly Draft[]> | null {
  const queued = session.queue.firstBetweenTurns((message) => canJoin(message, session, runtime));
  if (queued === null) return null;
  return import('./deliver-queued.js').then(({ deliver }) => deliver(queued, session, runtime, signal));
}

/** A slash command, and what cannot be a prompt at all, gets a prompt and a result of its own. */
function canJoin({ prompt, isVerbatim }: QueuedMessage, session: Session, runtime: Runtime): boolean {
  return (
    (session.config.verbatimPrompts === true ||
      isVerbatim === true ||
      slashOf(prompt, commandsOf(session, runtime)) === null) &&
    readPrompt(prompt).message !== null
  );
}
