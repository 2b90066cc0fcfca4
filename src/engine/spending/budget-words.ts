// What is told where a budget does not allow the next request: what is spent, what is left, and what it was held against.
import { type BudgetFigures, formatCount } from '../state/index.js';

/** The request that does not fit. US dollars and tokens. */
export interface Shortage {
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

export function tellShortage({ limitUsd, spentUsd }: BudgetFigures, shortage: Shortage): string {
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
