// The way out of "the prompt is too long", without a model: each step frees more than the one before. One rule: what
// comes out can be sent, and holds what the user typed last.
import type { MessageParam } from '../../protocol/content.js';
import { count } from '../../util/text.js';
import { findKeepers, groupExchanges, mapBlocks, mapStrings } from '../history/index.js';
import type { TokenEstimator } from '../tokens/index.js';
import { dropMedia, keepEnds } from './cut-texts.js';
import { elideOldToolResults } from './elide-tool-results.js';
import { fitHistory } from './fit-history.js';

/** 1: shorten old tool output and input. 2: also drop media. 3: also drop the oldest exchanges, or cut texts. */
export type ShrinkStep = 1 | 2 | 3;

export interface ShrunkHistory {
  /** Untouched messages keep their identity. */
  readonly messages: readonly MessageParam[];
  /** What was done, for a notice: "12 tool outputs removed, 40 messages dropped". */
  readonly description: string;
}

/** The part of the target that the newest tool results may keep in step 1. */
const KEPT_RESULTS_SHARE = 0.25;
/** Results of at most this size are left alone. Tokens. */
const MIN_RESULT_TOKENS = 200;
/** Exchanges at the end whose tool inputs are left alone. */
const RECENT_EXCHANGES = 2;
/** A longer string in an old tool input is shortened, to this much of its beginning. Characters. */
const MAX_INPUT_LENGTH = 2_000;
const KEPT_INPUT_LENGTH = 200;

/**
 * One step of the ladder. Each does what the steps before it do as well.
 * Contract: deterministic; valid to send once repaired; what was typed last and the newest summary survive; null if
 * this step can free nothing more. Step 3 reaches the target whenever anything is left that may be cut.
 * @param targetTokens for the messages alone: leave out system, tools and reply; below the estimate that was refused
 */
export function shrinkHistory(
  messages: readonly MessageParam[],
  step: ShrinkStep,
  targetTokens: number,
  estimator: TokenEstimator,
): ShrunkHistory | null {
  const done: string[] = [];
  let current = shortenOldTools(messages, targetTokens, estimator, done);
  if (step >= 2) current = dropOldMedia(current, done);
  if (step >= 3) {
    const fitted = fitHistory(current, { targetTokens, estimator, note: true });
    if (fitted.dropped > 0) done.push(`${count(fitted.dropped, 'message')} dropped`);
    if (fitted.cut) done.push('long texts cut');
    current = fitted.messages;
  }
  // Dropping little may cost as much as the note that says so.
  if (current === messages || estimator.messages(current) >= estimator.messages(messages)) return null;
  return { messages: current, description: done.join(', ') };
}

function shortenOldTools(
  messages: readonly MessageParam[],
  targetTokens: number,
  estimator: TokenEstimator,
  done: string[],
): readonly MessageParam[] {
  const { messages: elided, elided: outputs } = elideOldToolResults(messages, {
    keepTokens: Math.max(1, targetTokens * KEPT_RESULTS_SHARE),
    minTokens: MIN_RESULT_TOKENS,
    estimator,
  });
  if (outputs > 0) done.push(`${count(outputs, 'tool output')} removed`);

  const recent = groupExchanges(elided).at(-RECENT_EXCHANGES)?.start ?? 0;
  let inputs = 0;
  const shortened = mapBlocks(elided, (block, _message, index) => {
    if (block.type !== 'tool_use' || index >= recent) return block;
    const input = mapStrings(block.input, shortenInput);
    if (input === block.input) return block;
    inputs++;
    return { ...block, input };
  });
  if (inputs > 0) done.push(`${count(inputs, 'tool input')} shortened`);
  return shortened;
}

function shortenInput(text: string): string {
  return text.length <= MAX_INPUT_LENGTH ? text : keepEnds(text, KEPT_INPUT_LENGTH, 0);
}

/** All media but that of the user's last message; that too if no other is left, as then it is the culprit. */
function dropOldMedia(messages: readonly MessageParam[], done: string[]): readonly MessageParam[] {
  const typed = new Set(findKeepers(messages).map(({ index }) => index));
  let { messages: slim, dropped } = dropMedia(messages, (_message, index) => !typed.has(index));
  if (dropped === 0) ({ messages: slim, dropped } = dropMedia(messages, () => true));
  if (dropped > 0) done.push(`${count(dropped, 'image or document', 'images or documents')} removed`);
  return slim;
}

/** Goes down the ladder until the history fits, or nothing more can go. The same array if it fits already. */
export function fitInto(
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
