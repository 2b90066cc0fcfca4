// The options about reaching models, in whole sessions: whose key is sent where, and that it is sent nowhere else.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { accessToken, accessTokenFromEnv, apiKey, apiKeyFromEnv, apiKeyHelper, qodercliAuth } from '../../src/index.js';
import { ConfigError } from '../../src/protocol/errors.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { type MockProvider, startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-wire.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { temporaryFolder } from '../support/engine.js';
import { httpProxy } from '../support/proxy-server.js';

const NO_KEYS = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: undefined, ANTHROPIC_BASE_URL: undefined };

async function mock(steps: readonly MockStep[] = [text('hello')]): Promise<MockProvider> {
  const started = await startMockProvider({ steps });
  onTestFinished(() => started.close());
  return started;
}

async function options(more: Options = {}): Promise<Options & { home: string; cwd: string }> {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  const env = { ...NO_KEYS, TURNWRIGHT_HOME: home, TURNWRIGHT_RETRY_BASE_MS: '0', ...more.env };
  return Object.assign({ cwd, ...more, env }, { home });
}

async function run(given: Options & { home?: string }, prompt = 'go'): Promise<SDKMessage[]> {
  const { home: _, ...rest } = given;
  return collect(query({ prompt, options: rest }));
}

const notices = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'system' && message.subtype === 'notice' ? [message] : []));
const initOf = (messages: readonly SDKMessage[]) => messages.find((message) => message.type === 'system');

