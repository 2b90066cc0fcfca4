// The messages beside the conversation, each from a session that gives cause for it: state, modes, failures, tasks.

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { getCommands } from '../../../src/context/slash-commands.js';
import { TOOL_PROGRESS_MS } from '../../../src/engine/calls/execute-tool.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import { ModelError } from '../../../src/protocol/errors.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { query } from '../../../src/sdk/query.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, thinking, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { inBackground, until } from '../../support/background-tasks.js';
import { commandHook } from '../../support/command-hooks.js';
import { probeTool, temporaryFolder, testEngine } from '../../support/engine.js';

const name = (message: SDKMessage) => ('subtype' in message ? `${message.subtype}` : message.type);
const ofName = (messages: readonly SDKMessage[], wanted: string) => messages.filter((each) => name(each) === wanted);
const noWait = { maxRetries: 0 };

/** The options of a `query()` that touches nothing of this machine. */
async function quietOptions(): Promise<{ readonly cwd: string; readonly env: Record<string, string> }> {
  return { cwd: await temporaryFolder(), env: { TURNWRIGHT_HOME: await temporaryFolder() } };
}

describe('session_state_changed', () => {
  it('says running, requires_action while somebody is asked, and idle after the result', async () => {
    const asked: string[] = [];
    const messages: SDKMessage[] = [];
    const stream = query({
      prompt: 'go',
      options: {
        ...(await quietOptions()),
        provider: scriptedModel([toolCall('Write', { file_path: 'a.txt', content: 'a' }), text('Done.')]),
        includeSessionState: true,
        async canUseTool(_tool, input) {
          asked.push(...ofName(messages, 'session_state_changed').map((each) => ('state' in each ? each.state : '')));
          return { behavior: 'allow', updatedInput: input };
        },
      },
    });
    for await (const message of stream) messages.push(message);
    expect(asked).toEqual(['running']);
    expect(ofName(messages, 'session_state_changed').map((each) => 'state' in each && each.state)).toEqual([
      'running',
      'requires_action',
      'running',
      'idle',
    ]);
    expect(messages.map(name).slice(0, 2)).toEqual(['init', 'session_state_changed']);
    expect(messages.map(name).slice(-2)).toEqual(['success', 'session_state_changed']);
    expect(ofName(messages, 'notification')).toMatchObject([{ key: 'permission_prompt', priority: 'high' }]);
  });

  it('is told while the answer is still waited for, and not between two prompts that wait', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const states: string[] = [];
    const prompts = ['one', 'two'].map((content) => ({
      type: 'user' as const,
      message: { role: 'user' as const, content },
      parent_tool_use_id: null,
    }));
    const stream = query({
      prompt: (async function* () {
        yield* prompts;
      })(),
      options: {
        ...(await quietOptions()),
        provider: scriptedModel([toolCall('Write', { file_path: 'a.txt', content: 'a' }), text('1'), text('2')]),
        includeSessionState: true,
        async canUseTool(_tool, input) {
          await answered;
          return { behavior: 'allow', updatedInput: input };
        },
      },
    });
    for await (const message of stream) {
      if (message.type !== 'system' || message.subtype !== 'session_state_changed') continue;
      states.push(message.state);
      // Only who hears of it while it waits can let it go on.
      if (message.state === 'requires_action') answer();
    }
    expect(states).toEqual(['running', 'requires_action', 'running', 'running', 'idle']);
  });

  it('is not sent if nobody asked for it', async () => {
    const options = { ...(await quietOptions()), provider: scriptedModel([text('hi')]) };
    const messages = await collect(query({ prompt: 'go', options }));
    expect(messages.map(name)).toEqual(['init', 'assistant', 'success']);
  });
});

describe('status', () => {
  it('says the mode when it becomes another, and plan_mode_changed when that is plan', async () => {
    const folder = await temporaryFolder();
    const permissions = { mode: 'default' as const, allow: [], ask: [], deny: [], roots: [folder] };
    const { engine } = await testEngine(scriptedModel([text('1'), text('2'), text('3')]), {
      cwd: folder,
      permissions,
    });
    expect((await collect(engine.submitMessage('go'))).map(name)).toEqual(['init', 'assistant', 'success']);
    await engine.setPermissionMode('plan');
    await engine.setPermissionMode('plan');
    const planned = await collect(engine.submitMessage('go'));
    expect(ofName(planned, 'status')).toMatchObject([{ status: null, permissionMode: 'plan' }]);
    expect(ofName(planned, 'plan_mode_changed')).toMatchObject([{ plan_mode: { active: true } }]);
    await engine.setPermissionMode('acceptEdits');
    const left = await collect(engine.submitMessage('go'));
    expect(ofName(left, 'status')).toMatchObject([{ permissionMode: 'acceptEdits' }]);
    expect(ofName(left, 'plan_mode_changed')).toMatchObject([{ plan_mode: { active: false } }]);
  });
});

