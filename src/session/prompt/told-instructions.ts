// Instruction files stand in the system prompt as they were when the session began, so that a prompt cache can hold it. One
// rule: what a file says since is told in the user's next message, and stays where it was first sent.
import type { UserMessageParam } from '../../protocol/content.js';
import type { Session } from '../core/index.js';

/** Texts by the names of their files. */
type Instructions = Readonly<Record<string, string>>;

/** The texts for the system prompt: those of before, unless nothing is left in the conversation of what changed since. */
export function keptInstructions(session: Session, now: Instructions): Instructions {
  const texts = instructionsNow(session, now);
  if (texts !== session.memory.instructions?.texts) session.memory.instructions = { texts, since: null };
  return texts;
}

/** As `keptInstructions`, for a look alone. */
export function instructionsNow({ memory, history }: Session, now: Instructions): Instructions {
  const before = memory.instructions;
  const isSeen = before !== null && (before.since === null || history.params.includes(before.since.by));
  return isSeen ? before.texts : now;
}

/**
 * A text for the coming message, if files no longer say what the model was told; call `told` once the message is there.
 */
export function instructionsChange(
  { memory }: Session,
  now: Instructions,
): { readonly text: string; readonly told: (by: UserMessageParam) => void } | null {
  const before = memory.instructions;
  if (before === null) return null;
  const known = before.since?.texts ?? before.texts;
  const changed = Object.entries(now).filter(([name, text]) => known[name] !== text);
  const gone = Object.keys(known).filter((name) => !Object.hasOwn(now, name));
  if (changed.length === 0 && gone.length === 0) return null;
  const parts = [
    ...changed.map(([name, text]) =>
      element(name, `${name} has changed. From now on follow this version, and no longer the one before:\n${text}`),
    ),
    ...gone.map((name) => element(name, `${name} is gone. Do not follow what it said any longer.`)),
  ];
  const told = (by: UserMessageParam) => {
    memory.instructions = { texts: before.texts, since: { texts: now, by } };
  };
  return { text: parts.join('\n'), told };
}

function element(source: string, text: string): string {
  return `<instructions-changed source="${source}">\n${text}\n</instructions-changed>`;
}
