// A storm of overload, over a clock that stands still until it is told to go.
import { describe, expect, it, onTestFinished } from 'vitest';
import { ModelError } from '../../src/protocol/errors.js';
import type { EngineLimits } from '../../src/protocol/options.js';
import { fakeHost } from '../../src/testing/fake-host.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { bareEngine } from '../support/soak/bare-engine.js';

const MINUTE = 60_000;

/** A model that is overloaded for that long, and how the prompt ended. */
async function weather(stormMs: number, limits: Partial<EngineLimits>) {
  const host = fakeHost();
  const model = scriptedModel(() =>
    host.clock.monotonic() < stormMs
      ? { error: new ModelError('overloaded', 'busy', { status: 529 }) }
      : text('at last'),
  );
  const engine = bareEngine(model, { host, limits });
  onTestFinished(() => engine.close());
  let isOver = false;
  const running = collect(engine.submitMessage('go')).finally(() => {
    isOver = true;
  });
  for (let steps = 0; !isOver && steps < 10_000; steps++) await host.clock.advance(1_000);
  const messages = await running;
  const waits = messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'api_retry' ? [message] : [],
  );
  const delays = waits.map((wait) => wait.retry_delay_ms);
  return {
    result: lastResult(messages),
    delays,
    waits: waits.length,
    calls: model.calls,
    took: host.clock.monotonic(),
  };
}

describe('a storm of overload', () => {
  it('of two minutes is outlasted by the usual limits, each wait told', async () => {
    const { result, waits, calls } = await weather(2 * MINUTE, {});
    expect(result).toMatchObject({ subtype: 'success', result: 'at last' });
    expect(waits).toBe(calls - 1);
  });

  it('of ten minutes is outlasted by a run that nobody watches, and one of an hour is not', async () => {
    const patient = { retryHorizonMs: 15 * MINUTE };
    expect((await weather(10 * MINUTE, patient)).result).toMatchObject({ subtype: 'success' });
    const { result, took } = await weather(60 * MINUTE, patient);
    expect(result).toMatchObject({ terminal_reason: 'api_error' });
    expect(took).toBeGreaterThan(14 * MINUTE);
    expect(took).toBeLessThanOrEqual(16 * MINUTE);
  });

  it('of ten minutes is told wait by wait, each within its limit, and is too long for the usual limits', async () => {
    const { result, waits, calls, delays } = await weather(10 * MINUTE, { retryHorizonMs: 15 * MINUTE });
    expect(result).toMatchObject({ subtype: 'success', result: 'at last' });
    expect(waits).toBe(calls - 1);
    expect(Math.max(...delays)).toBeLessThanOrEqual(MINUTE);
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThanOrEqual(9 * MINUTE);
    const usual = await weather(10 * MINUTE, {});
    expect(usual.result).toMatchObject({ terminal_reason: 'api_error' });
    expect(usual.took).toBeGreaterThan(2 * MINUTE);
    expect(usual.took).toBeLessThan(5 * MINUTE);
  });
});
