import { describe, expect, it } from 'vitest';
import { type LoopVerdict, traceCalls } from '../../../src/engine/calls/detect-loop.js';
import { NO_CALLS, type TracedCall } from '../../../src/engine/state/loop-state.js';

type Step = readonly [name: string, input: unknown, result: string, durationMs?: number];

const traced = ([name, input, result, durationMs = 5]: Step, index: number): TracedCall => ({
  call: { type: 'tool_use', id: `t${index}`, name, input },
  result: { type: 'tool_result', tool_use_id: `t${index}`, content: result },
  durationMs,
  polls: name === 'Poll',
});

/** The verdicts of a run; the calls of a round come together. */
function verdicts(rounds: readonly (readonly Step[])[]): LoopVerdict['kind'][] {
  let trace = NO_CALLS;
  return rounds.map((steps, index) => {
    const next = traceCalls(
      trace,
      steps.map((step, place) => traced(step, index * 100 + place)),
    );
    trace = next.trace;
    return next.verdict.kind;
  });
}

/** Rounds of one call each. */
const times = (count: number, make: (index: number) => Step[]): Step[][] =>
  Array.from({ length: count }, (_, index) => make(index))
    .flat()
    .map((step) => [step]);
const rounds = (count: number, make: (index: number) => Step[]): Step[][] =>
  Array.from({ length: count }, (_, n) => make(n));

const calls: readonly Step[] = [
  ['Read', { file_path: 'a' }, 'x'],
  ['Grep', { pattern: 'b' }, 'none'],
  ['Glob', { pattern: '*' }, 'z'],
  ['Edit', { file_path: 'a' }, 'not found'],
  ['Bash', { command: 'make' }, 'error'],
  ['Bash', { command: 'ls' }, 'a b'],
];

const LOOPS: readonly [string, Step[][]][] = [
  ...calls.map((step, index): [string, Step[][]] => [`one call, number ${index + 1}`, times(8, () => [step])]),
  ...[2, 3, 4, 5, 6].map((length): [string, Step[][]] => [
    `${length} calls in turn`,
    times(8, () => calls.slice(0, length)),
  ]),
  ...[2, 3, 4, 5, 6].map((length): [string, Step[][]] => [
    `${length} calls at once`,
    rounds(8, () => calls.slice(0, length)),
  ]),
  ...[2, 4, 6].map((length): [string, Step[][]] => [
    `${length} calls at once, in another order each time`,
    rounds(8, (n) => (n % 2 === 0 ? calls.slice(0, length) : calls.slice(0, length).toReversed())),
  ]),
  ...[1, 2, 3].map((length): [string, Step[][]] => [
    `${length} calls in turn, after other work`,
    [...times(20, (n) => [['Read', { n }, `${n}`]]), ...times(8, () => calls.slice(0, length))],
  ]),
  ['arguments in another order', times(8, (n) => [['Grep', n % 2 ? { a: 1, b: 2 } : { b: 2, a: 1 }, 'none']])],
  [
    'arguments in another order, deep inside',
    times(8, (n) => [['Edit', { e: [n % 2 ? { a: 1, b: 2 } : { b: 2, a: 1 }] }, 'no']]),
  ],
  ['a call that is not valid', times(8, () => [['Read', {}, 'The input is not valid: file_path is missing']])],
  ['a call that is denied', times(8, () => [['Bash', { command: 'rm x' }, 'Denied.']])],
  ['a tool that does not exist', times(8, () => [['Fetch', {}, 'There is no tool Fetch.']])],
  ['a large result', times(8, () => [['Read', { file_path: 'big' }, 'line\n'.repeat(20_000)]])],
  ['an empty result', times(8, () => [['Bash', { command: 'true' }, '']])],
  [
    'a call and a todo list that stays as it is',
    times(8, () => [
      ['TodoWrite', { todos: [] }, 'ok'],
      ['Bash', { command: 'make' }, 'error'],
    ]),
  ],
];

