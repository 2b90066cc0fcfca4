import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { checkCompactions } from '../support/soak/window.js';

const SESSIONS = 1_000;

it('compacts at most once in five turns, over 1,000 sessions, and frees enough or says once that it did not', async () => {
  const { turns, compactions, tooSoon, inVain, wronglyTold, repeated, shortest } = await checkCompactions(
    SESSIONS,
    SEED,
  );
  recordFigure('compaction', 'turns of 1,000 sessions', turns, 'turns');
  recordFigure('compaction', 'compactions', compactions, 'compactions');
  recordFigure('compaction', 'compactions sooner than 5 turns after another', tooSoon, 'compactions');
  recordFigure('compaction', 'turns between two compactions, at least', shortest, 'turns');
  recordFigure('compaction', 'compactions that freed too little, each told once', inVain, 'compactions');
  expect({ tooSoon, wronglyTold, repeated }).toEqual({ tooSoon: 0, wronglyTold: 0, repeated: 0 });
});
