// Decides what a prompt may still spend. Checked before money is spent: a request whose worst case does not fit what
// is left is made smaller, then replaced by one last summary, then not sent.
import type { ModelRequest } from '../../providers/contract/index.js';
import { formatCount } from './engine-notes.js';
import type { Budget, BudgetFigures, Pricing, Reservation, Spending } from './spending.js';

interface SpendingOptions {
  readonly budget: Budget;
  /** Null if the price of a model is not known: such a request is not sent. */
  pricing(model: string): Pricing | null;
  /** Contract: never below what the provider will count. */
  inputTokensAtMost(request: ModelRequest): number;
}

/**
 * The smallest output limit that a reply is asked for with, tokens: a call that writes a file of some length fits. With
 * less money than that takes, the prompt ends before a call is cut in the middle.
 */
const SMALLEST_REPLY = 4_096;
/** The output limit of the last summary, tokens. */
const SUMMARY_REPLY = 1_024;
/** What the results of one round may add to the next request at most, tokens, when the last summary is kept back. */
const SUMMARY_GROWTH = 4_000;

/** What sums of such amounts may be off by, US dollars: what is planned to the last cent can still be set aside. */
const ROUNDING = 1e-9;

export function createLimitedSpending(options: SpendingOptions): Spending {
  const { budget } = options;
  // Money that others share is gone when it is needed, unless it is set aside before.
  let kept: Reservation | null = null;
  const release = () => {
    kept?.settle(0);
    kept = null;
  };
  const afterwards = (pricing: Pricing, input: number, output: number) =>
    pricing.worstCaseUsd(input + output + SUMMARY_GROWTH, SUMMARY_REPLY);

  return {
    plan(request, isWrapUp) {
      const pricing = options.pricing(request.model);
      if (pricing === null) return { kind: 'unpriced' };
      const input = options.inputTokensAtMost(request);
      const cost = (output: number) => pricing.worstCaseUsd(input, output);
      const available = Math.max(0, budget.availableUsd + (kept?.usd ?? 0) - ROUNDING);
      const replyTokens = isWrapUp ? SUMMARY_REPLY / 4 : Math.min(SMALLEST_REPLY, request.maxTokens);
      const summaryUsd = isWrapUp ? 0 : afterwards(pricing, input, replyTokens);
      const why = () =>
        tellShortage(budget.binding, {
          availableUsd: available,
          neededUsd: cost(replyTokens) + summaryUsd,
          inputTokens: input,
          replyTokens,
          summaryUsd,
        });
      if (!isWrapUp) {
        // With a reply of `output` tokens, a summary must be affordable afterwards.
        const withSummary = (output: number) => cost(output) + afterwards(pricing, input, output);
        const maxTokens = largestWithin(available, SMALLEST_REPLY, request.maxTokens, withSummary);
        if (maxTokens !== null) return { kind: 'send', maxTokens };
      }
      const summary = largestWithin(available, SUMMARY_REPLY / 4, SUMMARY_REPLY, cost);
      return summary === null
        ? { kind: 'stop', why: why() }
        : { kind: 'wrap_up', maxTokens: summary, ...(isWrapUp ? {} : { why: why() }) };
    },
    reserve(request, isWrapUp) {
      const pricing = options.pricing(request.model);
      if (pricing === null) return null;
      const input = options.inputTokensAtMost(request);
      const keptBefore = kept?.usd ?? 0;
      release();
      const attempt = budget.reserve(pricing.worstCaseUsd(input, request.maxTokens));
      if (isWrapUp) return attempt;
      if (attempt !== null) kept = budget.reserve(afterwards(pricing, input, request.maxTokens));
      if (kept !== null) return attempt;
      attempt?.settle(0);
      kept = budget.reserve(keptBefore);
      return null;
    },
    reserveBeside(request) {
      const pricing = options.pricing(request.model);
      if (pricing === null) return null;
      return budget.reserve(pricing.worstCaseUsd(options.inputTokensAtMost(request), request.maxTokens));
    },
    release,
    costUsd: (model, usage) => options.pricing(model)?.costUsd(usage) ?? 0,
  };
}

/** The largest whole number in [low, high] whose cost fits, or null. `cost` grows with its argument. */
function largestWithin(available: number, low: number, high: number, cost: (output: number) => number): number | null {
  if (high <= low) return cost(high) <= available ? high : null;
  if (cost(low) > available) return null;
  let fits = low;
  let tooMuch = high + 1;
  while (tooMuch - fits > 1) {
    const middle = Math.floor((fits + tooMuch) / 2);
    if (cost(middle) <= available) fits = middle;
    else tooMuch = middle;
  }
  return fits;
}

// What is told if a budget does not allow the next request: what is spent, what is left, and what it was held against.

/** The request that does not fit. US dollars and tokens. */
interface Shortage {
  /** What it may take. */
  readonly availableUsd: number;
  /** Its worst case, with what is kept for a last summary. */
  readonly neededUsd: number;
  readonly inputTokens: number;
  /** The shortest reply that it is asked for with. */
  readonly replyTokens: number;
  /** Part of `neededUsd` that is kept for a last summary. */
  readonly summaryUsd: number;
}

function tellShortage({ limitUsd, spentUsd }: BudgetFigures, shortage: Shortage): string {
  const { availableUsd, neededUsd, inputTokens, replyTokens, summaryUsd } = shortage;
  const reservedUsd = Math.max(0, limitUsd - spentUsd - availableUsd);
  const reserved = isNothing(reservedUsd) ? '' : `, ${usd(reservedUsd)} is set aside for other requests`;
  const summary = summaryUsd === 0 ? '' : `, and ${usd(summaryUsd)} kept for a last summary`;
  return (
    `The budget of ${usd(limitUsd)} does not allow another request: ${usd(spentUsd)} is spent${reserved} and ${usd(availableUsd)} is left, ` +
    `but the request could cost up to ${usd(neededUsd)} (about ${formatCount(inputTokens)} tokens in, a reply of ${formatCount(replyTokens)} tokens${summary}). Raise the budget to go on.`
  );
}

/** Less than what is shown. */
function isNothing(amount: number): boolean {
  return amount < 0.00005;
}

function usd(amount: number): string {
  return `$${amount.toFixed(amount >= 1 ? 2 : 4)}`;
}