/** Everything that a session left on disk, as one text. */
async function written(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(path.join(file.parentPath, file.name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

describe('auth', () => {
  it('a given key is sent, told as temporary, and named by its variable just as well', async () => {
    const server = await mock([text('one'), text('two')]);
    const env = { ANTHROPIC_BASE_URL: server.url, MY_OWN: 'key-of-a-variable' };
    const first = await run(await options({ env, auth: apiKey('given-key-12345') }));
    await run(await options({ env, auth: apiKeyFromEnv('MY_OWN', 'anthropic') }));
    expect(initOf(first)).toMatchObject({ apiKeySource: 'temporary', provider: 'anthropic' });
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual([
      'given-key-12345',
      'key-of-a-variable',
    ]);
  });

  it('an access token goes to the server that the user named, as a bearer token', async () => {
    const server = await mock([text('one'), text('two')]);
    const env = { ANTHROPIC_BASE_URL: server.url, QODER_PERSONAL_ACCESS_TOKEN: 'pat-of-variable' };
    await run(await options({ env, auth: accessToken('pat-given-123') }));
    await run(await options({ env, auth: accessTokenFromEnv() }));
    const sent = server.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(['Bearer pat-given-123', 'Bearer pat-of-variable']);
  });

  it('without such a server it is not used, and that is told', async () => {
    const auth = accessToken('pat-given-123');
    const refusal = await run(await options({ auth })).catch((error: Error) => error.message);
    expect(refusal).toMatch(/there is no key.*access token.*not used.*address you set/);
    const messages = await run(await options({ auth, model: 'offline' }), 'list the files');
    expect(notices(messages).map(({ code }) => code)).toEqual(['option_without_effect']);
    expect(notices(messages)[0]?.message).toMatch(/access token.*not used.*address you set/);
    expect(JSON.stringify([refusal, messages])).not.toContain('pat-given-123');
    await expect(run(await options({ auth: qodercliAuth() }))).rejects.toThrow(/there is no key/);
  });

  it('without any key is an error in words, the first thing awaited and no message before it', async () => {
    const given = await options();
    const { home: _, ...rest } = given;
    const session = query({ prompt: 'go', options: rest });
    // What needs no model works all the same.
    expect((await session.supportedCommands()).map(({ name }) => name)).toContain('help');
    await expect(session.next()).rejects.toThrow(ConfigError);
    const named = query({ prompt: 'list the files', options: rest });
    await named.setModel('offline');
    expect(lastResult(await collect(named)).subtype).toBe('success');
    await expect(run(given)).rejects.toThrow(/there is no key.*ANTHROPIC_API_KEY.*turnwright login.*model: "offline"/);
    expect(lastResult(await run({ ...given, model: 'offline' }, 'list the files')).subtype).toBe('success');
    const lost = lastResult(await run({ ...given, model: 'offline' }, 'what is the meaning of life?'));
    expect(lost).toMatchObject({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'refusal' });
    expect(lost.result).toMatch(/I did not understand/);
  });

  it.each<[unknown, RegExp]>([
    [{ type: 'magic' }, /auth must have one of the types accessToken, apiKey/],
    ['secretword', /`auth` must be an object, not a text/],
    [{ type: 'apiKey', apiKey: ' ' }, /auth.apiKey must be a text/],
    [{ type: 'accessToken', accessToken: {} }, /auth.accessToken must be a text/],
    [{ type: 'apiKey', apiKey: 'secretword', provider: 5 }, /auth.provider/],
    [{ type: 'apiKey', apiKey: 'secretword', provider: 'nobody' }, /no provider "nobody"/],
    [{ type: 'apiKeyHelper', command: '' }, /must name the command/],
    [{ type: 'apiKeyHelper', command: 'x', ttlMs: -1 }, /ttlMs/],
    [{ type: 'apiKey', apiKey: { envVar: 'NOT_THERE' } }, /NOT_THERE, and that is not set/],
  ])('refuses %j', async (auth, why) => {
    const error = await run(await options({ auth: auth as NonNullable<Options['auth']> })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message).toMatch(why);
    expect((error as Error).message).not.toMatch(/secretword/);
  });
});

describe('a command for the key', () => {
  it('runs without the keys of providers; after a 401 it runs again, told as a retry', async () => {
    const refused: MockStep = { status: 401 };
    const server = await mock([refused, text('done')]);
    const folder = await temporaryFolder();
    const command = `cd '${folder}'; n=$(cat n 2>/dev/null); echo "x$n" > n; echo "helper-key-$n-\${OPENAI_API_KEY:-none}"`;
    const env = { ANTHROPIC_BASE_URL: server.url, OPENAI_API_KEY: 'other-key-123' };
    const given = await options({ env, settings: { apiKeyHelper: command } });
    const messages = await run(given);
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'done' });
    expect(messages.filter((message) => message.type === 'system' && message.subtype === 'api_retry')).toMatchObject([
      { error_status: 401, reason: 'authentication' },
    ]);
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual([
      'helper-key--none',
      'helper-key-x-none',
    ]);
  });

  it('is no option of a project: files in the working directory name no command, address or key', async () => {
    const given = await options();
    const settings = { apiKeyHelper: 'touch ran; echo key', providers: { x: { baseUrl: 'http://127.0.0.1:1' } } };
    for (const folder of ['.turnwright', '.claude', '.qoder']) {
      await mkdir(path.join(given.cwd, folder));
      await writeFile(path.join(given.cwd, folder, 'settings.json'), JSON.stringify(settings));
      await writeFile(path.join(given.cwd, folder, 'credentials.json'), '{"keys":{"anthropic":"key"}}', {
        mode: 0o600,
      });
    }
    await writeFile(path.join(given.cwd, '.env'), 'ANTHROPIC_API_KEY=key\nANTHROPIC_BASE_URL=http://127.0.0.1:1\n');
    await expect(run({ ...given, settingSources: ['user', 'project', 'local'] })).rejects.toThrow(/there is no key/);
    expect(await readdir(given.cwd)).not.toContain('ran');
  });
});

describe('keys stay here', () => {
  it('whatever they come from, no child process, no transcript and no message has them', async () => {
    const secrets = {
      own: 'own-provider-key-77',
      helper: 'helper-printed-key-88',
      header: 'header-secret-value-99',
      kept: 'kept-by-login-key-66',
    };
    const calls = [
      toolCall('Bash', { command: 'env | sort; echo "$COPY"' }),
      toolCall('Bash', { command: `printf '%s\\n' ${Object.values(secrets).join(' ')}` }),
    ];
    const server = await mock([...calls, text('seen')]);
    const providers = {
      mine: {
        api: 'anthropic' as const,
        baseUrl: server.url,
        apiKeyVariable: 'MINE_CREDENTIAL',
        headers: { 'x-auth': secrets.header },
      },
    };
    const env = { MINE_CREDENTIAL: secrets.own, COPY: secrets.own, KEPT: 'yes' };
    const given = await options({
      env,
      providers,
      model: 'mine/some/model',
      auth: apiKeyHelper(`echo ${secrets.helper}`, { provider: 'mine' }),
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    const messages = await run(given);
    expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': secrets.helper, 'x-auth': secrets.header });
    expect(server.requests[0]?.body).toMatchObject({ model: 'some/model' });
    const shown = JSON.stringify(server.requests[1]?.body);
    expect(shown).toContain('KEPT=yes');
    expect(shown).not.toContain('MINE_CREDENTIAL');
    expect(shown).not.toContain(secrets.own);
    const kept = await written(given.home);
    expect(kept).toContain('KEPT=yes');
    // The command that named the last one is the test's own.
    for (const secret of [secrets.own, secrets.helper, secrets.header]) expect(kept).not.toContain(secret);
    expect(kept).toContain('{secret:key-of-mine:');
    expect(JSON.stringify(messages.find((message) => message.type === 'system'))).not.toContain(secrets.helper);
  });

  it('a key kept by login is used, and taken out like the others', async () => {
    const key = 'kept-by-login-key-66';
    const server = await mock([toolCall('Bash', { command: `echo ${key}` }), text('seen')]);
    const given = await options({ env: { ANTHROPIC_BASE_URL: server.url }, permissionMode: 'bypassPermissions' });
    await writeFile(path.join(given.home, 'credentials.json'), JSON.stringify({ keys: { anthropic: key } }), {
      mode: 0o600,
    });
    const messages = await run({ ...given, allowDangerouslySkipPermissions: true });
    expect(lastResult(messages).result).toBe('seen');
    expect(server.requests[0]?.headers['x-api-key']).toBe(key);
    const transcripts = await written(path.join(given.home, 'projects'));
    expect(transcripts).toContain('{secret:key-of-anthropic:');
    expect(transcripts).not.toContain(key);
  });
});

describe('other options', () => {
  it('modelTiers, as an option before the setting, and a wrong one is refused', async () => {
    const server = await mock([text('one'), text('two')]);
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'test-key' };
    const settings = { modelTiers: { auto: 'of-settings', lite: 'small' } };
    await run(await options({ env, settings }));
    await run(await options({ env, settings, modelTiers: { lite: 'smaller' }, model: 'lite' }));
    expect(server.requests.map(({ body }) => (body as { model: string }).model)).toEqual(['of-settings', 'smaller']);
    await expect(run(await options({ modelTiers: { best: 'x' } as never }))).rejects.toThrow(/no tier "best"/);
  });

  it('modelsFile and TURNWRIGHT_MODELS_FILE give limits and prices', async () => {
    const server = await mock([text('one'), text('two')]);
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'test-key' };
    const file = path.join(await temporaryFolder(), 'models.json');
    const facts = { contextWindow: 9_000, maxOutputTokens: 1_234, price: { input: 1, output: 1_000 } };
    await writeFile(file, JSON.stringify({ 'anthropic/house-model': facts }));
    const [first, second] = [
      await run(await options({ env, modelsFile: file, model: 'house-model' })),
      await run(await options({ env: { ...env, TURNWRIGHT_MODELS_FILE: file }, model: 'house-model' })),
    ];
    expect(server.requests.map(({ body }) => (body as { max_tokens: number }).max_tokens)).toEqual([1_234, 1_234]);
    for (const messages of [first, second]) {
      expect(lastResult(messages).total_cost_usd).toBeGreaterThan(0.001);
      expect(lastResult(messages).modelUsage['house-model']).toMatchObject({ contextWindow: 9_000 });
    }
    const missing = await run(await options({ env, modelsFile: '/nowhere/models.json' }));
    expect(lastResult(missing)).toMatchObject({ is_error: true, errors: [expect.stringMatching(/cannot be read/)] });
  });

  it('proxy sends model requests through it; NO_PROXY keeps them off it', async () => {
    const server = await mock([text('one'), text('two')]);
    const proxy = await httpProxy({ target: server.url });
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'test-key' };
    await run(await options({ env, proxy: `http://127.0.0.1:${proxy.port}` }));
    expect(proxy.asked).toEqual([`POST ${server.url}/v1/messages`]);
    await run(await options({ env: { ...env, NO_PROXY: '127.0.0.1' }, proxy: `127.0.0.1:${proxy.port}` }));
    expect(proxy.asked).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
  });

  it.each<[Options, RegExp]>([
    [{ proxy: 'ftp://x' }, /proxy is not the address of a proxy/],
    [{ caFile: '/nowhere/ca.pem' }, /authorities \/nowhere\/ca.pem cannot be read/],
    [
      { env: { SSL_CERT_FILE: import.meta.filename.replace('model-options.test.ts', 'query.test.ts') } },
      /holds no certificate/,
    ],
  ])('%j ends the prompt with what is wrong', async (more, why) => {
    const env = { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: 'https://127.0.0.1:1', ...more.env };
    const result = lastResult(await run(await options({ ...more, env })));
    expect(result).toMatchObject({ is_error: true, errors: [expect.stringMatching(why)] });
  });

  it('an agent may use a model of another provider', async () => {
    const [main, other] = [
      await mock([toolCall('Agent', { description: 'x', prompt: 'do', subagent_type: 'far' }), text('end')]),
      await mock([text('report')]),
    ];
    const env = { ANTHROPIC_BASE_URL: main.url, ANTHROPIC_API_KEY: 'test-key' };
    const messages = await run(
      await options({
        env,
        providers: { side: { api: 'anthropic', baseUrl: other.url, apiKey: 'side-key-1' } },
        agents: { far: { description: 'far', prompt: 'be far', model: 'side/tiny' } },
      }),
    );
    expect(other.requests).toHaveLength(1);
    expect(other.requests[0]).toMatchObject({ body: { model: 'tiny' }, headers: { 'x-api-key': 'side-key-1' } });
    expect(Object.keys(lastResult(messages).modelUsage)).toContain('side/tiny');
  });
});

