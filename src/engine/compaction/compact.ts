// Compaction and recovery from a prompt that is too long: steps of the loop, not a second loop. Cheap means first: old
// tool output goes before a model is asked for a summary, and a summary that cannot be had is replaced by cutting.
import type { MessageParam } from '../../protocol/content.js';
import type { SDKCompactBoundaryMessage } from '../../protocol/system-messages.js';
import type { ModelRequest } from '../../providers/provider.js';
import type { TokenEstimator } from '../estimate-tokens.js';
import type { Draft, LoopDeps, LoopState } from '../loop-state.js';
import { textOf } from '../loop-steps.js';
import { decideModel, windowOf } from '../model-decision.js';
import { type Sampled, sample } from '../sample.js';
import { chooseTail, compactedMessages, parseSummary, summaryMessages } from './compact-prompt.js';
import { afterCompaction, afterFailure, mayCompact } from './compaction-policy.js';
import { elideOldToolResults } from './elide-tool-results.js';
import { shrinkHistory } from './shrink-history.js';

export interface CompactionOptions {
  readonly estimator: TokenEstimator;
  /** Tokens the model takes in one request. */
  contextWindow(model: string): number;
  /** What must stand word for word in the next request: todos, plan, files just read. At most `maxTokens`. */
  collectPins(maxTokens: number): Promise<readonly string[]>;
}

/** The work of a `Compactor`, loaded when there is some. */
export interface Compaction {
  /** Old tool output goes where that is enough, else a summary takes the place of the history. */
  makeRoom(state: LoopState, deps: LoopDeps): AsyncGenerator<Draft, LoopState>;
  compactNow(state: LoopState, instructions: string | null, deps: LoopDeps): AsyncGenerator<Draft, LoopState>;
  recoverFromOverflow(state: LoopState, deps: LoopDeps): AsyncGenerator<Draft, LoopState | null>;
}

/** Part of the window that old tool results may keep, that the unsummarised end may keep, and that pins may take. */
const KEEP_RESULTS = 0.2;
const KEEP_TAIL = 0.15;
const KEEP_PINS = 0.2;
/** Results smaller than this stay, tokens. */
const SMALL_RESULT = 200;
/** Output limit of a summary: tokens, and part of the window. */
const SUMMARY_TOKENS = 8_000;
const SUMMARY_SHARE = 0.25;
/** Part of the window that a history refused as too long is cut to, by attempt: the estimate was wrong, so ever less. */
const OVERFLOW_TARGETS = [0.7, 0.5, 0.25] as const;

type Trigger = 'manual' | 'auto';

interface NoSummary {
  readonly why: 'aborted' | 'failed' | 'unaffordable';
}

