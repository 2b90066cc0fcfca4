// Hooks of settings in sessions: each fires exactly once where a hook given as code does, files of a project only run as
// they were trusted, and a change of settings changes them.
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import { ModelError, ToolError } from '../../../src/protocol/errors.js';
import { HOOK_EVENTS, type HookInput } from '../../../src/protocol/hooks.js';
import type { SDKMessage, SDKUserMessage } from '../../../src/protocol/messages.js';
import type { Settings } from '../../../src/protocol/settingsTypes.generated.js';
import { untrustedFolder } from '../../../src/sdk/faces/folder-trust.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import { changeConfiguration } from '../../../src/sdk/settings/config.js';
import type { QueryEngineConfig } from '../../../src/session/config/config.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { agentTool } from '../../../src/tools/agent.js';
import { commandHook, loggedInputs } from '../../support/command-hooks.js';
import { probeTool, temporaryFolder, testEngine } from '../../support/engine.js';
import { findProcesses } from '../../support/process-scan.js';

const probes = () => [
  probeTool(),
  probeTool({
    name: 'Failing',
    run: async () => {
      throw new ToolError('no luck');
    },
  }),
  probeTool({ name: 'Refused' }),
  agentTool,
];

/** Prompts with a command and a function for every event. What each heard, as `event:subject@agent`. */
async function heard(model: ScriptedModel, more: Partial<QueryEngineConfig> = {}, stop?: (abort: () => void) => void) {
  const folder = await temporaryFolder();
  const log = path.join(folder, 'log');
  const code: HookInput[] = [];
  const record = async (input: HookInput) => {
    code.push(input);
    return {};
  };
  const { engine } = await testEngine(model, {
    cwd: folder,
    tools: probes(),
    canUseTool: async (name) => (name === 'Refused' ? { behavior: 'deny', message: 'no' } : { behavior: 'allow' }),
    permissions: { mode: 'default', allow: [], ask: [], deny: [], roots: [folder] },
    hooks: Object.fromEntries(HOOK_EVENTS.map((event) => [event, [{ hooks: [record] }]])),
    commandHooks: HOOK_EVENTS.map((event) => commandHook(event, `cat >> '${log}'`)),
    ...more,
  });
  stop?.(() => engine.interrupt());
  const result = lastResult(await collect(engine.submitMessage('go')));
  await engine.close();
  return { commands: loggedInputs(log).map(named), code: code.map(named), result };
}

function named(input: HookInput): string {
  const subject = 'tool_name' in input ? `:${input.tool_name}` : '';
  return `${input.hook_event_name}${subject}${input.agent_id === undefined ? '' : '@agent'}`;
}

/** Nobody waits for it, so it may come later. */
const inOrder = (events: readonly string[]) => events.filter((event) => !event.startsWith('Notification'));

