// The reduced version of test/soak/code-mode.soak.ts: every eighth script.
import { describe, expect, it } from 'vitest';
import { HOSTILE_SCRIPTS } from '../../support/hostile-scripts.js';
import { problemWith, runWithEcho } from '../../support/run-hostile.js';

describe('a hostile script', () => {
  it.each(HOSTILE_SCRIPTS.filter((_, at) => at % 8 === 0).map((script) => [script.name, script] as const))(
    'ends: %s',
    async (_name, script) => {
      expect(await problemWith(script)).toBeNull();
    },
  );

  it('is stopped at once when its call is aborted, whatever it does', async () => {
    const stop = new AbortController();
    const limits = { runMs: 60_000, memoryBytes: 32_000_000, outputBytes: 1_000 };
    const running = runWithEcho('await tools.Echo({}); for (;;) {}', limits, stop.signal);
    stop.abort();
    await expect(running).rejects.toThrow('The script was stopped.');
    await expect(runWithEcho('return 1', limits, stop.signal)).rejects.toThrow('The script was stopped.');
  });
});
