import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { checkOverflows } from '../support/soak/window.js';

const HISTORIES = 500;

it('recovers from 500 histories that the model refuses by their size', async () => {
  const { refused, attempts } = await checkOverflows(HISTORIES, SEED);
  recordFigure('overflow', 'histories refused at first, of 500', refused, 'histories');
  recordFigure('overflow', 'requests after the first refusal until one is accepted, at most', attempts, 'requests');
  expect(refused).toBeGreaterThan(0);
});
