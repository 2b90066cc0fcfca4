// File tools beside a process that swaps folders and files for links as fast as it can. `npm run soak -- link-race` is the
// same at full count, and in the sandbox.
import { expect, it } from 'vitest';
import { SEED } from '../support/figures.js';
import { raceLinks } from '../support/link-race.js';

it.skipIf(process.platform === 'win32')('get nothing in or out while links are swapped', async () => {
  const { calls, done, stale, denied, swaps, out, left } = await raceLinks(120, SEED, false);
  expect({ out, left }).toEqual({ out: [], left: [] });
  expect(calls).toBe(120);
  // It was a race: names were swapped, and calls met both.
  expect([swaps > 200, done > 0, stale + denied > 0]).toEqual([true, true, true]);
});
