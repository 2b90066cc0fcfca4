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
  /** Null where the amount does not fit, here or in a budget above. */
  reserve(usd: number): Reservation | null;
  /** A part of this budget: whatever it spends is spent here too. Without a limit of its own it has this one's. */
  child(limitUsd?: number): Budget;
}

export function createBudget(limitUsd: number): Budget {
  return budgetBelow(null, limitUsd);
}

function budgetBelow(parent: Budget | null, limitUsd: number): Budget {
  let spentUsd = 0;
  let reservedUsd = 0;
  const budget: Budget = {
    limitUsd,
    get spentUsd() {
      return spentUsd;
    },
    get availableUsd() {
      const own = Math.max(0, limitUsd - spentUsd - reservedUsd);
      return parent === null ? own : Math.min(own, parent.availableUsd);
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
    child: (limit = limitUsd) => budgetBelow(budget, limit),
  };
  return budget;
}
