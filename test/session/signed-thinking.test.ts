// The reduced version of test/soak/signed-thinking.soak.ts.
import { describe, expect, it } from 'vitest';
import { SEED } from '../support/figures.js';
import { checkSignedThinking } from '../support/soak/signed-thinking.js';

describe('signed thinking', () => {
  it('is the same byte for byte from the stream to the next request, whatever is in it', async () => {
    const { blocks, cuts } = await checkSignedThinking(60, SEED);
    expect(blocks).toBeGreaterThanOrEqual(60);
    expect(cuts).toBeGreaterThan(10_000);
  });
});
