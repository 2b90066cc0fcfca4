import { describe, expect, it } from 'vitest';
import { alwaysPinned, collectPins, type PinSource } from '../../../src/engine/compaction/ask-summary.js';
import { createTokenEstimator } from '../../../src/engine/tokens/estimate-tokens.js';
import { textOf } from '../long-histories.js';

const estimator = createTokenEstimator();
const always = (...texts: readonly string[]): PinSource => ({ keep: 'always', read: () => texts });
const asFits = (...texts: readonly string[]): PinSource => ({ keep: 'as_fits', read: async () => texts });
const pins = (sources: readonly PinSource[], maxTokens = 1_000) =>
  collectPins(sources, { maxTokens, maxAlways: 500, estimator });

describe('pins', () => {
  it('hold each text word for word, what always goes along first', async () => {
    const rules = '# Rules\n\n- Tabs.\t\n';
    expect(await pins([asFits('a file'), always(rules, '  '), always('a plan')])).toEqual([rules, 'a plan', 'a file']);
  });

  it('leave out for want of room only what need not go along', async () => {
    const rules = textOf(5_000, 1);
    expect(await pins([always(rules), asFits('a')])).toEqual([rules]);
    expect(await alwaysPinned([asFits('a'), always(rules)], { maxTokens: 1, estimator })).toEqual([rules]);
  });

  it('take what fits whole, in its order', async () => {
    const texts = [textOf(300, 1), textOf(900, 2), textOf(400, 3), textOf(900, 4)];
    const found = await pins([asFits(...texts)]);
    expect(found).toEqual([texts[0], texts[2]]);
    expect(found.reduce((sum, pin) => sum + estimator.text(pin), 0)).toBeLessThanOrEqual(1_000);
  });

  it('are none if there is nothing to pin, and then nothing is read for want of room', async () => {
    expect(await pins([always(' '), asFits('\n')])).toEqual([]);
    let reads = 0;
    const counted: PinSource = { keep: 'as_fits', read: () => [`read ${++reads}`] };
    expect(await pins([counted], 0)).toEqual([]);
    expect(reads).toBe(0);
  });

  it('are valid text', async () => {
    expect(await pins([asFits('half \ud800 pair')])).toEqual(['half \ufffd pair']);
  });
});
