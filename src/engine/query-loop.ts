// THE LOOP. Sample a reply, run its tools, go round; until the model is done or a limit is reached. Stateless: it gets
// a state and what it needs, yields draft messages, and returns how it ended. Endings are data; a throw is a bug.
import type { AssistantMessage, MessageParam } from '../protocol/content.js';
import { ConfigError, type ModelError } from '../protocol/errors.js';
import type { TerminalReason } from '../protocol/messages.js';
import type { ModelRequest } from '../providers/contract/index.js';
import { only, type Parts, passOn, relay } from '../util/relay.js';
import { advance, wrapUp } from './advance.js';
import {
  decideModel,
  followModel,
  isTooLong,
  leaveRefusal,
  ModelDecisionFailure,
  mayFallBack,
  recoverState,
  sampleParts,
  triggerOf,
} from './reply/index.js';
import { limitReply, thinkingReduction, withMaxTokens } from './request/index.js';
import {
  appendMessage,
  type Draft,
  deliverQueued,
  isOutOfTurns,
  isOverTaskBudget,
  type LoopDeps,
  type LoopState,
  NO_CALLS,
  NO_COMPACTION,
  NO_VALUE_YET,
  type Outcome,
  type SpendingPlan,
  textOf,
  totalTokens,
  type WrapUpReason,
  wantsValueByTool,
} from './state/index.js';

export interface PromptStart {
  readonly messages: readonly MessageParam[];
  readonly model: string;
  readonly wantsValue: boolean;
  /** What is known of earlier compactions of the session. */
  readonly compaction?: LoopState['compaction'];
  /** Model replies of the session before this prompt. */
  readonly sessionTurns?: number;
}

/** The state a prompt starts from. */
export function initialState(start: PromptStart): LoopState {
  return {
    messages: start.messages,
    model: start.model,
    named: start.model,
    parameters: null,
    fallbacks: 0,
    turns: 0,
    sessionTurns: start.sessionTurns ?? 0,
    tokensUsed: 0,
    transition: 'start',
    wrapUp: null,
    shortage: null,
    isReplyShortened: false,
    answer: '',
    continues: false,
    isAnswered: false,
    pauses: 0,
    cutReplies: 0,
    overflows: 0,
    refusals: 0,
    stopBlocks: 0,
    calls: NO_CALLS,
    compaction: start.compaction ?? NO_COMPACTION,
    structured: start.wantsValue ? NO_VALUE_YET : null,
  };
}

/**
 * Runs one prompt to its end.
 * Contract: yields whole messages in order; each tool_use of a yielded reply is answered by a yielded result, whatever
 * happens; never throws for what a model, a tool or the caller does.
 */
export function queryLoop(initial: LoopState, deps: LoopDeps): AsyncGenerator<Draft, Outcome> {
  return relay(steps(initial, deps));
}

