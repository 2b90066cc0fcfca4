// A question beside the conversation: the model knows what was said, answers in text, and forgets it. One rule: the
// request begins as those of the conversation do, so that a prompt cache holds, and leaves nothing but its costs.
import { sample } from '../../engine/reply/index.js';
import { type LoopDeps, SIDE_QUESTION_HEADER, SUGGESTION_REQUEST, textOf } from '../../engine/state/index.js';
import type { MessageParam } from '../../protocol/content.js';
import type { SideQuestionHistoryEntry, SideQuestionResult } from '../../protocol/control.js';
import { AbortError, ConfigError, EngineError } from '../../protocol/errors.js';
import type { SDKMessage } from '../../protocol/messages.js';
import { errorText, shorten, toWellFormed } from '../../util/text.js';
import type { Session, SessionRuntime } from '../core/index.js';
import { loopDeps } from '../prompt/index.js';
import { nextRequest, ownRun } from './effective-parts.js';

/** Output limit, tokens. */
const ANSWER_TOKENS = 8_000;

/**
 * Null if the model gave no text. Contract: nothing of it is in the conversation, the transcript or the stream.
 * @param signal ends it: of the caller, and of the session
 * @throws ConfigError if the arguments cannot be used; AbortError; EngineError if there is no answer to be had
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
  const response = await askBeside(session, runtime, {
    messages: messagesOf(question, history),
    tokens: ANSWER_TOKENS,
    what: 'side question',
    signal,
  });
  return response === '' ? null : { response, synthetic: false };
}

/** A request behind the conversation, and its terms. */
export interface BesideRequest {
  /** What goes behind the conversation. */
  readonly messages: readonly MessageParam[];
  /** Output limit beside what the model thinks, tokens. */
  readonly tokens: number;
  /** What errors call it. */
  readonly what: string;
  readonly signal: AbortSignal;
  /** The longest that an attempt may take, milliseconds; there is one attempt then. */
  readonly timeoutMs?: number;
}

/**
 * What the model says, without a tool; empty if that is nothing. Contract: as `askSideQuestion`.
 * @throws AbortError; EngineError if there is no answer to be had
 */
async function askBeside(session: Session, runtime: SessionRuntime, asked: BesideRequest): Promise<string> {
  const { messages, tokens, what, signal, timeoutMs } = asked;
  const deps = loopDeps(ownRun(session, runtime), signal);
  if (runtime.budget !== null) await runtime.prices.load();
  const { request } = await nextRequest(session, runtime, messages);
  const decided = await deps.decideModel?.('turn');
  const { outputSchema: _, ...plain } = request;
  const steps = sample(
    {
      ...plain,
      ...(decided == null ? {} : { model: decided.model }),
      toolChoice: 'none',
      maxTokens: Math.min(request.maxTokens, answerRoom(tokens, request.thinking)),
    },
    {
      ...deps,
      ...(timeoutMs === undefined ? {} : { limits: onceWithin(timeoutMs, deps.limits) }),
      // What it calls all the same does not run.
      currentTools: () => [],
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
    case 'reply':
      return textOf(sampled.reply.message.content).trim();
    case 'aborted':
      throw new AbortError(`The ${what} was aborted.`);
    case 'unaffordable':
      throw new EngineError('model_failed', `The budget of the session does not allow the ${what}.`);
    case 'failed':
      throw sampled.error;
    default:
      return sampled satisfies never;
  }
}

function onceWithin(timeoutMs: number, limits: LoopDeps['limits']): LoopDeps['limits'] {
  return {
    ...limits,
    maxRetries: 0,
    requestTimeoutMs: Math.min(limits.requestTimeoutMs, timeoutMs),
    streamIdleMs: Math.min(limits.streamIdleMs, timeoutMs),
    contentIdleMs: timeoutMs,
  };
}

/** A thinking budget must stay below the limit of the reply. */
function answerRoom(
  tokens: number,
  thinking: { readonly type: string; readonly budgetTokens?: number } | undefined,
): number {
  return tokens + (thinking?.type === 'enabled' ? (thinking.budgetTokens ?? 0) : 0);
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

// What the user might say next: one small request behind the conversation, after a prompt that went well. One rule: it
// is a courtesy, so whatever goes wrong with it only means that there is none.

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
