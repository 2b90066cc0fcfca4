import { describe, expect, it } from 'vitest';
import { createLimitedSpending } from '../../../src/engine/state/limited-spending.js';
import { createBudget, type Pricing } from '../../../src/engine/state/spending.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';

/** A token costs a millionth of a dollar, whichever it is. */
const pricing: Pricing = {
  worstCaseUsd: (input, output) => (input + output) / 1e6,
  costUsd: (usage) => (usage.input_tokens + usage.output_tokens) / 1e6,
};
const request = (maxTokens: number): ModelRequest => ({ model: 'm', system: [], tools: [], messages: [], maxTokens });
const INPUT = 1_000;

function spendingOf(limitUsd: number) {
  const budget = createBudget(limitUsd);
  const spending = createLimitedSpending({ budget, pricing: () => pricing, inputTokensAtMost: () => INPUT });
  return { budget, spending };
}

describe('money for a last summary', () => {
  it('is kept beside an attempt, through the next ones, and given back at the end', () => {
    const { budget, spending } = spendingOf(0.1);
    spending.reserve(request(2_000), false)?.settle(0.002);
    const kept = 0.1 - 0.002 - budget.availableUsd;
    expect(kept).toBeGreaterThan(0);
    spending.reserve(request(2_000), false)?.settle(0.002);
    expect(0.1 - 0.004 - budget.availableUsd).toBeCloseTo(kept, 12);
    spending.release();
    spending.release();
    expect(budget.availableUsd).toBeCloseTo(0.096, 12);
  });

  it('stays although others take the rest, and pays for the summary', () => {
    const { budget, spending } = spendingOf(0.02);
    spending.reserve(request(1_100), false)?.settle(0.002);
    budget.reserve(budget.availableUsd);
    expect(spending.plan(request(1_100), false)).toMatchObject({ kind: 'wrap_up' });
    expect(spending.reserve(request(1_100), false)).toBeNull();
    const plan = spending.plan(request(1_100), true);
    expect(plan).toEqual({ kind: 'wrap_up', maxTokens: 1_024 });
    expect(spending.reserve(request(1_024), true)).not.toBeNull();
  });

  it('is not taken if the attempt and it do not fit together', () => {
    const { budget, spending } = spendingOf(0.004);
    expect(spending.reserve(request(2_000), false)).toBeNull();
    expect(budget.availableUsd).toBeCloseTo(0.004, 12);
    expect(spending.reserve(request(2_000), true)?.usd).toBeCloseTo(0.003, 12);
  });
});

it('what is planned to the last cent can be set aside, whatever sums of such amounts are rounded to', () => {
  const refused: number[][] = [];
  for (let cents = 5; cents <= 100; cents += 5) {
    for (let input = 1_000; input < 1_100; input++) {
      for (const usdATokenOut of [1e-6, 5e-6, 15e-6]) {
        const budget = createBudget(cents / 100);
        const priced: Pricing = {
          ...pricing,
          worstCaseUsd: (tokensIn, tokensOut) => tokensIn * 1e-6 + tokensOut * usdATokenOut,
        };
        const spending = createLimitedSpending({ budget, pricing: () => priced, inputTokensAtMost: () => input });
        const plan = spending.plan(request(1_000_000), false);
        if (plan.kind !== 'send') continue;
        if (spending.reserve(request(plan.maxTokens), false) === null) refused.push([cents, input, usdATokenOut]);
      }
    }
  }
  expect(refused).toEqual([]);
});
