// The reduced version of what test/soak/turns.soak.ts counts over 2,000 turns.
import { expect, it } from 'vitest';
import { CAN_COUNT, countHandles } from '../support/soak/open-handles.js';

it.skipIf(!CAN_COUNT)('a session keeps no more open as it goes on, and nothing once it is closed', async () => {
  const { turns, before, during, after } = await countHandles(100);
  expect(turns).toBeGreaterThanOrEqual(100);
  for (const open of during) expect(open).toEqual(during[0]);
  // Its connection and its transcript.
  expect(during[0]?.fds).toBeGreaterThan(before.fds);
  expect(after).toEqual(before);
});
