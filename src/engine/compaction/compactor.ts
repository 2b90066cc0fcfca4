// Watches the size of the context between requests, and says when it is made smaller. What makes room is loaded only when there
// is none. One rule: it cannot loop: a compaction that made no headroom blocks the next one, and none follows another within a
// few turns.
import type { MessageParam } from '../../protocol/content.js';
import { DOORS } from '../doors.js';
import { windowOf } from '../reply/index.js';
import {
  type CompactionState,
  type Compactor,
  type Draft,
  formatCount,
  type LoopDeps,
  type LoopState,
} from '../state/index.js';
import type { CompactionOptions } from './ask-summary.js';

/** The work of a `Compactor`, loaded when there is some. */
export interface Compaction {
  /** Old tool output goes if that is enough, else a summary takes the place of the history. */
  makeRoom(state: LoopState, deps: LoopDeps): AsyncGenerator<Draft, LoopState>;
  compactNow(state: LoopState, instructions: string | null, deps: LoopDeps): AsyncGenerator<Draft, LoopState>;
  recoverFromOverflow(state: LoopState, deps: LoopDeps): AsyncGenerator<Draft, LoopState | null>;
}

interface CompactorOptions extends CompactionOptions {
  /** False: only `/compact` and an overflow compact. */
  readonly isAutomatic: boolean;
}

/** Assumed until the first request says what it allows its reply, tokens. */
const USUAL_REPLY = 8_000;

export function createCompactor(options: CompactorOptions): Compactor {
  const { estimator } = options;
  // What a request holds beside the messages, as the last one had it; nothing before the first.
  let frame = { tokens: 0, maxOutput: USUAL_REPLY };
  let isFrameKnown = false;
  // The last conversation measured: a turn asks more than once, and each sum goes over all messages.
  let measured: { readonly messages: readonly MessageParam[]; readonly tokens: number } | null = null;
  const sizeOf = (messages: readonly MessageParam[]): number => {
    if (measured?.messages !== messages) measured = { messages, tokens: estimator.messages(messages) };
    return measured.tokens;
  };
  let counted: Compactor['counted'] = null;
  let loading: Promise<Compaction> | null = null;
  const load = () => {
    loading ??= DOORS.compaction().then(({ createCompaction }) => createCompaction(options, () => frame.tokens));
    return loading;
  };

  /** A resumed conversation may be too long with its first request already: then that is built to be measured. */
  async function* measureFrame(state: LoopState, deps: LoopDeps): AsyncGenerator<Draft, void> {
    if (isFrameKnown) return;
    const { request, repairs } = deps.buildRequest(state);
    if (repairs.length > 0) yield { type: 'system', subtype: 'history_repaired', repairs };
    frame = { ...frame, tokens: estimator.frame(request) };
    isFrameKnown = true;
  }

  const situationOf = (state: LoopState): CompactionSituation => {
    const messageTokens = sizeOf(state.messages);
    return {
      estimatedTokens: frame.tokens + messageTokens,
      messageTokens,
      window: windowOf(state, options.contextWindow),
      maxOutput: frame.maxOutput,
      turn: state.sessionTurns,
    };
  };
  // Below that nothing is compacted, whatever stands beside the messages.
  const needsFrame = ({ messageTokens, window }: CompactionSituation): boolean =>
    !isFrameKnown && messageTokens >= MIN_FREED * window;

  return {
    hasRoom(state) {
      const situation = situationOf(state);
      if (needsFrame(situation)) return false;
      if (options.isAutomatic && shouldCompact(state.compaction, situation) !== 'no') return false;
      return !shouldWarn(state.compaction, situation) && !isRearmed(state.compaction, situation);
    },
    async *compactIfNeeded(state, deps) {
      if (needsFrame(situationOf(state))) yield* measureFrame(state, deps);
      const situation = situationOf(state);
      const verdict = options.isAutomatic ? shouldCompact(state.compaction, situation) : 'no';
      switch (verdict) {
        case 'no':
          if (!shouldWarn(state.compaction, situation)) return rearmed(state, situation);
          return yield* tellFilling(state, situation, options.isAutomatic);
        case 'blocked':
          return yield* tellBlocked(state);
        case 'compact':
          return yield* (await load()).makeRoom(state, deps);
        default:
          return verdict satisfies never;
      }
    },
    async *compactNow(state, instructions, deps) {
      yield* measureFrame(state, deps);
      return yield* (await load()).compactNow(state, instructions, deps);
    },
    async *recoverFromOverflow(state, deps) {
      yield* measureFrame(state, deps);
      return yield* (await load()).recoverFromOverflow(state, deps);
    },
    observe(request, usage) {
      const tokens = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
      estimator.calibrate(request, tokens);
      counted = { usage, ratio: tokens > 0 ? estimator.lastRatio : null };
      measured = null; // counted by another factor from here on
      frame = { tokens: estimator.frame(request), maxOutput: request.maxTokens };
      isFrameKnown = true;
    },
    get counted() {
      return counted;
    },
    threshold: (model) =>
      options.isAutomatic ? compactionThreshold(options.contextWindow(model), frame.maxOutput) : null,
    inputTokens: (state, request) => estimator.frame(request) + sizeOf(state.messages),
    roughInputTokens: (state, request) => estimator.frameAtMost(request) + sizeOf(state.messages),
    inputTokensAtMost: (request) => estimator.upperBound(request),
  };
}

