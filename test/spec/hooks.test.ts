// The hook events that fire today: each with the input fields of spec 004, and what their answers change.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { getCommands } from '../../src/context/slash-commands.js';
import { ModelError, ToolError } from '../../src/protocol/errors.js';
import { HOOK_EVENTS, type HookEvent, type HookInput, type HookJSONOutput } from '../../src/protocol/hooks.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { agentTool } from '../../src/tools/agent.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';
import { missingFields } from './spec-names.js';

const FIRED = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionDenied',
  'Stop',
  'PreCompact',
  'PostCompact',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'SessionEnd',
  'Notification',
  'Elicitation',
  'ElicitationResult',
  'InstructionsLoaded',
  'ConfigChange',
  'PostToolBatch',
  'UserPromptExpansion',
  'PreModelSwitch',
  'PostModelSwitch',
  'DirectoryAdded',
  'MessageDisplay',
] as const satisfies readonly HookEvent[];
/** Fired by tools of their own: test/session/working-directory.test.ts, test/session/worktrees/. */
const FIRED_BY_TOOLS: readonly HookEvent[] = [
  'CwdChanged',
  'FileChanged',
  'WorktreeCreate',
  'WorktreeRemove',
  'TaskCreated',
  'TaskCompleted',
  'TeammateIdle',
  'Setup',
];

const INPUT_GROUPS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'PreCompact',
  'PostCompact',
  'PermissionRequest',
  'SubagentStart',
  'SubagentStop',
  'InstructionsLoaded',
] as const;

/** A tool that works, one that fails, one that is refused, a subagent, a question, a compaction, a prompt that fails. */
async function eventfulSession(): Promise<HookInput[]> {
  const inputs: HookInput[] = [];
  const record = async (input: HookInput) => {
    inputs.push(input);
    return {};
  };
  const failing = probeTool({
    name: 'Failing',
    run: async () => {
      throw new ToolError('no luck');
    },
  });
  const model = scriptedModel([
    toolCall('Probe'),
    toolCall('Failing'),
    toolCall('Refused'),
    toolCall('Agent', { description: 'help', prompt: 'Help.' }),
    text('Helped.'),
    toolCall('AskUserQuestion', { question: 'Which?' }),
    text('Done.'),
    text('<summary>Probed.</summary>'),
    { error: new ModelError('authentication', 'no key', { status: 401 }) },
  ]);
  const folder = await temporaryFolder();
  await writeFile(path.join(folder, 'AGENTS.md'), 'Use tabs.');
  const base = { allow: [], ask: [], deny: [], roots: [folder] };
  const changes = [
    null,
    { files: [{ scope: 'user', file: '/settings.json' }], keys: [], live: {}, commandHooks: [], notices: [] } as const,
  ];
  const { engine } = await testEngine(model, {
    cwd: folder,
    reopenSettings: async () => {
      const change = changes.shift() ?? null;
      if (change === null) return null;
      const now = { ...base, disableBypass: false, isTrusted: true };
      return { ...change, base: now, without: async () => null };
    },
    tools: [probeTool(), failing, probeTool({ name: 'Refused' }), agentTool],
    handleElicitation: async () => ({ action: 'accept', content: { answer: 'this' } }),
    commands: [
      ...(await getCommands()),
      { type: 'prompt', name: 'again', description: 'Again', expand: async () => 'again' },
    ],
    canUseTool: async (name) => (name === 'Refused' ? { behavior: 'deny', message: 'no' } : { behavior: 'allow' }),
    permissions: { mode: 'default', ...base },
    hooks: Object.fromEntries(HOOK_EVENTS.map((event) => [event, [{ hooks: [record] }]])),
  });
  for (const prompt of ['go', '/compact mind the names']) await collect(engine.submitMessage(prompt));
  await engine.switchModel('other');
  await (await engine.controls()).addDirectories([await temporaryFolder()]);
  await collect(engine.submitMessage('/again now'));
  await engine.close();
  model.assertDone();
  return inputs;
}

