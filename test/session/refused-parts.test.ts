// A request that the API refuses for one of its parts, in the API's own words over loopback: the session goes on
// without the part, with one request more.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { QueryEngine } from '../../src/session/query-engine.js';
import { type MockStep, startMockProvider } from '../../src/testing/index.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, thinking, toolCall } from '../../src/testing/model/script.js';
import { probeTool, temporaryFolder } from '../support/engine.js';
import { imageOf, pngBytes } from '../support/media.js';
import { plainConfig } from '../support/plain-config.js';

const refuse = (message: string): MockStep => ({
  status: 400,
  body: { type: 'error', error: { type: 'invalid_request_error', message } },
});

async function served(steps: readonly MockStep[], overrides: Partial<QueryEngineConfig> = {}) {
  const server = await startMockProvider({ steps });
  onTestFinished(() => server.close());
  const engine = new QueryEngine({
    ...plainConfig(),
    cwd: await temporaryFolder(),
    host: createNodeHost(),
    userSpecifiedModel: 'claude-sonnet-4-5',
    env: { TURNWRIGHT_HOME: await temporaryFolder(), ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test-key' },
    ...overrides,
  });
  onTestFinished(() => engine.close());
  const bodyOf = (index: number) => server.requests[index]?.body as Record<string, unknown>;
  return { engine, server, bodyOf };
}

const repairs = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'history_repaired' ? message.repairs : [],
  );
const shot = (side: number) => imageOf(pngBytes(side, side));
const imagesIn = (body: unknown) => JSON.stringify(body).split('"type":"image"').length - 1;

describe('an image', () => {
  it('that the API cannot read becomes text that names it, and no other does', async () => {
    const { engine, server, bodyOf } = await served([
      refuse('messages.0.content.2.image.source.base64.data: Could not process image'),
      text('I see one.'),
      text('Still.'),
    ]);
    const first = await collect(engine.submitMessage([{ type: 'text', text: 'look' }, shot(11), shot(12)]));
    expect(lastResult(first)).toMatchObject({ subtype: 'success', result: 'I see one.' });
    expect(repairs(first)).toEqual([
      {
        kind: 'media_removed',
        detail: expect.stringMatching(/^image \(image\/png, .*the API of the model refused it/),
      },
    ]);
    expect(JSON.stringify(bodyOf(1))).toContain(
      'An image (image/png, 70 bytes) was left out: the API of the model refused it',
    );
    expect(imagesIn(bodyOf(1))).toBe(1);
    const second = await collect(engine.submitMessage('and now?'));
    expect(repairs(second)).toEqual([]);
    expect(imagesIn(bodyOf(2))).toBe(1);
    server.assertClean();
  });

  it('in a tool result is found there', async () => {
    const media = {
      ...probeTool(),
      run: async () => ({ model: [{ type: 'text', text: 'shot' }, shot(13)], data: null }),
    };
    const { engine, server, bodyOf } = await served(
      [
        toolCall('Probe'),
        refuse('messages.2.content.0.tool_result.content.1.image.source.base64: image exceeds 5 MB maximum'),
        text('done'),
      ],
      { tools: [media as never] },
    );
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages).subtype).toBe('success');
    expect(repairs(messages)).toHaveLength(1);
    expect(imagesIn(bodyOf(2))).toBe(0);
    server.assertClean();
  });

  it('that is not named by its place is looked for in the newest message that has some', async () => {
    const { engine, server, bodyOf } = await served([text('ok'), refuse('Could not process image'), text('done')]);
    await collect(engine.submitMessage([{ type: 'text', text: 'one' }, shot(11)]));
    const messages = await collect(engine.submitMessage([{ type: 'text', text: 'two' }, shot(12)]));
    expect(lastResult(messages).subtype).toBe('success');
    expect(imagesIn(bodyOf(2))).toBe(1);
    expect(JSON.stringify(bodyOf(2))).toContain(
      shot(11).source.type === 'base64' ? pngBytes(11, 11).toString('base64') : '',
    );
    server.assertClean();
  });

  it('is left out as often as one comes, but not for ever in one go', async () => {
    let shots = 20;
    const camera = {
      ...probeTool(),
      run: async () => ({ model: [shot(shots++)], data: null }),
    };
    const rounds = Array.from({ length: 7 }, (_, n) => [
      toolCall('Probe', { value: String(n) }),
      refuse('Could not process image'),
    ]);
    const { engine, server } = await served([...rounds.flat(), text('done')], { tools: [camera as never] });
    expect(lastResult(await collect(engine.submitMessage('take seven'))).result).toBe('done');
    server.assertClean();
    const stubborn = await served(Array.from({ length: 6 }, (_, n) => refuse(`messages.0.content.${n + 1}.image: no`)));
    const many = Array.from({ length: 9 }, (_, index) => shot(30 + index));
    const result = lastResult(await collect(stubborn.engine.submitMessage([{ type: 'text', text: 'look' }, ...many])));
    expect(result.terminal_reason).toBe('api_error');
    stubborn.server.assertClean();
  });

  it('that is refused without there being one ends the prompt with what the API said', async () => {
    const { engine, server } = await served([refuse('messages.0.content.0.image.source: Could not process image')]);
    const result = lastResult(await collect(engine.submitMessage('no image here')));
    expect(result).toMatchObject({
      terminal_reason: 'api_error',
      errors: [expect.stringMatching(/Could not process image/)],
    });
    server.assertClean();
  });
});

