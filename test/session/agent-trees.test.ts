// The reduced version of what test/soak/agents.soak.ts does 500 times.
import { expect, it } from 'vitest';
import { SEED } from '../support/figures.js';
import { checkAgentTrees } from '../support/soak/agent-trees.js';

it('trees of agents: what is stopped is gone, each result comes once, the budget holds', async () => {
  const { tasks, delivered } = await checkAgentTrees(12, SEED);
  expect(tasks).toBeGreaterThan(20);
  expect(delivered).toBeGreaterThan(5);
});
