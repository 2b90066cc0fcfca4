// The reduced version of test/soak/overflow.soak.ts and test/soak/compaction.soak.ts.
import { describe, expect, it } from 'vitest';
import { SEED } from '../support/figures.js';
import { checkCompactions, checkOverflows } from '../support/soak/window.js';

describe('more than the window holds', () => {
  it('is made to fit within three attempts, with what the user typed last', async () => {
    expect((await checkOverflows(20, SEED)).refused).toBeGreaterThan(0);
  });

  it('is compacted at most once in five turns, and each time frees enough or says once that it did not', async () => {
    const { compactions, inVain, ...wrong } = await checkCompactions(25, SEED);
    expect(compactions).toBeGreaterThan(inVain);
    expect(inVain).toBeGreaterThan(0);
    expect(wrong).toMatchObject({ tooSoon: 0, wronglyTold: 0, repeated: 0 });
  });
});