describe('every event', () => {
  const START = ['SessionStart', 'UserPromptSubmit'];
  const RAN = ['PreToolUse:Probe', 'PermissionRequest:Probe', 'PostToolUse:Probe'];
  const ANSWERED = ['MessageDisplay', 'Stop', 'SessionEnd'];
  const inAgent = (events: readonly string[]) => events.map((event) => `${event}@agent`);

  it.each<[string, () => ScriptedModel, Partial<QueryEngineConfig>, readonly string[]]>([
    ['of an answer', () => scriptedModel([text('ok')]), {}, [...START, ...ANSWERED]],
    [
      'of a call that works',
      () => scriptedModel([toolCall('Probe'), text('ok')]),
      {},
      [...START, ...RAN, 'PostToolBatch', ...ANSWERED],
    ],
    [
      'of a call that fails',
      () => scriptedModel([toolCall('Failing'), text('ok')]),
      {},
      [
        ...START,
        'PreToolUse:Failing',
        'PermissionRequest:Failing',
        'PostToolUseFailure:Failing',
        'PostToolBatch',
        ...ANSWERED,
      ],
    ],
    [
      'of a call that is denied',
      () => scriptedModel([toolCall('Refused'), text('ok')]),
      {},
      [
        ...START,
        'PreToolUse:Refused',
        'PermissionRequest:Refused',
        'PermissionDenied:Refused',
        'PostToolBatch',
        ...ANSWERED,
      ],
    ],
    [
      'of a model that fails',
      () => scriptedModel([{ error: new ModelError('authentication', 'no key', { status: 401 }) }]),
      {},
      [...START, 'StopFailure', 'SessionEnd'],
    ],
    [
      'of a prompt with no turn left',
      () => scriptedModel([toolCall('Probe'), text('never asked')]),
      { maxTurns: 1 },
      [...START, ...RAN, 'PostToolBatch', 'StopFailure', 'SessionEnd'],
    ],
    [
      'of a prompt that ends with a call',
      () => scriptedModel([toolCall('StructuredOutput', { n: 1 })]),
      { jsonSchema: { type: 'object', properties: { n: { type: 'integer' } } } },
      [...START, 'Stop', 'SessionEnd'],
    ],
    [
      'in a subagent',
      () =>
        scriptedModel([
          toolCall('Agent', { description: 'help', prompt: 'Help.' }),
          toolCall('Probe'),
          text('Helped.'),
          text('ok'),
        ]),
      {},
      [
        ...START,
        'PreToolUse:Agent',
        ...inAgent(['SubagentStart', ...RAN, 'PostToolBatch', 'MessageDisplay', 'SubagentStop']),
        'PostToolUse:Agent',
        'PostToolBatch',
        ...ANSWERED,
      ],
    ],
  ])('%s fires once for a command and once for a function, in this order', async (_name, model, more, expected) => {
    const { commands, code } = await heard(model(), more);
    expect(inOrder(code)).toEqual(expected);
    expect(inOrder(commands)).toEqual(expected);
    expect(commands.length).toBe(code.length);
  });

  it('of an interrupted call fires once, and Stop does not', async () => {
    let abort: () => void = () => undefined;
    const hanging = probeTool({
      run: (_input, signal) => {
        abort();
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
      },
    });
    const model = scriptedModel([toolCall('Probe'), text('never asked')]);
    const { commands, code, result } = await heard(model, { tools: [hanging] }, (given) => {
      abort = given;
    });
    const expected = [...START, ...RAN.slice(0, 2), 'PostToolUseFailure:Probe', 'SessionEnd'];
    expect(result.terminal_reason).toBe('aborted');
    expect(inOrder(code)).toEqual(expected);
    expect(inOrder(commands)).toEqual(expected);
  });

  it('an abort while a command runs leaves none of its processes, and the call does not run', async () => {
    const word = `hook-${process.pid}-session`;
    const folder = await temporaryFolder();
    const started = path.join(folder, 'started');
    const probe = probeTool();
    const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('never asked')]), {
      cwd: folder,
      tools: [probe],
      commandHooks: [
        commandHook(
          'PreToolUse',
          `trap '' TERM; (setsid bash -c 'exec -a ${word} sleep 60' &); touch '${started}'; exec -a ${word} sleep 60`,
        ),
      ],
    });
    const ending = collect(engine.submitMessage('go'));
    while (!existsSync(started)) await new Promise((resolve) => setImmediate(resolve));
    engine.interrupt();
    expect(lastResult(await ending).terminal_reason).toBe('aborted');
    expect(findProcesses(word)).toEqual([]);
    expect(probe.runs).toEqual([]);
  });
});

