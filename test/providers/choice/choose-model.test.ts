// Which provider serves which name, with which credentials.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/protocol/errors.js';
import { chooseIfKeyed, chooseModel, providerOfAuth } from '../../../src/providers/choice/choose-model.js';
import { KNOWN_PROVIDERS } from '../../../src/providers/choice/known-providers.js';
import type { ModelAccess } from '../../../src/providers/choice/provider-access.js';
import { KEY_VARIABLES, PROVIDER_ORDER, PROVIDER_SECRET_VARIABLES } from '../../../src/providers/keys/key-variables.js';
import { DEFAULT_MODEL } from '../../../src/providers/models/model-names.js';
import { accessOf, loggedIn } from '../../support/model-access.js';

const KEY = { ANTHROPIC_API_KEY: 'a-secret-key' };
const GATE = { gate: { baseUrl: 'http://gate/v1', apiKeyVariable: 'GATE_TOKEN', tiers: { auto: 'big' } } };

async function refusal(model: string | undefined, access: ModelAccess | Record<string, string>): Promise<string> {
  const full = 'storedKeys' in access ? (access as ModelAccess) : accessOf(access);
  const error = await chooseModel(model, full).catch((thrown: unknown) => thrown);
  if (error instanceof ConfigError) return error.message;
  throw new Error(`it was not refused: ${JSON.stringify(error)}`);
}

