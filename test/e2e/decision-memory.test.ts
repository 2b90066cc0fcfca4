// What a decision about a command leaves to the collector. V8 collects young objects each 16 MB: the more a decision makes,
// the more decisions wait for that. Bytes are counted in a process of their own, so nothing else changes them.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { buildEntry } from './run-cli.js';

const PROGRAM = fileURLToPath(new URL('programs/decision-memory.mjs', import.meta.url));
const COPIES = fileURLToPath(new URL('programs/same-class.mjs', import.meta.url));
const INDEX = new URL('../../dist/index.js', import.meta.url).href;
/** It makes 5,710 on Node 20 once V8 has compiled what decides, 5,850 on Node 22 and 5,930 on Node 24. */
const MOST_BYTES = 6_000;

it(`a decision makes at most ${MOST_BYTES} bytes for each program of the line`, () => {
  buildEntry();
  const bytes = Number(execFileSync(process.execPath, [PROGRAM, INDEX, String(MOST_BYTES)], { encoding: 'utf8' }));
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});

// In Node 20 `{ ...a, b }` has one of its own each time, unless the build sees to it: each takes 300 bytes and a microsecond.
it('copies with more have one hidden class', () => {
  buildEntry();
  expect(execFileSync(process.execPath, [COPIES, INDEX], { encoding: 'utf8' })).toBe('true\n');
});
