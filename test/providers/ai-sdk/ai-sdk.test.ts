// Model objects of each version of the AI SDK's specification: what they are asked, what their streams become.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { MessageParam, ModelEvent, UserBlock } from '../../../src/protocol/content.js';
import { ModelError } from '../../../src/protocol/errors.js';
import { createAiSdkProvider } from '../../../src/providers/ai-sdk/ai-sdk.js';
import { AI_SDK_VERSIONS, type Fields } from '../../../src/providers/ai-sdk/language-model.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import { query } from '../../../src/sdk/query.js';
import { fakeHost } from '../../../src/testing/fake-host.js';
import { collect, foldEvents, lastResult } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { ONE_PIXEL_PNG } from '../../../src/testing/wire/wire-blocks.js';
import { callParts, type FakeModel, fakeModel, finish, textParts } from '../../support/ai-sdk-model.js';
import { probeTool, testEngine } from '../../support/engine.js';
import { bareEngine } from '../../support/soak/bare-engine.js';

const { clock } = createNodeHost();
const LIMITS = { requestTimeoutMs: 20_000, streamIdleMs: 20_000 };
const TOOL = { name: 'Read', description: 'Reads a file.', input_schema: { type: 'object' } };
const REQUEST: ModelRequest = {
  model: 'fake-1',
  system: [{ type: 'text', text: 'Be brief.' }],
  tools: [TOOL],
  messages: [{ role: 'user', content: 'hello' }],
  maxTokens: 900,
};

async function ask(model: FakeModel, request: Partial<ModelRequest> = {}) {
  const events: ModelEvent[] = [];
  try {
    const stream = createAiSdkProvider(model, clock).stream(
      { ...REQUEST, ...request },
      LIMITS,
      new AbortController().signal,
    );
    for await (const event of stream) events.push(event);
    return { events, message: foldEvents(events), error: null };
  } catch (error) {
    return { events, message: null, error };
  }
}

const promptOf = (model: FakeModel, call = 0) => model.calls[call]?.['prompt'] as readonly Fields[];

