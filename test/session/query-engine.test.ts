import { describe, expect, it } from 'vitest';
import { getCommands } from '../../src/context/slash-commands.js';
import { ConfigError, ModelError } from '../../src/protocol/errors.js';
import type { SDKMessage, SDKResultMessage } from '../../src/protocol/messages.js';
import { QueryEngine } from '../../src/session/query-engine.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, thinking, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, testEngine } from '../support/engine.js';
import { plainConfig } from '../support/plain-config.js';

const kinds = (messages: readonly SDKMessage[]) =>
  messages.map((message) => ('subtype' in message ? `${message.type}/${message.subtype}` : message.type));

function expectWhole(messages: readonly SDKMessage[]): SDKResultMessage {
  expect(messages[0]).toMatchObject({ type: 'system', subtype: 'init' });
  expect(messages.filter((message) => message.type === 'system' && message.subtype === 'init')).toHaveLength(1);
  return lastResult(messages);
}

describe('submitMessage', () => {
  it('yields init first, each reply and tool result, and one result last', async () => {
    const probe = probeTool();
    const model = scriptedModel([toolCall('Probe', { value: 'a' }), text('All done.')]);
    const { engine } = await testEngine(model, { tools: [probe] });
    const messages = await collect(engine.submitMessage('go'));
    expect(kinds(messages)).toEqual(['system/init', 'assistant', 'user', 'assistant', 'result/success']);
    expect(expectWhole(messages)).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'All done.',
      num_turns: 2,
      stop_reason: 'end_turn',
      permission_denials: [],
      terminal_reason: 'completed',
    });
    expect(probe.runs).toEqual([{ value: 'a' }]);
    model.assertDone();
  });

  it('keeps the conversation from prompt to prompt', async () => {
    const model = scriptedModel([text('one'), text('two')], { appendOnly: true });
    const { engine } = await testEngine(model);
    await collect(engine.submitMessage('first'));
    await collect(engine.submitMessage('second'));
    expect(model.requests[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
    expect(engine.getMessages()).toHaveLength(4);
    expect(engine.getUsage().output_tokens).toBeGreaterThan(0);
  });

  it('stamps every message with the session and an id of its own', async () => {
    const model = scriptedModel([text('hi')]);
    const { engine } = await testEngine(model, { includePartialMessages: true });
    const messages = await collect(engine.submitMessage('go'));
    expect(new Set(messages.map((message) => message.session_id)).size).toBe(1);
    expect(new Set(messages.map((message) => message.uuid)).size).toBe(messages.length);
  });

  it('takes the caller’s uuid for the user message', async () => {
    const uuid = '11111111-1111-4111-8111-111111111111';
    const { engine } = await testEngine(scriptedModel([text('hi')]), { replayUserMessages: true });
    const messages = await collect(engine.submitMessage('go', { uuid }));
    expect(messages[1]).toMatchObject({
      type: 'user',
      subtype: 'replay',
      isReplay: true,
      uuid,
      message: { content: 'go' },
    });
    expect(engine.getMessages()[0]?.uuid).toBe(uuid);
  });

  it.each([[''], ['   \n'], [[]], [[{ type: 'text', text: ' ' }]], [[{ type: 'nonsense' }]], [null], [42]])(
    'answers the unusable prompt %j with a clear error result and no request',
    async (prompt) => {
      const model = scriptedModel([]);
      const { engine } = await testEngine(model);
      const result = expectWhole(await collect(engine.submitMessage(prompt as string)));
      expect(result).toMatchObject({
        subtype: 'error_during_execution',
        terminal_reason: 'turn_setup_failed',
        num_turns: 0,
      });
      expect(result.result).toMatch(/prompt/);
      expect(model.calls).toBe(0);
      // The session is usable afterwards.
    },
  );

  it('says which blocks of a prompt were left out', async () => {
    const { engine } = await testEngine(scriptedModel([text('ok')]));
    const messages = await collect(engine.submitMessage([{ type: 'text', text: 'hi' }, { type: 'odd' }] as never));
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'notice', code: 'prompt_blocks_dropped' }));
    expectWhole(messages);
  });

  it('ends at maxTurns, with the tools of the last turn run', async () => {
    const probe = probeTool();
    const model = scriptedModel(() => toolCall('Probe'));
    const { engine } = await testEngine(model, { tools: [probe], maxTurns: 3 });
    const result = expectWhole(await collect(engine.submitMessage('go')));
    expect(result).toMatchObject({
      subtype: 'error_max_turns',
      is_error: true,
      num_turns: 3,
      stop_reason: 'max_turns',
    });
    expect(probe.runs).toHaveLength(3);
  });

  it('refuses a second prompt while one runs', async () => {
    const { engine } = await testEngine(scriptedModel([{ stall: true }]));
    const running = engine.submitMessage('one');
    await running.next();
    await expect(engine.submitMessage('two').next()).rejects.toThrow(/still runs/);
    await running.return(undefined);
  });

  it('goes on after a consumer stopped listening', async () => {
    const model = scriptedModel([text('one'), text('two')]);
    const { engine } = await testEngine(model);
    for await (const message of engine.submitMessage('first')) if (message.type === 'assistant') break;
    const result = expectWhole(await collect(engine.submitMessage('second')));
    expect(result.result).toBe('two');
  });
});

