// Date and branch stand in the system prompt as they were when the session began, so that a prompt cache can hold it. One
// rule: what changed since is told in the user's next message, and stays where it was first sent.
import { type ChangingFacts, describeChanges } from '../context/environment.js';
import type { UserMessageParam } from '../protocol/content.js';
import type { QueryEngineConfig } from './config.js';
import type { Session, ToldEnvironment } from './session.js';

/** What a resumed session goes on with. */
export function toldBefore({ resumedState }: QueryEngineConfig): ToldEnvironment | null {
  const facts = resumedState?.environment ?? null;
  return facts === null ? null : { facts, since: null };
}

/** A text for the coming message, where something is not as the model was told; `told`: once there is the message. */
export function environmentChange(
  { config, memory, history }: Session,
  now: ChangingFacts,
): { readonly text: string; readonly told: (by: UserMessageParam) => void } | null {
  // A system prompt of the caller's own says nothing of the environment.
  if (config.customSystemPrompt !== undefined || memory.environment === null) return null;
  const { facts, since } = memory.environment;
  const isSeen = since !== null && history.params.includes(since.by);
  const text = describeChanges(isSeen ? since.facts : facts, now);
  if (text === null) return null;
  const told = (by: UserMessageParam) => {
    memory.environment = { facts, since: { facts: now, by } };
  };
  return { text, told };
}
