// What a hook's command is given, and what its end means. Real shells, real processes.
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandHook } from '../../src/hooks/command-hook.js';
import { createHookRunner, type HookEventReport } from '../../src/hooks/run-hooks.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { HOOK_EVENTS, type HookEvent, type HookInput } from '../../src/protocol/hooks.js';
import { commandHook, loggedInputs, openedCommands } from '../support/command-hooks.js';
import { temporaryFolder } from '../support/engine.js';
import { findProcesses } from '../support/process-scan.js';
import { hookInput } from './inputs.js';

interface Setting {
  readonly input?: Partial<HookInput>;
  readonly env?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Fires an event for these hooks. */
async function fire(event: HookEvent, hooks: readonly CommandHook[], setting: Setting = {}) {
  const cwd = await temporaryFolder();
  const commands = openedCommands(hooks, cwd, { DIR: cwd, ...setting.env });
  const reports: HookEventReport[] = [];
  const late: string[] = [];
  const onLateFailure = ({ error }: { readonly error: string }) => late.push(error);
  const host = { ...createNodeHost(), onReport: (report: HookEventReport) => reports.push(report), onLateFailure };
  const runner = createHookRunner({}, host, commands.declared);
  const input = { ...hookInput(event), ...setting.input } as HookInput;
  const signal = setting.signal ?? new AbortController().signal;
  const startedAt = performance.now();
  const result = await runner.run(input, 'toolu_1', signal);
  const ms = performance.now() - startedAt;
  const read = (name: string) => (existsSync(path.join(cwd, name)) ? readFileSync(path.join(cwd, name), 'utf8') : null);
  const responses = reports.filter((report) => report.subtype === 'hook_response');
  return { result, reports, responses, cwd, read, commands, ms, late };
}

const one = (event: HookEvent, command: string, more: Partial<CommandHook> = {}, setting?: Setting) =>
  fire(event, [commandHook(event, command, more)], setting);

const REFUSABLE = [
  'PreToolUse',
  'PostToolUse',
  'PermissionRequest',
  'UserPromptSubmit',
  'Stop',
  'SubagentStop',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'TaskCreated',
  'TeammateIdle',
  'PostToolBatch',
  'UserPromptExpansion',
  'PreModelSwitch',
];

describe('a command of settings', () => {
  it.each(HOOK_EVENTS)('%s: reads the whole event on stdin, once', async (event) => {
    const { result, cwd } = await one(event, 'cat >> "$DIR/log"');
    expect(loggedInputs(path.join(cwd, 'log'))).toEqual([hookInput(event)]);
    expect(result.failures).toEqual([]);
  });

  it('shows what it printed to who watches, unless it says not to', async () => {
    const shown = async (answer: object) => {
      const { responses } = await one('Stop', `echo '${JSON.stringify(answer)}'`);
      return responses.map((each) => ('stdout' in each ? [each.output, each.stdout] : []));
    };
    expect(await shown({})).toEqual([['{}\n', '{}\n']]);
    expect(await shown({ suppressOutput: true })).toEqual([['', '']]);
  });

  it('WorktreeCreate: names what it made, by a line or in an answer', async () => {
    const answer = { hookSpecificOutput: { hookEventName: 'WorktreeCreate', worktreePath: '/b' } };
    for (const [command, made] of [
      ['echo /a', '/a'],
      [`echo '${JSON.stringify(answer)}'`, '/b'],
      ['exit 0', null],
    ] as const)
      expect((await one('WorktreeCreate', command)).result.worktreePath).toBe(made);
  });

  it.each(HOOK_EVENTS)(
    '%s: the exit code 2 refuses where the event can be refused, else it is a failure',
    async (event) => {
      const { result, responses } = await one(event, 'echo ignored; echo "not now" >&2; exit 2');
      const isRefused = result.block?.reason === 'not now';
      expect(isRefused).toBe(REFUSABLE.includes(event));
      expect(result.failures.map(({ error }) => error)).toEqual(
        isRefused ? [] : [`its exit code 2 refuses, and ${event} cannot be refused: not now`],
      );
      expect(responses).toMatchObject([{ outcome: 'error', exit_code: 2, stdout: 'ignored\n', stderr: 'not now\n' }]);
      if (event === 'PreToolUse') expect(result.permission).toEqual({ behavior: 'deny', reason: 'not now' });
      if (event === 'PermissionRequest') expect(result.request).toEqual({ behavior: 'deny', message: 'not now' });
      if (event === 'Elicitation') expect(result.elicitation).toEqual({ action: 'decline' });
    },
  );

  it('a JSON object on stdout is the answer, as of a hook given as code', async () => {
    const answer = {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'ask',
        permissionDecisionReason: 'look first',
        updatedInput: { command: 'ls' },
        additionalContext: 'it is Monday',
      },
      systemMessage: 'hello',
    };
    const { result, responses } = await one('PreToolUse', `printf '%s' '${JSON.stringify(answer, null, 1)}'`);
    expect(result).toMatchObject({
      permission: { behavior: 'ask', reason: 'look first' },
      updatedInput: { command: 'ls' },
      additionalContext: ['it is Monday'],
      systemMessages: ['hello'],
      failures: [],
    });
    expect(responses).toMatchObject([{ outcome: 'success', exit_code: 0 }]);
  });

  it.each(HOOK_EVENTS)(
    '%s: other text is context only where it can be meant so, and is told in any case',
    async (event) => {
      const { result, responses } = await one(event, 'echo "it is Monday"; echo why >&2', { onFailure: 'continue' });
      const isContext = event === 'SessionStart' || event === 'UserPromptSubmit';
      expect(result.additionalContext).toEqual(isContext ? ['it is Monday'] : []);
      expect(result.failures).toEqual([]);
      expect(responses).toMatchObject([
        { outcome: 'success', exit_code: 0, output: 'it is Monday\n', stdout: 'it is Monday\n', stderr: 'why\n' },
      ]);
    },
  );

  it.each([
    ['an exit code', 'echo broken >&2; exit 3', 'its exit code was 3: broken'],
    ['a program that is not there', './no-such-program', 'its exit code was 127: '],
    ['a signal', 'kill -9 $$', 'it was ended by SIGKILL'],
    ['JSON that is none', 'echo "{\\"decision\\": "', 'what it printed begins as JSON and is not valid JSON: '],
    [
      'another answer than there can be',
      'echo "{\\"decision\\": 7}"',
      'decision must be "approve" or "block" or "deny"',
    ],
    ['10 MB', 'head -c 10000000 /dev/zero', 'it printed 10000000 bytes on stdout, more than 1048576'],
    ['10 MB of complaints', 'head -c 10000000 /dev/zero >&2', 'it printed 10000000 bytes on stderr, more than 65536'],
  ])('%s is a failure, and refuses where that was asked for', async (_name, command, why) => {
    const open = await one('PreToolUse', command);
    expect(open.result.failures).toMatchObject([{ error: expect.stringContaining(why) }]);
    expect(open.result.permission).toBeNull();
    expect(open.responses).toMatchObject([{ outcome: 'error' }]);
    const guarded = await one('PreToolUse', command, { onFailure: 'block' });
    expect(guarded.result.permission).toMatchObject({ behavior: 'deny', reason: expect.stringContaining(why) });
  });

  it('an exit code 2 refuses whatever else it printed', async () => {
    const { result } = await one('PreToolUse', 'head -c 200000 /dev/zero | tr "\\0" x >&2; echo "{"; exit 2');
    expect(result.permission?.behavior).toBe('deny');
    expect(result.permission?.reason).toContain('[Cut here: 65536 characters in all.]');
    expect(result.failures).toEqual([]);
  });

  it('an exit code 0 without a word is an answer, also of a guard', async () => {
    const { result } = await one('PreToolUse', 'true', { onFailure: 'block' });
    expect(result).toMatchObject({ permission: null, block: null, failures: [] });
  });

  it('what it prints for the model is bounded, and says so', async () => {
    const { result } = await one('SessionStart', 'head -c 100000 /dev/zero | tr "\\0" x');
    expect(result.additionalContext[0]).toMatch(/^x{32000}\n\[Cut here: 100000 characters in all\.\]$/);
    const json = '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"';
    const nested = await one('SessionStart', `printf '${json}'; head -c 100000 /dev/zero | tr "\\0" x; printf '"}}'`);
    expect(nested.result.additionalContext[0]).toMatch(/^x{32000}\n\[Cut here: /);
  });

  it('need not read its input, however much it is', async () => {
    const input = { tool_input: { command: 'x'.repeat(5_000_000) } } as Partial<HookInput>;
    const { result, ms } = await one('PreToolUse', 'exec true', {}, { input });
    expect(result.failures).toEqual([]);
    expect(ms).toBeLessThan(30_000);
    const counted = await one('PreToolUse', 'wc -c > "$DIR/size"', {}, { input });
    expect(Number(counted.read('size'))).toBeGreaterThan(5_000_000);
  });

  it('is not given more than can be meant, nor what is no JSON', async () => {
    const large = { tool_input: { command: 'x'.repeat(17_000_000) } } as Partial<HookInput>;
    const { result, read } = await one('PreToolUse', 'touch "$DIR/ran"', { onFailure: 'block' }, { input: large });
    expect(result.permission?.reason).toContain('more than 16777216');
    expect(read('ran')).toBeNull();
    const round: Record<string, unknown> = {};
    round['self'] = round;
    const circle = await one('PreToolUse', 'true', {}, { input: { tool_input: round } as Partial<HookInput> });
    expect(circle.result.failures).toMatchObject([{ error: expect.stringContaining('it was not started') }]);
  });

  it('costs its timeout and no more, and nothing of it is left', async () => {
    const word = `hook-${process.pid}-late`;
    const command = `trap '' TERM; (exec -a ${word} sleep 60) & exec -a ${word} sleep 60`;
    const { result, ms, commands } = await one('PreToolUse', command, { timeoutMs: 300 });
    expect(result.failures).toMatchObject([{ error: 'it did not answer within 0.3 s' }]);
    expect(ms).toBeGreaterThan(290);
    expect(ms).toBeLessThan(30_000);
    await commands.close();
    expect(findProcesses(word)).toEqual([]);
  });

  it('an abort ends it, and what it started, before anybody goes on', async () => {
    const word = `hook-${process.pid}-abort`;
    const abort = new AbortController();
    const cwd = await temporaryFolder();
    const started = path.join(cwd, 'started');
    const running = one(
      'PreToolUse',
      `trap '' TERM; (setsid bash -c 'exec -a ${word} sleep 60' &) ; touch ${started}; exec -a ${word} sleep 60`,
      { onFailure: 'block' },
      { signal: abort.signal },
    );
    while (!existsSync(started)) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    const { result, responses } = await running;
    expect(findProcesses(word)).toEqual([]);
    expect(result.failures).toEqual([]);
    expect(result.permission?.behavior).toBe('deny');
    expect(responses).toMatchObject([{ outcome: 'cancelled' }]);
  });

  it('knows where the project is, and none of the credentials of models', async () => {
    const env = {
      ANTHROPIC_API_KEY: 'sk-ant-secret-value',
      COPY: 'sk-ant-secret-value',
      OPENAI_API_KEY: 'o',
      MINE: '1',
    };
    const { read } = await one(
      'Stop',
      'env > "$DIR/env"; pwd > "$DIR/pwd"',
      { projectFolder: '/some/project' },
      { env },
    );
    const lines = (read('env') ?? '').split('\n');
    for (const name of ['TURNWRIGHT', 'CLAUDE', 'QODER']) expect(lines).toContain(`${name}_PROJECT_DIR=/some/project`);
    expect(lines).toContain('MINE=1');
    expect(lines).toContain('GIT_TERMINAL_PROMPT=0');
    expect(read('env')).not.toContain('secret-value');
    expect(read('env')).not.toContain('OPENAI_API_KEY');
    expect(read('pwd')?.trim()).not.toBe('');
  });

  it('no file of the user is run before it, by no shell', async () => {
    const home = await temporaryFolder();
    await writeFile(path.join(home, '.bashrc'), `touch '${home}/ran'; echo from the file of the user`);
    for (const SHLVL of ['0', '1']) {
      const { responses } = await one(
        'Stop',
        `bash -c 'echo one'; sh -c "bash -c 'echo two'"`,
        {},
        { env: { HOME: home, SHLVL } },
      );
      expect(responses).toMatchObject([{ stdout: 'one\ntwo\n', exit_code: 0 }]);
    }
    expect(existsSync(path.join(home, 'ran'))).toBe(false);
  });

  it('is told as it starts and as it ends', async () => {
    const { reports } = await one('PreToolUse', 'echo "{}"', { statusMessage: 'Looking at it' });
    expect(reports).toMatchObject([
      { subtype: 'hook_started', hook_event: 'PreToolUse', status_message: 'Looking at it' },
      { subtype: 'hook_progress', stdout: '{}\n', stderr: '', output: '{}\n' },
      {
        subtype: 'hook_response',
        hook_event: 'PreToolUse',
        stdout: '{}\n',
        stderr: '',
        exit_code: 0,
        outcome: 'success',
      },
    ]);
    expect(new Set(reports.map(({ hook_id: id }) => id)).size).toBe(1);
  });
});

describe('several commands', () => {
  const says = (reason: string) => `echo "{\\"decision\\":\\"block\\",\\"reason\\":\\"${reason}\\"}"`;

  it('run at the same time, and are merged in declared order', async () => {
    // Each waits for the other.
    const meet = (own: string, other: string) =>
      `touch "$DIR/${own}"; until [ -e "$DIR/${other}" ]; do sleep 0.01; done; ${says(own)}`;
    const hooks = [commandHook('Stop', `${meet('a', 'b')}; sleep 0.05`), commandHook('Stop', meet('b', 'a'))];
    expect((await fire('Stop', hooks)).result.block?.reason).toBe('a\nb');
  });

  it('the same command runs once, as strict as the strictest; in another folder or beside, it is another', async () => {
    const command = 'echo x >> "$DIR/log"; exit 3';
    const hooks = [
      commandHook('PreToolUse', command, { label: 'first' }),
      commandHook('PreToolUse', command, { label: 'second', onFailure: 'block' }),
      commandHook('PreToolUse', command, { label: 'third', matcher: 'Other' }),
    ];
    const { result, read } = await fire('PreToolUse', hooks, { input: { tool_name: 'Bash' } as Partial<HookInput> });
    expect(read('log')).toBe('x\n');
    expect(result.failures).toMatchObject([{ hook: 'first' }]);
    expect(result.permission?.behavior).toBe('deny');
    const elsewhere = hooks.slice(0, 2).map((hook, at) => ({ ...hook, projectFolder: `/${at}` }));
    expect((await fire('PreToolUse', elsewhere)).read('log')).toBe('x\nx\n');
  });

  it('those with async are not waited for, have no say, and end with the session', async () => {
    const word = `hook-${process.pid}-aside`;
    const command = `${says('no')}; touch "$DIR/here"; exec -a ${word} sleep 60`;
    const { result, ms, commands, cwd, responses } = await one('Stop', command, { isAsync: true });
    expect(result).toMatchObject({ block: null, failures: [] });
    expect(ms).toBeLessThan(30_000);
    while (!existsSync(path.join(cwd, 'here'))) await new Promise((resolve) => setImmediate(resolve));
    expect(findProcesses(word).length).toBeGreaterThan(0);
    await commands.close();
    expect(findProcesses(word)).toEqual([]);
    expect(responses).toEqual([]);
  });

  it('the failure of one with async is told', async () => {
    const { late, commands, cwd } = await one('Stop', 'echo oh >&2; exit 3', { isAsync: true });
    while (late.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(late).toEqual(['its exit code was 3: oh']);
    await commands.close();
    expect(cwd).not.toBe('');
  });

  it('are many without a warning of Node', async () => {
    const warnings: string[] = [];
    const listen = ({ message }: Error) => warnings.push(message);
    process.on('warning', listen);
    const hooks = Array.from({ length: 30 }, (_, at) => commandHook('Stop', `exit $((${at} % 2 * 2))`));
    const { result } = await fire('Stop', [...hooks, ...hooks.map((hook) => ({ ...hook, isAsync: true }))]);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(result.block).not.toBeNull();
    expect(warnings).toEqual([]);
  });

  it('come before hooks given as code, so that the last word is with the host', async () => {
    const answer = { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'of the command' } };
    const commands = openedCommands([commandHook('PostToolUse', `echo '${JSON.stringify(answer)}'`)], '/');
    const code = async () => ({
      hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'of the host' },
    });
    const runner = createHookRunner({ PostToolUse: [{ hooks: [code] }] }, createNodeHost(), commands.declared);
    const signal = new AbortController().signal;
    expect((await runner.run(hookInput('PostToolUse'), undefined, signal)).updatedToolOutput).toBe('of the host');
  });
});