describe('assistant.error', () => {
  it.each([
    ['authentication', 'authentication_failed', 401],
    ['permission', 'authentication_failed', 403],
    ['quota', 'billing_error', 402],
    ['rate_limit', 'rate_limit', 429],
    ['overloaded', 'overloaded', 529],
    ['invalid_request', 'invalid_request', 400],
    ['not_found', 'model_not_found', 404],
    ['server', 'server_error', 500],
  ] as const)('of a request that failed with %s is %s', async (kind, error, status) => {
    const failure = { error: new ModelError(kind, 'It did not work.', { status }) };
    const { engine } = await testEngine(scriptedModel([failure, text('better')]), { limits: noWait });
    const messages = await collect(engine.submitMessage('go'));
    const told = messages.find((message) => message.type === 'assistant');
    expect(told).toMatchObject({ error, message: { model: '<synthetic>', content: [{ text: 'It did not work.' }] } });
    expect(lastResult(messages)).toMatchObject({ api_error_status: status, errors: ['It did not work.'] });
    expect(ofName(messages, 'auth_status')).toHaveLength(kind === 'authentication' ? 1 : 0);
    // It is no part of the conversation.
    expect(engine.getMessages().map(({ type }) => type)).toEqual(['user']);
    expect(lastResult(await collect(engine.submitMessage('again'))).result).toBe('better');
  });

  it('is max_output_tokens if replies are cut again and again, and aborted marks a cut reply', async () => {
    const cut = { ...reply(text('more and')), stopReason: 'max_tokens' as const };
    const { engine } = await testEngine(scriptedModel([cut, cut, cut, cut]));
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages).terminal_reason).toBe('max_output_tokens');
    expect(messages.filter((message) => message.type === 'assistant').at(-1)).toMatchObject({
      error: 'max_output_tokens',
    });
    const stalled = await testEngine(scriptedModel([{ ...reply(text('half of it')), stallAfterEvents: 3 }]), {
      includePartialMessages: true,
    });
    const rest: SDKMessage[] = [];
    for await (const message of stalled.engine.submitMessage('go')) {
      rest.push(message);
      if (message.type === 'stream_event' && message.event.type === 'content_block_delta') stalled.engine.interrupt();
    }
    expect(rest.find((message) => message.type === 'assistant')).toMatchObject({ aborted: true });
  });
});

describe('result and init', () => {
  it('name what published consumers read', async () => {
    const { engine } = await testEngine(scriptedModel([text('hi')]));
    const messages = await collect(engine.submitMessage('go', { uuid: '11111111-2222-4333-8444-555555555555' }));
    expect(messages[0]).toMatchObject({
      claude_code_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      qodercli_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      protocol_version: '1.4.0',
      capabilities: expect.arrayContaining(['interrupt_receipt_v1']),
      fast_mode_state: 'off',
      plugins: [],
      output_style: 'default',
    });
    expect(lastResult(messages)).toMatchObject({
      ttft_ms: expect.any(Number),
      fast_mode_state: 'off',
      user_message_uuid: '11111111-2222-4333-8444-555555555555',
      user_message_uuids: ['11111111-2222-4333-8444-555555555555'],
    });
    expect(lastResult(messages)).not.toHaveProperty('api_error_status');
  });
});

/** A machine on which the time of `tool_progress` comes when the test says so. */
function slowMotion() {
  const host = createNodeHost();
  const due: (() => void)[] = [];
  const clock = {
    ...host.clock,
    now: () => host.clock.now(),
    monotonic: () => host.clock.monotonic(),
    after(ms: number, callback: () => void) {
      if (ms !== TOOL_PROGRESS_MS) return host.clock.after(ms, callback);
      due.push(callback);
      return () => {
        const at = due.indexOf(callback);
        if (at >= 0) due.splice(at, 1);
      };
    },
  };
  return { host: { ...host, clock }, due, tick: () => due.shift()?.() };
}