describe('thinking', () => {
  const thought = (signature: string) => reply(thinking('hm', signature), toolCall('Probe'));

  it('whose signature is refused is stripped once, in the middle of a turn, with one request more', async () => {
    const { engine, server, bodyOf } = await served(
      [
        thought('sig-one'),
        refuse('messages.1.content.0: Invalid `signature` in `thinking` block'),
        toolCall('Probe', { value: '2' }),
        text('done'),
        thought('sig-two'),
        text('again'),
      ],
      { tools: [probeTool()], thinkingConfig: { type: 'enabled', budgetTokens: 2_000 } },
    );
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'done' });
    expect(repairs(messages)).toEqual([
      { kind: 'thinking_removed', detail: 'the API refused the signature of earlier thinking' },
    ]);
    expect(JSON.stringify(bodyOf(2))).not.toContain('sig-one');
    // A turn that lost its thinking goes on without; the next one thinks again, and keeps what it signed.
    expect(bodyOf(2)).not.toHaveProperty('thinking');
    expect(bodyOf(3)).not.toHaveProperty('thinking');
    await collect(engine.submitMessage('more'));
    expect(bodyOf(4)).toHaveProperty('thinking');
    expect(JSON.stringify(bodyOf(5))).toContain('sig-two');
    expect(JSON.stringify(bodyOf(5))).not.toContain('sig-one');
    server.assertClean();
  });
});

describe('an output limit', () => {
  it('above that of a model nobody knows is learned from the refusal', async () => {
    const { engine, server, bodyOf } = await served(
      [
        refuse('max_tokens: 32000 > 4096, which is the maximum allowed number of output tokens for house-model'),
        text('hi'),
        text('ho'),
      ],
      { userSpecifiedModel: 'house-model' },
    );
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages).subtype).toBe('success');
    expect(messages).toContainEqual(
      expect.objectContaining({ code: 'output_limit_lowered', message: expect.stringContaining('4,096') }),
    );
    await collect(engine.submitMessage('more'));
    expect([0, 1, 2].map((index) => bodyOf(index).max_tokens)).toEqual([32_000, 4_096, 4_096]);
    server.assertClean();
  });
});

describe('a schema of the answer', () => {
  const jsonSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

  it('goes to the API if the model takes one', async () => {
    const { engine, server, bodyOf } = await served([text('{"n":1}')], { jsonSchema });
    expect(lastResult(await collect(engine.submitMessage('go'))).structured_output).toEqual({ n: 1 });
    expect(bodyOf(0)).toMatchObject({
      output_config: { format: { type: 'json_schema', schema: { ...jsonSchema, additionalProperties: false } } },
    });
    expect(bodyOf(0)).not.toHaveProperty('tools');
    server.assertClean();
  });

  it('goes through the tool for an older model', async () => {
    const { engine, server, bodyOf } = await served([toolCall('StructuredOutput', { n: 1 })], {
      jsonSchema,
      userSpecifiedModel: 'claude-3-5-haiku-20241022',
    });
    expect(lastResult(await collect(engine.submitMessage('go'))).structured_output).toEqual({ n: 1 });
    expect(bodyOf(0)).not.toHaveProperty('output_config');
    server.assertClean();
  });

  it.each([
    'output_config.format.schema: Invalid schema: The compiled grammar is too large, which would cause performance issues.',
    'output_config: Extra inputs are not permitted',
    "'claude-sonnet-4-5' does not support output format.",
  ])('that is refused as "%s" goes through the tool', async (message) => {
    const { engine, server } = await served([refuse(message), toolCall('StructuredOutput', { n: 1 })], { jsonSchema });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages).structured_output).toEqual({ n: 1 });
    expect(messages).toContainEqual(expect.objectContaining({ code: 'output_schema_refused' }));
    server.assertClean();
  });

  it('is not blamed for a refused effort, and the other way round', async () => {
    const { engine, server, bodyOf } = await served(
      [refuse('output_config.effort: This model does not support the effort parameter.'), text('{"n":1}')],
      { jsonSchema, effort: 'high' },
    );
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages).structured_output).toEqual({ n: 1 });
    expect(messages).toContainEqual(
      expect.objectContaining({
        code: 'option_without_effect',
        message: expect.stringMatching(/^effort has no effect/),
      }),
    );
    expect(Object.keys(bodyOf(1).output_config as object)).toEqual(['format']);
    server.assertClean();
  });

  it('that is refused if there is none ends the prompt', async () => {
    const { engine, server } = await served([refuse('output_config.format: no')]);
    expect(lastResult(await collect(engine.submitMessage('go'))).terminal_reason).toBe('api_error');
    server.assertClean();
  });
});

describe('a way to think', () => {
  it.each([
    [
      'a budget',
      'claude-sonnet-4-5',
      { type: 'enabled', budgetTokens: 2_000 },
      'thinking.type.enabled: use adaptive',
      { type: 'adaptive' },
    ],
    [
      'adaptive thinking',
      'claude-opus-4-6',
      { type: 'adaptive' },
      'adaptive thinking is not supported on this model',
      undefined,
    ],
    ['thinking nobody asked for', 'claude-opus-4-6', undefined, 'thinking: Extra inputs are not permitted', undefined],
  ] as const)(
    'that the model does not know, %s, is changed or left out, once told',
    async (_name, userSpecifiedModel, thinkingConfig, message, expected) => {
      const { engine, server, bodyOf } = await served([refuse(message), text('ok'), text('ok')], {
        userSpecifiedModel,
        ...(thinkingConfig === undefined ? {} : { thinkingConfig }),
      });
      const messages = await collect(engine.submitMessage('go'));
      expect(lastResult(messages).subtype).toBe('success');
      expect(messages).toContainEqual(expect.objectContaining({ code: 'thinking_reduced' }));
      const second = await collect(engine.submitMessage('more'));
      expect(JSON.stringify(second)).not.toContain('thinking_reduced');
      expect([bodyOf(1).thinking, bodyOf(2).thinking]).toEqual([expected, expected]);
      server.assertClean();
    },
  );
});
