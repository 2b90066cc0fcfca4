import { expect, it } from 'vitest';
import { SEED } from '../../support/figures.js';
import { fuzzShell } from '../../support/soak/shell-fuzz.js';

it('no text makes the reader of commands or of rules fail', () => {
  expect(fuzzShell(800, SEED).faults).toEqual([]);
}, 120_000);
