// A storm of overload, over a clock that stands still until it is told to go.
import { describe, expect, it, onTestFinished } from 'vitest';
import { ModelError } from '../../src/protocol/errors.js';
import type { EngineLimits } from '../../src/protocol/options.js';
import { collect, lastResult } from '../../src/testing/collect.js';
import { fakeHost } from '../../src/testing/fake-host.js';
import { text } from '../../src/testing/script-steps.js';
import { scriptedModel } from '../../src/testing/scripted-model.js';
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
  const waits = messages.filter((message) => message.type === 'system' && message.subtype === 'api_retry');
  return { result: lastResult(messages), waits: waits.length, calls: model.calls, took: host.clock.monotonic() };
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
});
