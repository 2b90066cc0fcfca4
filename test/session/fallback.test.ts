// Which models are asked, in which order, when one does not answer.
import { describe, expect, it, onTestFinished } from 'vitest';
import { ModelError, type ModelErrorKind } from '../../src/protocol/errors.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { FallbackPolicy } from '../../src/protocol/model-options.js';
import { type OnUserDialog, REFUSAL_DIALOG, type UserDialogRequest } from '../../src/protocol/options.js';
import { loadCatalogue } from '../../src/providers/models/catalogue.js';
import { query } from '../../src/sdk/query.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { createModelChain, fallbackSettings } from '../../src/session/models/model-chain.js';
import { createPriceBook } from '../../src/session/spending/usage-ledger.js';
import { fakeHost } from '../../src/testing/fake-host.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, type ScriptedAnswer, text, thinking, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';
import { bareEngine } from '../support/soak/bare-engine.js';

const fails = (kind: ModelErrorKind, status: number | null): ScriptedAnswer => ({
  error: new ModelError(kind, `it is ${kind}`, { status }),
});

const FAILURES: Readonly<Record<string, ScriptedAnswer>> = {
  overloaded: fails('overloaded', 529),
  quota: fails('quota', 429),
  model_not_found: fails('not_found', 404),
  server: fails('server', 500),
  stall: fails('stream_idle', null),
  rate: fails('rate_limit', 429),
  connection: fails('connection', null),
  auth: fails('authentication', 401),
  refusal: { ...reply(text('I will not.')), stopReason: 'refusal' },
  overflow: fails('context_overflow', 400),
};

const windows = {
  'scripted/scripted': { contextWindow: 20_000, maxOutputTokens: 4_000 },
  'scripted/second': { contextWindow: 20_000, maxOutputTokens: 4_000 },
  'scripted/third': { contextWindow: 90_000, maxOutputTokens: 4_000 },
};
const ALL = ['overloaded', 'rate', 'quota', 'auth', 'model_not_found', 'server', 'timeout', 'connection'] as const;

function changes(messages: readonly SDKMessage[]) {
  return messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'model_changed' ? [message] : [],
  );
}

/** All models but the third fail so. */
async function run(failure: string, config: Partial<QueryEngineConfig>) {
  const model = scriptedModel((request) =>
    request.model === 'third' ? text('third') : (FAILURES[failure] ?? text('?')),
  );
  const host = fakeHost();
  const limits = { maxRetries: 2, retryBaseMs: 0 };
  const engine = bareEngine(model, { host, limits, catalogueOverrides: windows, ...config });
  onTestFinished(() => engine.close());
  const messages = await collect(engine.submitMessage('go'));
  return { model, messages, result: lastResult(messages), asked: model.requests.map((request) => request.model) };
}

const [A, B, C] = ['scripted', 'second', 'third'];
const chain = (policy: Partial<FallbackPolicy> = {}): Partial<QueryEngineConfig> => ({
  fallback: { models: ['second', 'third'], ...policy },
});

