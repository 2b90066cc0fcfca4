// What a prompt may still spend: the contract, and a session without a limit. With one, `limited-spending.ts` is loaded.
import type { Usage } from '../../protocol/content.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import type { Reservation } from './budget.js';

/** What a token costs, as far as this file needs to know. */
export interface Pricing {
  /** US dollars for a request of that size at worst. */
  worstCaseUsd(inputTokens: number, outputTokens: number): number;
  costUsd(usage: Usage): number;
}

/** What to do about the next request. */
export type SpendingPlan =
  | { readonly kind: 'send'; readonly maxTokens: number }
  /** Only a last summary is affordable. `why`: a sentence with the figures, where more than that was wanted. */
  | { readonly kind: 'wrap_up'; readonly maxTokens: number; readonly why?: string }
  | { readonly kind: 'stop'; readonly why: string }
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

const FREE: Reservation = { usd: 0, settle: () => undefined };

/** Nothing limits what is spent. */
export const FREE_SPENDING: Spending = {
  plan: ({ maxTokens }) => ({ kind: 'send', maxTokens }),
  reserve: () => FREE,
  reserveBeside: () => FREE,
  release: () => undefined,
  costUsd: () => 0,
};
