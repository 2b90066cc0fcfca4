// What a prompt may still spend: the contract, and a session without a limit. With one, `limited-spending.ts` is loaded.
import type { Usage } from '../../protocol/content.js';
import { ConfigError } from '../../protocol/errors.js';
import { kindOf } from '../../protocol/given.js';
import type { ModelRequest } from '../../providers/contract/index.js';

/** What a token costs, as far as this file needs to know. */
export interface Pricing {
  /** US dollars for a request of that size at worst. */
  worstCaseUsd(inputTokens: number, outputTokens: number): number;
  costUsd(usage: Usage): number;
}

/** What to do about the next request. */
export type SpendingPlan =
  | { readonly kind: 'send'; readonly maxTokens: number }
  /** Only a last summary is affordable. `why`: a sentence with the figures, if more than that was wanted. */
  | { readonly kind: 'wrap_up'; readonly maxTokens: number; readonly why?: string }
  | { readonly kind: 'stop'; readonly why: string }
  /** The price of the model is not known, so no budget could be kept. */
  | { readonly kind: 'unpriced' };

export interface Spending {
  /** Pure: looks at what is left, sets nothing aside. `isWrapUp`: the request is the last summary itself. */
  plan(request: ModelRequest, isWrapUp: boolean): SpendingPlan;
  /**
   * Sets the worst case of one attempt aside, and beside it the last summary that may follow. Null if that no longer
   * fits: somebody else was faster. `isWrapUp`: the request is the last summary itself.
   * Contract: what was kept for the summary stays kept, from attempt to attempt, until `release`.
   */
  reserve(request: ModelRequest, isWrapUp: boolean): Reservation | null;
  /**
   * Sets the worst case of a request aside that runs beside those of the prompt. Null if it does not fit. What is
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

// Money that several agents share. A request is paid for before it is sent: its worst case is set aside, and what it
// really cost is taken when it is known. What cannot be set aside is not sent.

/** Money set aside for one wire attempt. */

export interface Reservation {
  readonly usd: number;
  /** Takes what the attempt cost and gives the rest back. Contract: the first call counts; later ones do nothing. */
  settle(actualUsd: number): void;
}

export interface Budget {
  readonly limitUsd: number;
  readonly spentUsd: number;
  /** What may still be set aside, here and in every budget above, US dollars. */
  readonly availableUsd: number;
  /** Of this budget and those above, the one that leaves the least: what is told if money is short. */
  readonly binding: BudgetFigures;
  /** Null if the amount does not fit, here or in a budget above. */
  reserve(usd: number): Reservation | null;
  /** A part of this budget: whatever it spends is spent here too. Without a limit of its own it has this one's. */
  /** @param spentUsd what an earlier process spent of it: the budgets above know of that, or need not */
  child(limitUsd?: number, spentUsd?: number): Budget;
}

/** US dollars. What is neither spent nor set aside is left. */
export interface BudgetFigures {
  readonly limitUsd: number;
  readonly spentUsd: number;
  readonly reservedUsd: number;
}

/** @param spentUsd what was spent of it before @throws ConfigError for an amount that is none */
export function createBudget(limitUsd: number, spentUsd = 0): Budget {
  for (const amount of [limitUsd, spentUsd]) {
    if (typeof amount !== 'number' || !(amount >= 0))
      throw new ConfigError(`A budget must be US dollars, a number of at least 0, not ${kindOf(amount)}.`);
  }
  return budgetBelow(null, limitUsd, spentUsd);
}

function budgetBelow(parent: Budget | null, limitUsd: number, spentBefore: number): Budget {
  let spentUsd = spentBefore;
  let reservedUsd = 0;
  const ownAvailable = () => Math.max(0, limitUsd - spentUsd - reservedUsd);
  const budget: Budget = {
    limitUsd,
    get spentUsd() {
      return spentUsd;
    },
    get availableUsd() {
      return parent === null ? ownAvailable() : Math.min(ownAvailable(), parent.availableUsd);
    },
    get binding() {
      if (parent !== null && parent.availableUsd <= ownAvailable()) return parent.binding;
      return { limitUsd, spentUsd, reservedUsd };
    },
    reserve(usd) {
      if (!(usd <= limitUsd - spentUsd - reservedUsd)) return null;
      const above = parent?.reserve(usd);
      if (above === null) return null;
      reservedUsd += usd;
      let isOpen = true;
      return {
        usd,
        settle(actualUsd) {
          if (!isOpen) return;
          isOpen = false;
          reservedUsd -= usd;
          spentUsd += actualUsd;
          above?.settle(actualUsd);
        },
      };
    },
    child: (limit = limitUsd, spent = 0) => budgetBelow(budget, limit, spent),
  };
  return budget;
}
