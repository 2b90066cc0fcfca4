import { expect, it } from 'vitest';
import { recordFigure, SEED, SOAK_MS } from '../support/figures.js';
import { type Exploration, explore, openPlace } from '../support/soak/shell-effects/explore.js';
import { reportOf } from '../support/soak/shell-effects/judge.js';
import { createLineMaker } from '../support/soak/shell-effects/lines.js';
import { foundUnasked, foundWith, WRONG_PROGRAMS, WRONG_ROWS } from '../support/soak/shell-effects/mutations.js';
import { needlessLine } from '../support/soak/shell-effects/needless-lines.js';
import { shrinkFirst } from '../support/soak/shell-effects/shrink.js';
import { everydayCommands, templates, wholeLines } from '../support/soak/shell-effects/templates.js';
import { whyNotTraced } from '../support/soak/shell-effects/traced-shell.js';
import { createUnaskedMaker } from '../support/soak/shell-effects/unasked-lines.js';
import { fill } from '../support/soak/shell-effects/words.js';

const SUITE = 'shell-effects';
const LINES = 100_000;
/** Most of these are asked about, and not run. */
const UNASKED_LINES = 100_000;
const NEEDLESS_LINES = 5_000;
/** An hour alone, and several beside other work. */
const TIME = 4 * 60 * 60_000;
/** More than cores: some lines wait most of the time. */
const SHELLS = 4;
/** Percent of everyday commands of which not all may be told. */
const UNKNOWN_BAR = 15;

/** How many lines ran without a question: of none nothing would be shown. */
function recordAllowed({ allowed }: Pick<Exploration, 'allowed'>, of: string): void {
  for (const [mode, count] of Object.entries(allowed))
    recordFigure(SUITE, `${of} that ran without any rule and without a question in ${mode}`, count, 'lines');
}

it('lines can be traced on this machine', () => {
  expect(whyNotTraced()).toBeNull();
});

it('all that lines which somebody wrote do to files was reported, each tried once', { timeout: TIME }, async () => {
  const whole = wholeLines();
  const all = templates();
  const size = { seed: SEED, shells: SHELLS, forMs: SOAK_MS };
  const tried = {
    'whole lines that somebody wrote': await explore(
      { ...size, count: whole.length },
      (_, at) => whole[at] ?? '',
      shrinkFirst(),
    ),
    'templates, each in one line': await explore(
      { ...size, count: all.length },
      (random, at) => fill(all[at] ?? '', random),
      shrinkFirst(),
    ),
    'whole lines in the hostile folder': await explore(
      { ...size, count: whole.length, areUnasked: true },
      (_, at) => whole[at] ?? '',
      shrinkFirst(),
    ),
  };
  for (const [of, totals] of Object.entries(tried)) {
    recordFigure(SUITE, of, totals.lines, 'lines');
    recordAllowed(totals, of);
    recordFigure(SUITE, `kinds not reported, or of harm, of ${of}`, totals.holes.size, 'kinds');
    expect.soft([...totals.holes.values()]).toEqual([]);
    expect.soft(totals.untraced).toEqual([]);
  }
});

it('all that lines of chance do to files was reported, or the answer was unknown', { timeout: TIME }, async () => {
  const maker = createLineMaker();
  const size = { count: LINES, seed: SEED, shells: SHELLS, forMs: SOAK_MS };
  const { holes, untraced, ...totals } = await explore(size, maker.line, shrinkFirst());
  recordFigure(SUITE, 'lines run by bash under strace', totals.lines, 'lines');
  recordFigure(SUITE, 'described programs among them', maker.programs.length, 'programs');
  recordFigure(SUITE, 'effects on files of the fixture', totals.effects, 'effects');
  recordFigure(SUITE, 'lines of which not all could be told', ((100 * totals.unknown) / totals.lines).toFixed(1), '%');
  recordAllowed(totals, 'lines of these');
  recordFigure(SUITE, 'lines that were stopped', totals.stopped, 'lines');
  recordFigure(SUITE, 'kinds of effects that were not reported', holes.size, 'kinds');
  expect.soft([...holes.values()]).toEqual([]);
  // What changed without a call in the trace would be an effect that nobody saw.
  expect(untraced).toEqual([]);
});

it('all that everyday forms of chance do to files was reported, and nobody was needed for it if nobody was asked', {
  timeout: TIME,
}, async () => {
  for (const [of, count, areUnasked] of [
    ['everyday forms', NEEDLESS_LINES, false],
    ['everyday forms in the hostile folder', NEEDLESS_LINES, true],
  ] as const) {
    const size = { count, seed: SEED, shells: SHELLS, forMs: SOAK_MS, areUnasked };
    const { holes, untraced, ...totals } = await explore(size, needlessLine, shrinkFirst());
    recordFigure(SUITE, of, totals.lines, 'lines');
    recordAllowed(totals, of);
    recordFigure(SUITE, `kinds not reported, or of harm, of ${of}`, holes.size, 'kinds');
    expect.soft([...holes.values()]).toEqual([]);
    expect.soft(untraced).toEqual([]);
  }
});

it('nor does any option of a program, each tried once', { timeout: TIME }, async () => {
  const lines = createLineMaker().eachOption();
  const size = { count: lines.length, seed: SEED, shells: SHELLS, forMs: SOAK_MS };
  const { holes, untraced, ...totals } = await explore(size, (random, at) => lines[at]?.(random) ?? '', shrinkFirst());
  recordFigure(SUITE, 'options of programs, each in one line', totals.lines, 'options');
  recordAllowed(totals, 'options of these');
  recordFigure(SUITE, 'kinds of effects of those that were not reported', holes.size, 'kinds');
  expect.soft([...holes.values()]).toEqual([]);
  expect(untraced).toEqual([]);
});

it('what nobody is asked about reads in the workspace, or changes what acceptEdits is for', {
  timeout: TIME,
}, async () => {
  const { line, eachOption } = createUnaskedMaker();
  const options = eachOption();
  const size = { seed: SEED, shells: SHELLS, forMs: SOAK_MS, areUnasked: true };
  const tried = {
    'hostile lines': await explore({ ...size, count: UNASKED_LINES }, line, shrinkFirst()),
    'hostile options': await explore(
      { ...size, count: options.length },
      (random, at) => options[at]?.(random) ?? '',
      shrinkFirst(),
    ),
  };
  for (const [of, totals] of Object.entries(tried)) {
    recordFigure(SUITE, of, totals.lines, 'lines');
    recordAllowed(totals, of);
    recordFigure(SUITE, `kinds of harm of ${of}`, totals.holes.size, 'kinds');
    expect.soft([...totals.holes.values()]).toEqual([]);
    expect.soft(totals.untraced).toEqual([]);
  }
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
  for (const wrong of WRONG_PROGRAMS) {
    const found = await foundUnasked(wrong, { count: 60, seed: SEED });
    if (found.length === 0) missed.push(`${wrong.program} ${wrong.telling ?? 'reads only'}`);
  }
  recordFigure(SUITE, 'rows made wrong in the description', WRONG_ROWS.length + WRONG_PROGRAMS.length, 'rows');
  recordFigure(SUITE, 'of these not found', missed.length, 'rows');
  expect(missed).toEqual([]);
});
