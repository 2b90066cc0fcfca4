import { expect, it } from 'vitest';
import { SEED } from '../../support/figures.js';
import { compareConstructs, compareRules, compareWays } from '../../support/soak/shell-sameness.js';

it('a call tells the same files however it is written', () => {
  const { known, differences } = compareWays(2_003, SEED);
  expect(differences).toEqual([]);
  expect(known).toBeGreaterThan(2_000);
}, 120_000);

it('what the shell itself does with a file is told however its name is written', () => {
  const { known, differences } = compareConstructs();
  expect(differences).toEqual([]);
  expect(known).toBeGreaterThan(500);
});

it('a rule that denies a call allows it in no other spelling', () => {
  const { known, differences } = compareRules(8_003, SEED);
  expect(differences).toEqual([]);
  expect(known).toBeGreaterThan(1_000);
});
