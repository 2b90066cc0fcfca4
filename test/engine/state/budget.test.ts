import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBudget } from '../../../src/engine/state/spending.js';

describe('a budget', () => {
  it('sets aside, settles and gives back', () => {
    const budget = createBudget(1);
    const first = budget.reserve(0.75);
    expect(budget.availableUsd).toBe(0.25);
    expect(budget.reserve(0.5)).toBeNull();
    first?.settle(0.25);
    first?.settle(0.25);
    expect(budget).toMatchObject({ spentUsd: 0.25, availableUsd: 0.75 });
  });

  it('counts what a part spends in the whole, and holds the part to both', () => {
    const whole = createBudget(1);
    const part = whole.child(0.5);
    expect(part.reserve(0.75)).toBeNull();
    part.reserve(0.5)?.settle(0.5);
    expect(whole.spentUsd).toBe(0.5);
    whole.reserve(0.5);
    expect(whole.child().reserve(0.1)).toBeNull();
  });

  it('counts what was spent of it before, and tells the figures of the one that leaves the least', () => {
    const whole = createBudget(2, 1.5);
    expect(whole.availableUsd).toBe(0.5);
    const part = whole.child(1, 0.75);
    expect([part.availableUsd, whole.spentUsd]).toEqual([0.25, 1.5]);
    expect(part.binding).toEqual({ limitUsd: 1, spentUsd: 0.75, reservedUsd: 0 });
    whole.reserve(0.375);
    expect(part.binding).toEqual({ limitUsd: 2, spentUsd: 1.5, reservedUsd: 0.375 });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('never sets aside %s', (usd) => {
    expect(createBudget(1).reserve(usd)).toBeNull();
  });

  it('is never overspent by any order of reservations that cost at most what was set aside', () => {
    const step = fc.record({
      child: fc.nat(7),
      usd: fc.double({ min: 0, max: 0.3, noNaN: true }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      settleLater: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const whole = createBudget(1);
        const parts = Array.from({ length: 8 }, (_, index) => whole.child(index % 2 === 0 ? undefined : 0.4));
        const open: (() => void)[] = [];
        for (const { child, usd, share, settleLater } of steps) {
          const reservation = parts[child]?.reserve(usd);
          if (!reservation) continue;
          const settle = () => reservation.settle(usd * share);
          if (settleLater) open.push(settle);
          else settle();
        }
        for (const settle of open) settle();
        expect(whole.spentUsd).toBeLessThanOrEqual(1 + 1e-12);
        for (const part of parts) expect(part.spentUsd).toBeLessThanOrEqual(part.limitUsd + 1e-12);
      }),
      { seed: 42, numRuns: 1_000 },
    );
  });
});