describe('lists of models', () => {
  const listed = async (more: Options) => {
    const { home: _, ...given } = await options(more);
    const session = query({ prompt: 'go', options: given });
    onTestFinished(() => void session.return());
    return session;
  };

  it('getAvailableModels has tiers and models of the providers with a key, by names that setModel takes', async () => {
    const session = await listed({ env: { GEMINI_API_KEY: 'k' } });
    const models = await session.getAvailableModels();
    expect(await session.supportedModels()).toEqual(models);
    expect(models.slice(0, 5).map(({ value }) => value)).toEqual([
      'auto',
      'ultimate',
      'performance',
      'efficient',
      'lite',
    ]);
    expect(models[0]?.description).toBe('Stands for google/gemini-3.8-flash.');
    expect(new Set(models.slice(5).map(({ value }) => value.split('/')[0]))).toEqual(new Set(['google']));
    expect(models.find(({ value }) => value === 'google/gemini-2.5-pro')).toMatchObject({
      isEnabled: true,
      context_config: { '1M': { token_count: 1_048_576, is_default: true } },
      thinking_config: { enabled: { efforts: { low: {}, medium: {}, high: {} } } },
    });
  });

  it('are empty if nothing can be used, if the host answers itself, and if the options are wrong', async () => {
    expect(await (await listed({})).getAvailableModels()).toEqual([]);
    const provider = { id: 'own', stream: () => ({ [Symbol.asyncIterator]: () => Promise.reject() }) } as never;
    expect(await (await listed({ provider })).getAvailableModels()).toEqual([]);
    const wrong = await listed({ providers: { x: {} } });
    expect(await wrong.getAvailableModels()).toEqual([]);
    expect(await wrong.listByokProviders()).toBeNull();
  });

  it('listByokProviders has every provider that takes a key, with its models', async () => {
    const session = await listed({ providers: { mine: { baseUrl: 'http://gate', apiKeyVariable: 'MINE' } } });
    const providers = (await session.listByokProviders()) ?? [];
    expect(providers.map(({ key }) => key)).toEqual(expect.arrayContaining(['mine', 'anthropic', 'openrouter']));
    expect(providers.map(({ key }) => key)).not.toContain('ollama');
    expect(providers.find(({ key }) => key === 'anthropic')).toMatchObject({
      display_name: 'Anthropic',
      api_key_url: expect.stringMatching(/^https:/),
      types: [{ models: expect.arrayContaining([expect.objectContaining({ key: 'claude-haiku-4-5', is_vl: true })]) }],
    });
  });

  it('getUsageInfo has no account to tell of', async () => expect(await (await listed({})).getUsageInfo()).toBeNull());

  it('setModel changes to a model of another provider, and refuses one that cannot be reached', async () => {
    const [first, second] = [await mock([text('one')]), await mock([text('two')])];
    const { home: _, ...given } = await options({
      env: { ANTHROPIC_BASE_URL: first.url, ANTHROPIC_API_KEY: 'test-key' },
      providers: { side: { api: 'anthropic', baseUrl: second.url, apiKey: 'side-key-1' } },
    });
    const session = query({ prompt: 'go', options: given });
    await expect(session.setModel('openrouter/x')).rejects.toThrow(/OPENROUTER_API_KEY/);
    await expect(session.setModel('nobody/x')).rejects.toThrow(/no provider "nobody"/);
    await session.setModel('side/x');
    expect(lastResult(await collect(session)).result).toBe('two');
    expect(first.requests).toHaveLength(0);
  });
});
