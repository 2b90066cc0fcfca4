import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SEED } from '../../support/figures.js';
import { explore, openPlace, tryLine } from '../../support/soak/shell-effects/explore.js';
import { reportOf } from '../../support/soak/shell-effects/judge.js';
import { createLineMaker } from '../../support/soak/shell-effects/lines.js';
import { foundForgotten, foundUnasked, foundWith, LINKED_LINES } from '../../support/soak/shell-effects/mutations.js';
import { shrinkFirst } from '../../support/soak/shell-effects/shrink.js';
import { everydayCommands, wholeLines } from '../../support/soak/shell-effects/templates.js';
import { whyNotTraced } from '../../support/soak/shell-effects/traced-shell.js';
import { createUnaskedMaker } from '../../support/soak/shell-effects/unasked-lines.js';

/** Thousands of processes on a machine that does other things too. */
const TIME = 300_000;
const LINES = 170;
/** Of those that somebody wrote. */
const WHOLE_LINES = 80;
/** Most of these are asked about, and not run. */
const UNASKED_LINES = 400;

const missing = whyNotTraced();
if (missing !== null) process.stderr.write(`The effects of lines of a shell are not tested here: ${missing}.\n`);

it.runIf(process.env['TURNWRIGHT_TEST_SANDBOX'] === 'required')(
  'lines can be traced where the sandbox is tested',
  () => {
    expect(missing).toBeNull();
  },
);

describe.runIf(missing === null)('effects of lines of a shell', { timeout: TIME }, () => {
  it('were reported, or the answer was unknown', async () => {
    const { holes, untraced, lines, effects, unknown } = await explore(
      { count: LINES, seed: SEED },
      createLineMaker().line,
      shrinkFirst(),
    );
    expect([...holes.values()]).toEqual([]);
    expect(untraced).toEqual([]);
    // Neither all unknown nor nothing done would say anything.
    expect(unknown).toBeLessThan(lines * 0.6);
    expect(effects).toBeGreaterThan(lines * 2);
  });

  it('that somebody wrote were reported too', async () => {
    const whole = wholeLines();
    // Whichever they are, each of them is run by `npm run soak`.
    const { holes, untraced, unknown } = await explore(
      { count: WHOLE_LINES, seed: SEED },
      (random) => random.pick(whole),
      shrinkFirst(),
    );
    expect([...holes.values()]).toEqual([]);
    expect(untraced).toEqual([]);
    expect(unknown).toBeLessThan(WHOLE_LINES * 0.6);
  });

  it('are found in the trace, with the paths that they really had', async () => {
    const place = openPlace();
    try {
      const { root } = place.fixture;
      const seen = async (line: string): Promise<string[]> => {
        const { effects } = await tryLine(line, place);
        return effects.map(({ kind, path, by }) => `${by.program} ${kind} ${path.replace(root, '')}`);
      };
      expect(await seen('cat link-out')).toEqual(['cat read /outside/o.txt']);
      expect(await seen('cd dir-out && cat < p.txt')).toEqual(['bash read /outside/p.txt']);
      expect(await seen('(cd sub; mkdir x); ln -s sub L; rm L/s1.txt')).toEqual([
        'mkdir write /ws/sub/x',
        'ln write /ws/L',
        'rm remove /ws/sub/s1.txt',
      ]);
      expect(await seen('mv dir-out d; touch d/new; chmod 600 d/o.txt; ls empty')).toEqual([
        'mv remove /ws/dir-out',
        'mv write /ws/d',
        'touch write /outside/new',
        'chmod write /outside/o.txt',
        'ls list /ws/empty',
      ]);
      expect(await seen('./script.sh; rm missing; echo a > /dev/null')).toEqual([
        'bash run /ws/script.sh',
        'script.sh read /ws/script.sh',
        'cat read /ws/a.txt',
      ]);
      expect(await seen('ls')).toEqual(['ls list /ws']);
      // A name that is no text goes too, and the next line finds what the one before it found.
      await seen("mkdir $'\\xff'; echo a > $'sub/\\xfe'; echo b > $'\\xff/x'");
      expect(await seen('ls -R')).toEqual(await seen('ls -R'));
      expect(readdirSync(`${root}/ws`).filter((name) => name.includes('\uFFFD'))).toEqual([]);
    } finally {
      await place.close();
    }
  });

  it('that nobody is asked about are to read in the workspace, or to change what mode acceptEdits is for', async () => {
    const { holes, untraced, lines, allowed } = await explore(
      { count: UNASKED_LINES, seed: SEED, areUnasked: true },
      createUnaskedMaker().line,
      shrinkFirst(),
    );
    expect([...holes.values()]).toEqual([]);
    expect(untraced).toEqual([]);
    expect(allowed.default).toBeGreaterThan(lines * 0.1);
    expect(allowed.plan).toBeGreaterThan(lines * 0.1);
    expect(allowed.acceptEdits).toBeGreaterThan(allowed.default);
  });

  it('of an interpreter that is said to read only are found', async () => {
    const found = await foundUnasked({ program: 'node' }, { count: 60, seed: SEED, shells: 1 });
    expect(found).not.toEqual([]);
  });

  it.each(LINKED_LINES)(
    'through a link that %s put there are found if that is forgotten: %s',
    async (program, line) => {
      const [before, after] = await foundForgotten(program, line);
      expect(before).toEqual([]);
      expect(after).not.toEqual([]);
    },
  );

  it('of a program whose row is not in the description are found', async () => {
    const found = await foundWith({ program: 'sort', option: '-o' }, { count: 12, seed: SEED });
    expect(found).not.toEqual([]);
  });
});

it('most everyday commands can be told', async () => {
  const place = openPlace();
  try {
    const commands = everydayCommands();
    const reports = await Promise.all(commands.map((command) => reportOf(command, place.fixture)));
    expect(commands.length).toBeGreaterThanOrEqual(500);
    expect(reports.filter(({ unknown }) => unknown !== null).length).toBeLessThanOrEqual(commands.length * 0.15);
  } finally {
    await place.close();
  }
});
