// The runner: who is called, how often, with what, for how long, and what becomes of a hook that fails.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createHookRunner,
  EMPTY_HOOK_RESULT,
  type HookEventReport,
  type HookMatchers,
  type HookRunner,
} from '../../src/hooks/run-hooks.js';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { HOOK_EVENTS, type HookCallback, type HookInput, type HookJSONOutput } from '../../src/protocol/hooks.js';
import { hookInput } from './inputs.js';

const never = new AbortController().signal;

function setUp(hooks: HookMatchers, onReport?: (report: HookEventReport) => void) {
  const host = createMemoryHost();
  const runner = createHookRunner(hooks, { ...host, ...(onReport === undefined ? {} : { onReport }) });
  return { host, clock: host.clock, runner };
}

function answer(output: unknown): HookCallback {
  return async () => output as HookJSONOutput;
}

/** A hook whose answer is given from outside. */
function held() {
  let settle: { resolve(output: unknown): void; reject(error: unknown): void } | undefined;
  let signal: AbortSignal | undefined;
  const callback: HookCallback = (_input, _id, options) => {
    signal = options.signal;
    return new Promise((resolve, reject) => {
      settle = { resolve: (output) => resolve(output as HookJSONOutput), reject };
    });
  };
  return {
    callback,
    resolve: (output: unknown) => settle?.resolve(output),
    reject: (error: unknown) => settle?.reject(error),
    signal: () => signal as AbortSignal,
  };
}

function run(runner: HookRunner, input: HookInput = hookInput('PreToolUse'), signal = never) {
  return runner.run(input, 'call-1', signal);
}

const hang: HookCallback = () => new Promise(() => undefined);
const block = answer({ decision: 'block', reason: 'no' });

describe('which hooks run', () => {
  it('has only events with at least one hook', async () => {
    const { runner } = setUp({ PreToolUse: [{ hooks: [answer({})] }], Stop: [], SessionEnd: [{ hooks: [] }] });
    expect(HOOK_EVENTS.filter((event) => runner.has(event))).toEqual(['PreToolUse']);
    expect(await run(runner, hookInput('Stop'))).toBe(EMPTY_HOOK_RESULT);
    expect(setUp({}).runner.has('PreToolUse')).toBe(false);
  });

  it.each(HOOK_EVENTS)('calls each matching hook of %s exactly once, in declared order', async (event) => {
    const calls: string[] = [];
    const note =
      (name: string): HookCallback =>
      async (input) =>
        void calls.push(`${name} ${input.hook_event_name}`) as never;
    const { runner } = setUp({
      [event]: [
        { hooks: [note('a'), note('b')] },
        { matcher: '*', hooks: [note('c')] },
        { matcher: '.+', hooks: [note('d')] },
      ],
    });
    for (const other of HOOK_EVENTS) expect(await run(runner, hookInput(other))).toEqual(EMPTY_HOOK_RESULT);
    expect(calls).toEqual(['a', 'b', 'c', 'd'].map((name) => `${name} ${event}`));
  });

  it('leaves out hooks whose matcher does not match', async () => {
    const { runner } = setUp({
      PreToolUse: [
        { matcher: 'Edit|Write', hooks: [block] },
        { matcher: 'mcp__.*', hooks: [block] },
      ],
    });
    expect(await run(runner)).toBe(EMPTY_HOOK_RESULT);
    expect((await run(runner, { ...hookInput('PreToolUse'), tool_name: 'Write' })).block).toEqual({ reason: 'no' });
  });

  it('calls the same function as often as it is declared', async () => {
    let calls = 0;
    const same: HookCallback = async () => ({ systemMessage: `${++calls}` });
    const { runner } = setUp({ Stop: [{ hooks: [same, same] }, { hooks: [same] }] });
    expect((await run(runner, hookInput('Stop'))).systemMessages).toEqual(['1', '2', '3']);
  });

  it('is not changed by what the host does to its objects afterwards', async () => {
    const entry = { matcher: 'Bash', hooks: [block] };
    const hooks = { PreToolUse: [entry] };
    const { runner } = setUp(hooks);
    entry.matcher = 'Read';
    entry.hooks.length = 0;
    hooks.PreToolUse.length = 0;
    expect((await run(runner)).block).toEqual({ reason: 'no' });
  });
});