/** Once the context has room again, its filling will be told again. */
function rearmed(state: LoopState, situation: CompactionSituation): LoopState {
  const { compaction } = state;
  return isRearmed(compaction, situation) ? { ...state, compaction: afterWarning(compaction, false) } : state;
}

// What a person is told of a context that fills, and of one that is full. One rule: each is told once, and the state
// that comes back says so.

/** Said once, if the context is full and another compaction would not help. */
async function* tellBlocked(state: LoopState): AsyncGenerator<Draft, LoopState> {
  if (state.compaction.noticed) return state;
  yield {
    type: 'system',
    subtype: 'notice',
    code: 'compaction_blocked',
    reason: 'window_full',
    level: 'warning',
    message: 'The conversation nearly fills the context window, and compacting it again would not make room.',
    remedy: 'Start over with /clear, or give smaller inputs.',
  };
  return { ...state, compaction: afterNotice(state.compaction) };
}

/** Said once each time the context grows past the warning level, whether or not compaction is automatic. */
async function* tellFilling(
  state: LoopState,
  situation: CompactionSituation,
  isAutomatic: boolean,
): AsyncGenerator<Draft, LoopState> {
  const { estimatedTokens: used, window, maxOutput } = situation;
  const percent = Math.round((used / window) * 100);
  const threshold = formatCount(Math.floor(compactionThreshold(window, maxOutput)));
  yield {
    type: 'system',
    subtype: 'notice',
    code: 'context_filling',
    level: isAutomatic ? 'info' : 'warning',
    message: `The conversation takes about ${formatCount(used)} of the ${formatCount(window)} tokens of the context window (${percent} %).`,
    remedy: isAutomatic
      ? `It is compacted by itself at about ${threshold} tokens. Use /compact to do it now and say what matters, or /clear to start over.`
      : 'Automatic compaction is off. Use /compact to make room, or /clear to start over, before the model refuses the length.',
    data: { used_tokens: used, context_window: window, percent },
  };
  return { ...state, compaction: afterWarning(state.compaction, true) };
}

interface CompactionSituation {
  /** Of the next request: system, tools and messages. */
  readonly estimatedTokens: number;
  /** Of the messages alone: what a compaction can make smaller. */
  readonly messageTokens: number;
  /** Context window of the model, tokens. Zero or less, or not finite: not known, never compact. */
  readonly window: number;
  /** Limit of the reply, tokens. */
  readonly maxOutput: number;
  /** Model replies so far in the whole session. Contract: never decreases. */
  readonly turn: number;
}

/**
 * `blocked`: the context is over the threshold, but compacting would not help or comes too soon. Tell it once, while
 * `noticed` is false; when the request would overflow, free space by `shrinkHistory` instead.
 */
type CompactionDecision = 'no' | 'compact' | 'blocked';

/** Turns from one compaction to the next, at least. */
export const MIN_TURNS_BETWEEN = 5;
/** Shares of the window. */
const THRESHOLD = 0.8;
export const MIN_FREED = 0.3;
export const MAX_LEFT = 0.7;
const UNBLOCK_CHANGE = 0.2;
/** Room beside the reply for what one round of tools adds. Tokens, at most a tenth of the window. */
const RESERVE_TOKENS = 8_000;
const MAX_RESERVE = 0.1;
/** The caller is warned at this share of the threshold, and again only after a fall below this share of that level. */
const WARNING_SHARE = 0.85;
const REARM_SHARE = 0.85;
/** However large the reply may be, the context is not compacted below this share of the window. */
const MIN_THRESHOLD = 0.4;

