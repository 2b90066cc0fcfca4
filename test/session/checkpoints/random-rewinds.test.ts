// The reduced version of test/soak/rewind.soak.ts.
import { expect, it } from 'vitest';
import { SEED } from '../../support/figures.js';
import { checkRewinds } from '../../support/soak/rewinds.js';

it('a rewind sets back what the agent did, whatever the user did in between', async () => {
  const { wrong, cells, restored, conflicts } = await checkRewinds(5, SEED);
  expect(wrong).toEqual([]);
  expect(cells).toBeGreaterThan(0);
  expect(restored).toBeGreaterThan(0);
  expect(conflicts).toBeGreaterThan(0);
});
