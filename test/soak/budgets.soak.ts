import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { checkBudgets } from '../support/soak/money.js';

const TREES = 1_000;

it('never overspends 1,000 trees of budgets with eight engines each', async () => {
  const { overspent, ended, summarised } = await checkBudgets(TREES, SEED);
  recordFigure('budgets', 'budgets overspent, 1,000 trees of 8 engines', overspent, 'budgets');
  recordFigure('budgets', 'prompts ended for want of money', ended, 'prompts');
  recordFigure('budgets', 'of them with a last summary', ((100 * summarised) / ended).toFixed(1), '%');
  expect(overspent).toBe(0);
  expect(summarised / ended).toBeGreaterThanOrEqual(0.95);
});