describe('how a hook is called', () => {
  it('gets the input, the id and a signal', async () => {
    const seen: unknown[] = [];
    const { runner } = setUp({
      PreToolUse: [{ hooks: [async (...parameters) => void seen.push(parameters) as never] }],
    });
    await run(runner);
    expect(seen).toEqual([[hookInput('PreToolUse'), 'call-1', { signal: expect.any(AbortSignal) }]]);
  });

  it('gets a copy of its own, so it cannot change the call', async () => {
    const input = hookInput('PreToolUse');
    const seen: unknown[] = [];
    const spoil: HookCallback = async (given) => {
      const call = given as { tool_input: { command: string } };
      seen.push(call.tool_input.command);
      call.tool_input.command = 'rm -rf /';
      return {};
    };
    await run(setUp({ PreToolUse: [{ hooks: [spoil, spoil] }] }).runner, input);
    expect(seen).toEqual(['ls', 'ls']);
    expect(input).toEqual(hookInput('PreToolUse'));
  });

  it('gets an input that cannot be copied all the same', async () => {
    const { runner } = setUp({ PostToolUse: [{ hooks: [block] }] });
    const result = await run(runner, { ...hookInput('PostToolUse'), tool_response: { run: () => 1 } });
    expect(result.block).toEqual({ reason: 'no' });
  });

  it('runs beside the others, and the answers are merged in declared order', async () => {
    const slow = held();
    const quick = held();
    const { runner } = setUp({ Stop: [{ hooks: [slow.callback] }, { hooks: [quick.callback] }] });
    const result = run(runner, hookInput('Stop'));
    // Both were called already: each can be answered, in either order.
    quick.resolve({ systemMessage: 'second' });
    await Promise.resolve();
    slow.resolve({ systemMessage: 'first' });
    expect((await result).systemMessages).toEqual(['first', 'second']);
  });
});

describe('timeouts', () => {
  it.each([
    [undefined, 60_000],
    [2, 2000],
    [0.25, 250],
  ])('a hanging hook with timeout %j costs exactly %d ms', async (timeout, expectedMs) => {
    const { runner, clock } = setUp({
      PreToolUse: [
        { hooks: [hang], ...(timeout === undefined ? {} : { timeout }) },
        { hooks: [answer({ systemMessage: 'here' })] },
      ],
    });
    let endedAt: number | undefined;
    const result = run(runner).finally(() => {
      endedAt = clock.monotonic();
    });
    await clock.advance(expectedMs - 1);
    expect(endedAt).toBeUndefined();
    await clock.advance(1);
    expect(endedAt).toBe(expectedMs);
    expect(await result).toEqual({
      ...EMPTY_HOOK_RESULT,
      systemMessages: ['here'],
      failures: [{ hook: 'PreToolUse[0].hooks[0] (hang)', error: `it did not answer within ${expectedMs / 1000} s` }],
    });
    expect(clock.pending()).toBe(0);
  });

  it.each(['resolve', 'reject'] as const)('a late %s has no effect', async (way) => {
    const late = held();
    const { runner, clock } = setUp({ PreToolUse: [{ hooks: [late.callback], timeout: 1 }] });
    const result = run(runner);
    await clock.advance(1000);
    expect(late.signal().aborted).toBe(true);
    late[way]({ decision: 'block' });
    await clock.advance(1000);
    const { block: blocked, failures } = await result;
    expect([blocked, failures.length]).toEqual([null, 1]);
  });

  it('an answer given because of the timeout is late', async () => {
    const onAbort: HookCallback = (_input, _id, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ decision: 'block' })));
    const { runner, clock } = setUp({ PreToolUse: [{ hooks: [onAbort], timeout: 1 }] });
    const result = run(runner);
    await clock.advance(1000);
    expect(await result).toMatchObject({ block: null, failures: [{ error: 'it did not answer within 1 s' }] });
  });

  it('leaves no timer and no listener behind', async () => {
    const { runner, clock } = setUp({ PreToolUse: [{ hooks: [answer({}), answer({})] }] });
    const signal = new AbortController().signal;
    let listeners = 0;
    const add = signal.addEventListener.bind(signal) as (...parameters: unknown[]) => void;
    const remove = signal.removeEventListener.bind(signal) as (...parameters: unknown[]) => void;
    Object.assign(signal, {
      addEventListener(...parameters: unknown[]) {
        listeners++;
        add(...parameters);
      },
      removeEventListener(...parameters: unknown[]) {
        listeners--;
        remove(...parameters);
      },
    });
    await run(runner, hookInput('PreToolUse'), signal);
    expect([clock.pending(), listeners]).toEqual([0, 0]);
  });

  it('works with the clock of a real machine', async () => {
    const runner = createHookRunner({ Stop: [{ hooks: [hang], timeout: 0.01 }] }, createNodeHost());
    expect((await run(runner, hookInput('Stop'))).failures).toHaveLength(1);
  });
});