describe('hook events', () => {
  it('fire if their subject exists, and no other event fires', async () => {
    const fired = new Set((await eventfulSession()).map((input) => input.hook_event_name));
    expect([...fired].sort()).toEqual([...FIRED].sort());
  });

  it.each(INPUT_GROUPS)('%s has the input fields of the specification', async (event) => {
    const inputs = (await eventfulSession()).filter((input) => input.hook_event_name === event);
    expect(missingFields(`${event}HookInput`, inputs)).toEqual([]);
    expect(missingFields('BaseHookInput', inputs)).toEqual([]);
  });

  it('SessionStart after /clear says clear', async () => {
    const sources: string[] = [];
    const record = async (input: HookInput) => {
      if (input.hook_event_name === 'SessionStart') sources.push(input.source);
      return {};
    };
    const { engine } = await testEngine(scriptedModel([text('one'), text('two')]), {
      commands: await getCommands(),
      hooks: { SessionStart: [{ hooks: [record] }] },
    });
    for (const prompt of ['go', '/clear', 'again']) await collect(engine.submitMessage(prompt));
    expect(sources).toEqual(['startup', 'clear']);
  });

  it('SessionEnd after /clear says clear, and other at the end', async () => {
    const reasons: string[] = [];
    const record = async (input: HookInput) => {
      if (input.hook_event_name === 'SessionEnd') reasons.push(input.reason);
      return {};
    };
    const { engine } = await testEngine(scriptedModel([text('one'), text('two')]), {
      commands: await getCommands(),
      hooks: { SessionEnd: [{ hooks: [record] }] },
    });
    for (const prompt of ['go', '/clear', 'again']) await collect(engine.submitMessage(prompt));
    await engine.close();
    expect(reasons).toEqual(['clear', 'other']);
  });

  it('what SessionEnd hooks say is logged at close, and kept once for the caller', async () => {
    const logged: string[] = [];
    const { engine } = await testEngine(scriptedModel([text('ok')]), {
      log: (event) => logged.push(event),
      hooks: { SessionEnd: [{ hooks: [async () => ({ systemMessage: 'goodbye' })] }] },
    });
    await collect(engine.submitMessage('go'));
    expect(engine.takeClosingMessages()).toEqual([]);
    await engine.close();
    await engine.close();
    expect(engine.takeClosingMessages()).toMatchObject([{ code: 'hook_message', message: 'goodbye' }]);
    expect(engine.takeClosingMessages()).toEqual([]);
    expect(logged.filter((event) => event === 'session_end_message')).toHaveLength(1);
  });

  it('SessionEnd says other, PreCompact and PostCompact say manual and what was asked and found', async () => {
    const inputs = await eventfulSession();
    const of = (event: HookEvent) => inputs.find((input) => input.hook_event_name === event);
    expect(of('SessionEnd')).toMatchObject({ reason: 'other' });
    expect(of('SessionStart')).toMatchObject({ source: 'startup' });
    expect(of('PreCompact')).toMatchObject({ trigger: 'manual', custom_instructions: 'mind the names' });
    expect(of('PostCompact')).toMatchObject({ trigger: 'manual', compact_summary: 'Probed.' });
    expect(of('PostToolUseFailure')).toMatchObject({ tool_name: 'Failing', error: 'no luck', is_interrupt: false });
    expect(of('PermissionDenied')).toMatchObject({ tool_name: 'Refused', reason: 'no' });
    expect(of('StopFailure')).toMatchObject({ error: 'no key' });
    expect(of('InstructionsLoaded')).toMatchObject({
      file_path: expect.stringContaining('AGENTS.md'),
      memory_type: 'Project',
      load_reason: 'session_start',
    });
    expect(of('ConfigChange')).toMatchObject({ source: 'user_settings', file_path: '/settings.json' });
    expect(of('Elicitation')).toMatchObject({ mcp_server_name: 'turnwright', message: 'Which?', mode: 'form' });
    expect(of('ElicitationResult')).toMatchObject({ action: 'accept', content: { answer: 'this' } });
    const waits = inputs.flatMap((input) =>
      input.hook_event_name === 'Notification' ? [input.notification_type] : [],
    );
    expect(new Set(waits)).toEqual(new Set(['permission_prompt', 'elicitation_dialog']));
  });
});

it('every hook event fires somewhere', () => {
  expect(HOOK_EVENTS.filter((event) => ![...FIRED, ...FIRED_BY_TOOLS].includes(event))).toEqual([]);
});

