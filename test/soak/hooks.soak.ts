// All of the matrix of hooks: each event with each kind of hook and each way to end.
import { expect, it, onTestFinished } from 'vitest';
import { recordFigure } from '../support/figures.js';
import { matrixCases, matrixProblem, openMatrix } from '../support/soak/hook-matrix.js';

it('the matrix of hooks: each fired once where due, and its end heard', async () => {
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
