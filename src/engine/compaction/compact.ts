// Compaction and recovery from a prompt that is too long: steps of the loop, not a second loop. Cheap means first: old
// tool output goes before a model is asked for a summary, and a summary that cannot be had is replaced by cutting.

import type { MessageParam } from '../../protocol/content.js';
import type { SDKCompactBoundaryMessage } from '../../protocol/system-messages.js';
import { windowOf } from '../reply/index.js';
import {
  type CompactionState,
  type Draft,
  formatCount,
  type LoopDeps,
  type LoopState,
  pinsNote,
} from '../state/index.js';
import {
  alwaysPinned,
  askForSummary,
  type CompactionOptions,
  chooseTail,
  collectPins,
  compactedMessages,
  fitInto,
  type NoSummary,
  withoutPins,
  withPins,
} from './ask-summary.js';
import {
  afterCompaction,
  afterFailure,
  afterNotice,
  type Compaction,
  type CompactionOutcome,
  MAX_LEFT,
  MIN_FREED,
  mayCompact,
} from './compactor.js';
import { elideOldToolResults } from './fit-history.js';

/** Part of the window that old tool results may keep, that the unsummarised end may keep, and that pins may take. */
const KEEP_RESULTS = 0.2;
const KEEP_TAIL = 0.15;
const KEEP_PINS = 0.2;
/** Part of a cut conversation that what always goes along is told it may take; with more than half, all of it goes. */
const KEEP_ALWAYS = 0.4;
/** If a refusal calls for it whatever the estimate says, a conversation may become longer by so little. Tokens. */
const TOLERATED = 500;
/** Results smaller than this stay, tokens. */
const SMALL_RESULT = 200;
/** Part of the window that a history refused as too long is cut to, by attempt: the estimate was wrong, so ever less. */
const OVERFLOW_TARGETS = [0.7, 0.5, 0.25] as const;

type Trigger = 'manual' | 'auto';

/** @param frameTokens what a request holds beside its messages, as the last one had it; 0 before the first */
export function createCompaction(options: CompactionOptions, frameTokens: () => number): Compaction {
  const { estimator } = options;

  /**
   * The conversation with the summary in place of what it sums up; null if that would make it longer by more than is
   * tolerated. Of a short one less stays word for word than the window has room for.
   */
  async function replaced(
    messages: readonly MessageParam[],
    summary: string,
    { before, window, tolerated }: { readonly before: number; readonly window: number; readonly tolerated: number },
  ): Promise<MessageParam[] | null> {
    const sources = await options.pinSources(messages);
    const maxAlways = Math.floor(window * KEEP_PINS);
    const compact = async (whole: number): Promise<MessageParam[]> =>
      compactedMessages({
        summary,
        pins: await collectPins(sources, { maxTokens: Math.floor(whole * KEEP_PINS), maxAlways, estimator }),
        tail: chooseTail(withoutPins(messages), Math.floor(whole * KEEP_TAIL), estimator),
      });
    const usual = await compact(window);
    const size = estimator.messages(usual);
    if (size < before) return usual;
    const shorter = await compact(before);
    const sizeOfShorter = estimator.messages(shorter);
    if (sizeOfShorter < before) return shorter;
    const [smallest, smallestSize] = sizeOfShorter < size ? [shorter, sizeOfShorter] : [usual, size];
    return smallestSize < before + tolerated ? smallest : null;
  }

  /** A cut conversation with what must not be lost of it; without that if it takes half of the room by itself. */
  async function keepPinned(
    whole: readonly MessageParam[],
    cut: (tokens: number) => readonly MessageParam[],
    tokens: number,
  ): Promise<{ readonly messages: readonly MessageParam[]; readonly isComplete: boolean }> {
    const room = { maxTokens: Math.floor(tokens * KEEP_ALWAYS), estimator };
    const pins = await alwaysPinned(await options.pinSources(whole), room);
    const size = pins.length === 0 ? 0 : estimator.message(pinsNote(pins));
    if (size > tokens / 2) return { messages: cut(tokens), isComplete: false };
    return { messages: withPins(cut(tokens - size), pins), isComplete: true };
  }

  /** A summary in place of the history; the state as it was if none could be had. */
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

    const summary = yield* askForSummary(state, instructions, deps, options);
    if (typeof summary !== 'string') {
      yield { type: 'system', subtype: 'status', status: null };
      const compaction = withoutSummary(state, summary, { before, frame: frameTokens(), window });
      return { ...state, compaction };
    }
    // What the user asks for is done, however short the conversation is.
    const tolerated = trigger === 'manual' ? Number.POSITIVE_INFINITY : state.overflows > 0 ? TOLERATED : 0;
    const compacted = await replaced(state.messages, summary, { before, window, tolerated });
    if (compacted === null) {
      yield { type: 'system', subtype: 'status', status: null };
      yield noGain(before);
      const outcome = { before, after: before, frame: frameTokens(), window };
      return { ...state, compaction: afterNotice(afterCompaction(state.compaction, outcome, state.sessionTurns)) };
    }
    const metadata: SDKCompactBoundaryMessage['compact_metadata'] = {
      trigger,
      pre_tokens: before,
      post_tokens: estimator.messages(compacted),
    };
    let messages: readonly MessageParam[] = compacted;
    const goOnWith = (others: readonly MessageParam[]) => {
      messages = others;
    };
    yield { type: 'history_replaced', messages, boundary: { summary, metadata, goOnWith } };
    if (deps.hooks.has('PostCompact')) await deps.hooks.run('PostCompact', { trigger, compact_summary: summary });
    yield { type: 'system', subtype: 'status', status: null };
    const outcome = { before, after: estimator.messages(messages), frame: frameTokens(), window };
    const compaction = yield* tellOutcome(
      afterCompaction(state.compaction, outcome, state.sessionTurns),
      outcome,
      trigger,
    );
    return { ...state, messages, compaction, transition: 'history_compacted' };
  }

  return {
    async *makeRoom(state, deps) {
      const window = windowOf(state, options.contextWindow);
      const keepTokens = Math.floor(window * KEEP_RESULTS);
      const pruned = elideOldToolResults(state.messages, { keepTokens, minTokens: SMALL_RESULT, estimator });
      if (pruned.freedTokens >= window * MIN_FREED) {
        const { messages } = await keepPinned(state.messages, () => withoutPins(pruned.messages), window);
        // Pins may be longer than what went.
        if (estimator.messages(state.messages) - estimator.messages(messages) >= window * MIN_FREED) {
          yield { type: 'history_replaced', messages, boundary: null };
          yield shrunk(`${pruned.elided} old tool results were removed from the context to make room.`);
          return { ...state, messages, transition: 'history_shrunk' };
        }
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
      const before = estimator.messages(state.messages);
      const bare = withoutPins(state.messages);
      const target = Math.floor(Math.min(window, before) * share);
      const { messages, isComplete } = await keepPinned(
        state.messages,
        (tokens) => fitInto(bare, tokens, estimator),
        target,
      );
      if (messages === bare || estimator.messages(messages) >= before) return null;
      yield { type: 'history_replaced', messages, boundary: null };
      const without = isComplete
        ? ''
        : ' The todo list, the plan and the skills in use went with them: they take more than half of the room.';
      yield shrunk(`The conversation was too long for the model, so its oldest parts were cut.${without}`);
      return { ...state, messages, transition: 'history_shrunk' };
    },
  };
}