describe('slash commands', () => {
  it('answers /help locally: init, assistant, local_command_output, result', async () => {
    const model = scriptedModel([]);
    const { engine } = await testEngine(model, { commands: await getCommands() });
    const messages = await collect(engine.submitMessage('/help'));
    expect(kinds(messages)).toEqual(['system/init', 'assistant', 'system/local_command_output', 'result/success']);
    expect(expectWhole(messages)).toMatchObject({ subtype: 'success', num_turns: 0 });
    expect(expectWhole(messages).result).toContain('/cost');
  });

  it.each([
    ['an object', {}],
    ['a text', 'abc'],
    ['a message without content', [{ type: 'user' }]],
    ['an empty place', [null]],
    ['another kind', [{ type: 'system', uuid: 'u', message: { role: 'user', content: 'x' } }]],
  ])('refuses %s as initialMessages, with what to give', (_name, initialMessages) => {
    const config = { ...plainConfig(), cwd: '/', initialMessages: initialMessages as never };
    expect(() => new QueryEngine(config)).toThrow(ConfigError);
    expect(() => new QueryEngine(config)).toThrow(/initialMessages.* Give what getMessages\(\) gave/);
  });

  it('/clear forgets the conversation but not the cost', async () => {
    const model = scriptedModel([text('one'), text('two')]);
    const { engine } = await testEngine(model, { commands: await getCommands() });
    await collect(engine.submitMessage('remember me'));
    const before = engine.getUsage().output_tokens;
    await collect(engine.submitMessage('/clear'));
    await collect(engine.submitMessage('again'));
    expect(model.requests[1]?.messages).toHaveLength(1);
    expect(engine.getUsage().output_tokens).toBeGreaterThan(before);
  });

  it('/cost shows tokens by model', async () => {
    const { engine } = await testEngine(scriptedModel([text('one')]), { commands: await getCommands() });
    await collect(engine.submitMessage('go'));
    const result = lastResult(await collect(engine.submitMessage('/cost')));
    expect(result.result).toMatch(/scripted: [\d,]+ in, \d+ out/);
  });

  it('answers an unknown one locally, with the nearest, and asks no model', async () => {
    const { engine } = await testEngine(scriptedModel([]), { commands: await getCommands() });
    const said = async (prompt: string) => expectWhole(await collect(engine.submitMessage(prompt)));
    expect(await said('/hlep me')).toMatchObject({
      is_error: true,
      num_turns: 0,
      result: expect.stringMatching(/no command \/hlep, .*nothing was sent.*Did you mean \/help\?/),
    });
    expect((await said('/cst')).result).toMatch(/\/cost/);
    expect((await said('/nothing-like-it')).result).toMatch(/\/help lists the commands/);
  });

  it('sends what may be a path to the model, and any word if there are no commands', async () => {
    const model = scriptedModel([text('ok'), text('ok')]);
    const { engine } = await testEngine(model, { commands: await getCommands() });
    for (const prompt of ['/etc/passwd is what?', '/tmp holds what?']) {
      expect(expectWhole(await collect(engine.submitMessage(prompt))).subtype).toBe('success');
      expect(model.requests.at(-1)?.messages.at(-1)?.content).toBe(prompt);
    }
    const bare = scriptedModel([text('ok')]);
    await collect((await testEngine(bare)).engine.submitMessage('/nosuch'));
    expect(bare.requests[0]?.messages[0]?.content).toBe('/nosuch');
  });
});