describe.each(AI_SDK_VERSIONS)('a model of specification %s', (version) => {
  it('gives text, with its name, its usage and why it ended', async () => {
    const parts = [
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'resp_1', modelId: 'fake-1-2026' },
      ...textParts('Grüße, 世界'),
      finish(version, 'stop', version === 'v2' ? { providerMetadata: { fake: { cacheCreationInputTokens: 10 } } } : {}),
    ];
    const model = fakeModel(version, [parts], { headers: { 'X-Request-Id': 'req_9' } });
    const { message } = await ask(model);
    expect(message).toMatchObject({
      id: 'resp_1',
      model: 'fake-1-2026',
      content: [text('Grüße, 世界')],
      stop_reason: 'end_turn',
      request_id: 'req_9',
      usage: { output_tokens: 7, cache_read_input_tokens: 40, cache_creation_input_tokens: 10 },
    });
    expect(message?.usage.input_tokens).toBe(version === 'v2' ? 60 : 50);
  });

  it('is asked with everything, once, in the words of its version', async () => {
    const model = fakeModel(version, [[...textParts('ok'), finish(version, 'stop')]]);
    await ask(model, { effort: 'high', toolChoice: 'none' });
    expect(model.calls).toHaveLength(1);
    const [call] = model.calls;
    expect(call).toMatchObject({
      maxOutputTokens: 900,
      toolChoice: { type: 'none' },
      tools: [{ type: 'function', name: 'Read', description: 'Reads a file.', inputSchema: { type: 'object' } }],
      prompt: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      ],
    });
    const effort =
      version === 'v4' ? { reasoning: 'high' } : { providerOptions: { fake: { reasoningEffort: 'high' } } };
    expect(call).toMatchObject(effort);
  });

  it('is asked for the highest effort by the highest word of its version', async () => {
    const model = fakeModel(version, [[...textParts('ok'), finish(version, 'stop')]]);
    await ask(model, { effort: 'max' });
    expect(model.calls[0]).toMatchObject(
      version === 'v4' ? { reasoning: 'xhigh' } : { providerOptions: { fake: { reasoningEffort: 'high' } } },
    );
  });

  it.each(['anthropic.messages', 'vertex.anthropic.messages'])(
    'tells %s the effort in its own word',
    async (provider) => {
      const model = { ...fakeModel(version, [[...textParts('ok'), finish(version, 'stop')]]), provider };
      await ask(model, { effort: 'low', thinking: { type: 'disabled' } });
      const call: unknown = model.calls[0];
      const thinking = { type: 'disabled' };
      expect(call).toMatchObject(
        version === 'v4'
          ? { reasoning: 'none', providerOptions: { anthropic: { thinking } } }
          : { providerOptions: { anthropic: { thinking, effort: 'low' } } },
      );
    },
  );

  it('gives several calls, streamed or whole, and gets their results', async () => {
    const whole = { type: 'tool-call', toolCallId: 'b', toolName: 'Read', input: '{"file_path":"/b"}' };
    const parts = [
      ...textParts('I look.'),
      ...callParts('a', 'Read', { file_path: '/a' }),
      whole,
      finish(version, 'tool-calls'),
    ];
    const model = fakeModel(version, [parts, [...textParts('ok'), finish(version, 'stop')]]);
    const { message } = await ask(model);
    expect(message?.stop_reason).toBe('tool_use');
    expect(message?.content).toEqual([
      text('I look.'),
      { type: 'tool_use', id: 'a', name: 'Read', input: { file_path: '/a' } },
      { type: 'tool_use', id: 'b', name: 'Read', input: { file_path: '/b' } },
    ]);
    const image: UserBlock = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: ONE_PIXEL_PNG },
    };
    await ask(model, {
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: message?.content ?? [] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'A', is_error: true },
            { type: 'tool_result', tool_use_id: 'b', content: [image] },
          ],
        },
      ],
    });
    const [, , assistant, tool, user] = promptOf(model, 1);
    expect(assistant).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'Read', input: { file_path: '/a' } },
        { type: 'tool-call', toolCallId: 'b', toolName: 'Read', input: { file_path: '/b' } },
      ],
    });
    expect(tool).toMatchObject({
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 'Read', output: { type: 'error-text', value: 'A' } },
        { type: 'tool-result', toolCallId: 'b', output: { type: 'text' } },
      ],
    });
    const data = version === 'v4' ? { type: 'data', data: ONE_PIXEL_PNG } : ONE_PIXEL_PNG;
    expect(user).toMatchObject({
      role: 'user',
      content: [{ type: 'text' }, { type: 'file', mediaType: 'image/png', data }],
    });
  });

  it('gets back what its provider keeps in metadata: of reasoning, calls and texts; another model does not', async () => {
    const own = { fake: { signature: 'sig-1', itemId: 'rs_1' } };
    const parts = [
      { type: 'reasoning-start', id: '0', providerMetadata: { fake: { itemId: 'rs_1' } } },
      { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
      { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: { fake: { signature: 'sig-1' } } },
      { type: 'reasoning-end', id: '0' },
      ...textParts('I look.', { providerMetadata: { fake: { itemId: 'msg_1' } } }),
      ...callParts('a', 'Read', {}, { providerMetadata: { fake: { thoughtSignature: 'ts' } } }),
      finish(version, 'tool-calls'),
    ];
    const model = fakeModel(version, [parts]);
    const { message } = await ask(model);
    expect(message?.content[0]).toMatchObject({ type: 'thinking', thinking: 'Hm.' });
    const messages: MessageParam[] = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: message?.content ?? [] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'A' }] },
    ];
    await ask(model, { messages });
    expect(promptOf(model, 1)[2]).toMatchObject({
      content: [
        { type: 'reasoning', text: 'Hm.', providerOptions: own },
        { type: 'text', text: 'I look.', providerOptions: { fake: { itemId: 'msg_1' } } },
        { type: 'tool-call', toolCallId: 'a', providerOptions: { fake: { thoughtSignature: 'ts' } } },
      ],
    });
    const other = fakeModel(version, [[...textParts('ok'), finish(version, 'stop')]], { provider: 'other.chat' });
    await ask(other, { messages });
    expect(JSON.stringify(other.calls[0])).not.toMatch(/sig-1|itemId|thoughtSignature|Hm\./);
  });

  it('takes documents and addresses as its object says', async () => {
    const supportedUrls = Promise.resolve({ 'image/*': [/^https:\/\/pictures\./] });
    const model = fakeModel(version, [[...textParts('ok'), finish(version, 'stop')]], { supportedUrls });
    const image = (url: string): UserBlock => ({ type: 'image', source: { type: 'url', url } });
    const pdf: UserBlock = {
      type: 'document',
      title: 'Plan',
      source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x' },
    };
    const content = [image('https://pictures.example/a.png'), image('https://elsewhere.example/a.png'), pdf];
    await ask(model, { messages: [{ role: 'user', content }] });
    const url = new URL('https://pictures.example/a.png');
    const [, user] = promptOf(model);
    expect(user?.['content']).toEqual([
      { type: 'file', mediaType: 'image/*', data: version === 'v4' ? { type: 'url', url } : url },
      { type: 'text', text: expect.stringContaining('https://elsewhere.example/a.png is not shown') },
      {
        type: 'file',
        mediaType: 'application/pdf',
        filename: 'Plan.pdf',
        data: version === 'v4' ? { type: 'data', data: 'JVBERi0x' } : 'JVBERi0x',
      },
    ]);
  });

  it.each([
    ['length', 'max_tokens'],
    ['content-filter', 'refusal'],
    ['stop', 'end_turn'],
  ])('ends by %s as %s', async (reason, stopReason) => {
    const { message } = await ask(fakeModel(version, [[...textParts('x'), finish(version, reason)]]));
    expect(message?.stop_reason).toBe(stopReason);
  });

  it('says of files and sources that there were some', async () => {
    const parts = [
      ...textParts('See.'),
      { type: 'file', mediaType: 'image/png', data: 'aGk=' },
      { type: 'source', sourceType: 'url', id: '1', url: 'https://a.example/', title: 'A' },
      finish(version, 'stop'),
    ];
    const { message } = await ask(fakeModel(version, [parts]));
    const all = JSON.stringify(message?.content);
    expect(all).toContain('image/png');
    expect(all).toContain('A: https://a.example/');
  });

  const failed = (statusCode: number, more: Fields = {}) => ({
    reject: Object.assign(new Error('failed'), {
      name: 'AI_APICallError',
      statusCode,
      isRetryable: statusCode >= 429,
      ...more,
    }),
  });
  const unfinished =
    version === 'v2'
      ? finish('v2', 'unknown')
      : { ...finish(version, 'other'), finishReason: { unified: 'other', raw: undefined } };
  it.each([
    ['an overload', failed(529), 'overloaded', true],
    ['a limit of rate', failed(429, { responseHeaders: { 'Retry-After': '7' } }), 'rate_limit', true],
    [
      'a spent quota',
      failed(429, { responseBody: '{"error":{"code":"insufficient_quota","message":"spent"}}' }),
      'quota',
      false,
    ],
    ['a key that is refused', failed(401), 'authentication', false],
    ['an unknown model', failed(404), 'not_found', false],
    ['a server that says it is final', failed(503, { isRetryable: false }), 'overloaded', false],
    [
      'a window that is full',
      failed(400, { responseBody: '{"error":{"message":"prompt is too long"}}' }),
      'context_overflow',
      false,
    ],
    [
      'nobody there',
      { reject: Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }) },
      'connection',
      true,
    ],
    ['no key', { reject: Object.assign(new Error('no key'), { name: 'AI_LoadAPIKeyError' }) }, 'authentication', false],
    ['a bug of its own', { reject: new TypeError('x is not a function') }, 'invalid_request', false],
    [
      'an error in the stream',
      [...textParts('half'), { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }],
      'overloaded',
      true,
    ],
    [
      'a stream that breaks',
      [
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '0', delta: 'half' },
      ],
      'stream_cut',
      true,
    ],
    ['an end without a reason', [...textParts('half'), unfinished], 'stream_cut', true],
    ['an end by error', [...textParts('half'), finish(version, 'error')], 'server', true],
    ['a call without a name', [{ type: 'tool-call', toolCallId: 'a', input: '{}' }], 'malformed', true],
    ['a part that is none', [null as never], 'malformed', true],
  ] as const)('tells %s, and is asked once', async (_name, answer, kind, retryable) => {
    const model = fakeModel(version, [answer]);
    const { error } = await ask(model);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ kind, retryable });
    if (_name === 'a limit of rate') expect(error).toMatchObject({ retryAfterMs: 7_000 });
    expect(model.calls).toHaveLength(1);
  });

  it.each([
    ['never answers', 'silence', 'timeout', 5_000],
    ['falls silent', [{ type: 'text-start', id: '0' }, 'stall'], 'stream_idle', 2_000],
  ] as const)('that %s is given up within the limit and a second', async (_name, answer, kind, limitMs) => {
    const host = fakeHost();
    const model = fakeModel(version, [answer]);
    const limits = { requestTimeoutMs: 5_000, streamIdleMs: 2_000 };
    const stream = createAiSdkProvider(model, host.clock).stream(REQUEST, limits, new AbortController().signal);
    let error: unknown = null;
    collect(stream).catch((thrown: unknown) => {
      error = thrown;
    });
    for (let steps = 0; error === null && steps < 100; steps++) await host.clock.advance(100);
    expect(error).toMatchObject({ kind });
    expect(host.clock.monotonic()).toBeGreaterThanOrEqual(limitMs);
    expect(host.clock.monotonic()).toBeLessThanOrEqual(limitMs + 1_000);
    expect(model.calls[0]).toMatchObject({ abortSignal: { aborted: true } });
  });

  it.each(['silence', [{ type: 'text-start', id: '0' }, 'stall']] as const)(
    'ends at once at an abort, and stops the model: %j',
    async (answer) => {
      const model = fakeModel(version, [answer]);
      const controller = new AbortController();
      const stream = createAiSdkProvider(model, fakeHost().clock).stream(REQUEST, LIMITS, controller.signal);
      const running = collect(stream);
      while (model.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      await expect(running).rejects.toMatchObject({ kind: 'aborted' });
      expect(model.calls[0]).toMatchObject({ abortSignal: { aborted: true } });
    },
  );

  it('works a whole prompt with tools, in a session whose conversation began elsewhere', async () => {
    const parts = [...callParts('a', 'Probe', { value: 'x' }), finish(version, 'tool-calls')];
    const model = fakeModel(version, [parts, [...textParts('Done.'), finish(version, 'stop')]]);
    const probe = probeTool();
    const { engine } = await testEngine(scriptedModel([]), { tools: [probe], provider: model } as never);
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(result).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(Object.keys(result.modelUsage)).toEqual(['fake-1']);
    expect(probe.runs).toEqual([{ value: 'x' }]);
  });

  it('is retried by the engine alone, each wait told', async () => {
    const model = fakeModel(version, [failed(529), failed(529), [...textParts('ok'), finish(version, 'stop')]]);
    const engine = bareEngine(model as never, { limits: { retryBaseMs: 0 } });
    onTestFinished(() => engine.close());
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({ result: 'ok' });
    expect(messages.filter((message) => message.type === 'system' && message.subtype === 'api_retry')).toHaveLength(2);
    expect(model.calls).toHaveLength(3);
  });
});

