// The reduced version of test/soak/aborts.soak.ts.
import { describe, expect, it } from 'vitest';
import { SEED } from '../support/figures.js';
import { checkAborts } from '../support/soak/aborts.js';

describe('an abort at any moment', () => {
  it('leaves one result, true answers to all calls, and a session that goes on', async () => {
    const { aborted } = await checkAborts(60, SEED, 0);
    expect(aborted).toBe(60);
  });
});
