// When to compact. Pure. One rule: it cannot loop: a compaction that made no headroom blocks the next one, and none
// follows another within a few turns.
import type { CompactionState } from '../state/index.js';

export interface CompactionSituation {
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
export type CompactionDecision = 'no' | 'compact' | 'blocked';

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