export function createCompaction(options: CompactionOptions): Compaction {
  const { estimator } = options;

  /** A summary in place of the history; the state as it was where none could be had. */
  async function* summarise(
    state: LoopState,
    trigger: Trigger,
    instructions: string | null,
    deps: LoopDeps,
  ): AsyncGenerator<Draft, LoopState> {
    const window = windowOf(state, options.contextWindow);
    const before = estimator.messages(state.messages);
    yield { type: 'system', subtype: 'status', status: 'compacting' };
    if (deps.hooks.has('PreCompact'))
      await deps.hooks.run('PreCompact', { trigger, custom_instructions: instructions });

    const summary = yield* askForSummary(state, instructions, deps);
    if (typeof summary !== 'string') {
      yield { type: 'system', subtype: 'status', status: null };
      return { ...state, compaction: withoutSummary(state, summary, before, window) };
    }
    const messages = compactedMessages({
      summary,
      pins: await options.collectPins(Math.floor(window * KEEP_PINS)),
      tail: chooseTail(state.messages, Math.floor(window * KEEP_TAIL), estimator),
    });
    const after = estimator.messages(messages);
    const boundary: SDKCompactBoundaryMessage['compact_metadata'] = { trigger, pre_tokens: before, post_tokens: after };
    yield { type: 'history_replaced', messages, boundary: { summary, metadata: boundary } };
    if (deps.hooks.has('PostCompact')) await deps.hooks.run('PostCompact', { trigger, compact_summary: summary });
    yield { type: 'system', subtype: 'status', status: null };
    const compaction = afterCompaction(state.compaction, before, after, window, state.sessionTurns);
    return { ...state, messages, compaction, transition: 'history_compacted' };
  }

  async function* askForSummary(
    before: LoopState,
    instructions: string | null,
    deps: LoopDeps,
  ): AsyncGenerator<Draft, string | NoSummary> {
    const state = yield* decideModel(before, 'compact', deps);
    const window = windowOf(state, options.contextWindow);
    const maxTokens = Math.min(
      SUMMARY_TOKENS,
      Math.floor(window * SUMMARY_SHARE),
      deps.maxOutputTokens(state.model) ?? SUMMARY_TOKENS,
    );
    const room = window - maxTokens;
    const asked = fitInto(summaryMessages(state.messages, instructions), Math.floor(room * 0.8), estimator);
    const { request, repairs } = deps.buildRequest({ ...state, messages: asked });
    if (repairs.length > 0) yield { type: 'system', subtype: 'history_repaired', repairs };
    const quiet: LoopDeps = { ...deps, includePartialMessages: false };
    const summaryRequest: ModelRequest = {
      ...request,
      maxTokens,
      thinking: undefined,
      toolChoice: 'none',
      outputSchema: undefined,
    };
    const plan = deps.spending.plan(summaryRequest, false);
    if (plan.kind !== 'send') {
      yield notice('compaction_blocked', 'The conversation was not summarised: the budget does not allow it.');
      return { why: 'unaffordable' };
    }
    const sampled = yield* sample({ ...summaryRequest, maxTokens: plan.maxTokens }, quiet);
    if (sampled.kind === 'reply') {
      const summary = parseSummary(textOf(sampled.reply.message.content));
      if (summary !== null) return summary;
    }
    if (sampled.kind === 'aborted') return { why: 'aborted' };
    yield notice('compaction_blocked', `The conversation could not be summarised: ${whyNot(sampled)}.`);
    return { why: sampled.kind === 'unaffordable' ? 'unaffordable' : 'failed' };
  }

  return {
    async *makeRoom(state, deps) {
      const window = windowOf(state, options.contextWindow);
      const pruned = elideOldToolResults(state.messages, {
        keepTokens: Math.floor(window * KEEP_RESULTS),
        minTokens: SMALL_RESULT,
        estimator,
      });
      if (pruned.freedTokens >= window * 0.3) {
        yield { type: 'history_replaced', messages: pruned.messages, boundary: null };
        yield notice('history_shrunk', `${pruned.elided} old tool results were removed from the context to make room.`);
        return { ...state, messages: pruned.messages, transition: 'history_shrunk' };
      }
      return yield* summarise(state, 'auto', null, deps);
    },
    compactNow: (state, instructions, deps) => summarise(state, 'manual', instructions, deps),
    async *recoverFromOverflow(state, deps) {
      const window = windowOf(state, options.contextWindow);
      if (state.overflows === 1 && mayCompact(state.compaction, state.sessionTurns)) {
        const compacted = yield* summarise(state, 'auto', null, deps);
        if (compacted.transition === 'history_compacted' && compacted.messages !== state.messages) return compacted;
      }
      const share = OVERFLOW_TARGETS[Math.min(state.overflows, OVERFLOW_TARGETS.length) - 1] ?? OVERFLOW_TARGETS[2];
      const target = Math.floor(Math.min(window, estimator.messages(state.messages)) * share);
      const messages = fitInto(state.messages, target, estimator);
      if (messages === state.messages) return null;
      yield { type: 'history_replaced', messages, boundary: null };
      yield notice('history_shrunk', 'The conversation was too long for the model, so its oldest parts were cut.');
      return { ...state, messages, transition: 'history_shrunk' };
    },
  };
}

/** What is remembered of it. An abort says nothing about the next time, and one failure may have passed by then. */
function withoutSummary(state: LoopState, { why }: NoSummary, size: number, window: number): LoopState['compaction'] {
  const { compaction, sessionTurns: turn } = state;
  switch (why) {
    case 'aborted':
      return compaction;
    case 'failed':
      return afterFailure(compaction, size, window, turn);
    case 'unaffordable':
      return afterCompaction(compaction, size, size, window, turn);
    default:
      return why satisfies never;
  }
}

function whyNot(sampled: Sampled): string {
  if (sampled.kind === 'failed') return sampled.error.message.replace(/\.$/, '');
  return sampled.kind === 'unaffordable' ? 'the budget does not allow it' : 'the model gave no summary';
}

/** Goes down the ladder until the history fits, or nothing more can go. The same array where it fits already. */
function fitInto(
  messages: readonly MessageParam[],
  targetTokens: number,
  estimator: TokenEstimator,
): readonly MessageParam[] {
  let current = messages;
  for (const step of [1, 2, 3] as const) {
    if (estimator.messages(current) <= targetTokens) return current;
    current = shrinkHistory(current, step, targetTokens, estimator)?.messages ?? current;
  }
  return current;
}

function notice(code: 'compaction_blocked' | 'history_shrunk', message: string): Draft {
  return { type: 'system', subtype: 'notice', code, level: 'warning', message };
}
