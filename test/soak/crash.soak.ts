// 500 kills of sessions in processes of their own: at random moments, and in the middle of writes.
import { beforeAll, expect, it } from 'vitest';
import { buildEntry } from '../e2e/run-cli.js';
import { recordFigure, SEED } from '../support/figures.js';
import { checkCrashes } from '../support/soak/crashes.js';

const KILLS = 500;

beforeAll(buildEntry);

it('loses nothing that was acknowledged, and resumes every session', async () => {
  const figures = await checkCrashes(KILLS, SEED);
  recordFigure('crash', 'kills', figures.kills, 'kills');
  recordFigure('crash', 'of them in the middle of a write', figures.torn, 'kills');
  recordFigure('crash', 'acknowledged messages', figures.acknowledged, 'messages');
  recordFigure('crash', 'acknowledged messages lost', figures.lost, 'messages');
  recordFigure('crash', 'sessions that could not be resumed', figures.unresumable, 'sessions');
  recordFigure('crash', 'calls that ran twice', figures.repeated, 'calls');
  expect(figures.kills).toBeGreaterThanOrEqual(KILLS);
  expect(figures).toMatchObject({ lost: 0, unresumable: 0, repeated: 0 });
});
