import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { fuzzShell } from '../support/soak/shell-fuzz.js';

const INPUTS = 1_000_000;
const MAX_INPUT_MS = 100;

/** Time that this process worked, milliseconds: what others on the machine do does not count. */
function workedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

it('a million texts of chance make nothing fail or hang', () => {
  const { inputs, slowestMs, slowest, faults } = fuzzShell(INPUTS, SEED, workedMs);
  recordFigure('shell-fuzz', 'texts read', inputs, 'texts');
  recordFigure('shell-fuzz', 'faults', faults.length, 'texts');
  recordFigure('shell-fuzz', 'slowest text, work of the processor', Math.round(slowestMs), 'ms');
  expect(faults).toEqual([]);
  expect([slowestMs < MAX_INPUT_MS, slowest]).toEqual([true, slowest]);
});
