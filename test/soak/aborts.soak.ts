import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { checkAborts } from '../support/soak/aborts.js';

const RUNS = 500;
const DEAF_SHARE = 0.02;
const MAX_MS = 250;

it('aborts at 500 random moments: one result, true answers, and a session that goes on', async () => {
  const { aborted, completed, latencies } = await checkAborts(RUNS, SEED, DEAF_SHARE);
  const sorted = [...latencies].sort((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  recordFigure('aborts', 'prompts aborted', aborted, 'prompts');
  recordFigure('aborts', 'aborts that came too late, beside those 500', completed, 'prompts');
  recordFigure('aborts', 'abort to result, p99, less the grace of a call that does not notice', p99.toFixed(1), 'ms');
  recordFigure('aborts', 'abort to result, longest', (sorted.at(-1) ?? 0).toFixed(1), 'ms');
  expect(p99).toBeLessThanOrEqual(MAX_MS);
});
