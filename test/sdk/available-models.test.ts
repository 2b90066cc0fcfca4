// The list of models that a query gives: what can be named, under the names that can be used.
import { describe, expect, it, onTestFinished } from 'vitest';
import { apiKey } from '../../src/index.js';
import type { ModelInfo } from '../../src/protocol/model.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import type { Query } from '../../src/sdk/query-controls.js';
import { collect } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { fakeModel } from '../support/ai-sdk-model.js';
import { temporaryFolder } from '../support/engine.js';

const NO_KEYS = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: undefined, ANTHROPIC_BASE_URL: undefined };
const SERVER = { srv: { api: 'openai-chat', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'key-of-server' } } as const;

async function open(options: Options): Promise<Query> {
  const home = await temporaryFolder();
  const env = { ...NO_KEYS, TURNWRIGHT_HOME: home, ...options.env };
  const session = query({ prompt: 'go', options: { cwd: home, settingSources: [], ...options, env } });
  onTestFinished(() => session.close());
  return session;
}

const list = async (options: Options): Promise<ModelInfo[]> => (await open(options)).getAvailableModels();
const object = (provider: string, modelId: string) => fakeModel('v3', [], { provider, modelId });
const valuesOf = (models: readonly ModelInfo[]) => models.map(({ value }) => value);

describe('a model object', () => {
  it('that is the model is listed first behind the tiers, with what the catalogue knows of it', async () => {
    const [only, ...others] = await list({ model: object('google.generative-ai', 'gemini-2.5-pro') });
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      value: 'gemini-2.5-pro',
      displayName: 'gemini-2.5-pro',
      description: expect.stringContaining('google.generative-ai'),
      context_config: { '1M': { token_count: 1_048_576 } },
    });
  });

  it('is listed by the name it has in these options, beside the names of others, and each of them can be set', async () => {
    const options = {
      env: { GEMINI_API_KEY: 'key-of-google' },
      modelObjects: { scout: object('groq.chat', 'tiny') },
      fallback: { models: [object('mistral.chat', 'large')] },
      modelTiers: { lite: object('groq.chat', 'smallest') },
    };
    const session = await open(options);
    const models = await session.getAvailableModels();
    expect(valuesOf(models).slice(0, 8)).toEqual([
      ...['auto', 'ultimate', 'performance', 'efficient', 'lite'],
      ...['scout', 'mistral/large', 'groq/smallest'],
    ]);
    expect(models[4]?.description).toBe('Stands for groq/smallest.');
    expect(models.some(({ value }) => value.startsWith('google/'))).toBe(true);
    for (const { value } of models) await session.setModel(value);
  });

  it('is all there is beside a provider of the host, whose names are its own', async () => {
    const provider = scriptedModel([]);
    expect(await list({ provider, env: { GEMINI_API_KEY: 'key-of-google' } })).toEqual([]);
    expect(valuesOf(await list({ provider, modelObjects: { scout: object('groq.chat', 'tiny') } }))).toEqual(['scout']);
  });

  it('is shown to resolveModel too', async () => {
    const shown: string[][] = [];
    const session = await open({
      modelObjects: { scout: fakeModel('v3', [[]], { provider: 'groq.chat' }) },
      resolveModel: ({ availableModels }) => {
        shown.push(valuesOf(availableModels));
        return { model: 'offline' };
      },
    });
    await collect(session);
    expect(shown[0]).toEqual(['scout']);
  });
});

describe('the model of the session', () => {
  it('is listed if the catalogue does not have it, once', async () => {
    const own = await list({ model: 'srv/m1', providers: SERVER });
    expect(own).toEqual([expect.objectContaining({ value: 'srv/m1', displayName: 'm1', isEnabled: true })]);
    expect(own[0]).not.toHaveProperty('context_config');
    expect(await list({ model: 'ollama/qwen3' })).toMatchObject([{ value: 'ollama/qwen3', isFree: true }]);
    const env = { ANTHROPIC_API_KEY: 'key-of-anthropic' };
    const named = valuesOf(await list({ env, model: 'claude-haiku-4-5' }));
    expect(named.filter((value) => value.includes('haiku-4-5'))).toEqual(['anthropic/claude-haiku-4-5']);
  });

  it('says whose a key is that names no provider', async () => {
    const models = await list({ model: 'openai/gpt-5', auth: apiKey('key-of-openai') });
    expect(
      new Set(
        valuesOf(models)
          .slice(5)
          .map((value) => value.split('/')[0]),
      ),
    ).toEqual(new Set(['openai']));
  });
});

describe('what is known of a model', () => {
  it('has the levels of effort that make a difference, and the usual one', async () => {
    const env = { ANTHROPIC_API_KEY: 'key-of-anthropic', OPENAI_API_KEY: 'key-of-openai' };
    const models = await list({ env });
    const thinking = (name: string) => models.find(({ value }) => value === name)?.thinking_config;
    const efforts = (name: string) => Object.keys(thinking(name)?.enabled?.efforts ?? {});
    expect(efforts('anthropic/claude-opus-4-8')).toEqual(['low', 'medium', 'high', 'xhigh', 'max']);
    expect(efforts('anthropic/claude-opus-4-5')).toEqual(['low', 'medium', 'high']);
    expect(thinking('anthropic/claude-haiku-4-5')).toMatchObject({ disabled: {}, enabled: {} });
    expect(efforts('anthropic/claude-haiku-4-5')).toEqual([]);
    expect(efforts('openai/gpt-5.4')).toEqual(['low', 'medium', 'high', 'xhigh']);
    expect(thinking('openai/gpt-5')).toEqual({
      disabled: { description: expect.stringMatching(/./) },
      enabled: {
        description: expect.stringMatching(/./),
        efforts: {
          low: { description: expect.stringMatching(/./) },
          medium: { description: expect.stringMatching(/./), is_default: true },
          high: { description: expect.stringMatching(/./) },
        },
      },
    });
    expect(thinking('openai/o3')).not.toHaveProperty('disabled');
    expect(thinking('openai/gpt-4o')).toBeUndefined();
  });
});

it.each<[string, object]>([
  ['tiers', { modelTiers: { auto: 5 } }],
  ['a proxy', { proxy: 5 }],
  ['an auth', { auth: { type: 'strange' } }],
  ['two that answer', { model: object('groq.chat', 'tiny'), provider: scriptedModel([text('x')]) }],
])('the lists are empty, and throw nothing, where %s cannot be used', async (_, options) => {
  const session = await open(options);
  expect(await session.getAvailableModels()).toEqual([]);
  expect(await session.listByokProviders()).toBeNull();
});
