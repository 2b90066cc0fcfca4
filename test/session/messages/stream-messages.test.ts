// The messages beside the conversation, each from a session that gives cause for it: state, modes, failures, tasks.

import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/protocol/errors.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { query } from '../../../src/sdk/query.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../../src/testing/model/script-steps.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
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

  it('is not sent where nobody asked for it', async () => {
    const options = { ...(await quietOptions()), provider: scriptedModel([text('hi')]) };
    const messages = await collect(query({ prompt: 'go', options }));
    expect(messages.map(name)).toEqual(['init', 'assistant', 'success']);
  });

  it('a consumer that leaves while a tool runs does not wait for the tool', async () => {
    let aborted = false;
    const tool = probeTool({
      run: (_input, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            resolve('ended');
          });
        }),
    });
    const { engine } = await testEngine(scriptedModel([toolCall('Probe')]), {
      tools: [tool],
      hooks: { PreToolUse: [{ hooks: [async () => ({ systemMessage: 'It begins.' })] }] },
    });
    for await (const message of engine.submitMessage('go')) if (name(message) === 'notice') break;
    expect(tool.runs.length === 0 || aborted).toBe(true);
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

  it('is max_output_tokens where replies are cut again and again, and aborted marks a cut reply', async () => {
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
