import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { checkDeferrals } from '../support/soak/deferrals.js';

const SCHEDULES = 5_000;

it('decides 5,000 batches of deferred calls in parts, over killed processes: each allowed call runs once', async () => {
  const { schedules, decisions, kills, lost } = await checkDeferrals(SCHEDULES, SEED);
  recordFigure('deferrals', 'schedules', schedules, 'batches');
  recordFigure('deferrals', 'decisions', decisions, 'decisions');
  recordFigure('deferrals', 'processes killed while they decided', kills, 'processes');
  recordFigure('deferrals', 'allowed calls that a kill fell upon, not begun again', lost, 'calls');
  expect(schedules).toBe(SCHEDULES);
});
