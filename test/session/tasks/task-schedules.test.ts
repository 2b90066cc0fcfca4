// The reduced version of what test/soak/tasks.soak.ts does 200 times.
import { expect, it } from 'vitest';
import { SEED } from '../../support/figures.js';
import { checkSchedules } from '../../support/soak/task-schedules.js';

it('each end of a background task is told once, in whatever order things happen', async () => {
  const { tasks, toldByNote } = await checkSchedules(3, SEED);
  expect(tasks).toBeGreaterThan(10);
  expect(toldByNote).toBeGreaterThan(0);
});
