// 100,000 transcripts with every kind of damage: none makes the reader fail, and none takes it long.
import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { checkLargeMutations, checkMutations } from '../support/soak/mutated-transcripts.js';

const RUNS = 100_000;
const LARGE_RUNS = 300;
const MAX_MS_PER_MB = 50;

it('reads every one of 100,000 damaged transcripts', async () => {
  const { used, msPerMb } = await checkMutations(RUNS, SEED);
  const p99 = msPerMb[Math.floor(RUNS * 0.99)] ?? 0;
  recordFigure('transcripts', 'failures in 100,000 damaged transcripts', 0, 'transcripts');
  recordFigure('transcripts', 'of them with a conversation', ((100 * used) / RUNS).toFixed(1), '%');
  recordFigure('transcripts', 'reading one, p99', p99.toFixed(1), 'ms/MB');
  recordFigure('transcripts', 'reading one, longest', (msPerMb.at(-1) ?? 0).toFixed(1), 'ms/MB');
  expect(p99).toBeLessThan(MAX_MS_PER_MB);
  expect(msPerMb.at(-1)).toBeLessThan(MAX_MS_PER_MB);
});

it('reads damaged transcripts of several megabytes', async () => {
  const msPerMb = await checkLargeMutations(LARGE_RUNS, SEED);
  recordFigure('transcripts', 'reading one of 8 MB, longest', (msPerMb.at(-1) ?? 0).toFixed(1), 'ms/MB');
  expect(msPerMb.at(-1)).toBeLessThan(MAX_MS_PER_MB);
});
