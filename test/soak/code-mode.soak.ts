// Hostile scripts of a model: each ends, by itself or at a limit, and reaches nothing of the host. All of them, several times,
// four at once; and what a task over 200 results costs.
import { expect, it } from 'vitest';
import { runBulkTask } from '../support/bulk-task.js';
import { recordFigure } from '../support/figures.js';
import { HOSTILE_SCRIPTS } from '../support/hostile-scripts.js';
import { problemWith, SMALL_LIMITS } from '../support/run-hostile.js';

const TIMES = 2;
const AT_ONCE = 4;
/** What a thread may take beyond the limit of its script: its start, its grace, and a busy machine. */
const SLACK_MS = 8_000;

it('hostile scripts end, all of them, again and again, beside each other', async () => {
  expect(HOSTILE_SCRIPTS.length).toBeGreaterThanOrEqual(50);
  const problems: string[] = [];
  let longest = 0;
  for (let time = 0; time < TIMES; time++)
    for (let at = 0; at < HOSTILE_SCRIPTS.length; at += AT_ONCE)
      await Promise.all(
        HOSTILE_SCRIPTS.slice(at, at + AT_ONCE).map(async (script) => {
          const began = performance.now();
          const problem = await problemWith(script);
          if (problem !== null) problems.push(`${script.name}: ${problem}`);
          longest = Math.max(longest, performance.now() - began);
        }),
      );
  recordFigure('code mode', `hostile scripts, each ${TIMES} times`, HOSTILE_SCRIPTS.length, 'scripts');
  recordFigure('code mode', 'of them that hung, got out, or ended otherwise than they may', problems.length, 'runs');
  recordFigure('code mode', `longest of them, start included, ${AT_ONCE} at once`, Math.round(longest), 'ms');
  expect(problems).toEqual([]);
  expect(longest).toBeLessThan(SMALL_LIMITS.runMs + SLACK_MS);
});

it('a task over 200 results costs a fraction of what it costs by single calls', async () => {
  const [script, calls] = [await runBulkTask('script'), await runBulkTask('calls')];
  recordFigure('code mode', 'tokens of a task over 200 files by single calls, ten a reply', calls.tokens, 'tokens');
  recordFigure('code mode', 'the same by a script', script.tokens, 'tokens');
  recordFigure('code mode', 'part of the tokens', ((100 * script.tokens) / calls.tokens).toFixed(2), '%');
  expect(script.tokens / calls.tokens).toBeLessThanOrEqual(0.15);
});
