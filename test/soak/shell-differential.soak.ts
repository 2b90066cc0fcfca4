import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { compareWithBash } from '../support/soak/shell-differential.js';

const SCRIPTS = 100_000;

it('every program that bash starts for scripts of chance is reported, or the answer is unknown', async () => {
  const { scripts, known, started, differences } = await compareWithBash(SCRIPTS, SEED);
  recordFigure('shell-differential', 'scripts run by bash', scripts, 'scripts');
  recordFigure('shell-differential', 'scripts of which all was known', known, 'scripts');
  recordFigure('shell-differential', 'programs that started', started, 'programs');
  recordFigure('shell-differential', 'programs that started and were not reported', differences.length, 'scripts');
  expect(differences).toEqual([]);
});
