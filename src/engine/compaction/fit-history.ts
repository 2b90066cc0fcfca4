// Makes a conversation fit a number of tokens by dropping its oldest exchanges, and only then by cutting texts.
// One rule: what the user typed last is there at the end, whole unless it alone is too large.
import type { ContentBlock, MessageParam } from '../../protocol/content.js';
import {
  createHistoryRepairer,
  createMediaInspector,
  type Exchange,
  findKeepers,
  findRunningThinking,
  groupExchanges,
  type Keeper,
  type MediaInspector,
  opensWithThinking,
} from '../history/index.js';
import { droppedCount, droppedNote } from '../state/index.js';
import type { TokenEstimator } from '../tokens/index.js';
import { cutLongestTexts, dropMedia } from './cut-texts.js';
import { elideOldToolResults } from './elide-tool-results.js';

export interface FittedHistory {
  readonly messages: readonly MessageParam[];
  /** Messages that are gone. */
  readonly dropped: number;
  /** True if texts that stay were cut in the middle. */
  readonly cut: boolean;
}

export interface FitOptions {
  readonly targetTokens: number;
  readonly estimator: TokenEstimator;
  /** True: a message says how many messages were dropped. */
  readonly note: boolean;
}

/** What is looked up once and used for each place to cut. */
interface Plan extends FitOptions {
  readonly messages: readonly MessageParam[];
  readonly exchanges: readonly Exchange[];
  readonly keepers: readonly Keeper[];
  /** The exchange a cut behind it must keep, its results elided; null if there is none. */
  readonly opening: { readonly exchange: Exchange; readonly messages: readonly MessageParam[] } | null;
  /** Repairing looks into media; each is looked into once for all the places to cut. */
  readonly media: MediaInspector;
}

interface Candidate {
  readonly messages: readonly MessageParam[];
  readonly dropped: number;
}

/**
 * The newest exchanges that fit, after the newest summary and what the user typed last.
 * Contract: deterministic; kept messages keep their identity; calls keep their results; the outcome is within the
 * target once repaired, unless nothing that may be cut is left. The same messages if they fit already.
 */
export function fitHistory(messages: readonly MessageParam[], options: FitOptions): FittedHistory {
  const { targetTokens, estimator } = options;
  const media = createMediaInspector();
  if (messages.length === 0 || repairedTokens(messages, estimator, media) <= targetTokens) {
    return { messages, dropped: 0, cut: false };
  }
  const plan = makePlan(messages, options, media);
  const whole = dropExchanges(plan);
  return whole === null ? squeeze(plan) : { ...whole, cut: false };
}

function makePlan(messages: readonly MessageParam[], options: FitOptions, media: MediaInspector): Plan {
  const exchanges = groupExchanges(messages);
  const exchange = findRunningThinking(exchanges);
  const opening =
    exchange === null
      ? null
      : {
          exchange,
          messages: elideOldToolResults(messages.slice(exchange.start, exchange.end), {
            keepTokens: 0,
            minTokens: 100,
            estimator: options.estimator,
          }).messages,
        };
  return { ...options, messages, exchanges, keepers: findKeepers(messages), opening, media };
}

/** Attempts to make room for what the repair of a damaged history adds. */
const MAX_ATTEMPTS = 4;

/** The cut that drops least; null if even the newest exchange alone does not fit. */
function dropExchanges(plan: Plan): Candidate | null {
  const costs = costsOf(plan);
  let limit = plan.targetTokens;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const from = costs.findIndex((cost, index) => index > 0 && cost <= limit);
    if (from < 0) return null;
    const candidate = cutBefore(plan, from);
    const excess = repairedTokens(candidate.messages, plan.estimator, plan.media) - plan.targetTokens;
    if (excess <= 0) return candidate;
    limit -= excess;
  }
  return null;
}