describe('chooseModel', () => {
  it.each([
    [undefined, DEFAULT_MODEL],
    ['default', DEFAULT_MODEL],
    ['auto', DEFAULT_MODEL],
    ['ultimate', 'claude-opus-5-5'],
    ['performance', 'claude-sonnet-5-5'],
    ['efficient', 'claude-haiku-5-5'],
    ['lite', 'claude-haiku-5-5'],
    ['opus', 'claude-opus-5-5'],
    ['Sonnet', 'claude-sonnet-5-5'],
    ['haiku', 'claude-haiku-5-5'],
    ['claude-3-5-haiku-latest', 'claude-3-5-haiku-latest'],
    ['anthropic/claude-x', 'claude-x'],
    ['Anthropic/opus', 'claude-opus-5-5'],
    ['anthropic/meta/llama', 'meta/llama'],
    [' claude-x ', 'claude-x'],
  ])('%s is %s of anthropic', async (model, name) => {
    expect(await chooseModel(model, accessOf(KEY))).toEqual({
      api: 'anthropic',
      provider: 'anthropic',
      model: name,
      baseUrl: 'https://api.anthropic.com',
      credential: { kind: 'key', key: 'a-secret-key', source: 'user' },
    });
  });

  it.each([
    ['openai/gpt-x', 'openai', 'openai-responses', 'gpt-x', 'https://api.openai.com/v1'],
    [
      'openrouter/anthropic/claude-x',
      'openrouter',
      'openai-chat',
      'anthropic/claude-x',
      'https://openrouter.ai/api/v1',
    ],
    ['gemini/gemini-x', 'google', 'openai-chat', 'gemini-x', 'https://generativelanguage.googleapis.com/v1beta/openai'],
    ['moonshot/kimi-x', 'moonshotai', 'openai-chat', 'kimi-x', 'https://api.moonshot.ai/v1'],
    ['dashscope/performance', 'alibaba', 'openai-chat', 'qwen3-coder-plus', undefined],
    ['ollama/llama3.2:3b', 'ollama', 'openai-chat', 'llama3.2:3b', 'http://127.0.0.1:11434/v1'],
  ])('%s is of %s', async (name, provider, api, model, baseUrl) => {
    const env = { OPENAI_API_KEY: 'k1', OPENROUTER_API_KEY: 'k2', GEMINI_API_KEY: 'k3', MOONSHOT_API_KEY: 'k4' };
    const choice = await chooseModel(name, accessOf({ ...env, DASHSCOPE_API_KEY: 'k5' }));
    expect(choice).toMatchObject({ provider, api, model, ...(baseUrl === undefined ? {} : { baseUrl }) });
  });

  it('sends each provider its own key only', async () => {
    const env = Object.fromEntries(Object.values(KEY_VARIABLES).map(([name]) => [name, `key in ${name}`]));
    for (const { id, keyVariables, needsKey } of KNOWN_PROVIDERS) {
      const choice = await chooseModel(`${id}/some-model`, accessOf(env));
      const credential = needsKey
        ? { kind: 'key', key: `key in ${keyVariables[0]}`, source: 'user' }
        : { kind: 'none' };
      expect(choice).toMatchObject({ provider: id, credential });
    }
  });

  it('takes the default from TURNWRIGHT_MODEL, then from ANTHROPIC_MODEL', async () => {
    const env = { ...KEY, TURNWRIGHT_MODEL: 'one', ANTHROPIC_MODEL: 'two' };
    const modelOf = async (model: string | undefined, over = {}) =>
      (await chooseModel(model, accessOf({ ...env, ...over }))).model;
    expect(await modelOf(undefined)).toBe('one');
    expect(await modelOf('default')).toBe('one');
    expect(await modelOf(undefined, { TURNWRIGHT_MODEL: '' })).toBe('two');
    expect(await modelOf('three')).toBe('three');
    expect(await modelOf(undefined, { TURNWRIGHT_MODEL: 'default', ANTHROPIC_MODEL: '' })).toBe(DEFAULT_MODEL);
  });

  it('without a key refuses in words, whether a model is named or not', async () => {
    const words = /no key.*ANTHROPIC_API_KEY.*"turnwright login".*--model offline/;
    for (const env of [{}, { ANTHROPIC_API_KEY: ' ' }])
      for (const model of [undefined, 'default']) {
        expect(await refusal(model, env)).toMatch(words);
        expect(await chooseIfKeyed(model, accessOf(env))).toBeNull();
      }
    for (const model of ['opus', 'claude-x', 'anthropic/claude-x', 'strange-name']) {
      expect(await refusal(model, {})).toMatch(/ANTHROPIC_API_KEY.*turnwright login anthropic.*--model offline/);
    }
    expect(await refusal(undefined, { TURNWRIGHT_MODEL: 'claude-x' })).toMatch(/claude-x.*ANTHROPIC_API_KEY/);
    expect(await refusal('gpt-x', {})).toMatch(/OPENAI_API_KEY.*turnwright login openai/);
  });

  it('chooses offline by its name, with a key or without', async () => {
    const named = { api: 'offline', provider: 'offline', model: 'offline' };
    for (const env of [{}, KEY]) expect(await chooseModel('offline', accessOf(env))).toEqual(named);
    expect(await chooseModel('offline/calm', accessOf(KEY))).toMatchObject({ provider: 'offline', model: 'calm' });
    expect((await chooseModel(undefined, accessOf({ ...KEY, TURNWRIGHT_MODEL: 'offline' }))).provider).toBe('offline');
  });

  it('takes one credential, the key before the token, and the base URL', async () => {
    const env = { ANTHROPIC_AUTH_TOKEN: 'tok', ANTHROPIC_BASE_URL: 'http://gate' };
    expect(await chooseModel('m', accessOf(env))).toMatchObject({
      baseUrl: 'http://gate',
      credential: { kind: 'token', key: 'tok' },
    });
    expect(await chooseModel('m', accessOf({ ...env, ...KEY }))).toMatchObject({
      credential: { kind: 'key', key: 'a-secret-key' },
    });
  });

  it('reads headers of the user for Anthropic, and for nobody else', async () => {
    const env = { ...KEY, OPENAI_API_KEY: 'k', ANTHROPIC_CUSTOM_HEADERS: 'X-Team: blue\n\nX-Url: a:b' };
    expect(await chooseModel('opus', accessOf(env))).toMatchObject({ headers: { 'x-team': 'blue', 'x-url': 'a:b' } });
    expect(await chooseModel('openai/x', accessOf(env))).not.toHaveProperty('headers');
    expect(await refusal('opus', { ...KEY, ANTHROPIC_CUSTOM_HEADERS: 'nothing' })).toMatch(/Name: value/);
  });

  it.each([
    ['nobody/pro', /no provider "nobody".*anthropic, openai.*offline/],
    ['/x', /no provider ""/],
    ['anthropic/', /names no model/],
    ['', /empty/],
    ['  ', /empty/],
    ['two words', /spaces/],
    ['a\u001b[31m', /control characters/],
    ['x'.repeat(300), /256/],
    ['ollama/lite', /ollama has no default model for "lite"/],
  ])('refuses "%s"', async (model, text) => expect(await refusal(model, KEY)).toMatch(text));
});

