// Model objects beside names: in chains, tiers, agents, and under names of the host's own.
import { describe, expect, it, onTestFinished } from 'vitest';
import { ModelError } from '../../src/protocol/errors.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { AI_SDK_VERSIONS } from '../../src/providers/ai-sdk/language-model.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-wire.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { callParts, type FakeAnswer, type FakeModel, fakeModel, finish, textParts } from '../support/ai-sdk-model.js';
import { temporaryFolder } from '../support/engine.js';

const says = (words: string): FakeAnswer => [...textParts(words), finish('v3', 'stop')];
const refuses = (statusCode: number): FakeAnswer => ({
  reject: Object.assign(new Error('no'), { name: 'AI_APICallError', statusCode, isRetryable: true }),
});
const object = (modelId: string, answer: FakeAnswer, provider = 'fake.chat'): FakeModel =>
  fakeModel('v3', [answer], { modelId, provider });

/** A session whose names of Anthropic lead to a mock server. */
async function ask(options: Options, steps: readonly MockStep[] = []) {
  const mock = await startMockProvider({ steps });
  const home = await temporaryFolder();
  onTestFinished(() => mock.close());
  const env = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: mock.url, TURNWRIGHT_HOME: home };
  const limits = { maxRetries: 0, retryBaseMs: 0 };
  const common = { cwd: home, env, limits, persistSession: false, settingSources: [], tools: [] };
  const messages = await collect(query({ prompt: 'go', options: { ...common, ...options } }));
  expect(mock.violations).toEqual([]);
  return { messages, result: lastResult(messages), mock };
}

function changes(messages: readonly SDKMessage[]): (readonly string[])[] {
  return messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'model_changed' ? [[message.from, message.to]] : [],
  );
}

function notices(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'notice' ? [`${message.code}: ${message.message}`] : [],
  );
}

describe('a chain', () => {
  it('holds names and objects, in their order, from a name', async () => {
    const [second, third] = [object('second', refuses(503)), object('third', says('Third.'))];
    const { messages, result, mock } = await ask(
      { model: 'claude-haiku-4-5', fallback: { models: [second, 'claude-sonnet-4-5', third] } },
      [{ status: 529 }, { status: 500 }],
    );
    expect(result).toMatchObject({ subtype: 'success', result: 'Third.' });
    expect(changes(messages)).toEqual([
      ['claude-haiku-4-5', 'fake/second'],
      ['fake/second', 'claude-sonnet-4-5'],
      ['claude-sonnet-4-5', 'fake/third'],
    ]);
    expect(mock.requests).toHaveLength(2);
    expect([second.calls.length, third.calls.length]).toEqual([1, 1]);
    expect(Object.keys(result.modelUsage)).toContain('fake/third');
  });

  it.each(AI_SDK_VERSIONS)('goes on from an object of %s to names and other objects', async (version) => {
    const first = fakeModel(version, [refuses(529)], { modelId: 'first' });
    const next = fakeModel(version, [refuses(429)], { modelId: 'next', provider: 'other.chat' });
    const { messages, result } = await ask(
      { model: first, fallback: { models: [next, 'anthropic/claude-haiku-4-5'] } },
      [text('By name.')],
    );
    expect(result).toMatchObject({ subtype: 'success', result: 'By name.' });
    expect(changes(messages)).toEqual([
      ['first', 'other/next'],
      ['other/next', 'anthropic/claude-haiku-4-5'],
    ]);
    expect(Object.keys(result.modelUsage)).toContain('anthropic/claude-haiku-4-5');
  });

  it('holds objects beside a provider of the host, whose names stay its own', async () => {
    const provider = scriptedModel((request) => (request.model === 'main' ? { error: overloaded() } : text('Mine.')));
    const next = object('next', refuses(529));
    const { messages, result } = await ask({
      provider,
      model: 'main',
      fallback: { models: [next, 'anthropic/spare'] },
    });
    expect(result).toMatchObject({ result: 'Mine.' });
    expect(changes(messages)).toEqual([
      ['main', 'fake/next'],
      ['fake/next', 'anthropic/spare'],
    ]);
    expect(provider.requests.map(({ model }) => model)).toEqual(['main', 'anthropic/spare']);
  });

  it('with a price ceiling passes over an object whose price is not known, and asks one that is cheap enough', async () => {
    const unknown = object('unknown', says('Unknown.'));
    const known = object('gemini-2.5-flash-lite', says('Known.'), 'google.generative-ai');
    const { messages, result } = await ask(
      { model: 'claude-haiku-4-5', fallback: { models: [unknown, known], maxPriceFactor: 1 } },
      [{ status: 529 }],
    );
    expect(result).toMatchObject({ result: 'Known.' });
    expect(result.modelUsage['google/gemini-2.5-flash-lite']?.costUSD).toBeGreaterThan(0);
    expect(notices(messages)).toContainEqual(expect.stringMatching(/^fallback_skipped: .*fake\/unknown .*not known/));
    expect(unknown.calls).toEqual([]);
  });

  it('that is pinned is never asked', async () => {
    const next = object('next', says('Next.'));
    const { result } = await ask({ model: object('first', refuses(529)), fallback: { models: [next], pin: true } });
    expect(result.is_error).toBe(true);
    expect(next.calls).toEqual([]);
  });

  it('tells objects of one name apart, and from a name', async () => {
    const [one, other] = [object('claude-haiku-4-5', refuses(529), 'anthropic'), object('x', refuses(529))];
    const last = object('x', says('Last.'));
    const { messages, result } = await ask(
      { model: 'claude-sonnet-4-5', fallback: { models: [one, 'anthropic/claude-haiku-4-5', other, last] } },
      [{ status: 529 }, { status: 529 }],
    );
    expect(result).toMatchObject({ result: 'Last.' });
    expect(changes(messages).map(([, to]) => to)).toEqual([
      'anthropic/claude-haiku-4-5#2',
      'claude-haiku-4-5',
      'fake/x',
      'fake/x#2',
    ]);
  });
});