/** What remains, in tokens, when the history is cut before each exchange. */
function costsOf(plan: Plan): number[] {
  const { messages, exchanges, keepers, estimator } = plan;
  const note = plan.note ? estimator.message(droppedNote(100_000)) : 0;
  const opening = plan.opening === null ? 0 : estimator.messages(plan.opening.messages);
  const costs: number[] = [];
  let rest = 0;
  for (const [index, exchange] of [...exchanges.entries()].reverse()) {
    rest += estimator.messages(messages.slice(exchange.start, exchange.end));
    const kept = keepers
      .filter((keeper) => keeper.index < exchange.start)
      .reduce((sum, keeper) => sum + estimator.message(keeper.message), 0);
    costs[index] = rest + kept + note + (mustKeepOpening(plan, index) ? opening : 0);
  }
  return costs;
}

function mustKeepOpening({ exchanges, opening }: Plan, from: number): boolean {
  const next = exchanges[from];
  return opening !== null && next !== undefined && next.start > opening.exchange.start && !opensWithThinking(next);
}

/** The history without the exchanges before `exchanges[from]`, but with what must outlive them. */
function cutBefore(plan: Plan, from: number): Candidate {
  const { messages, exchanges, keepers } = plan;
  const start = exchanges[from]?.start ?? messages.length;
  const opening = mustKeepOpening(plan, from) ? plan.opening : null;
  const inOpening = (index: number) =>
    opening !== null && index >= opening.exchange.start && index < opening.exchange.end;
  const kept = keepers.filter(({ index }) => index < start && !inOpening(index));
  const keptIndexes = new Set(kept.map(({ index }) => index));

  let dropped = 0;
  for (const [index, message] of messages.slice(0, start).entries()) {
    if (!keptIndexes.has(index) && !inOpening(index)) dropped += droppedCount(message) ?? 1;
  }
  const kind = (wanted: Keeper['kind']) =>
    kept.filter((keeper) => keeper.kind === wanted).map(({ message }) => message);
  return {
    messages: [
      ...kind('summary'),
      ...(plan.note && dropped > 0 ? [droppedNote(dropped)] : []),
      ...kind('prompt'),
      ...(opening?.messages ?? []),
      ...messages.slice(start),
    ],
    dropped,
  };
}

/** Steps for a history whose newest exchange is too large, the gentlest first. */
const SQUEEZES = [
  { keepNewest: true, keepTypedMedia: true, keepTyped: true },
  { keepNewest: true, keepTypedMedia: false, keepTyped: true },
  { keepNewest: false, keepTypedMedia: false, keepTyped: true },
  { keepNewest: false, keepTypedMedia: false, keepTyped: false },
] as const;

function squeeze(plan: Plan): FittedHistory {
  const { exchanges, targetTokens, estimator, media } = plan;
  let last: FittedHistory = { messages: plan.messages, dropped: 0, cut: false };
  for (const { keepNewest, keepTypedMedia, keepTyped } of SQUEEZES) {
    const { messages, dropped } = cutBefore(plan, keepNewest ? exchanges.length - 1 : exchanges.length);
    const slim = keepTypedMedia ? messages : dropMedia(messages, () => true).messages;
    const repairs = Math.max(0, repairedTokens(slim, estimator, media) - estimator.messages(slim));
    const mayCut = keepTyped ? isNotTyped(slim) : () => true;
    const fitted = cutLongestTexts(slim, targetTokens - repairs, estimator, mayCut);
    if (fitted !== null) return { messages: fitted, dropped, cut: fitted !== messages };
    if (!keepNewest) last = { messages: slim, dropped, cut: slim !== messages };
  }
  return last;
}

/** Tells the blocks that are not what the user typed last; tool results may stand beside it. */
function isNotTyped(messages: readonly MessageParam[]): (message: MessageParam, block: ContentBlock) => boolean {
  const prompts = new Set(
    findKeepers(messages)
      .filter(({ kind }) => kind === 'prompt')
      .map(({ index }) => messages[index]),
  );
  return (message, block) => !prompts.has(message) || block.type === 'tool_result';
}

/** What the messages cost once they are made valid: the repair may add an answer or join two messages. */
function repairedTokens(messages: readonly MessageParam[], estimator: TokenEstimator, media: MediaInspector): number {
  return estimator.messages(createHistoryRepairer(media).prepare(messages).messages);
}
