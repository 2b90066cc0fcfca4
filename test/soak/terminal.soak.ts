// The terminal at full counts: the scrollback, the caret.
import { expect, it } from 'vitest';
import { reply, toolCall } from '../../src/testing/model/script-steps.js';
import { recordFigure, SEED } from '../support/figures.js';
import { runCarets } from '../support/soak/caret.js';
import { randomOf, runScrollback } from '../support/soak/scrollback.js';
import { openAtModel } from '../support/terminal/open-at-model.js';

const SCHEDULES = 5_000;
const DRAFTS = 2_000;
const ESCAPES = 500;
const MAX_MS = 250;

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
