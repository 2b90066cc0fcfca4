// Keys of the user's own, set up by a host: kept in one file, tried by one request, never told again.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadCatalogue } from '../../../src/providers/models/catalogue.js';
import { query } from '../../../src/sdk/query.js';
import { startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../../src/testing/mock/mock-wire.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text } from '../../../src/testing/model/script.js';
import { temporaryFolder } from '../../support/engine.js';

const KEY = 'a-key-that-nobody-may-see';
const NO_KEYS = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: undefined, ANTHROPIC_BASE_URL: undefined };

async function place(steps: readonly MockStep[] = [], api: 'openai-chat' | 'anthropic' = 'openai-chat') {
  const server = await startMockProvider({ api, server: 'compatible', steps });
  onTestFinished(() => server.close());
  const home = await temporaryFolder();
  const open = (options: object = {}) => {
    const session = query({
      prompt: 'Hello.',
      options: { cwd: home, env: { ...NO_KEYS, TURNWRIGHT_HOME: home }, settingSources: [], ...options },
    });
    onTestFinished(() => session.close());
    return session;
  };
  return { server, home, open, file: path.join(home, 'credentials.json') };
}

describe('configurations of keys', () => {
  it('of a provider are kept, listed without the key, used by name, changed and forgotten', async () => {
    const { server, open, file } = await place([text('hello')]);
    const config = {
      providerId: 'mine',
      baseUrl: `${server.url}/v1`,
      apiKey: KEY,
      displayName: 'Mine',
      model: 'tiny',
      models: [{ model: 'large', contextWindow: 64_000, capabilities: { vision: true } }],
    };
    const first = open();
    expect(await first.createByokConfig(config)).toEqual({ providerId: 'mine' });
    await expect(first.createByokConfig(config)).rejects.toThrow('already');
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await readFile(file, 'utf8')).toContain(KEY);
    const listed = await open().listByokConfigs();
    expect(listed).toMatchObject([
      {
        providerId: 'mine',
        displayName: 'Mine',
        protocol: 'openai',
        authType: 'bearer',
        defaultModelId: 'tiny',
        models: [{ id: 'tiny' }, { id: 'large', vision: true, maxInputTokens: 64_000 }],
      },
    ]);
    expect(JSON.stringify(listed)).not.toContain(KEY);
    const { messages } = { messages: await collect(open({ model: 'mine/tiny' })) };
    expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'hello' });
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    await first.updateByokConfig({ providerId: 'mine', displayName: 'Still mine' });
    expect(await first.listByokConfigs()).toMatchObject([{ displayName: 'Still mine', defaultModelId: 'tiny' }]);
    await first.deleteByokConfig({ providerId: 'mine' });
    expect(await first.listByokConfigs()).toEqual([]);
    await expect(first.deleteByokConfig({ providerId: 'mine' })).rejects.toThrow('no configuration "mine"');
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('say how long the window and replies of a model are, which the engine counts with', async () => {
    const { server, open } = await place([text('a'), text('b'), text('c')]);
    const first = open();
    const models = [{ model: 'short', contextWindow: 9_000, maxOutputTokens: 700 }, { model: 'other' }];
    await first.createByokConfig({ providerId: 'mine', baseUrl: `${server.url}/v1`, apiKey: KEY, models });
    const known = { provider: 'openai', parameters: { api_key: KEY }, baseUrl: `${server.url}/v1`, style: 'openai' };
    await first.createByokConfig({ ...known, model: 'gpt-5', key: 'five' } as never);
    const used = async (model: string) => {
      const session = open({ model });
      const { rawMaxTokens } = await session.getContextUsage({ detail: 'summary' });
      const result = (await collect(session)).at(-1);
      return { window: rawMaxTokens, usage: Object.values(result?.type === 'result' ? result.modelUsage : {})[0] };
    };
    expect(await used('mine/short')).toMatchObject({
      window: 9_000,
      usage: { contextWindow: 9_000, maxOutputTokens: 700 },
    });
    expect(JSON.stringify(server.requests.at(-1)?.body)).toMatch(/"max(_completion)?_tokens":700/);
    expect((await used('mine/other')).window).toBeGreaterThan(100_000);
    const facts = (await loadCatalogue()).find('openai', 'gpt-5');
    const five = await used('five/gpt-5');
    expect(five.window).toBe(facts?.contextWindow);
    expect(five.usage?.costUSD).toBeGreaterThan(0);
  });

  it('of a model of a known provider take its address, and setModel takes it while a session runs', async () => {
    const { server, open } = await place([text('from the other')]);
    const session = open();
    const reference = await session.createByokConfig({
      provider: 'openai',
      model: 'gpt-of-mine',
      parameters: { api_key: KEY },
      baseUrl: `${server.url}/v1`,
      style: 'openai',
      key: 'gpt',
    });
    expect(reference).toEqual({ key: 'gpt' });
    expect(await session.listByokConfigs()).toMatchObject([{ key: 'gpt', provider: 'openai', model: 'gpt-of-mine' }]);
    await session.setModel('gpt/gpt-of-mine');
    const messages = await collect(session);
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'from the other' });
  });

  it('are tried by one small request, whose failure shows no key', async () => {
    const refused = { status: 401, error: { message: `wrong key ${KEY}` } } as unknown as MockStep;
    const { server, open, file } = await place([text('1 2 3'), refused, text('1 2 3')]);
    const session = open();
    const config = { providerId: 'mine', baseUrl: `${server.url}/v1`, apiKey: KEY, model: 'tiny' };
    expect(await session.checkByokConfig(config)).toEqual({ success: true });
    const failed = await session.checkByokConfig(config);
    expect(failed).toMatchObject({ success: false, code: 'authentication', details: { httpStatus: 401 } });
    expect(JSON.stringify(failed)).not.toContain(KEY);
    const { url } = server;
    const input = { provider: 'other', model: 'tiny', api_key: KEY, url: `${url}/v1`, style: 'openai' };
    expect(await session.validateByokModel(input)).toBe(true);
    expect(await session.validateByokModel({ ...input, url: 'http://127.0.0.1:9/v1' })).toBeNull();
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it.each([
    [{ providerId: 'openai', baseUrl: 'http://127.0.0.1:9', apiKey: KEY }, 'name of a known provider'],
    [{ providerId: 'a b', baseUrl: 'http://127.0.0.1:9', apiKey: KEY }, 'providerId must be'],
    [{ providerId: 'mine', baseUrl: 'ftp://x', apiKey: KEY }, 'http or https URL'],
    [{ providerId: 'mine', baseUrl: 'http://127.0.0.1:9', apiKey: `${KEY}\nx` }, 'apiKey must be'],
    [{ providerId: 'mine', baseUrl: 'http://127.0.0.1:9', apiKey: KEY, protocol: 'smtp' }, 'protocol is one of'],
    [{ providerId: 'mine', baseUrl: 'http://127.0.0.1:9', apiKey: KEY, models: ['x'] }, 'models[].model must be'],
    [{ provider: 'nobody', model: 'm', parameters: { api_key: KEY } }, 'baseUrl is needed'],
    [{ provider: 'openai', model: 'm', parameters: { api_key: KEY, region: 'x' } }, 'api_key only'],
    [{ provider: 'openai', model: 'm', parameters: 'x' }, 'parameters holds'],
    ['x', 'is an object'],
  ])('%j are refused in words that show no key', async (config, words) => {
    const { open } = await place();
    const failed = await open()
      .createByokConfig(config as never)
      .catch((error: Error) => error);
    expect(failed).toMatchObject({ name: 'ConfigError', message: expect.stringContaining(words) });
    expect((failed as Error).message).not.toContain(KEY);
  });

  it('that somebody broke in the file are passed over, and the others count', async () => {
    const { open, file, server } = await place([text('still here')]);
    const session = open();
    await session.createByokConfig({ providerId: 'mine', baseUrl: `${server.url}/v1`, apiKey: KEY, model: 'tiny' });
    const content = JSON.parse(await readFile(file, 'utf8'));
    content.byok.broken = { kind: 'provider', apiKey: 7 };
    const { writeFile } = await import('node:fs/promises');
    await writeFile(file, JSON.stringify(content), { mode: 0o600 });
    expect(await session.listByokConfigs()).toMatchObject([{ providerId: 'mine' }]);
    expect((await collect(open({ model: 'mine/tiny' }))).at(-1)).toMatchObject({ result: 'still here' });
  });
});
