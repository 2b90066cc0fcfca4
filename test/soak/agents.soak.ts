// Trees of agents by chance, 500 of them: nothing outlives a stop, no result is lost or told twice, no budget is exceeded.
import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { checkAgentTrees } from '../support/soak/agent-trees.js';

const TREES = 500;

it('500 trees of agents: stops within a second, results once, budgets kept', async () => {
  const figures = await checkAgentTrees(TREES, SEED);
  recordFigure('agents', 'trees, three levels, in the foreground and the background', figures.trees, 'trees');
  recordFigure('agents', 'agents that were started in them', figures.tasks, 'agents');
  recordFigure('agents', 'reports that reached the session, each once', figures.delivered, 'reports');
  recordFigure('agents', 'stopped, moved to the background', `${figures.stopped}, ${figures.moved}`, 'agents');
  recordFigure('agents', 'prompts interrupted meanwhile', figures.interrupted, 'prompts');
  recordFigure('agents', 'longest stop, of an agent or a session', figures.longestStopMs.toFixed(0), 'ms');
  recordFigure('agents', 'most of a shared budget that was spent', (100 * figures.mostSpent).toFixed(1), '%');
  expect(figures.longestStopMs).toBeLessThan(1_000);
  expect(figures.mostSpent).toBeLessThanOrEqual(1);
});
