// Titles of a session that runs: one that a person gives, one that a model makes. One rule: a title given before there is
// a transcript waits for its first line.
import { ConfigError } from '../../protocol/errors.js';
import type { AgentRun, Session, SessionRuntime } from '../core/index.js';
import { askForTitle } from '../prompt/index.js';
import { type AnnotationLine, titleLineOf } from '../store/index.js';
import { ownRun } from './effective-parts.js';

/** @throws ConfigError if the title cannot be one */
export async function renameSession(session: Session, runtime: SessionRuntime, title: string): Promise<void> {
  const { type, customTitle } = titleLineOf(session.sessionId, title);
  await keepTitle(session, runtime, { type, customTitle });
}

/** Null if there is none. @throws ConfigError if there is nothing to make a title from */
export async function generateTitle(
  session: Session,
  runtime: SessionRuntime,
  description: string,
  persist: boolean,
  signal: AbortSignal,
): Promise<string | null> {
  if (typeof description !== 'string' || description.trim() === '')
    throw new ConfigError('The description is empty, so there is nothing to make a title from.');
  const run: AgentRun = ownRun(session, runtime);
  if (runtime.budget !== null) await runtime.prices.load();
  const title = await askForTitle(run, description, '', signal, true);
  session.ledger.priceWith(await runtime.prices.load());
  if (title !== null && persist) await keepTitle(session, runtime, { type: 'ai-title', aiTitle: title });
  return title;
}

async function keepTitle({ memory }: Session, { transcript }: SessionRuntime, line: AnnotationLine): Promise<void> {
  memory.isTitled = true;
  if (transcript.lastUuid === null) memory.title = line;
  else {
    await transcript.annotate(line);
    await transcript.sync();
  }
}
