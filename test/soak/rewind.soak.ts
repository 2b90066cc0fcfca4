import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { checkRewinds } from '../support/soak/rewinds.js';

const SESSIONS = 300;

it('an agent and a user in one folder: a rewind sets back what the agent did and nothing else', async () => {
  const figures = await checkRewinds(SESSIONS, SEED);
  const {
    calls,
    cells,
    rewinds,
    conversations,
    restored,
    conflicts,
    wrong,
    restarts,
    changedBytes,
    keptBytes,
    journalBytes,
  } = figures;
  recordFigure('rewind', 'sessions', SESSIONS, 'sessions');
  recordFigure('rewind', 'calls of the agent, and rewinds', calls, 'calls');
  recordFigure('rewind', 'of these, cells of notebooks that were changed', cells, 'calls');
  recordFigure('rewind', 'rewinds', rewinds, 'rewinds');
  recordFigure('rewind', 'of these with the conversation', conversations, 'rewinds');
  recordFigure('rewind', 'restarts in between', restarts, 'restarts');
  recordFigure('rewind', 'files, links and folders set back', restored, 'paths');
  recordFigure('rewind', "user's changes left alone and reported", conflicts, 'paths');
  recordFigure('rewind', 'paths that came out wrong', wrong.length, 'paths');
  recordFigure(
    'rewind',
    'kept content, of the content that was changed',
    (keptBytes / changedBytes).toFixed(3),
    'times',
  );
  recordFigure('rewind', 'journal, of the content that was changed', (journalBytes / changedBytes).toFixed(3), 'times');
  expect(wrong).toEqual([]);
  expect(keptBytes / changedBytes).toBeLessThanOrEqual(1.2);
});
