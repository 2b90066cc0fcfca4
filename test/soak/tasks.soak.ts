// Background tasks: none outlives its session, whatever ends that; and in any order of things each end is told once.
import { beforeAll, expect, it } from 'vitest';
import { buildEntry } from '../e2e/run-cli.js';
import { recordFigure, SEED } from '../support/figures.js';
import { ALL_ENDINGS, checkOrphans } from '../support/soak/orphans.js';
import { checkSchedules } from '../support/soak/task-schedules.js';

const ROUNDS = 3;
const SCHEDULES = 200;

beforeAll(buildEntry, 300_000);

it('leaves nothing alive after 3 s, in 11 ways to end with 12 tasks each, inside and outside of a sandbox', async () => {
  for (const isSandboxed of [false, true]) {
    const endings = Array.from({ length: ROUNDS }, () => ALL_ENDINGS).flat();
    const { sessions, tasks, survivors, goneMs, leftMs } = await checkOrphans(endings, isSandboxed);
    const where = isSandboxed ? 'in a sandbox' : 'without one';
    recordFigure('tasks', `sessions ended, ${where}`, sessions, 'sessions');
    recordFigure('tasks', `their background tasks, ${where}`, tasks, 'tasks');
    recordFigure('tasks', `of these, alive after 3 s, ${where}`, survivors.length, 'tasks');
    recordFigure(
      'tasks',
      `end of the process to that of its last descendant, longest, ${where}`,
      goneMs.toFixed(0),
      'ms',
    );
    recordFigure('tasks', `end of the messages to that of the process, longest, ${where}`, leftMs.toFixed(0), 'ms');
    expect(survivors).toEqual([]);
    expect(leftMs).toBeLessThan(1_000);
  }
});

it('tells each end once, in 200 sessions where everything happens in any order', async () => {
  const figures = await checkSchedules(SCHEDULES, SEED);
  recordFigure('tasks', 'sessions in any order', figures.schedules, 'sessions');
  recordFigure('tasks', 'their tasks, each with one end', figures.tasks, 'tasks');
  recordFigure('tasks', 'ends told by a note, by a tool, after a resume', endsOf(figures), 'ends');
  recordFigure('tasks', 'ends told twice, or never', 0, 'ends');
  recordFigure('tasks', 'prompts interrupted meanwhile', figures.interrupts, 'prompts');
  expect(figures.schedules).toBe(SCHEDULES);
});

function endsOf({ toldByNote, toldByTool, toldAfterResume }: Awaited<ReturnType<typeof checkSchedules>>): string {
  return [toldByNote, toldByTool, toldAfterResume].join(', ');
}
