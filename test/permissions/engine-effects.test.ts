import { beforeAll, describe, expect, it } from 'vitest';
import { buildEntry } from '../e2e/run-cli.js';
import { SEED } from '../support/figures.js';
import { compareEffects } from '../support/soak/engine-effects/compare.js';
import { whyNotTraced } from '../support/soak/shell-effects/traced-shell.js';

/** Hundreds of processes on a machine that does other things too. */
const TIME = 300_000;
const CALLS = 250;

// The engine runs in namespaces, as the lines do that are traced.
const missing = whyNotTraced();
if (missing !== null) process.stderr.write(`What calls do through the engine is not compared here: ${missing}.\n`);

describe.runIf(missing === null)('calls through the engine with nobody there to ask', { timeout: TIME }, () => {
  beforeAll(buildEntry, 300_000);

  it('change and show nothing outside, nothing protected and nothing denied', async () => {
    const { calls, made, breaches, faults } = await compareEffects(CALLS, SEED);
    expect(breaches).toEqual([]);
    expect(faults).toEqual([]);
    // Neither all refused nor all made would say anything.
    expect(made).toBeGreaterThan(calls / 10);
    expect(made).toBeLessThan((calls * 9) / 10);
  });
});
