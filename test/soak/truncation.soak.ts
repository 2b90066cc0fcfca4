import { expect, it } from 'vitest';
import { recordFigure } from '../support/figures.js';
import { checkOutputLimit, checkStreamCuts } from '../support/soak/truncation.js';

it('a reply cut by the output limit at every place never runs', async () => {
  const { cuts, executions, recoveries } = await checkOutputLimit(1);
  recordFigure('truncation', 'replies cut by the output limit', cuts, 'prompts');
  recordFigure('truncation', 'cut calls that ran', executions, 'calls');
  recordFigure('truncation', 'recovery requests after a cut, at most', recoveries, 'requests');
  expect(executions).toBe(0);
});

it('a stream cut after every event never runs a call of it', async () => {
  const writes = await checkStreamCuts(false);
  const reads = await checkStreamCuts(true);
  recordFigure('truncation', 'streams cut', writes.cuts + reads.cuts, 'prompts');
  recordFigure('truncation', 'calls of cut streams that ran', writes.executions + reads.executions, 'calls');
  expect(writes.executions + reads.executions).toBe(0);
});
