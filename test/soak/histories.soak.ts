import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { checkHistories } from '../support/soak/histories.js';

const RUNS = 100_000;

it('makes a valid request of every one of 100,000 random histories', () => {
  expect(() => checkHistories(RUNS, SEED)).not.toThrow();
  recordFigure('histories', 'refused requests of 100,000 random histories', 0, 'requests');
});