describe('a person is asked whether another model is, after a refusal', () => {
  type Answer = Awaited<ReturnType<OnUserDialog>>;
  const asks = async (answer: () => Promise<Answer>, policy: Partial<FallbackPolicy> = {}) => {
    const shown: UserDialogRequest[] = [];
    const onUserDialog: OnUserDialog = async (request) => {
      shown.push(request);
      return answer();
    };
    const kinds = { supportedDialogKinds: [REFUSAL_DIALOG], onUserDialog };
    return { shown, ...(await run('refusal', { ...chain(policy), ...kinds })) };
  };

  it('each time, and that it is wanted counts', async () => {
    const { shown, asked, result } = await asks(async () => ({ behavior: 'completed', result: 'fallback' }));
    expect(shown.map(({ payload }) => [payload['original_model'], payload['fallback_model']])).toEqual([
      ['scripted', 'second'],
      ['second', 'third'],
    ]);
    expect(asked).toEqual([A, B, C]);
    expect(result.subtype).toBe('success');
  });

  it.each<[string, () => Promise<Answer>]>([
    ['does not want it', async () => ({ behavior: 'completed', result: 'stop' })],
    ['closes the question', async () => ({ behavior: 'cancelled' })],
    ['gives nothing', async () => null],
    ['cannot be asked', () => Promise.reject(new Error('the window is gone'))],
  ])('and if it %s, the refusal stands, and that is told', async (_, answer) => {
    const { asked, messages, result } = await asks(answer);
    expect(asked).toEqual([A]);
    expect(result.terminal_reason).toBe('refusal');
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'notice', code: 'fallback_skipped' }));
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'model_refusal_no_fallback' }));
  });

  it('and not if the chain says so by itself, nor for other failures', async () => {
    const { shown, asked } = await asks(() => Promise.reject(new Error('never')), { on: ['refusal'] });
    expect([shown, asked]).toEqual([[], [A, B, C]]);
    const onUserDialog: OnUserDialog = () => Promise.reject(new Error('never'));
    const quota = await run('quota', { ...chain(), onUserDialog, supportedDialogKinds: [REFUSAL_DIALOG] });
    expect(quota.asked).toEqual([A, B, C]);
  });

  it('an interrupt takes the question back', async () => {
    const signals: AbortSignal[] = [];
    const model = scriptedModel([FAILURES['refusal'] ?? text('?')]);
    const engine = bareEngine(model, {
      host: fakeHost(),
      ...chain(),
      supportedDialogKinds: [REFUSAL_DIALOG],
      onUserDialog: (_, { signal }) => {
        signals.push(signal);
        engine.interrupt();
        return new Promise(() => undefined);
      },
    });
    onTestFinished(() => engine.close());
    expect(lastResult(await collect(engine.submitMessage('go'))).terminal_reason).toBe('aborted');
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe('the models that are asked', () => {
  it.each([
    ['overloaded', [A, A, A, B, B, B, C]],
    ['rate', [A, A, A, B, B, B, C]],
    ['server', [A, A, A, B, B, B, C]],
    ['stall', [A, A, A, B, B, B, C]],
    ['connection', [A, A, A, B, B, B, C]],
    ['quota', [A, B, C]],
    ['model_not_found', [A, B, C]],
    ['auth', [A]],
    ['refusal', [A]],
    // Once for the prompt, once for a summary of it.
    ['overflow', [A, A]],
  ])('with a chain, where each is %s', async (failure, expected) => {
    const { asked, messages, result } = await run(failure, chain());
    expect(asked).toEqual(expected);
    const switched = changes(messages).map(({ from, to }) => [from, to]);
    expect(switched).toEqual(
      expected.includes(C)
        ? [
            [A, B],
            [B, C],
          ]
        : [],
    );
    expect(Object.keys(result.modelUsage)).toEqual([...new Set(expected)]);
    expect(result.is_error).toBe(!expected.includes(C));
  });

  it.each([
    ['auth', [A, B, C]],
    ['refusal', [A, B, C]],
    // Only a model that takes more is worth asking.
    ['overflow', [A, C]],
  ] as const)('with a chain that is told so, where each is %s', async (failure, expected) => {
    const { asked, messages, result } = await run(failure, chain({ on: [...ALL, 'refusal', 'overflow'] }));
    expect(asked).toEqual(expected);
    expect(changes(messages).every(({ trigger }) => trigger === failure)).toBe(true);
    expect(result).toMatchObject({ subtype: 'success', result: 'third' });
    expect(messages.filter(({ type }) => type === 'assistant')).toHaveLength(1);
  });

  it.each(Object.keys(FAILURES))('pinned, if it is %s', async (failure) => {
    const { asked, messages } = await run(failure, chain({ pin: true, on: [...ALL, 'refusal', 'overflow'] }));
    expect(new Set(asked)).toEqual(new Set([A]));
    expect(changes(messages)).toEqual([]);
  });

  it('are those of a list in fallbackModel too, each once', async () => {
    const { asked } = await run('quota', { fallbackModel: 'second, scripted ,third' });
    expect(asked).toEqual([A, B, C]);
  });

  it('are not left for what the chain is not for', async () => {
    expect((await run('quota', chain({ on: ['overloaded'] }))).asked).toEqual([A]);
  });

  it('begin with the first one again in the next prompt, which is told', async () => {
    let isUp = false;
    const model = scriptedModel((request) =>
      request.model === A && !isUp ? (FAILURES['quota'] ?? text('')) : text('ok'),
    );
    const engine = bareEngine(model, chain());
    onTestFinished(() => engine.close());
    await collect(engine.submitMessage('one'));
    isUp = true;
    const messages = await collect(engine.submitMessage('two'));
    expect(changes(messages)).toEqual([expect.objectContaining({ from: B, to: A, trigger: 'prompt_started' })]);
    expect(changes(await collect(engine.submitMessage('three')))).toEqual([]);
    expect(model.requests.map((request) => request.model)).toEqual([A, B, A, A]);
  });

  it('do not change back for setModel in the middle of a prompt', async () => {
    const model = scriptedModel((request) =>
      request.model === 'other' ? (FAILURES['quota'] ?? text('')) : text('ok'),
    );
    const engine = bareEngine(model, { fallback: { models: [A ?? ''] } });
    onTestFinished(() => engine.close());
    engine.setModel('other');
    const messages = await collect(engine.submitMessage('go'));
    expect(model.requests.map((request) => request.model)).toEqual(['other', A]);
    expect(changes(messages)).toMatchObject([{ from: 'other', to: A }]);
  });

  it('are not waited for as long as a run that nobody watches waits for its last one', async () => {
    const host = fakeHost();
    const model = scriptedModel((request) =>
      request.model === B && host.clock.monotonic() > 20 * 60_000 ? text('ok') : fails('overloaded', 529),
    );
    const limits = { maxRetries: 1, retryHorizonMs: 30 * 60_000 };
    const engine = bareEngine(model, { host, limits, fallback: { models: ['second'] } });
    onTestFinished(() => engine.close());
    let isOver = false;
    const running = collect(engine.submitMessage('go')).finally(() => {
      isOver = true;
    });
    for (let steps = 0; !isOver && steps < 10_000; steps++) await host.clock.advance(1_000);
    expect(lastResult(await running)).toMatchObject({ subtype: 'success' });
    expect(model.requests.map((request) => request.model).slice(0, 4)).toEqual([A, A, B, B]);
  });
});

describe('a price ceiling', () => {
  const price = (input: number) => ({ ...windows['scripted/third'], price: { input, output: input * 5 } });
  const prices = {
    'scripted/scripted': price(2),
    'scripted/second': price(4),
    'scripted/third': price(2),
  };

  it('passes over what costs more, and what costs nobody knows what, and tells', async () => {
    const policy = { fallback: { models: ['second', 'strange', 'third'], maxPriceFactor: 1.5 } };
    const { asked, messages } = await run('quota', { ...policy, catalogueOverrides: prices });
    expect(asked).toEqual([A, C]);
    const told = messages.filter((message) => message.type === 'system' && message.subtype === 'notice');
    expect(told).toMatchObject([
      { code: 'fallback_skipped', message: expect.stringContaining('2 times what scripted does') },
      { code: 'fallback_skipped', message: expect.stringContaining('strange was not asked') },
    ]);
  });

  it('holds at every length of prompt', async () => {
    const catalogue = await loadCatalogue();
    const locate = (model: string) => ({ provider: 'google', model, free: false });
    const book = createPriceBook(catalogue, locate);
    const tiered = 'gemini-2.5-pro';
    expect(book.facts(tiered)?.tiers.length).toBeGreaterThan(0);
    const settings = fallbackSettings({ fallback: { models: [tiered], maxPriceFactor: 1 } });
    if (settings === null) throw new Error('There is no chain.');
    const loaded = { known: () => book, load: async () => book };
    const router = { admit: async (name: string) => name, locate };
    expect(await createModelChain(settings, () => tiered, router, loaded).admit(tiered)).toEqual({ model: tiered });
    const flat = {
      ...book,
      facts: (name: string) => (name === 'flat' ? withoutTiers(book.facts(tiered)) : book.facts(name)),
    };
    const beside = { known: () => flat, load: async () => flat };
    expect((await createModelChain(settings, () => 'flat', router, beside).admit(tiered)).model).toBeNull();
  });
});

function withoutTiers<T extends { readonly tiers: unknown } | null>(facts: T) {
  return facts === null ? null : { ...facts, tiers: [] };
}

describe('a chain over providers', () => {
  it('hands the conversation over, with its thinking and its calls, and comes back to the first', async () => {
    const busy = fails('overloaded', 529);
    const first = await startMockProvider({
      steps: [
        reply(thinking('I look.', 'signature-of-the-first'), toolCall('Probe', { value: 'a' })),
        busy,
        text('I am back.'),
      ],
    });
    const second = await startMockProvider({
      api: 'openai-chat',
      steps: [toolCall('Probe', { value: 'b' }), text('Done elsewhere.')],
    });
    onTestFinished(async () => {
      await first.close();
      await second.close();
    });
    const tool = probeTool();
    const { engine } = await testEngine(scriptedModel([]), {
      tools: [tool],
      userSpecifiedModel: 'anthropic/claude-sonnet-4-5',
      limits: { maxRetries: 0 },
      models: { providers: { there: { api: 'openai-chat', baseUrl: `${second.url}/v1`, apiKey: 'key-of-there' } } },
      fallback: { models: ['there/large'] },
      thinkingConfig: { type: 'enabled', budgetTokens: 2_000 },
      ...{ provider: undefined },
      env: {
        TURNWRIGHT_HOME: await temporaryFolder(),
        ANTHROPIC_API_KEY: 'sk-ant-test-key-0001',
        ANTHROPIC_BASE_URL: first.url,
      },
    } as never);
    const messages = await collect(engine.submitMessage('go'));
    const result = lastResult(messages);
    expect(result).toMatchObject({ subtype: 'success', result: 'Done elsewhere.' });
    expect(changes(messages)).toMatchObject([{ from: 'claude-sonnet-4-5', to: 'there/large', trigger: 'overloaded' }]);
    expect(Object.keys(result.modelUsage)).toEqual(['claude-sonnet-4-5', 'there/large']);
    expect(tool.runs).toEqual([{ value: 'a' }, { value: 'b' }]);
    expect(lastResult(await collect(engine.submitMessage('again')))).toMatchObject({ result: 'I am back.' });
    expect(JSON.stringify(second.requests.map(({ body }) => body))).not.toContain('signature-of-the-first');
    expect(JSON.stringify(first.requests.at(-1)?.body)).toContain('Done elsewhere.');
    first.assertClean();
    second.assertClean();
  });

  it('passes over a provider without a key, and tells', async () => {
    const first = await startMockProvider({ steps: () => fails('overloaded', 529) as never });
    onTestFinished(() => first.close());
    const { engine } = await testEngine(scriptedModel([]), {
      userSpecifiedModel: 'claude-sonnet-4-5',
      limits: { maxRetries: 0 },
      fallbackModel: 'openai/gpt-5',
      ...{ provider: undefined },
      env: {
        TURNWRIGHT_HOME: await temporaryFolder(),
        ANTHROPIC_API_KEY: 'sk-ant-test-key-0001',
        ANTHROPIC_BASE_URL: first.url,
      },
    } as never);
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({ terminal_reason: 'api_error' });
    expect(messages).toContainEqual(
      expect.objectContaining({ code: 'fallback_skipped', message: expect.stringContaining('OPENAI_API_KEY') }),
    );
  });
});

describe('the option fallback of query()', () => {
  it('is passed on, and refused before anything starts if it cannot be used', async () => {
    const model = scriptedModel((request) => (request.model === 'second' ? text('second') : fails('quota', 429)));
    const options = { provider: model, persistSession: false };
    const messages = await collect(query({ prompt: 'go', options: { ...options, fallback: { models: ['second'] } } }));
    expect(lastResult(messages)).toMatchObject({ result: 'second' });
    const wrong = { ...options, fallback: { models: [''] } };
    await expect(collect(query({ prompt: 'go', options: wrong }))).rejects.toThrow(/empty name/);
  });
});

describe('a fallback that cannot be used', () => {
  it.each([
    [{ fallback: { models: ['a'] }, fallbackModel: 'b' }, /once/],
    [{ fallback: { models: [''] } }, /empty name/],
    [{ fallbackModel: 'a,,b' }, /empty name/],
    [{ fallback: { models: ['a'], on: ['sunshine'] } }, /sunshine/],
    [{ fallback: { models: ['a'], maxPriceFactor: 0 } }, /maxPriceFactor is 0/],
    [{ fallback: { modles: ['a'] } }, /unknown field "modles"/],
    [{ fallback: ['a'] }, /must be an object/],
    [{ fallback: { models: 'a' } }, /must be a list/],
    [{ fallback: { models: ['a'], pin: 'yes' } }, /pin/],
  ])('is refused: %j', (options, message) => {
    expect(() => fallbackSettings(options as never)).toThrow(message);
  });
});