describe('a tier', () => {
  it('that is an object answers if nobody named a model', async () => {
    const auto = object('mine', says('Auto.'));
    const { messages, result, mock } = await ask({ modelTiers: { auto } });
    expect(messages[0]).toMatchObject({ subtype: 'init', model: 'fake/mine' });
    expect(result).toMatchObject({ result: 'Auto.' });
    expect(mock.requests).toEqual([]);
  });

  it('that is an object serves agents, beside a model that is one', async () => {
    const call = callParts('a', 'Agent', { description: 'look', prompt: 'Look.', subagent_type: 'scout' });
    const main = fakeModel('v4', [
      [...call, finish('v4', 'tool-calls')],
      [...textParts('Done.'), finish('v4', 'stop')],
    ]);
    const lite = object('small', says('Seen.'));
    const { messages, result } = await ask({
      model: main,
      modelTiers: { lite },
      agents: { scout: { description: 'Looks.', prompt: 'You look.', model: 'lite' } },
      tools: ['Agent'],
      allowedTools: ['Agent'],
    });
    expect(result).toMatchObject({ result: 'Done.' });
    expect(JSON.stringify(main.calls[1])).toContain('Seen.');
    expect(Object.keys(result.modelUsage).sort()).toEqual(['fake-1', 'fake/small']);
    expect(notices(messages)).toEqual([]);
  });
});

describe('a name of the host for an object', () => {
  it('stands for it wherever a model is named', async () => {
    const spare = object('spare', says('Spare.'));
    const { messages, result } = await ask({
      model: 'mine',
      fallbackModel: 'spare',
      modelObjects: { mine: object('first', refuses(529)), spare },
    });
    expect(result).toMatchObject({ result: 'Spare.' });
    expect(changes(messages)).toEqual([['mine', 'spare']]);
  });

  it('is the one in a chain too', async () => {
    const spare = object('spare', says('Spare.'));
    const { messages } = await ask({
      model: object('first', refuses(529)),
      fallback: { models: [spare] },
      modelObjects: { spare },
    });
    expect(changes(messages)).toEqual([['first', 'spare']]);
  });

  it('resolves if the host names the model of each request', async () => {
    const fast = object('x', says('Fast.'));
    const { result } = await ask({ resolveModel: () => ({ model: 'fast' }), modelObjects: { fast } });
    expect(result).toMatchObject({ result: 'Fast.' });
  });

  it.each([
    [{ modelObjects: { auto: object('x', []) } }, /"auto" cannot be the name/],
    [{ modelObjects: { 'a b': object('x', []) } }, /"a b" cannot be the name/],
    [{ modelObjects: { x: 'gpt-5' } }, /modelObjects\.x is not a model object/],
    [{ modelObjects: [] }, /must be an object/],
    [{ fallback: { models: [{ ...object('x', []), specificationVersion: 'v1' }] } }, /Known ones: v2, v3, v4/],
    [{ modelTiers: { lite: { ...object('x', []), specificationVersion: 'v9' } } }, /Known ones/],
  ] as const)('is checked before anything starts: %j', async (options, expected) => {
    await expect(ask({ model: 'claude-haiku-4-5', ...(options as unknown as Options) })).rejects.toThrow(expected);
  });
});

it('another model than the object is another model, if it can be reached', async () => {
  const main = object('main', says('Main.'));
  const mock = await startMockProvider({ steps: [text('Haiku.')] });
  onTestFinished(() => mock.close());
  const env = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: mock.url };
  const queue: string[] = ['one', 'two'];
  async function* prompts() {
    for (const content of queue) yield { type: 'user' as const, message: { role: 'user' as const, content } };
  }
  const running = query({
    prompt: prompts() as never,
    options: { model: main, env, persistSession: false, tools: [] },
  });
  const results: string[] = [];
  for await (const message of running) {
    if (message.type !== 'result') continue;
    results.push('result' in message ? String(message.result) : '');
    if (results.length > 1) break;
    await expect(running.setModel('openai/gpt-5')).rejects.toThrow(/needs a key/);
    await running.setModel('claude-haiku-4-5');
  }
  expect(results).toEqual(['Main.', 'Haiku.']);
});

function overloaded() {
  return new ModelError('overloaded', 'busy', { status: 529 });
}
