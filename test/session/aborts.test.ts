// The reduced version of test/soak/aborts.soak.ts.
import { describe, expect, it } from 'vitest';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool } from '../support/engine.js';
import { SEED } from '../support/figures.js';
import { checkAborts } from '../support/soak/aborts.js';
import { bareEngine } from '../support/soak/bare-engine.js';

describe('an abort at any moment', () => {
  it('leaves one result, true answers to all calls, and a session that goes on', async () => {
    const { aborted } = await checkAborts(60, SEED, 0);
    expect(aborted).toBe(60);
  });

  it('starts no call after it, however soon it comes after the call was allowed', async () => {
    const endings: string[] = [];
    for (let steps = 0; steps < 80; steps++) {
      let isAborted = false;
      const startedLate: number[] = [];
      const probe = probeTool({
        run: async () => {
          if (isAborted) startedLate.push(steps);
          return 'ran';
        },
      });
      const model = scriptedModel([toolCall('Probe'), text('done')]);
      const engine = bareEngine(model, {
        tools: [probe],
        canUseTool: async () => {
          void (async () => {
            for (let step = 0; step < steps; step++) await Promise.resolve();
            isAborted = true;
            engine.interrupt();
          })();
          return { behavior: 'allow' };
        },
      });
      const messages = await collect(engine.submitMessage('go'));
      await engine.close();
      expect(startedLate).toEqual([]);
      endings.push(lastResult(messages).terminal_reason);
    }
    // The abort comes before the call runs, at least where it comes at once.
    expect(endings).toContain('aborted');
  });
});