describe('permissions of the bare engine', () => {
  it('asks canUseTool before every call and records denials over the session', async () => {
    const probe = probeTool();
    const asked: string[] = [];
    const model = scriptedModel([toolCall('Probe', { value: 'x' }), text('ok'), text('later')]);
    const { engine } = await testEngine(model, {
      tools: [probe],
      canUseTool: async (toolName, input, options) => {
        asked.push(`${toolName} ${JSON.stringify(input)} ${options.toolUseID}`);
        return { behavior: 'deny', message: 'not today' };
      },
    });
    const first = lastResult(await collect(engine.submitMessage('go')));
    expect(asked).toEqual([expect.stringMatching(/^Probe \{"value":"x"\} toolu_/)]);
    expect(probe.runs).toEqual([]);
    expect(first.permission_denials).toEqual([
      {
        tool_name: 'Probe',
        tool_use_id: expect.any(String),
        tool_input: { value: 'x' },
        reason: 'not today',
        decision_classification: 'user_reject',
      },
    ]);
    expect(lastResult(await collect(engine.submitMessage('more'))).permission_denials).toHaveLength(1);
  });

  it('runs the changed input after validating it', async () => {
    const probe = probeTool();
    const inputs = [{ value: 'changed' }, { value: 7 }];
    const model = scriptedModel([toolCall('Probe', { value: 'a' }), toolCall('Probe', { value: 'b' }), text('ok')]);
    const { engine } = await testEngine(model, {
      tools: [probe],
      canUseTool: async () => ({ behavior: 'allow', updatedInput: inputs.shift() ?? {} }),
    });
    await collect(engine.submitMessage('go'));
    expect(probe.runs).toEqual([{ value: 'changed' }]);
  });

  it.each([
    [
      'throws',
      async () => {
        throw new Error('boom');
      },
    ],
    ['answers nothing', async () => undefined],
    ['answers nonsense', async () => ({ behavior: 'perhaps' })],
    ['gives an input that is not an object', async () => ({ behavior: 'allow', updatedInput: 'rm' })],
  ])('counts a callback that %s as a denial', async (_name, canUseTool) => {
    const probe = probeTool();
    const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('ok')]), {
      tools: [probe],
      canUseTool: canUseTool as never,
    });
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(probe.runs).toEqual([]);
    expect(result.permission_denials).toHaveLength(1);
  });

  it('ends the prompt at a denial with interrupt', async () => {
    const probe = probeTool();
    const model = scriptedModel([reply(toolCall('Probe'), toolCall('Probe'))]);
    const { engine } = await testEngine(model, {
      tools: [probe],
      canUseTool: async () => ({ behavior: 'deny', message: 'stop', interrupt: true }),
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({
      subtype: 'error_during_execution',
      terminal_reason: 'permission_interrupt',
    });
    expect(messages.filter((message) => message.type === 'user')).toHaveLength(2);
    expect(model.calls).toBe(1);
  });
});

describe('abort', () => {
  it('gives one aborted result while a reply stalls, and the next prompt is valid', async () => {
    let interrupt: () => void = () => undefined;
    const stall = () => {
      queueMicrotask(interrupt);
      return { stall: true } as const;
    };
    const model = scriptedModel([stall, text('fine')]);
    const { engine } = await testEngine(model);
    interrupt = () => engine.interrupt();
    const messages = await collect(engine.submitMessage('go'));
    expect(expectWhole(messages)).toMatchObject({
      subtype: 'error_during_execution',
      result: 'Aborted',
      terminal_reason: 'aborted',
    });
    expect(lastResult(await collect(engine.submitMessage('again'))).result).toBe('fine');
  });

  it('tells the model that an interrupted tool may have had effects, and that later calls did not start', async () => {
    let started: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const slow = probeTool({
      name: 'Slow',
      run: (_input, signal) => {
        started();
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true }),
        );
      },
    });
    const other = probeTool({ name: 'Other' });
    const model = scriptedModel([reply(toolCall('Slow'), toolCall('Other')), text('ok')]);
    const { engine } = await testEngine(model, { tools: [slow, other] });
    void running.then(() => engine.interrupt());
    const messages = await collect(engine.submitMessage('go'));
    const results = messages
      .filter((message) => message.type === 'user')
      .map((message) => JSON.stringify(message.message));
    expect(results[0]).toMatch(/effects are unknown/);
    expect(results[1]).toMatch(/It had no effect/);
    expect(other.runs).toEqual([]);
    expect(expectWhole(messages).terminal_reason).toBe('aborted');
    await collect(engine.submitMessage('next'));
    model.assertDone();
  });

  it('answers at once when the controller was aborted before', async () => {
    const abortController = new AbortController();
    abortController.abort();
    const model = scriptedModel([]);
    const { engine } = await testEngine(model, { abortController });
    expect(expectWhole(await collect(engine.submitMessage('go'))).terminal_reason).toBe('aborted');
  });
});

