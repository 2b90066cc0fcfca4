// The reduced version of test/soak/budgets.soak.ts and test/soak/bills.soak.ts.
import { describe, expect, it } from 'vitest';
import { SEED } from '../support/figures.js';
import { checkBills, checkBudgets } from '../support/soak/money.js';

describe('money, at random', () => {
  it('in shared budgets is never overspent, and nearly always leaves a last summary', async () => {
    const { overspent, ended, summarised } = await checkBudgets(30, SEED);
    expect(overspent).toBe(0);
    expect(summarised / ended).toBeGreaterThan(0.9);
  });

  it('is billed exactly, with subagents, summaries, titles, retries, caches and another model', async () => {
    const { attempts, delegated, summaries, titles, fellBack } = await checkBills(60, SEED);
    expect(attempts).toBeGreaterThan(100);
    for (const kind of [delegated, summaries, titles, fellBack]) expect(kind).toBeGreaterThan(10);
  });
});
