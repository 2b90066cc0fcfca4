// Which provider serves which name, with which credentials.
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import { ConfigError } from '../../src/protocol/errors.js';
import { DEFAULT_MODEL } from '../../src/providers/model-aliases.js';
import { chooseModel, PROVIDER_SECRET_VARIABLES, resolveProvider } from '../../src/providers/registry.js';
import { attempt, REQUEST, textReply, wire } from '../support/anthropic-replies.js';
import { startSseServer, stream } from '../support/sse-server.js';

const KEY = { ANTHROPIC_API_KEY: 'a-secret-key' };
const host = createNodeHost();

function refusal(model: string | undefined, env: Record<string, string>): string {
  try {
    chooseModel(model, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('chooseModel', () => {
  it.each([
    [undefined, DEFAULT_MODEL],
    ['default', DEFAULT_MODEL],
    ['auto', DEFAULT_MODEL],
    ['ultimate', 'claude-opus-4-5'],
    ['performance', 'claude-sonnet-4-5'],
    ['efficient', 'claude-haiku-4-5'],
    ['lite', 'claude-haiku-4-5'],
    ['opus', 'claude-opus-4-5'],
    ['Sonnet', 'claude-sonnet-4-5'],
    ['haiku', 'claude-haiku-4-5'],
    ['claude-3-5-haiku-latest', 'claude-3-5-haiku-latest'],
    ['anthropic/claude-x', 'claude-x'],
    ['anthropic/opus', 'claude-opus-4-5'],
    ['anthropic/meta/llama', 'meta/llama'],
    [' claude-x ', 'claude-x'],
  ])('%s is %s of anthropic', (model, name) => {
    expect(chooseModel(model, KEY)).toEqual({ provider: 'anthropic', model: name, apiKey: 'a-secret-key' });
  });

  it('takes the default from TURNWRIGHT_MODEL, then from ANTHROPIC_MODEL', () => {
    const env = { ...KEY, TURNWRIGHT_MODEL: 'one', ANTHROPIC_MODEL: 'two' };
    expect(chooseModel(undefined, env).model).toBe('one');
    expect(chooseModel('default', env).model).toBe('one');
    expect(chooseModel(undefined, { ...env, TURNWRIGHT_MODEL: '' }).model).toBe('two');
    expect(chooseModel('three', env).model).toBe('three');
    expect(chooseModel(undefined, { ...KEY, TURNWRIGHT_MODEL: 'default' }).model).toBe(DEFAULT_MODEL);
  });

  it('chooses offline without a key only where no model is named', () => {
    expect(chooseModel(undefined, {})).toEqual({ provider: 'offline', model: 'offline', reason: 'no_key' });
    expect(chooseModel(undefined, { ANTHROPIC_API_KEY: ' ' })).toMatchObject({ reason: 'no_key' });
    for (const model of ['default', 'opus', 'claude-x', 'anthropic/claude-x']) {
      expect(refusal(model, {})).toMatch(/ANTHROPIC_API_KEY.*--model offline/);
    }
    expect(refusal(undefined, { TURNWRIGHT_MODEL: 'claude-x' })).toMatch(/claude-x.*ANTHROPIC_API_KEY/);
  });

  it('chooses offline by its name, with a key or without', () => {
    for (const env of [{}, KEY]) expect(chooseModel('offline', env)).toEqual({ provider: 'offline', model: 'offline' });
    expect(chooseModel('offline/calm', KEY)).toEqual({ provider: 'offline', model: 'calm' });
    expect(chooseModel(undefined, { ...KEY, TURNWRIGHT_MODEL: 'offline' }).provider).toBe('offline');
    expect(chooseModel(undefined, KEY).provider).toBe('anthropic');
  });

  it('takes one credential, the key before the token, and the base URL', () => {
    const env = { ANTHROPIC_AUTH_TOKEN: 'tok', ANTHROPIC_BASE_URL: 'http://gate' };
    expect(chooseModel('m', env)).toEqual({
      provider: 'anthropic',
      model: 'm',
      authToken: 'tok',
      baseUrl: 'http://gate',
    });
    expect(chooseModel('m', { ...env, ...KEY })).not.toHaveProperty('authToken');
  });

  it.each([
    ['gemini/pro', /no provider "gemini".*anthropic, offline/],
    ['/x', /no provider ""/],
    ['anthropic/', /names no model/],
    ['', /empty/],
    ['  ', /empty/],
    ['two words', /spaces/],
    ['a\u001b[31m', /control characters/],
    ['x'.repeat(300), /256/],
  ])('refuses "%s"', (model, text) => expect(refusal(model, KEY)).toMatch(text));
});

describe('resolveProvider', () => {
  it('gives a provider that works with the environment', async () => {
    const server = await startSseServer(stream(wire(textReply('x'))));
    const env = { ...KEY, ANTHROPIC_BASE_URL: server.url };
    const { provider, model, apiKeySource, close, ...rest } = await resolveProvider('haiku', { ...host, env });
    expect({ id: provider.id, model, apiKeySource, rest }).toEqual({
      id: 'anthropic',
      model: 'claude-haiku-4-5',
      apiKeySource: 'user',
      rest: {},
    });
    expect((await attempt(provider, { request: { ...REQUEST, model } })).error).toBeNull();
    expect(server.requests[0]?.headers['x-api-key']).toBe('a-secret-key');
    close();
    await server.until(() => !server.isOpen());
    await server.close();
  });

  it('gives the offline provider and says why', async () => {
    const resolved = await resolveProvider(undefined, { ...host, env: {} });
    expect(resolved).toMatchObject({ model: 'offline', apiKeySource: 'none', reason: 'no_key' });
    expect(resolved.provider.id).toBe('offline');
    resolved.close();
  });

  it('refuses a base URL that is none without showing it', async () => {
    const env = { ...KEY, ANTHROPIC_BASE_URL: 'secretword' };
    await expect(resolveProvider('m', { ...host, env })).rejects.toThrow(/ANTHROPIC_BASE_URL/);
    await expect(resolveProvider('m', { ...host, env })).rejects.not.toThrow(/secretword/);
  });
});

describe('PROVIDER_SECRET_VARIABLES', () => {
  it('names every variable that a credential is read from', () => {
    const read = new Set<string>();
    const env = new Proxy<Record<string, string>>({}, { get: (_, name) => void read.add(String(name)) });
    expect(() => chooseModel('m', env)).toThrow(ConfigError);
    const credentials = [...read].filter((name) => /KEY|TOKEN|SECRET/.test(name));
    expect(credentials.length).toBeGreaterThan(0);
    for (const name of credentials) expect(PROVIDER_SECRET_VARIABLES).toContain(name);
  });
});
