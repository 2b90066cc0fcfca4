// All of the matrix of hooks: each event with each kind of hook and each way to end.
import { expect, it, onTestFinished } from 'vitest';
import { recordFigure } from '../support/figures.js';
import { matrixCases, matrixProblem, openMatrix } from '../support/soak/hook-matrix.js';
import { openSessionMatrix, sessionCases } from '../support/soak/session-hook-matrix.js';

it('the matrix of hooks: each fired once if due, and its end heard', async () => {
  const matrix = await openMatrix();
  onTestFinished(matrix.close);
  const problems: string[] = [];
  let longest = 0;
  for (const each of matrixCases()) {
    const result = await matrix.run(each);
    if (each.end === 'timeout') longest = Math.max(longest, result.ms);
    const problem = matrixProblem(each, result);
    if (problem !== null) problems.push(`${each.event} ${each.kind} ${each.end}: ${problem}`);
  }
  recordFigure('hooks', 'event, kind of hook, way to end', matrixCases().length, 'cases');
  recordFigure('hooks', 'fired more or less than once, or heard otherwise', problems.length, 'cases');
  recordFigure('hooks', 'longest wait for a hook that is late, after it was called', longest.toFixed(0), 'ms');
  expect(problems).toEqual([]);
});

it('the matrix of hooks in whole sessions: each fired once if due, heard, told, and the session goes on', async () => {
  const matrix = await openSessionMatrix();
  onTestFinished(matrix.close);
  const problems: string[] = [];
  for (const each of sessionCases()) {
    const problem = await matrix.run(each);
    if (problem !== null) problems.push(`${each.event} ${each.kind} ${each.end}: ${problem}`);
  }
  recordFigure('hooks', 'whole sessions: event, kind of hook, way to end', sessionCases().length, 'sessions');
  recordFigure('hooks', 'fired more or less than once there, or heard otherwise', problems.length, 'sessions');
  expect(problems).toEqual([]);
}, 1_200_000);
