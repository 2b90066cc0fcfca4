// Finds the message that may join the running prompt between two of its turns; how it joins, `join-prompt.ts` says.
import { type AgentRun, commandsOf, type Runtime, type Session } from '../core/index.js';
import { type QueuedMessage, readPrompt, slashOf } from '../input/index.js';

/** True while a message waits for the place between two turns of the session's own agent. */
export function mayJoin({ session, runtime }: AgentRun): boolean {
  return session.depth === 0 && nextToJoin(session, runtime) !== null;
}

/** The next message for that place; it stays in the queue. */
export function nextToJoin(session: Session, runtime: Runtime): QueuedMessage | null {
  return session.queue.firstBetweenTurns((message) => canJoin(message, session, runtime));
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
