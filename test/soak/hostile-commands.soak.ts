// 25 commands that do not want to end, flood, hide or wait: each is back in time, nothing of it lives, and memory stays.
import { expect, it } from 'vitest';
import { recordFigure } from '../support/figures.js';
import { HOSTILE, type HostileResult, runHostile } from '../support/hostile-commands.js';

const MB = 1024 * 1024;

it('come back within a second of their foreground, or two of their timeout', async () => {
  const results: HostileResult[] = [];
  // What is loaded with the first call is no memory of a command, nor is room that the heap keeps for young objects.
  await runHostile({ command: "head -c 100000000 /dev/zero | tr '\\0' x", ends: 'soon' });
  for (const hostile of HOSTILE) results.push(await runHostile(hostile));
  const latest = (ends: HostileResult['ends']) =>
    Math.max(...results.filter((result) => result.ends === ends).map(({ lateMs }) => lateMs));
  const memory = Math.max(...results.map((result) => result.memory));
  const survivors = results.reduce((sum, result) => sum + result.survivors, 0);
  recordFigure('hostile-commands', 'commands', results.length, 'commands');
  recordFigure('hostile-commands', 'end of the foreground to that of the call, longest', latest('soon'), 'ms');
  recordFigure('hostile-commands', 'timeout to the end of the call, longest', latest('never'), 'ms');
  recordFigure('hostile-commands', 'processes alive afterwards', survivors, 'processes');
  recordFigure(
    'hostile-commands',
    'memory beside that after 100 MB of output, 1 GB of output included, most',
    (memory / MB).toFixed(1),
    'MB',
  );
  expect(results).toHaveLength(25);
  expect(results.filter((result) => result.survivors > 0)).toEqual([]);
  expect(results.filter((result) => result.lateMs > (result.ends === 'soon' ? 1_000 : 2_000))).toEqual([]);
  expect(results.filter((result) => result.memory > 32 * MB)).toEqual([]);
});