/** A folder with settings, a home of its own, and sessions in it. */
async function project() {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  const machine = createNodeHost({
    env: { PATH: process.env['PATH'], TURNWRIGHT_HOME: home, ANTHROPIC_API_KEY: 'sk-ant-0123456789' },
  });
  const host = { ...machine, platform: { ...machine.platform, homedir: home } };
  const write = (name: string, content: string | Settings) => {
    const file = path.resolve(cwd, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  };
  const read = (name: string) => (existsSync(path.join(cwd, name)) ? readFileSync(path.join(cwd, name), 'utf8') : '');
  const options = (model: ScriptedModel, more: Options = {}): Options => ({
    provider: model,
    cwd,
    host,
    persistSession: false,
    ...more,
  });
  const run = async (more: Options = {}, model = scriptedModel(() => text('ok'))) => {
    const messages = await collect(query({ prompt: 'go', options: options(model, more) }));
    return { messages, told: notices(messages), result: lastResult(messages), model };
  };
  const trust = async () => {
    const folder = await untrustedFolder(host, cwd, {});
    await folder?.trust();
    return folder;
  };
  return { cwd, home, host, write, read, run, trust, options };
}

const notices = (messages: readonly SDKMessage[]) =>
  messages.flatMap((each) =>
    each.type === 'system' && each.subtype === 'notice' ? [`${each.code}: ${each.message}`] : [],
  );

const stop = (...commands: readonly string[]): Settings => ({
  hooks: { Stop: [{ hooks: commands.map((command) => ({ type: 'command', command })) }] },
});

describe('hooks in files', () => {
  it.each(['.turnwright/settings.json', '.claude/settings.json', '.qoder/settings.local.json'])(
    'of %s run where the host vouches for the folder, or the user, as they stand',
    async (file) => {
      const { write, read, run, trust } = await project();
      write(file, stop('"$CLAUDE_PROJECT_DIR"/hooks/check.sh'));
      write('hooks/check.sh', 'echo 1 >> ran');
      const inert = await run();
      expect(inert.told).toEqual([expect.stringMatching(/^folder_not_trusted: .*hooks\.Stop/)]);
      expect(read('ran')).toBe('');
      await run({ settingSources: ['project', 'local'] });
      expect(read('ran')).toBe(''); // no right to run it
      write(file, stop('sh "$CLAUDE_PROJECT_DIR"/hooks/check.sh'));
      await run({ settingSources: ['project', 'local'] });
      expect(read('ran')).toBe('1\n');
      expect((await trust())?.settings).toMatchObject([{ key: 'hooks.Stop', files: ['hooks/check.sh'] }]);
      expect((await run()).told).toEqual([]);
      expect(read('ran')).toBe('1\n1\n');
    },
  );

  it.each([
    [
      'its own text',
      (write: (name: string, content: string | Settings) => void) =>
        write('.claude/settings.json', stop('sh hooks/check.sh ')),
    ],
    [
      'one byte of its script',
      (write: (name: string, content: string | Settings) => void) => write('hooks/check.sh', 'echo 2 >> ran'),
    ],
  ])('%s changed: it does not run, and is asked about again', async (_what, change) => {
    const { write, read, run, trust } = await project();
    write('.claude/settings.json', stop('sh hooks/check.sh'));
    write('hooks/check.sh', 'echo 1 >> ran');
    await trust();
    await run();
    expect(read('ran')).toBe('1\n');
    change(write);
    expect((await run()).told).toEqual([expect.stringMatching(/^folder_not_trusted/)]);
    expect(read('ran')).toBe('1\n');
    expect(await trust()).not.toBeNull();
    await run();
    expect(read('ran')).not.toBe('1\n');
  });

  it('an address or a prompt of a project acts as it was trusted, and as nothing else', async () => {
    const { write, run, trust } = await project();
    const hooks = (prompt: string): Settings => ({ hooks: { Stop: [{ hooks: [{ type: 'prompt', prompt }] }] } });
    write('.claude/settings.json', hooks('Is it done?'));
    const asked = async () =>
      (
        await run(
          {},
          scriptedModel(() => text('{"ok": true}')),
        )
      ).model.requests.length;
    expect(await asked()).toBe(1);
    expect((await trust())?.settings).toMatchObject([{ value: { hooks: [{ prompt: 'Is it done?' }] } }]);
    expect(await asked()).toBe(2);
    write('.claude/settings.json', hooks('Is it done well?'));
    expect(await asked()).toBe(1);
  });

  it('a script that changes while the session runs is not run, and a guard then refuses', async () => {
    const { write, read, run, trust } = await project();
    const hook = { type: 'command', command: 'sh hooks/check.sh', onFailure: 'block' } as const;
    write('.claude/settings.json', { hooks: { PreToolUse: [{ matcher: 'Read', hooks: [hook] }] } });
    write('hooks/check.sh', 'echo 1 >> ran');
    write('a.txt', 'content');
    await trust();
    const model = scriptedModel([
      toolCall('Read', { file_path: 'a.txt' }),
      () => {
        write('hooks/check.sh', 'echo 2 >> ran');
        return toolCall('Read', { file_path: 'a.txt' });
      },
      text('ok'),
    ]);
    const { told, result } = await run({}, model);
    expect(read('ran')).toBe('1\n');
    expect(told).toEqual([expect.stringContaining('what it names is not as it was trusted (hooks/check.sh)')]);
    expect(result.permission_denials).toHaveLength(1);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('not as it was trusted');
  });

  it('a script that is too large to be watched is never trusted by the user, which is told', async () => {
    const { cwd, host, write, read, run, trust } = await project();
    write('.claude/settings.json', stop('sh hooks/check.sh'));
    write('hooks/check.sh', 'echo 1 >> ran\nexit\n');
    truncateSync(path.join(cwd, 'hooks/check.sh'), 33 * 1024 * 1024);
    expect(await trust()).toBeNull();
    expect((await run()).told).toEqual([
      expect.stringMatching(
        /^settings_refused: .*hooks\.Stop does not count: .* watched for changes \(hooks\/check\.sh\)/,
      ),
    ]);
    await changeConfiguration(
      { host, cwd },
      'project',
      'hooks.Stop',
      JSON.stringify(stop('sh hooks/check.sh').hooks?.['Stop']),
    );
    expect((await run()).told).toHaveLength(2); // trusted as it was written, and not watched all the same
    expect(read('ran')).toBe('');
    await run({ settingSources: ['project'] });
    expect(read('ran')).toBe('1\n');
  });

  it('if the host vouches for the folder, files may change', async () => {
    const { write, read, run } = await project();
    write('.claude/settings.json', stop('sh hooks/check.sh'));
    write('hooks/check.sh', 'echo 1 >> ran');
    const model = scriptedModel(() => {
      write('hooks/check.sh', 'echo 2 >> ran');
      return text('ok');
    });
    expect((await run({ settingSources: ['project'] }, model)).told).toEqual([]);
    expect(read('ran')).toBe('2\n');
  });

  it('come in order of their source, and know the folder of their file', async () => {
    const { home, write, run } = await project();
    const say = (word: string): Settings => ({
      hooks: {
        UserPromptSubmit: [
          { hooks: [{ type: 'command', command: `echo ${word} $(basename "$TURNWRIGHT_PROJECT_DIR")` }] },
        ],
      },
    });
    write(path.join(home, 'settings.json'), say('user'));
    write('.claude/settings.json', say('project'));
    write('.turnwright/settings.json', say('stronger'));
    write('.claude/settings.local.json', say('local'));
    const code = async () => ({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'code' } });
    const { model } = await run({
      settingSources: ['user', 'project', 'local'],
      managedSettings: say('managed'),
      settings: say('flag'),
      hooks: { UserPromptSubmit: [{ hooks: [code] }] },
    });
    const read = JSON.stringify(model.requests[0]?.messages);
    expect([...read.matchAll(/hook\\">\\n(\w+)/g)].map(([, word]) => word)).toEqual([
      'managed',
      'user',
      'project',
      'stronger',
      'local',
      'flag',
      'code',
    ]);
  });

  it('what cannot be used is told with its place, and what stands beside it runs', async () => {
    const { write, read, run } = await project();
    const hooks = {
      Stop: [
        {
          hooks: [
            { type: 'watch', prompt: 'Is it done?' },
            { type: 'command', command: 'echo 1 >> ran' },
            { type: 'http', url: 'ftp://example.com' },
            { type: 'http', url: 'http://127.0.0.1:1' },
            { type: 'mcp_tool', server: 'a' },
          ],
        },
      ],
      PreToolUse: [{ matcher: '(', hooks: [{ type: 'command', command: 'true' }] }],
      SessionEnd: [{ hooks: [{ type: 'command', command: 'true', onFailure: 'block' }] }],
      PreToolUze: [{ hooks: [{ type: 'command', command: 'true' }] }],
    } as unknown as NonNullable<Settings['hooks']>;
    write('.claude/settings.json', { hooks });
    const { told } = await run({ settingSources: ['project'] });
    expect(read('ran')).toBe('1\n');
    const whole = told.join('\n');
    expect(whole).toContain('hooks.Stop[0].hooks[0]');
    expect(whole).toContain('hooks.Stop[0].hooks[1] does not run: its url cannot be used: ftp: is not http or https');
    expect(whole).toContain('Stop[0].hooks[2] (.claude/settings.json) failed: 127.0.0.1 is not fetched');
    expect(whole).toContain('hooks.Stop[0].hooks[4]');
    expect(whole).toContain('hooks.PreToolUse[0].hooks[0] does not run: its matcher "("');
    expect(whole).toContain('hooks.SessionEnd[0].hooks[0] does not run: onFailure is "block", but');
    expect(whole).toContain('hooks.PreToolUze is not known. Did you mean hooks.PreToolUse?');
    expect(told).toHaveLength(7);
  });

  it.each<[string, object, string]>([
    ['value', { onFailure: 'blok' }, 'onFailure is a text; expected continue | block; it counts as the strictest'],
    ['kind of value', { onFailure: true }, 'onFailure is true; expected continue | block; it counts as the strictest'],
    ['name', { on_failure: 'block' }, 'on_failure is not known. Did you mean hooks.PreToolUse[0].hooks[0].onFailure?'],
    ['name and value', { onfailure: 'deny' }, 'onfailure is a text; expected continue | block; it counts as the'],
  ])('a guard whose onFailure has a misspelt %s refuses where it fails, and that is told', async (_, said, why) => {
    const { write, run } = await project();
    const guard = { type: 'command', command: 'exit 1', ...said };
    write('.claude/settings.json', { hooks: { PreToolUse: [{ hooks: [guard] }] } } as unknown as Settings);
    write('a.txt', 'content');
    const model = scriptedModel([toolCall('Read', { file_path: 'a.txt' }), text('ok')]);
    const { told, result } = await run({ settingSources: ['project'] }, model);
    expect(result.permission_denials).toHaveLength(1);
    expect(told).toContainEqual(expect.stringContaining(why));
  });

  it.each<[string, object]>([
    ['rightly spelt under a misspelt name', { onfailure: 'continue' }],
    ['given beside a misspelt one', { onFailure: 'continue', onfailure: 'block' }],
  ])('a hook whose "continue" is %s lets things go on', async (_, said) => {
    const { write, run } = await project();
    const hook = { type: 'command', command: 'exit 1', ...said };
    write('.claude/settings.json', { hooks: { PreToolUse: [{ hooks: [hook] }] } } as unknown as Settings);
    write('a.txt', 'content');
    const model = scriptedModel([toolCall('Read', { file_path: 'a.txt' }), text('ok')]);
    const { told, result } = await run({ settingSources: ['project'] }, model);
    expect(result.permission_denials).toEqual([]);
    expect(told).toEqual([expect.stringContaining('onfailure is not known'), expect.stringMatching(/^hook_failed/)]);
  });

  it.each<[string, string, object]>([
    ['of an event that nothing refuses', 'SessionStart', {}],
    ['that is not waited for', 'Stop', { async: true }],
  ])('a hook %s runs with a misspelt onFailure too', async (_, event, more) => {
    const { write, options } = await project();
    const hook = { type: 'command', command: 'true', onFailure: 'blok', ...more };
    write('.claude/settings.json', { hooks: { [event]: [{ hooks: [hook] }] } } as unknown as Settings);
    const asked = options(scriptedModel([text('ok')]), { settingSources: ['project'], includeHookEvents: true });
    const messages = await collect(query({ prompt: 'go', options: asked }));
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'hook_started', hook_event: event }));
    expect(notices(messages)).toEqual([expect.stringContaining('onFailure is a text')]);
  });

  it('of one event there are 50 at most', async () => {
    const { read, run } = await project();
    const { told } = await run({ settings: stop(...Array.from({ length: 52 }, (_, at) => `echo ${at} >> ran`)) });
    expect(told).toEqual([
      expect.stringContaining('hooks.Stop[0].hooks[50] does not run: there are more than 50 hooks for Stop'),
      expect.stringContaining('hooks.Stop[0].hooks[51] does not run: there are more than 50 hooks for Stop'),
    ]);
    expect(read('ran').trim().split('\n')).toHaveLength(50);
  });

  it.each<[string, readonly string[], (name: string) => Settings]>([
    ['managed settings', ['code'], (name) => (name === 'managed' ? { disableAllHooks: true } : {})],
    ['the user', ['managed', 'code'], (name) => (name === 'user' ? { disableAllHooks: true } : {})],
    ['the option settings', ['managed', 'code'], (name) => (name === 'flag' ? { disableAllHooks: true } : {})],
    [
      'the project: its own',
      ['managed', 'user', 'flag', 'code'],
      (name) => (name === 'project' ? { disableAllHooks: true } : {}),
    ],
    [
      'managed settings: all but theirs',
      ['managed', 'code'],
      (name) => (name === 'managed' ? { allowManagedHooksOnly: true } : {}),
    ],
    [
      'nobody: a project has no managed key',
      ['managed', 'user', 'project', 'flag', 'code'],
      (name) => (name === 'project' ? { allowManagedHooksOnly: true } : {}),
    ],
  ])('%s may turn hooks off', async (_who, left, extra) => {
    const { home, write, read, run } = await project();
    const say = (word: string): Settings => ({ ...stop(`echo ${word} >> '${'ran'}'`), ...extra(word) });
    write(path.join(home, 'settings.json'), say('user'));
    write('.claude/settings.json', say('project'));
    const code = async () => {
      write('code', 'ran');
      return {};
    };
    await run({
      settingSources: ['user', 'project'],
      managedSettings: say('managed'),
      settings: say('flag'),
      hooks: { Stop: [{ hooks: [code] }] },
    });
    const ran = [
      ...read('ran')
        .trim()
        .split('\n')
        .filter((line) => line !== ''),
      ...(read('code') === '' ? [] : ['code']),
    ];
    expect(ran.sort()).toEqual([...left].sort());
  });

  it('a folder that nobody trusts turns no hook of the user off', async () => {
    const { home, write, read, run } = await project();
    write(path.join(home, 'settings.json'), stop('echo user >> ran'));
    write('.claude/settings.json', { disableAllHooks: true });
    expect((await run()).told).toEqual([]);
    expect(read('ran')).toBe('user\n');
  });

  it('no credential reaches one, and no secret that one prints reaches the model', async () => {
    const { run, read } = await project();
    const secret = `ghp_${'Ab3dE6gH9jK2mN5pQ8rT1vW4xY7z'}${'Z0aB1cD2'}`;
    const { model } = await run({
      settings: {
        hooks: {
          UserPromptSubmit: [{ hooks: [{ type: 'command', command: `env > seen; echo "the token is ${secret}"` }] }],
        },
      },
    });
    expect(read('seen')).toContain('TURNWRIGHT_PROJECT_DIR=');
    expect(read('seen')).not.toContain('sk-ant-0123456789');
    const asked = JSON.stringify(model.requests[0]?.messages);
    expect(asked).toContain('the token is {secret:');
    expect(asked).not.toContain(secret);
  });
});

