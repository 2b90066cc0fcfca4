// The reduced version of test/soak/truncation.soak.ts.
import { describe, expect, it } from 'vitest';
import { checkOutputLimit, checkStreamCuts } from '../support/soak/truncation.js';

describe('a reply that was cut', () => {
  it('by the output limit never runs, wherever the cut is', async () => {
    expect(await checkOutputLimit(7)).toMatchObject({ executions: 0, recoveries: 3 });
  });

  it('by the connection never runs before it came whole', async () => {
    expect(await checkStreamCuts(false)).toMatchObject({ executions: 0 });
  });

  it('by the connection leaves no result of a call that had begun to read', async () => {
    expect(await checkStreamCuts(true)).toMatchObject({ executions: 0 });
  });
});
