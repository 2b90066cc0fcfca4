import { expect, it } from 'vitest';
import { recordFigure, SEED, SOAK_MS } from '../support/figures.js';
import { explore, openPlace } from '../support/soak/shell-effects/explore.js';
import { reportOf } from '../support/soak/shell-effects/judge.js';
import { createLineMaker } from '../support/soak/shell-effects/lines.js';
import { foundWith, WRONG_ROWS } from '../support/soak/shell-effects/mutations.js';
import { shrinkFirst } from '../support/soak/shell-effects/shrink.js';
import { everydayCommands } from '../support/soak/shell-effects/templates.js';
import { whyNotTraced } from '../support/soak/shell-effects/traced-shell.js';

const SUITE = 'shell-effects';
const LINES = 100_000;
/** An hour alone, and several beside other work. */
const TIME = 4 * 60 * 60_000;
/** More than cores: some lines wait most of the time. */
const SHELLS = 4;
/** Percent of everyday commands of which not all may be told. */
const UNKNOWN_BAR = 15;

it('lines can be traced on this machine', () => {
  expect(whyNotTraced()).toBeNull();
});

it('all that lines of chance do to files was reported, or the answer was unknown', { timeout: TIME }, async () => {
  const maker = createLineMaker();
  const size = { count: LINES, seed: SEED, shells: SHELLS, forMs: SOAK_MS };
  const { holes, untraced, ...totals } = await explore(size, maker.line, shrinkFirst());
  recordFigure(SUITE, 'lines run by bash under strace', totals.lines, 'lines');
  recordFigure(SUITE, 'described programs among them', maker.programs.length, 'programs');
  recordFigure(SUITE, 'effects on files of the fixture', totals.effects, 'effects');
  recordFigure(SUITE, 'lines of which not all could be told', ((100 * totals.unknown) / totals.lines).toFixed(1), '%');
  recordFigure(SUITE, 'lines that were stopped', totals.stopped, 'lines');
  recordFigure(SUITE, 'kinds of effects that were not reported', holes.size, 'kinds');
  expect.soft([...holes.values()]).toEqual([]);
  // What changed without a call in the trace would be an effect that nobody saw.
  expect(untraced).toEqual([]);
});

it('nor does any option of a program, each tried once', { timeout: TIME }, async () => {
  const lines = createLineMaker().eachOption();
  const size = { count: lines.length, seed: SEED, shells: SHELLS, forMs: SOAK_MS };
  const { holes, untraced, ...totals } = await explore(size, (random, at) => lines[at]?.(random) ?? '', shrinkFirst());
  recordFigure(SUITE, 'options of programs, each in one line', totals.lines, 'options');
  recordFigure(SUITE, 'kinds of effects of those that were not reported', holes.size, 'kinds');
  expect.soft([...holes.values()]).toEqual([]);
  expect(untraced).toEqual([]);
});

it('most everyday commands can be told', async () => {
  const place = openPlace();
  try {
    const commands = everydayCommands();
    const reports = await Promise.all(commands.map((command) => reportOf(command, place.fixture)));
    const share = (100 * reports.filter(({ unknown }) => unknown !== null).length) / commands.length;
    recordFigure(SUITE, 'everyday commands of which not all can be told', share.toFixed(1), '%');
    expect(share).toBeLessThanOrEqual(UNKNOWN_BAR);
  } finally {
    await place.close();
  }
});

it('a row that is wrong in the description is found', async () => {
  const missed: string[] = [];
  for (const row of WRONG_ROWS) {
    let found = await foundWith(row, { count: 60, seed: SEED });
    // Of few lines none may be such that it matters.
    if (found.length === 0) found = await foundWith(row, { count: 600, seed: SEED + 1 });
    if (found.length === 0) missed.push(`${row.program} ${row.option}`);
  }
  recordFigure(SUITE, 'rows made wrong in the description', WRONG_ROWS.length, 'rows');
  recordFigure(SUITE, 'of these not found', missed.length, 'rows');
  expect(missed).toEqual([]);
});