/** The size from which a context should be compacted. Tokens. */
export function compactionThreshold(window: number, maxOutput: number): number {
  const reserve = Math.min(RESERVE_TOKENS, MAX_RESERVE * window);
  return Math.max(MIN_THRESHOLD * window, Math.min(THRESHOLD * window, window - maxOutput - reserve));
}

/** False within a few turns of the last compaction, whatever the reason for another, and if one just failed. */
export function mayCompact(state: CompactionState, turn: number): boolean {
  if (state.failedAtTurn === turn) return false;
  return state.lastAtTurn === null || turn - state.lastAtTurn >= MIN_TURNS_BETWEEN;
}

/** Asked before each request, between tool rounds too. Contract: at most one `compact` in any five turns. */
export function shouldCompact(state: CompactionState, situation: CompactionSituation): CompactionDecision {
  const { estimatedTokens, messageTokens, window, maxOutput, turn } = situation;
  if (!(window > 0) || !Number.isFinite(window)) return 'no';
  if (!(estimatedTokens >= compactionThreshold(window, maxOutput))) return 'no';
  // A system prompt and tools that fill a small window leave nothing to gain.
  if (messageTokens < MIN_FREED * window) return 'blocked';
  if (state.blocked && Math.abs(messageTokens - state.blockedAt) <= UNBLOCK_CHANGE * window) return 'blocked';
  if (mayCompact(state, turn)) return 'compact';
  // Soon after a compaction there is still room for some turns; only an overflow is worth telling.
  return estimatedTokens + Math.min(maxOutput, MAX_RESERVE * window) > window ? 'blocked' : 'no';
}

/** True if the context passed the level at which the caller is warned, for the first time since it fell below it. */
export function shouldWarn(state: CompactionState, situation: CompactionSituation): boolean {
  return !state.warned && situation.estimatedTokens >= warningLevel(situation);
}

/** True if a warning that was given may be given again at the next crossing. */
export function isRearmed(state: CompactionState, situation: CompactionSituation): boolean {
  return state.warned && situation.estimatedTokens < REARM_SHARE * warningLevel(situation);
}

function warningLevel({ window, maxOutput }: CompactionSituation): number {
  const isKnown = window > 0 && Number.isFinite(window);
  return isKnown ? WARNING_SHARE * compactionThreshold(window, maxOutput) : Number.POSITIVE_INFINITY;
}

/** What a compaction came to. Tokens. */
export interface CompactionOutcome {
  /** Of the messages alone. */
  readonly before: number;
  readonly after: number;
  /** What a request holds beside them: system prompt and tools. */
  readonly frame: number;
  readonly window: number;
}

/** The state after a compaction, also after one that was in vain (`after` = `before`) or that the user asked for. */
export function afterCompaction(
  state: CompactionState,
  { before, after, frame, window }: CompactionOutcome,
  turn: number,
): CompactionState {
  const freed = before - after;
  const blocked = !(freed >= MIN_FREED * window && frame + after <= MAX_LEFT * window);
  return {
    // A count that went backwards must not bring the next one nearer.
    lastAtTurn: Math.max(turn, state.lastAtTurn ?? turn),
    lastFreed: freed,
    blocked,
    blockedAt: blocked ? after : 0,
    noticed: false,
    failedAtTurn: null,
    warned: state.warned,
  };
}

/**
 * The state after a summary that could not be had, by a failure that may pass: the next turn tries again. If it fails
 * again soon, it counts as a compaction that freed nothing.
 */
export function afterFailure(
  state: CompactionState,
  size: Omit<CompactionOutcome, 'after'>,
  turn: number,
): CompactionState {
  const { failedAtTurn: before } = state;
  if (before !== null && turn - before < MIN_TURNS_BETWEEN)
    return afterCompaction(state, { ...size, after: size.before }, turn);
  return { ...state, failedAtTurn: turn };
}

/** The state once the block was told of. */
export function afterNotice(state: CompactionState): CompactionState {
  return state.noticed ? state : { ...state, noticed: true };
}

/** The state once the caller was warned, or may be warned again. */
export function afterWarning(state: CompactionState, warned: boolean): CompactionState {
  return { ...state, warned };
}
