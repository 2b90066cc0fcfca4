// Background tasks in a real sandbox: nothing of one outlives its session.
import { beforeAll, expect, it } from 'vitest';
import { buildEntry } from '../e2e/run-cli.js';
import { checkOrphans } from '../support/soak/orphans.js';

beforeAll(buildEntry, 300_000);

it('nothing of a task outlives a session that is left, or whose process is killed', async () => {
  const { sessions, survivors } = await checkOrphans(['break', 'SIGKILL'], true);
  expect(sessions).toBe(2);
  expect(survivors).toEqual([]);
});