describe('an abort', () => {
  it('ends the wait at once, aborts the hook and is no failure', async () => {
    const late = held();
    const { runner, clock } = setUp({ PreToolUse: [{ hooks: [late.callback, answer({ systemMessage: 'here' })] }] });
    const session = new AbortController();
    const result = run(runner, hookInput('PreToolUse'), session.signal);
    await clock.advance(1);
    session.abort();
    expect(late.signal().aborted).toBe(true);
    late.reject(new Error('late'));
    expect(await result).toEqual({ ...EMPTY_HOOK_RESULT, systemMessages: ['here'] });
    expect(clock.pending()).toBe(0);
  });

  it('that came before means that no hook is called', async () => {
    let calls = 0;
    const count: HookCallback = async () => ({ systemMessage: `${++calls}` });
    const reports: HookEventReport[] = [];
    const { runner } = setUp({ Stop: [{ hooks: [count] }] }, (report) => reports.push(report));
    expect(await run(runner, hookInput('Stop'), AbortSignal.abort())).toEqual(EMPTY_HOOK_RESULT);
    expect([calls, reports]).toEqual([0, []]);
  });

  it.each([
    ['PreToolUse', true],
    ['UserPromptSubmit', true],
    ['PermissionRequest', true],
    ['Stop', false],
    ['SubagentStop', false],
  ] as const)('leaves a guard of %s unanswered: refused is %j', async (event, refused) => {
    const { runner } = setUp({ [event]: [{ hooks: [hang], onFailure: 'block' }] });
    const session = new AbortController();
    const started = run(runner, hookInput(event), session.signal);
    session.abort();
    for (const result of [await started, await run(runner, hookInput(event), session.signal)]) {
      expect(result.block !== null).toBe(refused);
      expect(result.failures).toEqual([]);
    }
  });
});

describe('failures', () => {
  class Opaque {
    toString(): string {
      throw new Error('no text');
    }
  }

  it.each<[name: string, callback: unknown, error: string]>([
    ['throws', () => Promise.reject(new Error('boom')), 'it threw: boom'],
    [
      'throws before it gives a promise',
      () => {
        throw new Error('boom');
      },
      'it threw: boom',
    ],
    ['throws a string', () => Promise.reject('text'), 'it threw: text'],
    ['throws undefined', () => Promise.reject(undefined), 'it threw: undefined'],
    ['throws an empty error', () => Promise.reject(new Error('')), 'it threw: an error without a message'],
    ['throws what has no text', () => Promise.reject(new Opaque()), 'it threw: an error that cannot be shown'],
    [
      'throws what has no prototype',
      () => Promise.reject(Object.create(null)),
      'it threw: an error that cannot be shown',
    ],
    ['answers text', () => 'no', 'its answer is not an object'],
    ['answers a function', () => () => 1, 'its answer is not an object'],
  ])('a hook that %s', async (_name, callback, error) => {
    const { runner } = setUp({ PreToolUse: [{ hooks: [answer({}), callback as HookCallback] }] });
    const result = await run(runner);
    expect(result.failures.map((failure) => failure.error)).toEqual([error]);
    expect(result.failures[0]?.hook).toContain('PreToolUse[0].hooks[1]');
    expect({ ...result, failures: [] }).toEqual(EMPTY_HOOK_RESULT);
  });

  it('do not reach the other hooks, and come in declared order', async () => {
    const fail =
      (text: string): HookCallback =>
      () =>
        Promise.reject(new Error(text));
    const { runner } = setUp({ PreToolUse: [{ hooks: [fail('a'), block] }, { hooks: [fail('b')] }] });
    const result = await run(runner);
    expect(result.block).toEqual({ reason: 'no' });
    expect(result.failures.map(({ error }) => error)).toEqual(['it threw: a', 'it threw: b']);
  });

  it('shorten a very long error to one line', async () => {
    const { runner } = setUp({ Stop: [{ hooks: [() => Promise.reject(new Error('x\n'.repeat(100_000)))] }] });
    const error = (await run(runner, hookInput('Stop'))).failures[0]?.error ?? '';
    expect(error.length).toBeLessThanOrEqual(1000);
    expect(error).not.toContain('\n');
  });

  const faulty: readonly (readonly [string, HookCallback])[] = [
    ['throws', () => Promise.reject(new Error('boom'))],
    ['answers nonsense', answer(5)],
    ['answers for another event', answer({ hookSpecificOutput: { hookEventName: 'Setup' } })],
    ['answers nothing', answer(undefined)],
    ['hangs', hang],
  ];

  it.each(faulty)("with onFailure 'block', a hook that %s refuses", async (_name, callback) => {
    const guard = { hooks: [callback], onFailure: 'block' as const, timeout: 1 };
    const events = [
      'PreToolUse',
      'PostToolUse',
      'PermissionRequest',
      'UserPromptSubmit',
      'Stop',
      'SubagentStop',
    ] as const;
    for (const event of events) {
      const { runner, clock } = setUp({ [event]: [guard] });
      const pending = run(runner, hookInput(event));
      await clock.advance(1000);
      const result = await pending;
      expect(result.block?.reason).toMatch(
        new RegExp(`The hook ${event}\\[0\\].* failed \\(.*\\), and a failure of it blocks\\.`),
      );
      expect(result.permission?.behavior).toBe(event === 'PreToolUse' ? 'deny' : undefined);
      expect(result.request?.behavior).toBe(event === 'PermissionRequest' ? 'deny' : undefined);
      expect(result.failures).toHaveLength(1);
    }
  });

  it("with onFailure 'block', good answers are what they are", async () => {
    const { runner } = setUp({
      PreToolUse: [{ hooks: [answer({}), answer({ decision: 'approve' })], onFailure: 'block' }],
    });
    expect(await run(runner)).toMatchObject({ block: null, permission: { behavior: 'allow' }, failures: [] });
  });
});

