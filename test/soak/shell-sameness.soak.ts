import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { compareConstructs, compareRules, compareWays, WAYS } from '../support/soak/shell-sameness.js';

/** About a million lines, each way with each program. */
const EVERY = 11;

it('a call tells the same files however it is written', () => {
  const { compared, known, differences } = compareWays(EVERY, SEED);
  recordFigure('shell-sameness', 'ways to write a call', WAYS.length, 'ways');
  recordFigure('shell-sameness', 'calls, each in one of these ways', compared, 'lines');
  recordFigure('shell-sameness', 'of these, all known', known, 'lines');
  recordFigure('shell-sameness', 'ways of a program that tell less than the plain call', differences.length, 'ways');
  expect(differences).toEqual([]);
  expect(known).toBeGreaterThan(500_000);
});

it('a rule that denies a call allows it in no other spelling', () => {
  const { known, differences } = compareRules(EVERY * 3, SEED);
  recordFigure('shell-sameness', 'rules that deny a call, each held against a way to write it', known, 'lines');
  recordFigure('shell-sameness', 'of these, allowed', differences.length, 'lines');
  expect(differences).toEqual([]);
});

it('what the shell itself does with a file is told however its name is written', () => {
  expect(compareConstructs().differences).toEqual([]);
});
