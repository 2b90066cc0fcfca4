// Waits between attempts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryDelayMs } from '../../../src/engine/reply/sample.js';
import { ModelError, type ModelErrorKind } from '../../../src/protocol/errors.js';

const limits = { retryBaseMs: 500, retryMaxMs: 32_000 };
const overloaded = new ModelError('overloaded', 'x');

describe('retryDelayMs', () => {
  it('doubles from half a second to 32 seconds', () => {
    const middle = (attempt: number) => retryDelayMs(overloaded, attempt, limits, 0.5);
    expect([1, 2, 3, 4, 5, 6].map(middle)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(middle(50)).toBe(25_600);
    expect(middle(5_000)).toBe(25_600);
  });

  it('spreads by a quarter either way and never passes the limit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const delay = retryDelayMs(overloaded, attempt, limits, random) ?? -1;
          const middle = Math.min(500 * 2 ** (attempt - 1), 25_600);
          expect(delay).toBeGreaterThanOrEqual(Math.floor(middle * 0.75));
          expect(delay).toBeLessThanOrEqual(Math.min(Math.ceil(middle * 1.25), 32_000));
        },
      ),
      { seed: 42, numRuns: 500 },
    );
    expect(retryDelayMs(overloaded, 1, limits, 0)).toBe(375);
    expect(retryDelayMs(overloaded, 1, limits, 0.999)).toBe(625);
  });

  it.each([
    [1, 1],
    [2_000, 2_000],
    [60_000, 60_000],
    [60_001, null],
    [3_600_000, null],
  ])('a server that asks for %d ms gets %o', (retryAfterMs, expected) => {
    expect(retryDelayMs(new ModelError('rate_limit', 'x', { retryAfterMs }), 4, limits, 0.5)).toBe(expected);
  });

  it('a server that asks for no wait at all still gets one', () => {
    expect(retryDelayMs(new ModelError('overloaded', 'x', { retryAfterMs: 0 }), 2, limits, 0.5)).toBe(1_000);
  });

  it.each<ModelErrorKind>([
    'quota',
    'authentication',
    'permission',
    'not_found',
    'context_overflow',
    'invalid_request',
    'aborted',
  ])('there is none after %s', (kind) =>
    expect(retryDelayMs(new ModelError(kind, 'x', { retryAfterMs: 5 }), 1, limits, 0.5)).toBeNull(),
  );

  it('there is none if the server said so', () => {
    expect(retryDelayMs(new ModelError('server', 'x', { retryable: false }), 1, limits, 0.5)).toBeNull();
  });
});