const NO_LOOPS: readonly [string, Step[][]][] = [
  ...['date', 'git log -1', 'npm test', 'curl status', 'tail log'].map((command): [string, Step[][]] => [
    `the same call with changing results: ${command}`,
    times(40, (n) => [['Bash', { command }, `line ${n}`]]),
  ]),
  ...[1, 2, 3, 4, 5].map((kept): [string, Step[][]] => [
    `a result that changes every ${kept + 1} times`,
    times(40, (n) => [['Bash', { command: 'status' }, `step ${Math.floor(n / 2)} of ${kept}`]]),
  ]),
  ...['Read', 'Grep', 'Glob', 'Bash', 'Edit'].map((name): [string, Step[][]] => [
    `${name} with another input each time`,
    times(40, (n) => [[name, { n }, 'same']]),
  ]),
  ...[1, 2, 3].map((tests): [string, Step[][]] => [
    `an edit and ${tests} tests, failing alike`,
    times(20, (n) => [
      ['Edit', { n }, 'done'],
      ...Array.from({ length: tests }, (): Step => ['Bash', { command: 'npm test' }, '1 failed']).slice(0, 2),
    ]),
  ]),
  ...[1_500, 5_000, 60_000].map((ms): [string, Step[][]] => [
    `waiting for something for ${ms} ms a call`,
    times(40, () => [['Bash', { command: 'sleep 5; status' }, 'pending', ms]]),
  ]),
  ['a tool that polls', times(40, () => [['Poll', { task: 1 }, 'running']])],
  [
    'a tool that polls, between reads that say the same',
    times(40, () => [
      ['Poll', { task: 1 }, 'running'],
      ['Read', { f: 'log' }, 'empty'],
    ]),
  ],
  [
    'two tools that poll at once',
    rounds(40, () => [
      ['Poll', { task: 1 }, 'running'],
      ['Poll', { task: 2 }, 'running'],
    ]),
  ],
  [
    'twice the same, then on',
    times(20, (n) => [
      ['Read', { n }, 'x'],
      ['Read', { n }, 'x'],
    ]),
  ],
  [
    'a long list of files, each read and edited',
    times(40, (n) => [
      ['Read', { n }, 'same header'],
      ['Edit', { n }, 'done'],
    ]),
  ],
  [
    'one call again and again between other work',
    times(20, (n) => [
      ['Bash', { command: 'git status' }, 'clean'],
      ['Write', { n }, 'ok'],
    ]),
  ],
  ['a page at a time', times(40, (n) => [['Read', { file_path: 'a', offset: n * 100 }, 'row']])],
  [
    'the same five calls, with one result that grows',
    times(20, (n) => [...calls.slice(0, 4), ['Bash', { command: 'wc' }, `${n}`]]),
  ],
  [
    'rounds of the same calls with one that moves on',
    rounds(20, (n) => [...calls.slice(0, 3), ['Write', { n }, 'ok']]),
  ],
];

describe('loop detection', () => {
  it('is judged by thirty circles and thirty honest runs', () => {
    expect([LOOPS.length, NO_LOOPS.length]).toEqual([30, 30]);
  });

  it.each(LOOPS)('%s: told first, stopped within six repeats', (_name, steps) => {
    const found = verdicts(steps);
    const nudge = found.indexOf('nudge');
    const stop = found.indexOf('stop');
    expect(nudge).toBeGreaterThan(0);
    expect(stop).toBeGreaterThan(nudge);
    expect(found.slice(0, stop).filter((kind) => kind === 'nudge')).toHaveLength(1);
    expect(stop).toBeLessThan(steps.length);
  });

  it('is told first also if all of it came in one reply', () => {
    const six = Array.from({ length: 6 }, (): Step => ['Read', { file_path: 'a' }, 'x']);
    expect(verdicts([six, six])).toEqual(['nudge', 'stop']);
    expect(verdicts([[...six, ...six], [['Read', { file_path: 'b' }, 'y']], six])).toEqual(['nudge', 'none', 'nudge']);
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