/** A session whose prompts are sent one by one. */
function conversation(options: Options) {
  const waiting: ((message: SDKUserMessage | null) => void)[] = [];
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (;;) {
      const next = await new Promise<SDKUserMessage | null>((resolve) => waiting.push(resolve));
      if (next === null) return;
      yield next;
    }
  }
  const session = query({ prompt: prompts(), options });
  const say = async (content: string): Promise<SDKMessage[]> => {
    const messages: SDKMessage[] = [];
    const reading = (async () => {
      for (;;) {
        const { value, done } = await session.next();
        if (done) return;
        messages.push(value);
        if (value.type === 'result') return;
      }
    })();
    let send = waiting.shift();
    for (; send === undefined; send = waiting.shift()) await new Promise((resolve) => setImmediate(resolve));
    send({ type: 'user', parent_tool_use_id: null, message: { role: 'user', content } });
    await reading;
    return messages;
  };
  return { say, end: () => session.close() };
}

describe('hooks of settings that change', () => {
  it('come, change and go with the next prompt, and ConfigChange hears of it', async () => {
    const { home, write, read, options } = await project();
    const heardOf: string[] = [];
    const listen = async (input: HookInput) => {
      if (input.hook_event_name === 'ConfigChange') heardOf.push(input.source);
      return {};
    };
    const file = path.join(home, 'settings.json');
    const model = scriptedModel(() => text('ok'));
    const { say, end } = conversation(options(model, { hooks: { ConfigChange: [{ hooks: [listen] }] } }));
    await say('one');
    write(file, stop('echo a >> ran'));
    expect(notices(await say('two'))).toEqual(['settings_changed: Settings changed, from this prompt on: hooks.Stop.']);
    expect(read('ran')).toBe('a\n');
    write(file, stop('echo b >> ran'));
    await say('three');
    expect(read('ran')).toBe('a\nb\n');
    write(file, {});
    await say('four');
    expect(read('ran')).toBe('a\nb\n');
    expect(heardOf).toEqual(['user_settings', 'user_settings', 'user_settings']);
    end();
  });

  it('within a prompt they stay as they were', async () => {
    const { home, write, read, options } = await project();
    const file = path.join(home, 'settings.json');
    write(file, stop('echo a >> ran'));
    write('x.txt', 'x');
    const model = scriptedModel([
      () => {
        write(file, stop('echo b >> ran'));
        return toolCall('Read', { file_path: 'x.txt' });
      },
      text('ok'),
      text('ok'),
    ]);
    const { say, end } = conversation(options(model));
    expect(notices(await say('one'))).toEqual([
      'settings_changed: Settings changed, from the next prompt on: hooks.Stop.',
    ]);
    expect(read('ran')).toBe('a\n');
    await say('two');
    expect(read('ran')).toBe('a\nb\n');
    end();
  });

  it('a command objects by its exit code, and its settings stay', async () => {
    const { home, write, read, options } = await project();
    const file = path.join(home, 'settings.json');
    const guard = { ConfigChange: [{ hooks: [{ type: 'command' as const, command: 'echo "not now" >&2; exit 2' }] }] };
    write(file, { hooks: guard });
    const { say, end } = conversation(options(scriptedModel(() => text('ok'))));
    await say('one');
    write(file, stop('echo a >> ran'));
    expect(notices(await say('two'))[0]).toContain('A hook objected, so these settings stay as they were');
    expect(read('ran')).toBe('');
    end();
  });

  it('a hook of Notification that nobody waits for does not hold the end of the session up', async () => {
    const word = `hook-${process.pid}-notice`;
    const folder = await temporaryFolder();
    const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('ok')]), {
      cwd: folder,
      tools: probes(),
      canUseTool: async () => {
        while (findProcesses(word).length === 0) await new Promise((resolve) => setImmediate(resolve));
        return { behavior: 'allow' };
      },
      permissions: { mode: 'default', allow: [], ask: [], deny: [], roots: [folder] },
      commandHooks: [commandHook('Notification', `exec -a ${word} sleep 90`)],
    });
    await collect(engine.submitMessage('go'));
    const startedAt = performance.now();
    await engine.close();
    expect(performance.now() - startedAt).toBeLessThan(45_000);
    expect(findProcesses(word)).toEqual([]);
  });

  it('a hook of Notification outlasts the prompt that it tells of', async () => {
    const folder = await temporaryFolder();
    const at = (name: string) => path.join(folder, name);
    const thereIs = async (name: string) => {
      while (!existsSync(at(name))) await new Promise((resolve) => setImmediate(resolve));
    };
    const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('ok')]), {
      cwd: folder,
      tools: probes(),
      canUseTool: async () => {
        await thereIs('begun');
        return { behavior: 'allow' };
      },
      permissions: { mode: 'default', allow: [], ask: [], deny: [], roots: [folder] },
      commandHooks: [
        commandHook('Notification', 'touch begun; until [ -e answered ]; do sleep 0.05; done; touch shown'),
      ],
    });
    await collect(engine.submitMessage('go'));
    writeFileSync(at('answered'), '');
    await thereIs('shown');
    await engine.close();
  });

  it('a hook of Notification is ended by its own time, after the prompt too, and that is told with a later one', async () => {
    const word = `hook-${process.pid}-late`;
    const model = scriptedModel(() => (model.requests.length === 1 ? toolCall('Probe') : text('ok')));
    const { engine } = await testEngine(model, {
      tools: probes(),
      canUseTool: async () => ({ behavior: 'allow' }),
      commandHooks: [commandHook('Notification', `exec -a ${word} sleep 60`, { timeoutMs: 300 })],
    });
    let told = notices(await collect(engine.submitMessage('go')));
    while (told.length === 0) told = notices(await collect(engine.submitMessage('and?')));
    expect(told).toEqual([expect.stringMatching(/^hook_failed: .*did not answer within 0\.3 s/)]);
    while (findProcesses(word).length > 0) await new Promise((resolve) => setImmediate(resolve));
    await engine.close();
  });

  it('a hook with async that still runs ends with the session', async () => {
    const { read, cwd, options } = await project();
    const word = `hook-${process.pid}-ends`;
    const command = `touch here; exec -a ${word} sleep 60`;
    const settings: Settings = {
      hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command, async: true }] }] },
    };
    const model = scriptedModel(async () => {
      while (!existsSync(path.join(cwd, 'here'))) await new Promise((resolve) => setImmediate(resolve));
      return text('ok');
    });
    const result = lastResult(await collect(query({ prompt: 'go', options: options(model, { settings }) })));
    expect(result.subtype).toBe('success');
    expect(read('here')).toBe('');
    expect(findProcesses(word)).toEqual([]);
  });
});
