import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { fuzzShell } from '../support/soak/shell-fuzz.js';
import { timeReading } from '../support/soak/shell-times.js';

const INPUTS = 1_000_000;
const MAX_INPUT_MS = 100;

it('a million texts of chance make nothing fail or hang', () => {
  const { inputs, slowestMs, slowest, faults } = fuzzShell(INPUTS, SEED, () => performance.now());
  recordFigure('shell-fuzz', 'texts read', inputs, 'texts');
  recordFigure('shell-fuzz', 'faults', faults.length, 'texts');
  recordFigure('shell-fuzz', 'slowest text', Math.round(slowestMs), 'ms');
  expect(faults).toEqual([]);
  expect([slowestMs < MAX_INPUT_MS, slowest]).toEqual([true, slowest]);
});

it.each([
  [1_000, 1],
  [10_000, 20],
])('reading a command of %i signs and holding rules against it takes at most %i ms at p99', (length, limitMs) => {
  const { p50Ms, p99Ms } = timeReading(length, SEED);
  recordFigure('shell-fuzz', `read and matched, ${length} signs, p50`, p50Ms.toFixed(2), 'ms');
  recordFigure('shell-fuzz', `read and matched, ${length} signs, p99`, p99Ms.toFixed(2), 'ms');
  expect(p99Ms).toBeLessThan(limitMs);
});