describe('failures of the model', () => {
  it('retries what may pass, announces it, and withdraws what was streamed', async () => {
    const model = scriptedModel([
      { error: new ModelError('overloaded', 'busy', { status: 529 }) },
      { blocks: [text('half an answer')], cutAfterEvents: 3 },
      text('whole'),
    ]);
    const { engine } = await testEngine(model, { includePartialMessages: true });
    const messages = await collect(engine.submitMessage('go'));
    expect(messages.filter((message) => message.type === 'system' && message.subtype === 'api_retry')).toHaveLength(2);
    expect(messages.filter((message) => message.type === 'system' && message.subtype === 'stream_reset')).toHaveLength(
      1,
    );
    expect(model.requests[2]?.messages).toHaveLength(1);
    expect(expectWhole(messages).result).toBe('whole');
  });

  it('does not retry what cannot pass', async () => {
    const model = scriptedModel([
      { error: new ModelError('authentication', 'The key was refused.', { status: 401 }) },
      text('again'),
    ]);
    const { engine } = await testEngine(model);
    const messages = await collect(engine.submitMessage('go'));
    expect(expectWhole(messages)).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'api_error',
      errors: ['The key was refused.'],
    });
    expect(lastResult(await collect(engine.submitMessage('once more'))).result).toBe('again');
  });

  it('stops after maxRetries', async () => {
    const model = scriptedModel(() => ({ error: new ModelError('server', 'down', { status: 500 }) }));
    const { engine } = await testEngine(model, { limits: { maxRetries: 2, retryBaseMs: 0 } });
    expect(expectWhole(await collect(engine.submitMessage('go'))).terminal_reason).toBe('api_error');
    expect(model.calls).toBe(3);
  });
});

describe('replies out of the ordinary', () => {
  it('asks once more after an empty reply, then ends with a typed error', async () => {
    const model = scriptedModel([reply(), reply()]);
    const { engine } = await testEngine(model);
    expect(expectWhole(await collect(engine.submitMessage('go'))).terminal_reason).toBe('empty_reply');
    expect(model.calls).toBe(2);
  });

  it('continues a reply cut by the output limit, at most three times', async () => {
    const model = scriptedModel(() => ({ blocks: [text('part ')], stopReason: 'max_tokens' as const }));
    const { engine } = await testEngine(model);
    const result = expectWhole(await collect(engine.submitMessage('go')));
    expect(result.terminal_reason).toBe('max_output_tokens');
    expect(model.calls).toBe(4);
  });

  it('never runs a call that the output limit cut', async () => {
    const probe = probeTool();
    const model = scriptedModel([
      { blocks: [toolCall('Probe', { value: 'x' })], stopReason: 'max_tokens' },
      text('ok'),
    ]);
    const { engine } = await testEngine(model, { tools: [probe] });
    const messages = await collect(engine.submitMessage('go'));
    expect(probe.runs).toEqual([]);
    expect(JSON.stringify(messages)).toContain('cut off by the output limit');
    expectWhole(messages);
  });

  it('runs the calls of a reply whatever its stop reason says', async () => {
    const probe = probeTool();
    const model = scriptedModel([{ blocks: [toolCall('Probe')], stopReason: 'end_turn' }, text('ok')]);
    const { engine } = await testEngine(model, { tools: [probe] });
    await collect(engine.submitMessage('go'));
    expect(probe.runs).toHaveLength(1);
  });

  it('carries signed thinking back unchanged', async () => {
    const probe = probeTool();
    const model = scriptedModel([reply(thinking('hm', 'sig=='), toolCall('Probe')), text('ok')]);
    const { engine } = await testEngine(model, { tools: [probe] });
    await collect(engine.submitMessage('go'));
    expect(model.requests[1]?.messages[1]?.content[0]).toEqual({
      type: 'thinking',
      thinking: 'hm',
      signature: 'sig==',
    });
    model.assertDone();
  });
});

describe('structured output', () => {
  const jsonSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };

  it('returns the value, parsed and as JSON text', async () => {
    const model = scriptedModel([toolCall('StructuredOutput', { count: 3 })]);
    const { engine } = await testEngine(model, { jsonSchema });
    const result = expectWhole(await collect(engine.submitMessage('count')));
    expect(result).toMatchObject({ subtype: 'success', result: '{"count":3}', structured_output: { count: 3 } });
  });

  it('reports what is wrong, and reminds after a text answer', async () => {
    const model = scriptedModel([
      toolCall('StructuredOutput', { count: 'three' }),
      text('It is 3.'),
      toolCall('StructuredOutput', { count: 3 }),
    ]);
    const { engine } = await testEngine(model, { jsonSchema });
    const messages = await collect(engine.submitMessage('count'));
    expect(JSON.stringify(messages)).toMatch(/does not fit the schema/);
    expect(expectWhole(messages).subtype).toBe('success');
    model.assertDone();
  });

  it('never succeeds without a value', async () => {
    const model = scriptedModel(() => text('no data'));
    const { engine } = await testEngine(model, { jsonSchema });
    const result = expectWhole(await collect(engine.submitMessage('count')));
    expect(result.subtype).toBe('error_max_structured_output_retries');
    expect(result).not.toHaveProperty('structured_output');
  });
});