describe('tool_progress', () => {
  it('comes while the tool runs, as long as it does, and never of one that is done', async () => {
    const { host, due, tick } = slowMotion();
    let end: (value: string) => void = () => undefined;
    const tool = probeTool({
      run({ value }) {
        if (value === 'short') return Promise.resolve('short');
        queueMicrotask(tick);
        return new Promise((resolve) => {
          end = resolve;
        });
      },
    });
    const model = scriptedModel([
      toolCall('Probe', { value: 'short' }),
      toolCall('Probe', {}, 'toolu_long'),
      text('.'),
    ]);
    const { engine } = await testEngine(model, { tools: [tool], host });
    const told: SDKMessage[] = [];
    for await (const message of engine.submitMessage('go')) {
      if (message.type !== 'tool_progress') continue;
      told.push(message);
      if (told.length === 1) tick();
      else end('at last');
    }
    expect(told).toHaveLength(2);
    expect(told[0]).toMatchObject({ tool_use_id: 'toolu_long', tool_name: 'Probe', parent_tool_use_id: null });
    expect(told[0]).toHaveProperty('elapsed_time_seconds', expect.any(Number));
    expect(told).toMatchObject([{ heartbeat: true }, { heartbeat: true }]);
    expect(due).toEqual([]);
  });

  it('tells what the tool prints before a second has passed', async () => {
    const { host, due } = slowMotion();
    let end: (value: string) => void = () => undefined;
    const tool = probeTool({
      run(_input, _signal, context) {
        context.onProgress('first\n');
        return new Promise((resolve) => {
          end = resolve;
        });
      },
    });
    const { engine } = await testEngine(scriptedModel([toolCall('Probe', {}), text('.')]), { tools: [tool], host });
    const told: SDKMessage[] = [];
    for await (const message of engine.submitMessage('go')) {
      if (message.type !== 'tool_progress') continue;
      told.push(message);
      end('at last');
    }
    // The timer of the second never came: what was told, was told before it.
    expect(told).toMatchObject([{ output: 'first\n' }]);
    expect(due).toEqual([]);
  });

  it('a consumer that leaves then ends the tool and does not wait for it', async () => {
    const { host, tick } = slowMotion();
    let isAborted = false;
    const tool = probeTool({
      run: (_input, signal) =>
        new Promise((resolve) => {
          queueMicrotask(tick);
          signal.addEventListener('abort', () => {
            isAborted = true;
            resolve('ended');
          });
        }),
    });
    const { engine } = await testEngine(scriptedModel([toolCall('Probe')]), { tools: [tool], host });
    for await (const message of engine.submitMessage('go')) if (message.type === 'tool_progress') break;
    expect(isAborted).toBe(true);
  });
});

describe('with includePartialMessages', () => {
  it('a request and how much was thought are told, and the events still fold to the message', async () => {
    const model = scriptedModel([reply(thinking('hm '.repeat(200), 'sig=='), text('So.'))]);
    const { engine } = await testEngine(model, { includePartialMessages: true });
    const uuid = '11111111-2222-4333-8444-555555555555';
    const messages = await collect(engine.submitMessage('go', { uuid }));
    const events = messages.flatMap((message) => (message.type === 'stream_event' ? [message] : []));
    expect(events[0]).toMatchObject({ ttft_ms: expect.any(Number), user_message_uuid: uuid });
    expect(events.filter((event) => 'ttft_ms' in event || 'user_message_uuid' in event)).toHaveLength(1);
    expect(messages.map(name).slice(0, 3)).toEqual(['init', 'status', 'stream_event']);
    expect(ofName(messages, 'status')).toMatchObject([{ status: 'requesting' }]);
    const thought = ofName(messages, 'thinking_tokens');
    expect(thought.at(-1)).toMatchObject({ estimated_tokens: 150 });
    const sum = thought.reduce(
      (all, each) => all + ('estimated_tokens_delta' in each ? each.estimated_tokens_delta : 0),
      0,
    );
    expect(sum).toBe(150);
  });
});

