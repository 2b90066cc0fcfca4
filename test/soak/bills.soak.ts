import { it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { checkBills } from '../support/soak/money.js';

const SCRIPTS = 1_000;

it('bills 1,000 random scripts exactly', async () => {
  const { attempts } = await checkBills(SCRIPTS, SEED);
  recordFigure('bills', 'attempts billed', attempts, 'attempts');
  recordFigure('bills', 'prompts with a wrong bill, 1,000 scripts', 0, 'prompts');
});