/** One prompt with one call of Probe and one hook; the tool's inputs, what the model read of it, and the result. */
async function withHook(event: HookEvent, answer: HookJSONOutput, overrides: Partial<QueryEngineConfig> = {}) {
  const probe = probeTool();
  const model = scriptedModel((request) =>
    request.messages.length === 1 ? toolCall('Probe', { value: 'a' }) : text('ok'),
  );
  const { engine } = await testEngine(model, {
    tools: [probe],
    hooks: { [event]: [{ hooks: [async () => answer] }] },
    ...overrides,
  });
  const result = lastResult(await collect(engine.submitMessage('go')));
  return { runs: probe.runs, result, read: JSON.stringify(model.requests.at(-1)?.messages), engine, model };
}

const specific = (hookEventName: HookEvent, fields: Record<string, unknown>): HookJSONOutput => ({
  hookSpecificOutput: { hookEventName, ...fields },
});

describe('hook answers', () => {
  it('additionalContext of SessionStart, UserPromptSubmit and PostToolUse reaches the model', async () => {
    for (const event of ['SessionStart', 'UserPromptSubmit', 'PostToolUse'] as const)
      expect((await withHook(event, specific(event, { additionalContext: 'it is Monday' }))).read).toContain(
        'it is Monday',
      );
  });

  it('hookEventName must be the event: what another one says changes nothing', async () => {
    const updatedInput = { value: 'b' };
    expect((await withHook('PreToolUse', specific('PreToolUse', { updatedInput }))).runs).toEqual([{ value: 'b' }]);
    expect((await withHook('PreToolUse', specific('PostToolUse', { updatedInput }))).runs).toEqual([{ value: 'a' }]);
  });

  it('PermissionRequest allows with another input and with rules that last', async () => {
    const decision = {
      behavior: 'allow',
      updatedInput: { value: 'b' },
      updatedPermissions: [
        { type: 'addRules', rules: [{ toolName: 'Probe' }], behavior: 'allow', destination: 'session' },
      ],
    };
    let asked = 0;
    const probe = probeTool();
    const model = scriptedModel([toolCall('Probe', { value: 'a' }), toolCall('Probe', { value: 'c' }), text('ok')]);
    const { engine } = await testEngine(model, {
      tools: [probe],
      canUseTool: undefined,
      permissions: { mode: 'default', allow: [], ask: [], deny: [], roots: [] },
      hooks: {
        PermissionRequest: [
          {
            hooks: [
              async () => {
                asked += 1;
                return specific('PermissionRequest', { decision });
              },
            ],
          },
        ],
      },
    });
    await collect(engine.submitMessage('go'));
    expect(probe.runs).toEqual([{ value: 'b' }, { value: 'c' }]);
    expect(asked).toBe(1);
  });

  it('PermissionRequest denies with a message that the model reads', async () => {
    const answer = specific('PermissionRequest', { decision: { behavior: 'deny', message: 'not on Mondays' } });
    const { runs, read } = await withHook('PermissionRequest', answer, {
      canUseTool: undefined,
      permissions: { mode: 'default', allow: [], ask: [], deny: [], roots: [] },
    });
    expect(runs).toEqual([]);
    expect(read).toContain('not on Mondays');
  });

  it('continue: false ends the prompt with its stopReason; decision: block refuses with its reason', async () => {
    const stopped = await withHook('UserPromptSubmit', { continue: false, stopReason: 'closed today' });
    expect(stopped.result).toMatchObject({ terminal_reason: 'hook_stopped', result: 'closed today' });
    expect(stopped.model.calls).toBe(0);
    const blocked = await withHook('PreToolUse', { decision: 'block', reason: 'not this tool' });
    expect(blocked.runs).toEqual([]);
    expect(blocked.read).toContain('not this tool');
  });

  it('a matcher picks the tool, and a timeout gives up on a hook that hangs', async () => {
    const never = () => new Promise<HookJSONOutput>(() => undefined);
    const { runs, result } = await withHook(
      'PreToolUse',
      {},
      {
        hooks: {
          PreToolUse: [
            { matcher: 'Other', hooks: [async () => ({ decision: 'block' as const, reason: 'no' })] },
            { matcher: 'Probe', hooks: [never], timeout: 0.01 },
          ],
        },
      },
    );
    expect(runs).toHaveLength(1);
    expect(result.subtype).toBe('success');
  });
});
