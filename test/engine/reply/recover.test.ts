import { describe, expect, it } from 'vitest';
import { recoverFrom } from '../../../src/engine/reply/sample.js';
import { ModelError } from '../../../src/protocol/errors.js';
import type { EngineLimits } from '../../../src/protocol/options.js';
import { resolveLimits } from '../../../src/session/config/limits.js';

const limits = (changes: Partial<EngineLimits> = {}) => resolveLimits({}, { maxRetries: 2, ...changes });
const busy = (retryAfterMs: number | null = null) => new ModelError('overloaded', 'busy', { retryAfterMs });
const HOUR = 3_600_000;

describe('a request that failed', () => {
  it('is sent again as often as was said, whatever time it took', () => {
    const at = (attempt: number) => recoverFrom(busy(), attempt, limits(), 0.5, 10 * HOUR).kind;
    expect([1, 2, 3].map(at)).toEqual(['retry', 'retry', 'give_up']);
  });

  it('is sent again for as long as was said, however often', () => {
    const patient = limits({ retryHorizonMs: HOUR });
    const failing = (failingMs: number) => recoverFrom(busy(), 500, patient, 0.5, failingMs);
    expect(failing(HOUR - 60_000)).toEqual({ kind: 'retry', delayMs: 25_600 });
    expect(failing(HOUR - 25_600)).toEqual({ kind: 'retry', delayMs: 25_600 });
    expect(failing(HOUR - 25_599).kind).toBe('give_up');
  });

  it('is not sent again and again without a pause, whatever the limits', () => {
    const hasty = { maxRetries: 1, retryBaseMs: 0, retryMaxMs: 0 };
    expect(recoverFrom(busy(), 1, limits(hasty), 0.5, 0)).toEqual({ kind: 'retry', delayMs: 0 });
    expect(recoverFrom(busy(), 2, limits(hasty), 0.5, 0).kind).toBe('give_up');
    const patient = limits({ ...hasty, retryHorizonMs: HOUR });
    expect(recoverFrom(busy(), 2, patient, 0.5, 0)).toEqual({ kind: 'retry', delayMs: 1_000 });
  });

  it('is sent when the server said, if there is time for it', () => {
    const asked = busy(20 * 60_000);
    expect(recoverFrom(asked, 1, limits(), 0.5, 0).kind).toBe('give_up');
    const patient = limits({ retryHorizonMs: HOUR });
    expect(recoverFrom(asked, 1, patient, 0.5, 0)).toEqual({ kind: 'retry', delayMs: 20 * 60_000 });
    expect(recoverFrom(asked, 1, patient, 0.5, 50 * 60_000).kind).toBe('give_up');
  });

  it('is not sent again if it would fail again', () => {
    const refused = new ModelError('authentication', 'no');
    expect(recoverFrom(refused, 1, limits({ retryHorizonMs: HOUR }), 0.5, 0).kind).toBe('give_up');
  });
});