describe('if no provider is named', () => {
  it('the first in the documented order with a key answers', async () => {
    const env: Record<string, string> = {};
    for (const id of [...PROVIDER_ORDER].reverse()) {
      env[KEY_VARIABLES[id][0]] = 'k';
      const known = KNOWN_PROVIDERS.find((provider) => provider.id === id);
      expect(await chooseModel(undefined, accessOf(env))).toMatchObject({ provider: id, model: known?.tiers?.auto });
      expect(await chooseModel('lite', accessOf(env))).toMatchObject({ provider: id, model: known?.tiers?.lite });
    }
    expect(PROVIDER_ORDER.slice(0, 3)).toEqual(['anthropic', 'openai', 'google']);
  });

  it('a key kept by login counts as one in the environment, which comes first for its provider', async () => {
    expect(await chooseModel(undefined, loggedIn({ openai: 'kept' }, { GROQ_API_KEY: 'k' }))).toMatchObject({
      provider: 'openai',
      credential: { key: 'kept', source: 'user' },
    });
    expect(await chooseModel('openai/x', loggedIn({ openai: 'kept' }, { OPENAI_API_KEY: 'set' }))).toMatchObject({
      credential: { key: 'set' },
    });
  });

  it('a key of the environment for Anthropic is enough: the kept ones are not looked at', async () => {
    const storedKeys = () => Promise.reject(new Error('they were'));
    expect((await chooseModel(undefined, accessOf(KEY, { storedKeys }))).provider).toBe('anthropic');
  });

  it('a bare name goes to who made the model, if there is a key', async () => {
    const both = { ...KEY, OPENAI_API_KEY: 'k' };
    expect((await chooseModel('gpt-x', accessOf(both))).provider).toBe('openai');
    expect((await chooseModel('claude-x', accessOf(both))).provider).toBe('anthropic');
    expect((await chooseModel('strange', accessOf(both))).provider).toBe('anthropic');
    expect((await chooseModel('strange', accessOf({ OPENAI_API_KEY: 'k' }))).provider).toBe('openai');
    expect(await refusal('gpt-x', KEY)).toMatch(/"gpt-x" needs a key for OpenAI/);
  });

  it('a gateway gets every bare name', async () => {
    const env = { ...KEY, ANTHROPIC_BASE_URL: 'http://gate' };
    expect(await chooseModel('gpt-x', accessOf(env))).toMatchObject({ provider: 'anthropic', model: 'gpt-x' });
  });

  it('tiers of the user come before the defaults, and may be of another provider', async () => {
    const tiers = { auto: 'openai/gpt-x', lite: 'claude-small' };
    const access = accessOf({ ...KEY, OPENAI_API_KEY: 'k' }, { tiers });
    expect(await chooseModel(undefined, access)).toMatchObject({ provider: 'openai', model: 'gpt-x' });
    expect(await chooseModel('Lite', access)).toMatchObject({ provider: 'anthropic', model: 'claude-small' });
    expect(await chooseModel('ultimate', access)).toMatchObject({ provider: 'anthropic', model: 'claude-opus-5-5' });
  });
});

describe('providers of the user', () => {
  it('serve names with their id, with the key of their variable', async () => {
    const access = accessOf({ GATE_TOKEN: 'gate-secret', ...KEY }, { providers: GATE });
    expect(await chooseModel('Gate/some/model', access)).toMatchObject({
      api: 'openai-chat',
      provider: 'gate',
      model: 'some/model',
      baseUrl: 'http://gate/v1',
      credential: { kind: 'key', key: 'gate-secret' },
    });
    expect(access.secrets.variables.has('GATE_TOKEN')).toBe(true);
  });

  it('with tiers they answer before the known ones, without a key not at all', async () => {
    const access = (env: Record<string, string>) => accessOf({ ...env, ...KEY }, { providers: GATE });
    expect(await chooseModel(undefined, access({ GATE_TOKEN: 'x' }))).toMatchObject({ provider: 'gate', model: 'big' });
    expect(await chooseModel('lite', access({ GATE_TOKEN: 'x' }))).toMatchObject({ provider: 'gate', model: 'big' });
    expect(await chooseModel(undefined, access({}))).toMatchObject({ provider: 'anthropic' });
    expect(await refusal('gate/x', access({}))).toMatch(/Set GATE_TOKEN/);
  });

  it('change what is known of a provider, which keeps its place', async () => {
    const providers = { groq: { baseUrl: 'http://near/v1', headers: { 'x-a': 'b' } } };
    const access = accessOf({ GROQ_API_KEY: 'k', ...KEY }, { providers });
    expect(await chooseModel('groq/m', access)).toMatchObject({ baseUrl: 'http://near/v1', headers: { 'x-a': 'b' } });
    expect(await chooseModel(undefined, access)).toMatchObject({ provider: 'anthropic' });
  });

  it('come from TURNWRIGHT_PROVIDERS as well; the option takes its place', async () => {
    const env = { TURNWRIGHT_PROVIDERS: JSON.stringify(GATE), GATE_TOKEN: 'x' };
    expect(await chooseModel('gate/m', accessOf(env))).toMatchObject({ provider: 'gate' });
    expect(await refusal('gate/m', accessOf(env, { providers: {} }))).toMatch(/no provider "gate"/);
    expect(await refusal('gate/m', { TURNWRIGHT_PROVIDERS: '{"gate": secretword' })).toMatch(
      /^TURNWRIGHT_PROVIDERS is not JSON/,
    );
    expect(await refusal('gate/m', { TURNWRIGHT_PROVIDERS: '{"gate": secretword' })).not.toMatch(/secretword/);
  });
});

