// Trees of agents by chance, 500 of them: nothing outlives a stop, no result is lost or told twice, no budget is exceeded.
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/engine.js';
import { recordFigure, SEED } from '../support/figures.js';
import { checkAgentTrees } from '../support/soak/agent-trees.js';
import { EXPECTED, endInput } from '../support/soak/ended-input.js';
import { checkFoldedStreams } from '../support/soak/folded-streams.js';

const TREES = 500;
const STREAMS = 500;
const ENDED = 1_000;

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

it('500 sessions event by event: the events of each agent add up to its messages', async () => {
  const { sessions, events, replies, below } = await checkFoldedStreams(STREAMS, SEED);
  recordFigure('agents', 'sessions event by event, events that did not add up', `${sessions}, 0`, 'sessions, replies');
  recordFigure('agents', 'their events, replies, of these by subagents', `${events}, ${replies}, ${below}`, '');
  expect(sessions).toBe(STREAMS);
}, 600_000);

it('1,000 sessions whose input has ended: tools, hooks and questions of the host are heard', async () => {
  const cwd = await temporaryFolder();
  for (let round = 0; round < ENDED; round++) expect(await endInput(cwd)).toEqual(EXPECTED);
  recordFigure(
    'agents',
    'sessions whose input had ended, calls of the host that were lost',
    `${ENDED}, 0`,
    'sessions, calls',
  );
}, 600_000);
