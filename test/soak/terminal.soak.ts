// The terminal at full counts: the scrollback.
import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { runScrollback } from '../support/soak/scrollback.js';

const SCHEDULES = 5_000;

it('keeps every line of 5,000 random schedules once, in order, and those of the shell', async () => {
  let stranded = 0;
  let lines = 0;
  for (let run = 0; run < SCHEDULES; run++) {
    const result = await runScrollback(SEED + run, run % 2 === 0);
    expect(result.found, `seed ${SEED + run}: ${result.what.join(' ')}`).toEqual(result.expected);
    stranded += result.stranded;
    lines += result.expected.length;
  }
  recordFigure('terminal', 'schedules of deltas, keys, pagers and resizes', SCHEDULES, 'schedules');
  recordFigure('terminal', 'lines lost, doubled or out of order, of all that were finished', 0, `of ${lines}`);
  recordFigure('terminal', 'rows of the live region that a smaller window pushed out of reach', stranded, 'rows');
});
