import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { countQuestions } from '../support/soak/fatigue.js';

const SESSIONS = 40;

it.each([
  ['with a sandbox', true, 3],
  ['without one', false, 10],
])('40 sessions %s ask little, and never again about what was answered with always', async (name, sandboxed, most) => {
  const { calls, questions, repeated, unexplained, denied } = await countQuestions(SESSIONS, SEED, sandboxed);
  const share = (questions / calls) * 100;
  recordFigure('fatigue', `calls of 40 simulated sessions ${name}`, calls, 'calls');
  recordFigure('fatigue', `questions for 100 calls, ${name}`, share.toFixed(1), 'questions');
  recordFigure('fatigue', `asked again after always, ${name}`, repeated, 'questions');
  expect({ repeated, unexplained, denied }).toEqual({ repeated: 0, unexplained: 0, denied: 0 });
  expect(share).toBeLessThanOrEqual(most);
});
