// How long an attempt may take, on a clock that only the test moves: silence ends it by its limit, an abort at once.
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/protocol/errors.js';
import { fakeHost } from '../../../src/testing/fake-host.js';
import type { MockAnswer } from '../../../src/testing/mock/mock-wire.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { REQUEST } from '../../support/anthropic-replies.js';
import { CONFORMERS, type Conformer } from './adapters.js';

const LIMITS = { requestTimeoutMs: 9_000, streamIdleMs: 4_000, contentIdleMs: 12_000 };
const REPLY = reply(text('some words'), toolCall('Probe', { value: 'x' }));

/** An attempt that does not end by itself; settled once the first event is there, or the request is. */
async function begin(conformer: Conformer, answer: MockAnswer) {
  const { clock: still } = fakeHost();
  let readings = 0;
  const clock = {
    ...still,
    monotonic() {
      readings++;
      return still.monotonic();
    },
  };
  const { mock, provider } = await conformer.serve({ steps: () => answer }, clock);
  const controller = new AbortController();
  const state: { events: number; lastAt: number; error: unknown } = { events: 0, lastAt: 0, error: null };
  void (async () => {
    for await (const _ of provider.stream(REQUEST, LIMITS, controller.signal)) {
      state.events++;
      // The first event may be there some time before the others are, and the clock moves meanwhile.
      state.lastAt = clock.monotonic();
    }
  })().catch((error: unknown) => {
    state.error = error;
  });
  const isThere = () => ('stall' in answer ? mock.requests.length > 0 : state.events > 0);
  while (!isThere()) await new Promise((resolve) => setImmediate(resolve));
  return { clock, controller, state, readings: () => readings };
}

describe.each(CONFORMERS)('$api', (conformer) => {
  it.each<[string, MockAnswer, string, number]>([
    ['no answer', { stall: true }, 'timeout', LIMITS.requestTimeoutMs],
    ['a stream that falls silent', { ...REPLY, stallAfterEvents: 3 }, 'stream_idle', LIMITS.streamIdleMs],
  ])('%s ends by its limit, not before, and a second later at most', async (_, answer, kind, limitMs) => {
    const { clock, state } = await begin(conformer, answer);
    for (let step = 0; state.error === null && step < 200; step++) await clock.advance(100);
    expect(state.error).toMatchObject({ kind, retryable: true });
    expect(clock.monotonic()).toBeGreaterThanOrEqual(limitMs);
    expect(clock.monotonic() - state.lastAt).toBeLessThanOrEqual(limitMs + 1_000);
  });

  it('a stream of pings alone ends by the limit of content, and its text says so', async () => {
    const answer: MockAnswer = { ...REPLY, stallAfterEvents: 3, pings: true, pingEveryMs: 1 };
    const { clock, state, readings } = await begin(conformer, answer);
    while (state.error === null && clock.monotonic() < 20_000) {
      await clock.advance(1_000);
      // Whatever arrives is a reading of the clock: between two steps there is a ping.
      const before = readings();
      while (state.error === null && readings() === before) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(state.error).toMatchObject({ kind: 'stream_idle', retryable: true });
    expect(String(state.error)).toContain('no content for 12 s');
    expect(clock.monotonic()).toBeGreaterThanOrEqual(LIMITS.contentIdleMs);
    expect(clock.monotonic() - state.lastAt).toBeLessThanOrEqual(LIMITS.contentIdleMs + 2_000);
  });

  it.each<[string, MockAnswer]>([
    ['without an answer', { stall: true }],
    ['in a stream that fell silent', { ...REPLY, stallAfterEvents: 3 }],
  ])('an abort %s ends it without any time', async (_, answer) => {
    const { clock, controller, state } = await begin(conformer, answer);
    controller.abort();
    while (state.error === null) await new Promise((resolve) => setImmediate(resolve));
    expect(state.error).toBeInstanceOf(ModelError);
    expect(state.error).toMatchObject({ kind: 'aborted' });
    expect(clock.monotonic()).toBe(0);
  });
});
