import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { compareWays, WAYS } from '../support/soak/shell-sameness.js';

/** About a million lines, each way with each program. */
const EVERY = 11;

it('a call tells the same files however it is written', () => {
  const { compared, known, differences } = compareWays(EVERY, SEED);
  recordFigure('shell-sameness', 'ways to write a call', WAYS.length, 'ways');
  recordFigure('shell-sameness', 'calls, each in one of these ways', compared, 'lines');
  recordFigure('shell-sameness', 'of these, all known', known, 'lines');
  recordFigure('shell-sameness', 'ways of a program that tell less than the plain call', differences.length, 'ways');
  expect(differences).toEqual([]);
  expect(known).toBeGreaterThan(500_000);
});
