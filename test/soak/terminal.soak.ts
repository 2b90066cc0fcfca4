// The terminal at full counts: the scrollback, the caret, pastes, what a command prints, what is asked, Esc.
import { execFileSync } from 'node:child_process';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { askInTerminal } from '../../src/tui/dialogs/ask-in-terminal.js';
import { recordFigure, SEED } from '../support/figures.js';
import { runCarets } from '../support/soak/caret.js';
import { countQuestions } from '../support/soak/fatigue.js';
import { randomOf, runScrollback } from '../support/soak/scrollback.js';
import { openAtModel } from '../support/terminal/open-at-model.js';
import { fakeFace, settle } from '../tui/dialogs/fake-face.js';

const SCHEDULES = 5_000;
const DRAFTS = 2_000;
const ESCAPES = 500;
const MAX_MS = 250;
/** What a command prints is told twice a second, and drawn with the next frame. */
const MAX_SHOWN_MS = 1_000;

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

it('has its caret on the cursor over 2,000 drafts of every script', async () => {
  const misses = await runCarets(DRAFTS, SEED);
  recordFigure('terminal', 'drafts whose caret is not where the cursor is', misses.length, `of ${DRAFTS}`);
  expect(misses).toEqual([]);
});

it.each([
  ['brackets', 1_000],
  ['brackets', 1_000_000],
  ['brackets', 50_000_000],
  ['none', 1_000],
  ['none', 1_000_000],
])('a paste with %s around it, of %i bytes, arrives whole and once', async (how, size) => {
  const line = 'line of a paste\twith a tab, 漢字 and  two blanks';
  const count = Math.ceil(size / Buffer.byteLength(`${line} 000000\n`)) + 12;
  const body = Array.from({ length: count }, (_, at) => `${line} ${at}`).join('\n');
  const { pty, cwd } = await openAtModel([], [], { env: { VISUAL: 'cp "$1" draft; true' } });
  if (how === 'brackets') pty.paste(body);
  else pty.type(body.replaceAll('\n', '\r'));
  // Without brackets a busy machine may take it for several, one behind the other.
  await pty.until((screen) => {
    const marks = [
      ...screen
        .rows()
        .join('')
        .matchAll(/\[paste #\d+ \+(\d+) lines\]/g),
    ];
    return marks.reduce((sum, [, lines]) => sum + Number(lines) - 1, 1) === count;
  });
  pty.press('ctrl+g');
  await expect.poll(() => existsSync(join(cwd, 'draft')), { timeout: 60_000 }).toBe(true);
  await pty.until((screen) => screen.modes().isBracketedPaste);
  expect(readFileSync(join(cwd, 'draft'), 'utf8') === body).toBe(true);
  recordFigure('terminal', `bytes of a paste (${how} around it) that were lost or doubled`, 0, `of ${size}`);
});

it('shows what a command prints within a second', async () => {
  const steps = [
    reply(toolCall('Bash', { command: 'while read -r line; do echo "$line"; done < pipe' }, 'call_1')),
    text('Over.'),
  ];
  const { pty, cwd } = await openAtModel(steps, ['--allowedTools', 'Bash']);
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  pty.type('go\r');
  await pty.until('Running');
  const pipe = createWriteStream(join(cwd, 'pipe'));
  const times: number[] = [];
  for (let at = 0; at < 10; at++) {
    const began = performance.now();
    pipe.write(`printed ${at}.\n`);
    await pty.until(`printed ${at}.`);
    times.push(performance.now() - began);
  }
  pipe.end();
  await pty.until('Over.');
  const longest = Math.max(...times);
  recordFigure('terminal', 'a printed line to the screen, the longest of 10', longest.toFixed(0), 'ms');
  expect(longest).toBeLessThanOrEqual(MAX_SHOWN_MS);
});

it('asks nothing again that was answered with "always" in its dialogs, over 40 sessions', async () => {
  const fake = fakeFace({ columns: 100, rows: 40 });
  const { canUseTool } = askInTerminal({
    face: fake.face,
    place: () => ({ cwd: '/', home: '/' }),
    agentOf: () => null,
    openPage: async () => null,
  });
  let answer = 0;
  const { calls, questions, repeated, unexplained } = await countQuestions(40, SEED, false, async (...call) => {
    let isOver = false;
    const asked = canUseTool(...call).finally(() => {
      isOver = true;
    });
    // What an earlier answer covers opens no dialog.
    await settle(() => isOver || fake.layerNames().length > 0);
    if (isOver) return asked;
    fake.paint();
    fake.pass(600);
    // For the project where that is offered, and now and then for the session.
    const key = fake.shown().includes('always in this project') && answer++ % 4 > 0 ? 'p' : 'a';
    fake.press(fake.shown().includes('always in this') ? key : 'y');
    fake.pass(300);
    return asked;
  });
  recordFigure(
    'terminal',
    'asked again after "always" in a dialog',
    repeated,
    `of ${questions} questions, ${calls} calls`,
  );
  expect({ repeated, unexplained }).toEqual({ repeated: 0, unexplained: 0 });
});

it('settles within 250 ms of Esc, at 500 moments of requests and commands', async () => {
  const step = (_body: unknown, index: number) =>
    index % 2 === 0
      ? ({ stall: true, pings: true } as const)
      : reply(toolCall('Bash', { command: 'sleep 60' }, `call_${index}`));
  const { pty } = await openAtModel(
    Array.from({ length: ESCAPES }, () => step),
    ['--allowedTools', 'Bash'],
  );
  const random = randomOf(SEED);
  const times: number[] = [];
  for (let run = 1; run <= ESCAPES; run++) {
    pty.type(`prompt ${run}`);
    await pty.until(`> prompt ${run}`);
    pty.press('enter');
    await pty.until('Esc interrupts');
    // The moments are what is tried here.
    await new Promise((resolve) => setTimeout(resolve, random() * 300));
    const at = performance.now();
    pty.press('escape');
    await pty.until((screen) => !screen.text().includes('Esc interrupts') && !screen.text().includes('Stopping'));
    times.push(performance.now() - at);
  }
  const sorted = times.sort((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  recordFigure('terminal', 'Esc to an end that is shown, p99 of 500 moments', p99.toFixed(0), 'ms');
  expect(p99).toBeLessThanOrEqual(MAX_MS);
});
