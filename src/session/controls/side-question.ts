// A question beside the conversation: the model knows what was said, answers in text, and forgets it. One rule: the
// request begins as those of the conversation do, so that a prompt cache holds, and leaves nothing but its costs.
import { sample } from '../../engine/reply/index.js';
import { SIDE_QUESTION_HEADER, textOf } from '../../engine/state/index.js';
import type { MessageParam } from '../../protocol/content.js';
import type { SideQuestionHistoryEntry, SideQuestionResult } from '../../protocol/control-answers.js';
import { AbortError, ConfigError, EngineError } from '../../protocol/errors.js';
import { toWellFormed } from '../../util/text.js';
import type { Session, SessionRuntime } from '../core/index.js';
import { loopDeps } from '../prompt/index.js';
import { nextRequest, ownRun } from './next-request.js';

/** Output limit, tokens. */
const ANSWER_TOKENS = 8_000;

/**
 * Null where the model gave no text. Contract: nothing of it is in the conversation, the transcript or the stream.
 * @param signal ends it: of the caller, and of the session
 * @throws ConfigError where the arguments cannot be used; AbortError; EngineError where there is no answer to be had
 */
export async function askSideQuestion(
  session: Session,
  runtime: SessionRuntime,
  question: string,
  history: readonly SideQuestionHistoryEntry[],
  signal: AbortSignal,
): Promise<SideQuestionResult | null> {
  if (typeof question !== 'string' || question.trim() === '') throw new ConfigError('The side question is empty.');
  checkHistory(history);
  const deps = loopDeps(ownRun(session, runtime), signal);
  if (runtime.budget !== null) await runtime.prices.load();
  const { request } = await nextRequest(session, runtime, messagesOf(question, history));
  const decided = await deps.decideModel?.('turn');
  const { outputSchema: _, ...plain } = request;
  const steps = sample(
    {
      ...plain,
      ...(decided == null ? {} : { model: decided.model }),
      toolChoice: 'none',
      maxTokens: Math.min(request.maxTokens, answerRoom(request.thinking)),
    },
    {
      ...deps,
      // What it calls all the same does not run.
      tools: [],
      includePartialMessages: false,
      waitsUntilReset: false,
      spending: { ...deps.spending, reserve: (wanted) => deps.spending.reserveBeside(wanted) },
    },
  );
  let step = await steps.next();
  while (!step.done) step = await steps.next(); // nobody is shown how the answer comes about
  session.ledger.priceWith(await runtime.prices.load());
  const sampled = step.value;
  switch (sampled.kind) {
    case 'reply': {
      const response = textOf(sampled.reply.message.content).trim();
      return response === '' ? null : { response, synthetic: false };
    }
    case 'aborted':
      throw new AbortError('The side question was aborted.');
    case 'unaffordable':
      throw new EngineError('model_failed', 'The budget of the session does not allow the side question.');
    case 'failed':
      throw sampled.error;
    default:
      return sampled satisfies never;
  }
}

/** A thinking budget must stay below the limit of the reply. */
function answerRoom(thinking: { readonly type: string; readonly budgetTokens?: number } | undefined): number {
  return ANSWER_TOKENS + (thinking?.type === 'enabled' ? (thinking.budgetTokens ?? 0) : 0);
}

function messagesOf(question: string, history: readonly SideQuestionHistoryEntry[]): MessageParam[] {
  const asked = (text: string): MessageParam => ({
    role: 'user',
    content: [{ type: 'text', text: `${SIDE_QUESTION_HEADER}\n\n${toWellFormed(text)}` }],
  });
  const earlier = history.flatMap((entry): MessageParam[] => [
    asked(entry.question),
    { role: 'assistant', content: [{ type: 'text', text: toWellFormed(entry.response) }] },
  ]);
  return [...earlier, asked(question)];
}

function checkHistory(history: readonly SideQuestionHistoryEntry[]): void {
  const isEntry = (entry: unknown) => {
    const { question, response } = (entry ?? {}) as Partial<SideQuestionHistoryEntry>;
    return typeof question === 'string' && typeof response === 'string';
  };
  if (!Array.isArray(history) || !history.every(isEntry))
    throw new ConfigError('history is a list of { question, response }, both texts.');
}
