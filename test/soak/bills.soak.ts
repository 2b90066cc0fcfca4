import { it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { checkBills } from '../support/soak/money.js';

const SCRIPTS = 1_000;

it('bills 1,000 random trees of requests exactly', async () => {
  const { attempts, delegated, summaries, titles, fellBack } = await checkBills(SCRIPTS, SEED);
  recordFigure('bills', 'attempts billed', attempts, 'attempts');
  recordFigure(
    'bills',
    'requests of subagents, for summaries, for titles',
    `${delegated}, ${summaries}, ${titles}`,
    'requests',
  );
  recordFigure('bills', 'attempts of a fallback model', fellBack, 'attempts');
  recordFigure('bills', 'prompts with a wrong bill, 1,000 trees', 0, 'prompts');
});
