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
  /** Of this budget and those above, the one that leaves the least: what is told where money is short. */
  readonly binding: BudgetFigures;
  /** Null where the amount does not fit, here or in a budget above. */
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

/** @param spentUsd what was spent of it before */
export function createBudget(limitUsd: number, spentUsd = 0): Budget {
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