describe('a model object', () => {
  it('is given as model, or as provider', async () => {
    for (const name of ['model', 'provider'] as const) {
      const model = fakeModel('v3', [[...textParts('ok'), finish('v3', 'stop')]]);
      const options = { [name]: model, persistSession: false, tools: [] };
      const messages = await collect(query({ prompt: 'go', options }));
      expect(messages[0]).toMatchObject({ subtype: 'init', model: 'fake-1' });
      expect(lastResult(messages)).toMatchObject({ result: 'ok' });
    }
  });

  it('is refused if its specification is unknown, or two could answer', async () => {
    const old = { ...fakeModel('v2', []), specificationVersion: 'v1' } as never;
    const messages = await collect(query({ prompt: 'go', options: { model: old, persistSession: false } }));
    expect(JSON.stringify(lastResult(messages))).toContain('Known ones: v2, v3, v4');
    const two = { model: fakeModel('v2', []), provider: scriptedModel([toolCall('Read')]) };
    await expect(collect(query({ prompt: 'go', options: two }))).rejects.toThrow(/only one can answer/);
  });
});

it('tells of limits that the answer names', async () => {
  const headers = { 'x-ratelimit-limit-tokens': '1000', 'x-ratelimit-remaining-tokens': '50' };
  const model = fakeModel('v4', [[...textParts('hi'), finish('v4', 'stop')]], { headers });
  const engine = bareEngine(scriptedModel([]), { provider: model });
  onTestFinished(() => engine.close());
  const messages = await collect(engine.submitMessage('go'));
  expect(messages).toContainEqual(
    expect.objectContaining({
      type: 'rate_limit_event',
      rate_limit_info: { status: 'allowed_warning', rateLimitType: 'tokens', utilization: 0.95 },
    }),
  );
});
