// The reduced version of test/soak/prompt-cache.soak.ts.
import { describe, expect, it } from 'vitest';
import { checkScenario, noCacheFigures, SCENARIOS } from '../support/prompt-cache/check.js';

describe('the prompt cache of a provider', () => {
  const total = noCacheFigures();

  it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('is used: %s', async (_name, scenario) => {
    await checkScenario(scenario, 1, total);
  });

  it('gives nearly all that is possible, in sixty sessions and more', () => {
    expect(SCENARIOS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
    expect(total.cached / total.possible).toBeGreaterThan(0.97);
  });
});
