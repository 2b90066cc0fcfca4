// What the user might say next: one small request behind the conversation, after a prompt that went well. One rule: it
// is a courtesy, so whatever goes wrong with it only means that there is none.
import { SUGGESTION_REQUEST } from '../../engine/state/index.js';
import type { SDKMessage } from '../../protocol/messages.js';
import { errorText, shorten, toWellFormed } from '../../util/text.js';
import type { Session, SessionRuntime } from '../core/index.js';
import { askBeside } from './side-question.js';

const MAX_CHARACTERS = 300;
/** Output limit, tokens. */
const TOKENS = 200;
const LONGEST_WAIT_MS = 15_000;

/**
 * Null if there is none. Contract: at most one request, counted in the ledger and reserved in the budget; nothing of
 * it is in the conversation or the transcript; does not throw.
 */
export async function suggestPrompt(
  session: Session,
  runtime: SessionRuntime,
  signal: AbortSignal,
): Promise<SDKMessage | null> {
  const { memory, history } = session;
  const length = history.params.length;
  // A slash command that asks no model says nothing that a suggestion could follow from.
  const isNew = history.params.at(-1)?.role === 'assistant' && memory.suggestedAfter !== length;
  if (memory.endedWell !== true || !isNew) return null;
  memory.suggestedAfter = length;
  try {
    const answer = await askBeside(session, runtime, {
      messages: [{ role: 'user', content: [{ type: 'text', text: SUGGESTION_REQUEST }] }],
      tokens: TOKENS,
      what: 'prompt suggestion',
      signal,
      timeoutMs: LONGEST_WAIT_MS,
    });
    const suggestion = clean(answer);
    if (suggestion === '' || signal.aborted) return null;
    return session.stamp({ type: 'prompt_suggestion', suggestion });
  } catch (error) {
    runtime.loop.log('suggestion_failed', { reason: errorText(error) });
    return null;
  }
}

/** The first line, without quotes around it; empty if the model has nothing to suggest. */
function clean(answer: string): string {
  const [line = ''] = answer.trim().split('\n');
  const bare = line.trim().replace(/^["'“”„«`]+|["'“”»`]+$/g, '');
  return /^(?:none|nothing)[.!]?$/i.test(bare) ? '' : shorten(toWellFormed(bare), MAX_CHARACTERS);
}
