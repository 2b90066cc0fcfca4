import { expect, it } from 'vitest';
import { SEED } from '../../support/figures.js';
import { compareScripts, compareWithBash } from '../../support/soak/shell-differential.js';

/** Hundreds of processes on a machine that does other things too. */
const TIME = 180_000;

it('every program that bash starts for scripts of chance is reported, or the answer is unknown', {
  timeout: TIME,
}, async () => {
  const { differences, known, started } = await compareWithBash(300, SEED);
  expect(differences).toEqual([]);
  // Neither all unknown nor nothing run would say anything.
  expect(known).toBeGreaterThan(60);
  expect(started).toBeGreaterThan(300);
});

it('sees what scripts start, by themselves and by other programs', async () => {
  const scripts = ['p0 | p2', 'env nice p4', 'x=$(p6); eval "p8"', "bash -c 'p10'", 'p12 &'];
  const { started, known } = await compareScripts(scripts);
  expect(known).toBe(scripts.length);
  expect(started).toBe(10);
});