describe('auth', () => {
  const withAuth = (auth: NonNullable<ModelAccess['auth']>, model: string | undefined, env: Record<string, string>) => {
    const authProvider = providerOfAuth(auth, model, { env, tiers: undefined });
    return accessOf(env, { auth, authProvider });
  };

  it('a key is for the provider of the session’s model, and for no other', async () => {
    const access = withAuth({ type: 'apiKey', apiKey: 'given-key' }, 'openai/gpt-x', KEY);
    expect(await chooseModel('openai/gpt-x', access)).toMatchObject({
      credential: { key: 'given-key', source: 'temporary' },
    });
    expect(await chooseModel('opus', access)).toMatchObject({ credential: { key: 'a-secret-key' } });
    expect(await refusal('groq/m', access)).toMatch(/GROQ_API_KEY/);
  });

  it('a key without a model is for Anthropic, one with a provider decides which model answers', async () => {
    const env = { GROQ_API_KEY: 'k' };
    const plain = withAuth({ type: 'apiKey', apiKey: 'given-key' }, undefined, env);
    expect(await chooseModel(undefined, plain)).toMatchObject({
      provider: 'anthropic',
      credential: { key: 'given-key' },
    });
    const named = withAuth({ type: 'apiKey', apiKey: 'given-key', provider: 'Gemini' }, undefined, KEY);
    expect(await chooseModel(undefined, named)).toMatchObject({ provider: 'google', credential: { key: 'given-key' } });
  });

  it('a key of a variable that is not set is refused; one that is set is a secret', async () => {
    const auth = { type: 'apiKey', apiKey: { envVar: 'MY_VAR' } } as const;
    expect(await refusal(undefined, withAuth(auth, undefined, {}))).toMatch(/MY_VAR, and that is not set/);
    const access = withAuth(auth, undefined, { MY_VAR: 'a-given-key' });
    expect(await chooseModel(undefined, access)).toMatchObject({ credential: { key: 'a-given-key' } });
    expect(access.secrets.variables.has('MY_VAR')).toBe(true);
    expect(access.secrets.values.has('a-given-key')).toBe(true);
  });

  it('an access token goes only to a server whose address the user set', async () => {
    const auth = { type: 'accessToken', accessToken: 'pat-token-123' } as const;
    expect(await chooseModel('opus', withAuth(auth, 'opus', KEY))).toMatchObject({
      credential: { key: 'a-secret-key' },
    });
    expect(await refusal(undefined, withAuth(auth, undefined, {}))).toMatch(/no key.*access token .* is not used/);
    const env = { ANTHROPIC_BASE_URL: 'http://gate' };
    expect(await chooseModel(undefined, withAuth(auth, undefined, env))).toMatchObject({
      baseUrl: 'http://gate',
      credential: { kind: 'token', key: 'pat-token-123', source: 'temporary' },
    });
  });

  it('the login of the published SDK is what happens anyway', async () => {
    const access = withAuth({ type: 'qodercli' }, undefined, KEY);
    expect(await chooseModel(undefined, access)).toMatchObject({ credential: { key: 'a-secret-key', source: 'user' } });
  });
});

describe('PROVIDER_SECRET_VARIABLES', () => {
  it('names every variable that a key is read from', async () => {
    const read = new Set<string>();
    const env = new Proxy<Record<string, string>>({}, { get: (_, name) => void read.add(String(name)) });
    for (const { id } of KNOWN_PROVIDERS) await chooseModel(`${id}/m`, accessOf(env)).catch(() => undefined);
    const credentials = [...read].filter((name) => /KEY|TOKEN|SECRET|HEADERS/.test(name));
    expect(credentials.length).toBeGreaterThan(15);
    for (const name of credentials) expect(PROVIDER_SECRET_VARIABLES).toContain(name);
  });
});
