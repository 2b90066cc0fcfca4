// Asks the model for a summary of the conversation. One rule: first with the beginning as it was sent before, so
// that the provider's prompt cache is found; if that is no way, with a smaller one that only a text can answer.
import type { ContentBlock, MessageParam } from '../../protocol/content.js';
import type { CompactionBlockedReason } from '../../protocol/system-messages.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import { decideModel, windowOf } from '../recovery/index.js';
import { type Sampled, sample } from '../reply/index.js';
import { type Draft, type LoopDeps, type LoopState, textOf } from '../state/index.js';
import type { TokenEstimator } from '../tokens/index.js';
import { parseSummary, summaryInstruction, summaryMessages } from './compact-prompt.js';
import type { PinSource } from './pins.js';
import { fitInto } from './shrink-history.js';

export interface CompactionOptions {
  readonly estimator: TokenEstimator;
  /** Tokens the model takes in one request. */
  contextWindow(model: string): number;
  /** What of this conversation must stand word for word in the next request. Loaded with the first compaction. */
  pinSources(messages: readonly MessageParam[]): Promise<readonly PinSource[]>;
}

export interface NoSummary {
  readonly why: 'aborted' | 'failed' | 'unaffordable';
}

/** Output limit of a summary: tokens, and part of the window. */
const SUMMARY_TOKENS = 8_000;
const SUMMARY_SHARE = 0.25;
/** Part of the window that a model may think in before it. */
const THOUGHT_SHARE = 0.05;
/** Part of what the reply leaves of the window that a conversation may fill: estimates are wrong, before and after calibration. */
const ROOM = 0.8;
const ROOM_AS_SENT = 0.95;

/** Contract: calls that the model makes all the same do not run. */
export async function* askForSummary(
  before: LoopState,
  instructions: string | null,
  deps: LoopDeps,
  options: CompactionOptions,
): AsyncGenerator<Draft, string | NoSummary> {
  const state = yield* decideModel(before, 'compact', deps);
  // No call starts while the reply streams.
  const quiet: LoopDeps = { ...deps, includePartialMessages: false, currentTools: () => [] };
  const first = state.model === before.model ? yield* asSent(state, instructions, deps, options) : null;
  if (first !== null) {
    const sampled = yield* sample(first, quiet);
    const summary = summaryIn(sampled);
    if (summary !== null) return summary;
    if (sampled.kind === 'aborted') return { why: 'aborted' };
    if (!mayHelp(sampled)) return yield* without(sampled);
  }
  const smaller = yield* smallest(state, instructions, deps, options);
  const plan = deps.spending.plan(smaller, false);
  if (plan.kind !== 'send') {
    yield blocked('over_budget', 'The conversation was not summarised: the budget does not allow it.');
    return { why: 'unaffordable' };
  }
  const sampled = yield* sample({ ...smaller, maxTokens: plan.maxTokens }, quiet);
  const summary = summaryIn(sampled);
  if (summary !== null) return summary;
  return sampled.kind === 'aborted' ? { why: 'aborted' } : yield* without(sampled);
}

/** The next request of the conversation, as it would be, with the instruction at its end; null if that cannot be. */
async function* asSent(
  state: LoopState,
  instructions: string | null,
  deps: LoopDeps,
  { estimator, contextWindow }: CompactionOptions,
): AsyncGenerator<Draft, ModelRequest | null> {
  // What was refused as too long is so again; what is held to a schema is no summary.
  if (state.overflows > 0) return null;
  const messages = [...state.messages, summaryInstruction(instructions)];
  const { request, repairs } = deps.buildRequest({ ...state, messages });
  if (repairs.length > 0) yield { type: 'system', subtype: 'history_repaired', repairs };
  if (request.outputSchema !== undefined) return null;
  const window = windowOf(state, contextWindow);
  const maxTokens = summaryTokens(state, deps, window) + thoughtTokens(request.thinking, window);
  if (maxTokens > (deps.maxOutputTokens(state.model) ?? maxTokens)) return null;
  if (estimator.request(request) > (window - maxTokens) * ROOM_AS_SENT) return null;
  const whole = { ...request, maxTokens };
  const plan = deps.spending.plan(whole, false);
  return plan.kind === 'send' && plan.maxTokens === maxTokens ? whole : null;
}

/** A conversation without media and without the middle of long outputs, which is answered by a text. */
async function* smallest(
  state: LoopState,
  instructions: string | null,
  deps: LoopDeps,
  { estimator, contextWindow }: CompactionOptions,
): AsyncGenerator<Draft, ModelRequest> {
  const window = windowOf(state, contextWindow);
  const maxTokens = summaryTokens(state, deps, window);
  const asked = summaryMessages(state.messages, instructions);
  const fitting = fitInto(asked, Math.floor((window - maxTokens) * ROOM), estimator);
  const { request, repairs } = deps.buildRequest({ ...state, messages: fitting });
  if (repairs.length > 0) yield { type: 'system', subtype: 'history_repaired', repairs };
  return { ...request, maxTokens, thinking: undefined, toolChoice: 'none', outputSchema: undefined };
}

/** Room for what is thought before the summary: a model that decides by itself how much could think the summary away. */
function thoughtTokens(thinking: ModelRequest['thinking'], window: number): number {
  if (thinking?.type === 'enabled') return thinking.budgetTokens;
  return thinking?.type === 'adaptive' ? Math.min(SUMMARY_TOKENS, Math.floor(window * THOUGHT_SHARE)) : 0;
}

function summaryTokens({ model }: LoopState, deps: LoopDeps, window: number): number {
  return Math.min(SUMMARY_TOKENS, Math.floor(window * SUMMARY_SHARE), deps.maxOutputTokens(model) ?? SUMMARY_TOKENS);
}

/** Whether a smaller request that only a text can answer may fare better. */
function mayHelp(sampled: Sampled): boolean {
  if (sampled.kind === 'failed') {
    return sampled.error.kind === 'context_overflow' || sampled.error.kind === 'invalid_request';
  }
  return sampled.kind === 'unaffordable' || (sampled.kind === 'reply' && hasCalls(sampled.reply.message.content));
}

function hasCalls(content: readonly ContentBlock[]): boolean {
  return content.some((block) => block.type === 'tool_use');
}

/** Beside calls, only a text in its marks is a summary: any other says what the calls are for. */
function summaryIn(sampled: Sampled): string | null {
  if (sampled.kind !== 'reply') return null;
  const { content, stop_reason } = sampled.reply.message;
  // Its text says why there is no summary: kept as one, it would take the place of the conversation.
  if (stop_reason === 'refusal') return null;
  const text = textOf(content);
  return hasCalls(content) && !text.includes('<summary>') ? null : parseSummary(text);
}

async function* without(sampled: Sampled): AsyncGenerator<Draft, NoSummary> {
  const isUnaffordable = sampled.kind === 'unaffordable';
  const message = `The conversation could not be summarised: ${whyNot(sampled)}.`;
  yield blocked(isUnaffordable ? 'over_budget' : 'no_summary', message);
  return { why: isUnaffordable ? 'unaffordable' : 'failed' };
}

function whyNot(sampled: Sampled): string {
  if (sampled.kind === 'failed') return sampled.error.message.replace(/\.$/, '');
  return sampled.kind === 'unaffordable' ? 'the budget does not allow it' : 'the model gave no summary';
}

function blocked(reason: CompactionBlockedReason, message: string): Draft {
  return { type: 'system', subtype: 'notice', code: 'compaction_blocked', reason, level: 'warning', message };
}