describe('background tasks', () => {
  it('tell how they end and which are left', async () => {
    const folder = await temporaryFolder();
    const model = scriptedModel([
      inBackground(until('go')),
      () => ({ blocks: [text('Now.')], waitFor: writeFile(path.join(folder, 'go'), '') }),
      text('It ended.'),
    ]);
    const stream = query({
      prompt: 'go',
      options: {
        ...(await quietOptions()),
        cwd: folder,
        provider: model,
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
      },
    });
    const messages = await collect(stream);
    const [begun] = ofName(messages, 'task_started');
    const id = begun !== undefined && 'task_id' in begun ? begun.task_id : '';
    const runId = begun !== undefined && 'run_id' in begun ? begun.run_id : 'none';
    expect(ofName(messages, 'background_tasks_changed')).toMatchObject([
      { tasks: [{ task_id: id, run_id: runId, task_type: 'local_bash', description: 'the job' }] },
      { tasks: [] },
    ]);
    expect(ofName(messages, 'task_updated')).toMatchObject([
      { task_id: id, run_id: runId, patch: { status: 'completed', end_time: expect.any(Number) } },
    ]);
  });
});

describe('hooks', () => {
  it('hook_progress says what a command prints as it comes, with includeHookEvents', async () => {
    const { engine, folder } = await testEngine(scriptedModel([toolCall('Probe'), text('.')]), {
      tools: [probeTool()],
      includeHookEvents: true,
      commandHooks: [commandHook('PreToolUse', `echo halfway; ${until('told')}; echo; echo '{}'`)],
    });
    const messages: SDKMessage[] = [];
    for await (const message of engine.submitMessage('go')) {
      messages.push(message);
      // The command goes on only once somebody heard of it.
      if (name(message) === 'hook_progress') await writeFile(path.join(folder, 'told'), '');
    }
    expect(ofName(messages, 'hook_progress')[0]).toMatchObject({
      hook_event: 'PreToolUse',
      hook_name: 'PreToolUse:Probe',
      stdout: 'halfway\n',
      stderr: '',
      output: 'halfway\n',
    });
    const [response] = ofName(messages, 'hook_response');
    expect(response).toHaveProperty('hook_id', (ofName(messages, 'hook_progress')[0] as { hook_id: string }).hook_id);
  });

  it('informational says why a hook ended the prompt', async () => {
    const { engine } = await testEngine(scriptedModel([toolCall('Probe', {}, 'toolu_one')]), {
      tools: [probeTool()],
      hooks: { PreToolUse: [{ hooks: [async () => ({ continue: false, stopReason: 'Out of hours.' })] }] },
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(ofName(messages, 'informational')).toMatchObject([
      { content: 'Out of hours.', level: 'warning', prevent_continuation: true, tool_use_id: 'toolu_one' },
    ]);
  });
});

describe('the conversation', () => {
  it('is told to be over by conversation_reset', async () => {
    const { engine } = await testEngine(scriptedModel([text('hi')]), { commands: await getCommands() });
    const [init] = await collect(engine.submitMessage('go'));
    const cleared = await collect(engine.submitMessage('/clear'));
    expect(ofName(cleared, 'conversation_reset')).toMatchObject([
      { trigger: 'clear', new_conversation_id: init?.session_id, timestamp: expect.any(String) },
    ]);
  });

  it('of a resumed session is replayed with replayHistory, what the user said alone, once', async () => {
    const options = await quietOptions();
    const say = async (prompt: string, more: object) => collect(query({ prompt, options: { ...options, ...more } }));
    const model = scriptedModel([toolCall('Glob', { pattern: '*' }), text('none'), text('again'), text('more')]);
    const first = await say('What is here?', { provider: model });
    const resume = first[0]?.session_id;
    const second = await say('And now?', { provider: model, resume, replayHistory: true });
    expect(second.filter((message) => 'isReplay' in message)).toMatchObject([
      { type: 'user', isReplay: true, message: { content: 'What is here?' }, timestamp: expect.any(String) },
    ]);
    const third = await say('Well?', { provider: model, resume });
    expect(third.some((message) => 'isReplay' in message)).toBe(false);
  });
});

describe('a model that declines', () => {
  it('is told with who is asked in its place, or that nobody is', async () => {
    const refusal = { ...reply(text('I will not.')), stopReason: 'refusal' as const };
    const alone = await testEngine(scriptedModel([refusal]));
    const told = await collect(alone.engine.submitMessage('go'));
    expect(ofName(told, 'model_refusal_no_fallback')).toMatchObject([{ original_model: 'scripted' }]);
    const { engine } = await testEngine(scriptedModel([refusal, text('I will.')]), {
      fallback: { models: ['other'], on: ['refusal'] },
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(ofName(messages, 'model_refusal_fallback')).toMatchObject([
      { original_model: 'scripted', fallback_model: 'other', trigger: 'refusal', direction: 'retry' },
    ]);
    expect(lastResult(messages).result).toBe('I will.');
  });
});