/** A compaction that made too little room is told at once: another would make no more. */
function* tellOutcome(
  compaction: CompactionState,
  { before, after, frame, window }: CompactionOutcome,
  trigger: Trigger,
): Generator<Draft, CompactionState> {
  const isAutomatic = trigger === 'auto';
  // Who asked for it reads how much it freed, and may have had room before.
  const hasRoom = !isAutomatic && frame + after <= MAX_LEFT * window;
  if (!compaction.blocked || hasRoom) return compaction;
  yield {
    type: 'system',
    subtype: 'notice',
    code: 'compaction_blocked',
    reason: 'little_room_made',
    level: isAutomatic ? 'warning' : 'info',
    message: `The conversation was compacted, which made little room: the next request still takes about ${formatCount(frame + after)} of the ${formatCount(window)} tokens of the context window, and took about ${formatCount(frame + before)} before.`,
    ...(isAutomatic ? { remedy: 'Start over with /clear, give smaller inputs, or have fewer tools.' } : {}),
    data: { freed_tokens: before - after, used_tokens: frame + after, context_window: window },
  };
  // Whoever asked for it is told all the same once the window is nearly full.
  return isAutomatic ? afterNotice(compaction) : compaction;
}

/**
 * What is remembered of it, which `askForSummary` told. An abort says nothing about the next time, and one failure may
 * have passed by then.
 */
function withoutSummary(
  state: LoopState,
  { why }: NoSummary,
  size: Omit<CompactionOutcome, 'after'>,
): LoopState['compaction'] {
  const { compaction, sessionTurns: turn } = state;
  switch (why) {
    case 'aborted':
      return compaction;
    case 'failed':
      return afterNotice(afterFailure(compaction, size, turn));
    case 'unaffordable':
      return afterNotice(afterCompaction(compaction, { ...size, after: size.before }, turn));
    default:
      return why satisfies never;
  }
}

function shrunk(message: string): Draft {
  return { type: 'system', subtype: 'notice', code: 'history_shrunk', level: 'warning', message };
}

function noGain(before: number): Draft {
  return {
    type: 'system',
    subtype: 'notice',
    code: 'compaction_blocked',
    reason: 'no_shorter',
    level: 'warning',
    message: `The conversation stays as it is: with the summary in its place it would take no less than its ${formatCount(before)} tokens.`,
    remedy: 'Start over with /clear, or give smaller inputs.',
    data: { freed_tokens: 0, used_tokens: before },
  };
}