describe('reports', () => {
  it('tell of each hook when it starts and how it ended', async () => {
    const reports: HookEventReport[] = [];
    const late = held();
    const { runner, clock } = setUp(
      { PreToolUse: [{ hooks: [answer({ systemMessage: 'hi' }), answer(7), hang, late.callback], timeout: 1 }] },
      (report) => reports.push(report),
    );
    const result = run(runner);
    expect(reports.map((report) => report.subtype)).toEqual(Array(4).fill('hook_started'));
    late.reject(new Error('boom'));
    await clock.advance(1000);
    await result;
    const ids = reports.slice(0, 4).map((report) => report.hook_id);
    expect(new Set(ids).size).toBe(4);
    expect(
      reports.every((report) => report.hook_name === 'PreToolUse:Bash' && report.hook_event === 'PreToolUse'),
    ).toBe(true);
    const responses = new Map(reports.slice(4).map((report) => [report.hook_id, report]));
    const ended = (outcome: string, output: string) =>
      expect.objectContaining({ subtype: 'hook_response', outcome, output, stdout: '', stderr: '' });
    expect(ids.map((id) => responses.get(id))).toEqual([
      ended('success', '{"systemMessage":"hi"}'),
      ended('error', 'its answer is not an object'),
      ended('error', 'it did not answer within 1 s'),
      ended('error', 'it threw: boom'),
    ]);
  });

  it('call an aborted hook cancelled, and name an event without a subject by itself', async () => {
    const reports: HookEventReport[] = [];
    const { runner } = setUp({ Stop: [{ hooks: [hang] }] }, (report) => reports.push(report));
    const session = new AbortController();
    const result = run(runner, hookInput('Stop'), session.signal);
    session.abort();
    await result;
    expect(reports.map((report) => report.hook_name)).toEqual(['Stop', 'Stop']);
    expect(reports[1]).toMatchObject({ outcome: 'cancelled', output: '' });
  });

  it('may fail without an effect on the hooks', async () => {
    const { runner } = setUp({ PreToolUse: [{ hooks: [block] }] }, () => {
      throw new Error('reporter');
    });
    expect((await run(runner)).block).toEqual({ reason: 'no' });
  });
});

describe('any answer', () => {
  const key = fc.constantFrom(
    ...[
      'continue',
      'stopReason',
      'decision',
      'reason',
      'systemMessage',
      'async',
      'hookSpecificOutput',
      'hookEventName',
    ],
    ...['permissionDecision', 'permissionDecisionReason', 'updatedInput', 'updatedToolOutput', 'additionalContext'],
    ...['behavior', 'message', 'updatedPermissions', 'interrupt', '__proto__', 'other'],
  );
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(null, true, false, 0, '', 'allow', 'deny', 'block', 'approve', 'ask', ...HOOK_EVENTS),
    fc.jsonValue(),
    fc.anything(),
  );
  const { output } = fc.letrec<{ output: unknown }>((tie) => ({
    output: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.dictionary(key, tie('output')),
      fc.array(tie('output'), { maxLength: 3 }),
    ),
  }));

  it('gives a well-formed result and never throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...HOOK_EVENTS), fc.array(output, { maxLength: 3 }), async (event, outputs) => {
        const { runner } = setUp({ [event]: [{ hooks: outputs.map(answer) }] }, () => undefined);
        const result = await run(runner, hookInput(event));
        expect(Object.keys(result)).toEqual(Object.keys(EMPTY_HOOK_RESULT));
        expect(result.failures.length).toBeLessThanOrEqual(outputs.length);
        expect(result.block?.reason).not.toBe('');
        if (event !== 'PreToolUse') expect([result.permission, result.updatedInput]).toEqual([null, null]);
        if (event !== 'PermissionRequest') expect(result.request).toBeNull();
        expect([...result.additionalContext, ...result.systemMessages].filter((text) => text.trim() === '')).toEqual(
          [],
        );
      }),
      { seed: 42, numRuns: 2000 },
    );
  });
});