/** The loop itself, in parts. */
async function* steps(initial: LoopState, deps: LoopDeps): Parts<Draft, Outcome> {
  let state = initial;
  let stopReason: string | null = null;
  const end = (reason: TerminalReason, error: Error | null = null): Outcome => ({
    reason,
    state,
    stopReason,
    text: state.answer,
    error,
  });

  try {
    for (;;) {
      if (deps.signal.aborted) return end('aborted');
      if (isOutOfTurns(state, deps)) {
        stopReason = 'max_turns';
        return end('max_turns');
      }
      const isBetween = isBetweenTurns(state, deps);
      const settings = isBetween ? (deps.takeSettings?.() ?? null) : null;
      if (settings !== null) {
        const told = await settings;
        yield () => told;
      }
      const queued = isBetween ? deps.takeQueuedMessage() : null;
      if (queued !== null) state = yield* passOn(() => deliverQueued(queued, state, deps));
      // A generator that has nothing to tell takes several steps all the same: here in each turn.
      if (deps.decideModel !== null) state = yield* passOn(() => decideModel(state, 'turn', deps));
      else state = followModel(state, deps.namedModel);
      if (!deps.compactor.hasRoom(state)) state = yield* passOn(() => deps.compactor.compactIfNeeded(state, deps));
      const prepared = prepareRequest(state, deps);
      const ready = prepared.request === undefined ? await prepareLast(prepared, deps) : prepared;
      if (ready.drafts.length > 0) yield () => ready.drafts;
      state = ready.state;
      if (ready.request === null) return end(ready.ended, ready.error);

      const isLeft = (error: ModelError) => isLeftFor(error, state, deps);
      const sampled = yield* sampleParts(ready.request, deps, state.wrapUp !== null, isLeft);
      if (sampled.kind === 'unaffordable') {
        if (state.isAnswered) return end('completed');
        state = withShortage(state, deps.spending.plan(ready.request, state.wrapUp !== null));
        if (state.wrapUp !== null || !hasBegun(state)) return end('budget_exhausted');
        const last = wrapUp(state, 'budget_exhausted', deps);
        yield only(last.draft);
        state = last.state;
        continue;
      }
      if (sampled.kind === 'aborted') {
        if (sampled.partial !== null) {
          yield only({ type: 'assistant', message: sampled.partial, aborted: true });
          state = appendMessage(state, assistantParam(sampled.partial));
        }
        return end('aborted');
      }
      if (sampled.kind === 'failed') {
        const { request } = ready;
        const recovered = yield* passOn(() => recoverState(state, request, sampled.error, deps));
        if (recovered === null) return end(isTooLong(sampled.error) ? 'prompt_too_long' : 'api_error', sampled.error);
        state = recovered;
        continue;
      }

      const { message } = sampled.reply;
      if (isRefused(message)) {
        const other = yield* passOn(() => leaveRefusal(state, message, deps));
        if (other !== null) {
          state = other;
          continue;
        }
        if (deps.signal.aborted) return end('aborted');
      }
      const param = assistantParam(message);
      yield only({ type: 'reply', message, param });
      stopReason = message.stop_reason;
      deps.compactor.observe(ready.request, message.usage);
      state = {
        ...appendMessage(state, param),
        answer: (state.continues ? state.answer : '') + textOf(message.content) || state.answer,
        continues: false,
        isAnswered: false,
        pauses: message.stop_reason === 'pause_turn' ? state.pauses + 1 : 0,
        turns: state.turns + 1,
        sessionTurns: state.sessionTurns + 1,
        overflows: 0,
        refusals: 0,
        tokensUsed: state.tokensUsed + totalTokens(message.usage),
      };
      const { reply } = sampled;
      const { request } = ready;
      const next = yield* passOn(() => advance(state, reply, request, deps));
      state = next.state;
      if (next.ended !== null) return end(next.ended, next.error);
    }
  } catch (error) {
    if (!(error instanceof ModelDecisionFailure)) throw error;
    return deps.signal.aborted ? end('aborted') : end('turn_setup_failed', error.failure);
  }
}

/** `drafts`: what is told before the request is sent, or instead. */
type ReadyRequest = { readonly state: LoopState; readonly drafts: readonly Draft[] } & (
  | { readonly request: ModelRequest }
  | { readonly request: null; readonly ended: TerminalReason; readonly error?: Error }
);

/** No more than a last summary is affordable. */
interface LastRequest {
  readonly state: LoopState;
  readonly drafts: readonly Draft[];
  readonly request?: undefined;
  readonly reason: WrapUpReason;
}

