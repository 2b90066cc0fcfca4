// The reduced version of test/soak/transcripts.soak.ts, and the words for what is wrong.
import { describe, expect, it } from 'vitest';
import { damageText } from '../../../src/session/store/read-entry.js';
import { SEED } from '../../support/figures.js';
import { checkMutations } from '../../support/soak/mutated-transcripts.js';

describe('damaged transcripts', () => {
  it('are all read, and what they give can be sent', async () => {
    const { used } = await checkMutations(500, SEED);
    expect(used).toBeGreaterThan(400);
  });

  it('are told in words', () => {
    expect(damageText({})).toBeNull();
    expect(damageText({ not_json: 1, repeated: 2, gap: 1 })).toBe(
      'The transcript is damaged: 1 line could not be read; 2 lines repeat another; the conversation is interrupted once, and goes on with what stands before in the file. The rest is used.',
    );
  });
});
