// The money a session may spend: its own limit, as part of what it shares with others.
import { type Budget, createBudget, createLimitedSpending } from '../../engine/state/index.js';
import { ConfigError } from '../../protocol/errors.js';
import type { ModelRouter } from '../../providers/choice/index.js';
import type { QueryEngineConfig } from '../config/index.js';
import type { PriceBook, UsageLedger } from '../spending/index.js';

export { createLimitedSpending };

/**
 * Null if nothing limits the session. What a resumed session spent before counts against its own limit, not against
 * a budget it shares now.
 * @param models the session's, and those that may answer in its place
 * @throws ConfigError if the model's price is not known: such a limit would not hold
 */
export async function sessionBudget(
  config: Pick<QueryEngineConfig, 'budget' | 'maxBudgetUsd'>,
  models: readonly string[],
  admit: ModelRouter['admit'],
  prices: () => Promise<PriceBook>,
  ledger: UsageLedger,
): Promise<Budget | null> {
  const { budget: shared, maxBudgetUsd } = config;
  if (shared === undefined && maxBudgetUsd === undefined) return null;
  const book = await prices();
  for (const name of models) {
    if (book.pricing(await admit(name)) === null) {
      throw new ConfigError(
        `The price of ${name} is not known, so a budget could not be kept. Leave maxBudgetUsd out, or name a model with a known price.`,
      );
    }
  }
  ledger.priceWith(book);
  if (maxBudgetUsd === undefined) return shared?.child() ?? null;
  const { totalCostUsd } = ledger;
  return shared === undefined ? createBudget(maxBudgetUsd, totalCostUsd) : shared.child(maxBudgetUsd, totalCostUsd);
}