/** Builds the next request within what may be spent. */
function prepareRequest(before: LoopState, deps: LoopDeps): ReadyRequest | LastRequest {
  // A summary takes its time, and another model may have been named meanwhile.
  const state = followModel(before, deps.namedModel);
  if (isOverTaskBudget(state, deps) && state.wrapUp === null) return { state, drafts: [], reason: 'task_budget' };

  const { request: built, repairs, cannotThink } = deps.buildRequest(state);
  const drafts: Draft[] = repairs.length > 0 ? [{ type: 'system', subtype: 'history_repaired', repairs }] : [];
  const request = limitReply(built, {
    most: deps.maxOutputTokens(built.model),
    window: state.parameters?.contextWindow ?? deps.contextWindow(built.model),
    roughTokens: deps.compactor.roughInputTokens(state, built),
    inputTokens: () => deps.compactor.inputTokens(state, built),
    isRaised: state.cutReplies > 0,
  });
  if (state.transition === 'start') {
    if (cannotThink) drafts.push(thinkingNotice(`${built.model} does not think, so it is not asked to.`));
    // What was asked for is not what is sent.
    const reduced = thinkingReduction(built, request);
    if (reduced !== null) drafts.push(thinkingNotice(reduced));
  }
  const plan = deps.spending.plan(request, state.wrapUp !== null);
  switch (plan.kind) {
    case 'unpriced':
      return { state, drafts, request: null, ended: 'turn_setup_failed', error: unpriced(request.model) };
    case 'stop': {
      const ended = state.isAnswered ? 'completed' : 'budget_exhausted';
      return { state: withShortage(state, plan), drafts, request: null, ended };
    }
    case 'send': {
      const isReplyShortened = plan.maxTokens < request.maxTokens;
      const planned = isReplyShortened === state.isReplyShortened ? state : { ...state, isReplyShortened };
      return { state: planned, drafts, request: withPlan(request, plan.maxTokens, state, deps) };
    }
    case 'wrap_up':
      if (state.wrapUp === null) {
        const short = withShortage(state, plan);
        if (!hasBegun(state)) return { state: short, drafts, request: null, ended: 'budget_exhausted' };
        return { state: short, drafts, reason: 'budget_exhausted' };
      }
      return { state, drafts, request: withPlan(request, plan.maxTokens, state, deps) };
    default:
      return plan satisfies never;
  }
}

/** Before the first reply there is nothing to sum up, and nothing is paid for that. */
function hasBegun(state: LoopState): boolean {
  return state.turns > 0;
}

/** What was short first is told: a last summary that cannot be had says less. */
function withShortage(state: LoopState, plan: SpendingPlan): LoopState {
  const why = 'why' in plan ? plan.why : undefined;
  return state.shortage === null && why !== undefined ? { ...state, shortage: why } : state;
}

/** The request of the last summary. There is none if the answer is there: what a hook still wants has no room. */
async function prepareLast({ state, drafts, reason }: LastRequest, deps: LoopDeps): Promise<ReadyRequest> {
  if (state.isAnswered) return { state, drafts, request: null, ended: 'completed' };
  const last = wrapUp(state, reason, deps);
  const ready = prepareRequest(last.state, deps);
  const told = { ...ready, drafts: [...drafts, last.draft, ...ready.drafts] };
  return told.request === undefined ? prepareLast(told, deps) : told;
}

/** True if a message of the user may come between: its answer is not the last summary. */
function isBetweenTurns(state: LoopState, deps: LoopDeps): boolean {
  const isAfterTools = state.transition === 'tools_ran' || state.transition === 'loop_nudged';
  return isAfterTools && !isOverTaskBudget(state, deps);
}

function withPlan(request: ModelRequest, maxTokens: number, state: LoopState, deps: LoopDeps): ModelRequest {
  const limited = withMaxTokens(request, maxTokens);
  // Calls of other tools are refused in `advance.ts`.
  return state.wrapUp === null || wantsValueByTool(state, deps) ? limited : { ...limited, toolChoice: 'none' };
}

function thinkingNotice(message: string): Draft {
  return { type: 'system', subtype: 'notice', code: 'thinking_reduced', level: 'info', message };
}

/** Most sessions have one model. */
function isLeftFor(error: ModelError, state: LoopState, deps: LoopDeps): boolean {
  return deps.fallback !== null && mayFallBack(state, triggerOf(error), deps);
}

/** True for a reply that only declines. One that has calls is taken for what it does. */
function isRefused({ stop_reason: reason, content }: AssistantMessage): boolean {
  return reason === 'refusal' && content.every((block) => block.type !== 'tool_use');
}

function unpriced(model: string): ConfigError {
  return new ConfigError(
    `The price of ${model} is not known, so the budget could not be kept and nothing was sent. Name a model with a known price.`,
  );
}

function assistantParam(message: AssistantMessage): MessageParam {
  return { role: 'assistant', content: message.content };
}
