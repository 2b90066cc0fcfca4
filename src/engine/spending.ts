// Decides what a prompt may still spend. Checked before money is spent: a request whose worst case does not fit what
// is left is made smaller, then replaced by one last summary, then not sent.
import type { Usage } from '../protocol/content.js';
import type { ModelRequest } from '../providers/provider.js';
import type { Budget, Reservation } from './budget.js';

/** What a token costs, as far as this file needs to know. */
export interface Pricing {
  /** US dollars for a request of that size at worst. */
  worstCaseUsd(inputTokens: number, outputTokens: number): number;
  costUsd(usage: Usage): number;
}

/** What to do about the next request. */
export type SpendingPlan =
  | { readonly kind: 'send'; readonly maxTokens: number }
  /** Only a last summary is affordable. */
  | { readonly kind: 'wrap_up'; readonly maxTokens: number }
  | { readonly kind: 'stop' }
  /** The price of the model is not known, so no budget could be kept. */
  | { readonly kind: 'unpriced' };

export interface Spending {
  /** Pure: looks at what is left, sets nothing aside. `isWrapUp`: the request is the last summary itself. */
  plan(request: ModelRequest, isWrapUp: boolean): SpendingPlan;
  /**
   * Sets the worst case of one attempt aside, and beside it the last summary that may follow. Null where that no longer
   * fits: somebody else was faster. `isWrapUp`: the request is the last summary itself.
   * Contract: what was kept for the summary stays kept, from attempt to attempt, until `release`.
   */
  reserve(request: ModelRequest, isWrapUp: boolean): Reservation | null;
  /**
   * Sets the worst case of a request aside that runs beside those of the prompt. Null where it does not fit. What is
   * kept for the last summary is left alone.
   */
  reserveBeside(request: ModelRequest): Reservation | null;
  /** The prompt is over: what was kept for a last summary is given back. */
  release(): void;
  /** What an attempt cost. */
  costUsd(model: string, usage: Usage): number;
}

export interface SpendingOptions {
  readonly budget: Budget | null;
  /** Null where the price of a model is not known; with a budget, such a request is not sent. */
  pricing(model: string): Pricing | null;
  /** Contract: never below what the provider will count. */
  inputTokensAtMost(request: ModelRequest): number;
}

/** The smallest output limit a reply can do anything useful with, tokens; also that of the last summary. */
const SMALLEST_REPLY = 1_024;
/** What the results of one round may add to the next request at most, tokens, when the last summary is kept back. */
const SUMMARY_GROWTH = 4_000;

const FREE: Reservation = { usd: 0, settle: () => undefined };

export function createSpending(options: SpendingOptions): Spending {
  const { budget } = options;
  // Money that others share is gone when it is needed, unless it is set aside before.
  let kept: Reservation | null = null;
  const release = () => {
    kept?.settle(0);
    kept = null;
  };
  const afterwards = (pricing: Pricing, input: number, output: number) =>
    pricing.worstCaseUsd(input + output + SUMMARY_GROWTH, SMALLEST_REPLY);

  return {
    plan(request, isWrapUp) {
      if (budget === null) return { kind: 'send', maxTokens: request.maxTokens };
      const pricing = options.pricing(request.model);
      if (pricing === null) return { kind: 'unpriced' };
      const input = options.inputTokensAtMost(request);
      const cost = (output: number) => pricing.worstCaseUsd(input, output);
      const available = budget.availableUsd + (kept?.usd ?? 0);
      if (!isWrapUp) {
        // With a reply of `output` tokens, a summary must be affordable afterwards.
        const withSummary = (output: number) => cost(output) + afterwards(pricing, input, output);
        const maxTokens = largestWithin(available, SMALLEST_REPLY, request.maxTokens, withSummary);
        if (maxTokens !== null) return { kind: 'send', maxTokens };
      }
      const summary = largestWithin(available, SMALLEST_REPLY / 4, SMALLEST_REPLY, cost);
      return summary === null ? { kind: 'stop' } : { kind: 'wrap_up', maxTokens: summary };
    },
    reserve(request, isWrapUp) {
      if (budget === null) return FREE;
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
      if (budget === null) return FREE;
      const pricing = options.pricing(request.model);
      if (pricing === null) return null;
      return budget.reserve(pricing.worstCaseUsd(options.inputTokensAtMost(request), request.maxTokens));
    },
    release,
    costUsd: (model, usage) => (budget === null ? 0 : (options.pricing(model)?.costUsd(usage) ?? 0)),
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
