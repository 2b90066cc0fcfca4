// What headers of successful responses say of limits.
import { describe, expect, it } from 'vitest';
import { createLimitWatch } from '../../../src/engine/state/loop-state.js';
import { readLimitState } from '../../../src/providers/http/event-stream.js';

const NOW = Date.UTC(2026, 0, 1);
const clock = { now: () => NOW };
const read = (headers: Readonly<Record<string, string>>) => readLimitState((name) => headers[name] ?? null, clock);

describe('the state of limits', () => {
  it.each([
    ['nothing is said', {}, null],
    ['only half is said', { 'x-ratelimit-limit-requests': '100' }, null],
    [
      'the tightest of several counts',
      {
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-input-tokens-limit': '40000',
        'anthropic-ratelimit-input-tokens-remaining': '2000',
        'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:30Z',
      },
      { type: 'input-tokens', used: 0.95, resetMs: 30_000, isWarned: false },
    ],
    [
      "OpenAI's names and durations",
      {
        'x-ratelimit-limit-tokens': '1000',
        'x-ratelimit-remaining-tokens': '250',
        'x-ratelimit-reset-tokens': '6m0s',
      },
      { type: 'tokens', used: 0.75, resetMs: 360_000, isWarned: false },
    ],
    [
      "the account's own limit, in words",
      {
        'anthropic-ratelimit-unified-status': 'allowed_warning',
        'anthropic-ratelimit-unified-reset': String(NOW / 1_000 + 3_600),
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      },
      { type: 'five_hour', used: null, resetMs: 3_600_000, isWarned: true },
    ],
    [
      'numbers that are none say nothing',
      { 'x-ratelimit-limit-requests': '0', 'x-ratelimit-remaining-requests': 'many' },
      null,
    ],
  ])('%s', (_name, headers, expected) => {
    const state = read(headers);
    if (expected === null) expect(state).toBeNull();
    else expect(state).toEqual({ ...expected, used: expected.used === null ? null : expect.closeTo(expected.used, 5) });
  });
});

describe('a limit that is near', () => {
  const at = (used: number) => ({ type: 'tokens', used, resetMs: 1_500, isWarned: false });

  it('is told once, and again after there was room', () => {
    const watch = createLimitWatch();
    const told = [0.5, 0.89, 0.9, 0.95, 0.85, 0.95, 0.79, 0.9].map((used) => watch.see(at(used), NOW)?.utilization);
    expect(told).toEqual([undefined, undefined, 0.9, undefined, undefined, undefined, undefined, 0.9]);
  });

  it('is told with its reset, seconds since 1970, rounded up', () => {
    expect(createLimitWatch().see(at(1), NOW)).toEqual({
      status: 'allowed_warning',
      rateLimitType: 'tokens',
      utilization: 1,
      resetsAt: NOW / 1_000 + 2,
    });
  });

  it('is told for each limit by itself', () => {
    const watch = createLimitWatch();
    expect(watch.see(at(1), NOW)).not.toBeNull();
    expect(watch.see({ ...at(1), type: 'requests' }, NOW)).toMatchObject({ rateLimitType: 'requests' });
  });
});
