import { describe, expect, it } from 'vitest';
import { type LoopVerdict, NO_CALLS, type TracedCall, traceCalls } from '../../src/engine/detect-loop.js';

type Step = readonly [name: string, input: unknown, result: string, durationMs?: number];

const traced = ([name, input, result, durationMs = 5]: Step, index: number): TracedCall => ({
  call: { type: 'tool_use', id: `t${index}`, name, input },
  result: { type: 'tool_result', tool_use_id: `t${index}`, content: result },
  durationMs,
});

/** The verdicts of a run, one call a round. */
function verdicts(steps: readonly Step[]): LoopVerdict['kind'][] {
  let trace = NO_CALLS;
  return steps.map((step, index) => {
    const next = traceCalls(trace, [traced(step, index)]);
    trace = next.trace;
    return next.verdict.kind;
  });
}

const times = (count: number, make: (index: number) => Step[]): Step[] =>
  Array.from({ length: count }, (_, index) => make(index)).flat();

const LOOPS: readonly [string, Step[]][] = [
  ['one call', times(8, () => [['Read', { file_path: 'a' }, 'x']])],
  ['a failing command', times(8, () => [['Bash', { command: 'make' }, 'error']])],
  ['arguments in another order', times(8, (n) => [['Grep', n % 2 ? { a: 1, b: 2 } : { b: 2, a: 1 }, 'none']])],
  [
    'two calls in turn',
    times(8, () => [
      ['Read', { f: 'a' }, 'x'],
      ['Edit', { f: 'a' }, 'not found'],
    ]),
  ],
  [
    'three calls in turn',
    times(8, () => [
      ['Read', {}, 'x'],
      ['Grep', {}, 'y'],
      ['Glob', {}, 'z'],
    ]),
  ],
  [
    'after other work',
    [...times(20, (n): Step[] => [['Read', { n }, `${n}`]]), ...times(8, (): Step[] => [['Bash', {}, 'same']])],
  ],
];

const NO_LOOPS: readonly [string, Step[]][] = [
  ['the same call with changing results', times(40, (n) => [['Bash', { command: 'date' }, `${n}`]])],
  ['another input each time', times(40, (n) => [['Read', { n }, 'same']])],
  [
    'edit and test, failing alike',
    times(20, (n) => [
      ['Edit', { n }, 'done'],
      ['Bash', { command: 'npm test' }, '1 failed'],
    ]),
  ],
  ['waiting for something slow', times(40, () => [['Bash', { command: 'sleep 5; status' }, 'pending', 5_000]])],
  [
    'twice the same, then on',
    times(20, (n) => [
      ['Read', { n }, 'x'],
      ['Read', { n }, 'x'],
    ]),
  ],
];

describe('loop detection', () => {
  it.each(LOOPS)('%s: told first, stopped within six repeats', (_name, steps) => {
    const found = verdicts(steps);
    const nudge = found.indexOf('nudge');
    const stop = found.indexOf('stop');
    expect(nudge).toBeGreaterThan(0);
    expect(stop).toBeGreaterThan(nudge);
    expect(found.slice(0, stop).filter((kind) => kind === 'nudge')).toHaveLength(1);
    expect(stop).toBeLessThan(steps.length);
  });

  it.each(NO_LOOPS)('%s: never stopped', (_name, steps) => {
    expect(verdicts(steps)).not.toContain('stop');
  });

  it('names the tool and the count', () => {
    let trace = NO_CALLS;
    let text = '';
    for (let n = 0; n < 3; n++) {
      const { trace: next, verdict } = traceCalls(trace, [traced(['Read', {}, 'x'], n)]);
      trace = next;
      if (verdict.kind === 'nudge') text = verdict.text;
    }
    expect(text).toMatch(/same call of Read 3 times/);
  });
});
