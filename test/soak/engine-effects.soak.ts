import { beforeAll, expect, it } from 'vitest';
import { buildEntry } from '../e2e/run-cli.js';
import { recordFigure, SEED } from '../support/figures.js';
import { compareEffects } from '../support/soak/engine-effects/compare.js';
import { WAYS } from '../support/soak/engine-effects/engine-process.js';

const SUITE = 'engine-effects';
const CALLS = 10_000;

beforeAll(buildEntry);

it('nothing outside, nothing protected and nothing denied changes or is shown, whatever is called', async () => {
  const { calls, made, madeBy, breaches, faults } = await compareEffects(CALLS, SEED);
  recordFigure(SUITE, 'calls', calls, 'calls');
  recordFigure(SUITE, 'calls that were made', made, 'calls');
  recordFigure(SUITE, 'calls that changed or showed what they must not', breaches.length, 'calls');
  expect(breaches).toEqual([]);
  expect(faults).toEqual([]);
  // Each way made some of its calls, of which there are some 800 in all.
  for (const way of WAYS) expect([way, (madeBy.get(way) ?? 0) > CALLS / 100]).toEqual([way, true]);
});
