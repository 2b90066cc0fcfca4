// Servers of the user's own that give tokens, tell what an account has used, and list their models.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tokenProvider } from '../../src/index.js';
import type { FetchToken } from '../../src/protocol/model-options.js';
import { createTokenFetcher } from '../../src/providers/keys/changing-keys.js';
import { query } from '../../src/sdk/query.js';
import { fakeHost } from '../../src/testing/fake-host.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-wire.js';
import { collect } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { temporaryFolder } from '../support/engine.js';

const NO_KEYS = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: undefined, ANTHROPIC_BASE_URL: undefined };

async function open(options: object) {
  const home = await temporaryFolder();
  const env = { ...NO_KEYS, TURNWRIGHT_HOME: home };
  const session = query({ prompt: 'Hello.', options: { cwd: home, env, settingSources: [], ...options } });
  onTestFinished(() => session.close());
  return session;
}

async function pages(answers: Readonly<Record<string, unknown>>) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const found = answers[request.url ?? ''];
    if (found === undefined) response.writeHead(404).end();
    else response.end(typeof found === 'string' ? found : JSON.stringify(found));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe('tokenProvider()', () => {
  it('is asked before the first request, and once more if its token was refused', async () => {
    const refused = { status: 401, error: { message: 'no' } } as unknown as MockStep;
    const server = await startMockProvider({ api: 'openai-chat', server: 'compatible', steps: [refused, text('in')] });
    onTestFinished(() => server.close());
    const reasons: string[] = [];
    const fetchToken: FetchToken = async ({ reason }) => {
      reasons.push(reason);
      return { token: `token-${reasons.length}` };
    };
    const options = {
      model: 'srv/m',
      providers: { srv: { api: 'openai-chat', baseUrl: `${server.url}/v1`, needsKey: true } },
      auth: tokenProvider(fetchToken),
    };
    const messages = await collect(await open(options));
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'in' });
    expect(reasons).toEqual(['initial', 'unauthorized']);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(JSON.stringify(messages)).not.toContain('token-1');
  });

  it('is never sent to an address that is not the user’s, and a failure says why', async () => {
    const asked: string[] = [];
    const auth = tokenProvider(async ({ reason }) => {
      asked.push(reason);
      return null;
    });
    await expect(collect(await open({ model: 'claude-haiku-4-5', auth }))).rejects.toThrow('needs a key');
    expect(asked).toEqual([]);
    const providers = { srv: { api: 'openai-chat', baseUrl: 'http://127.0.0.1:9/v1', needsKey: true } };
    const messages = await collect(await open({ model: 'srv/m', providers, auth }));
    expect(messages.at(-1)).toMatchObject({ is_error: true, errors: [expect.stringContaining('there is none')] });
    await expect(collect(await open({ auth: { type: 'tokenProvider' } }))).rejects.toThrow('must be a function');
  });

  it('keeps a token until a minute before its end, and asks once for all who wait', async () => {
    const host = fakeHost();
    const asked: string[] = [];
    const fetchToken: FetchToken = async ({ reason }) => {
      asked.push(reason);
      return { token: `t${asked.length}`, expiresAt: host.clock.now() + 600_000 };
    };
    const fetcher = createTokenFetcher({ fetchToken, clock: host.clock, ids: host.ids, onKey: () => undefined });
    expect(await Promise.all([fetcher.key(), fetcher.key()])).toEqual(['t1', 't1']);
    await host.advance(500_000);
    expect(await fetcher.key()).toBe('t1');
    await host.advance(50_000);
    expect(await fetcher.key()).toBe('t2');
    fetcher.forget('t1');
    expect(await fetcher.key()).toBe('t2');
    fetcher.forget('t2');
    expect(await fetcher.key()).toBe('t3');
    expect(asked).toEqual(['initial', 'expiring', 'unauthorized']);
  });

  it.each([
    [async () => null, 'there is none'],
    [async () => ({ token: 'a b' }), 'not a token'],
    [
      () => {
        throw new Error('service is down');
      },
      'service is down',
    ],
  ])('that gives nothing is a refused key: %#', async (fetchToken, words) => {
    const host = fakeHost();
    const parts = { clock: host.clock, ids: host.ids, onKey: () => undefined };
    const fetcher = createTokenFetcher({ fetchToken: fetchToken as FetchToken, ...parts });
    await expect(fetcher.key()).rejects.toMatchObject({
      kind: 'authentication',
      message: expect.stringContaining(words),
    });
  });
});

const PROMOTION = {
  description: { en: 'Half the price at night' },
  discount_factor: 0.5,
  before_promotion_price_factor: 1,
  timezone: 'Asia/Shanghai',
  rule_id: 'r1',
  window_start: '00:00',
  window_end: '08:00',
};

describe('what a server tells', () => {
  const provider = (url: string, more: object = {}) => ({
    providers: { srv: { api: 'openai-chat', baseUrl: `${url}/v1`, apiKey: 'key-of-srv', ...more } },
    model: 'srv/m',
  });

  it('of the account is given field by field; what is of another kind is left out', async () => {
    const usage = {
      user_id: 'u1',
      userType: 'teams',
      totalUsagePercentage: '12',
      isQuotaExceeded: false,
      user_quota: { total: 100, used: 40, remaining: 60, percentage: 40, unit: 'credits', more: 1 },
      addOnQuota: { used: 1, detailUrl: 'https://example.com' },
      orgResourcePackage: { used: 1, cap: 5, remaining: 4, percentage: 20, available: true, unit: 'credits' },
    };
    const whole = {
      userId: 'u',
      userType: 'pro',
      totalUsagePercentage: 40,
      isHighestTier: true,
      expiresAt: 1_800_000_000_000,
      upgradeUrl: 'https://example.com/up',
      userQuota: { total: 1, used: 1, remaining: 0, percentage: 100, unit: 'credits' },
      addOnQuota: {
        total: 2,
        used: 1,
        remaining: 1,
        percentage: 50,
        unit: 'credits',
        detailUrl: 'https://example.com',
      },
      isQuotaExceeded: true,
      isPlanQuotaProrated: false,
      orgResourcePackage: { used: 1, cap: 5, remaining: 4, percentage: 20, available: true, unit: 'credits' },
    };
    const { url, asked } = await pages({ '/v1/usage': { usage }, '/v1/whole': whole });
    const session = await open(provider(url, { usageUrl: 'usage' }));
    expect(await session.getUsageInfo()).toEqual({
      userId: 'u1',
      userType: 'teams',
      isQuotaExceeded: false,
      userQuota: { total: 100, used: 40, remaining: 60, percentage: 40, unit: 'credits' },
      addOnQuota: { used: 1, detailUrl: 'https://example.com' },
      orgResourcePackage: { used: 1, cap: 5, remaining: 4, percentage: 20, available: true, unit: 'credits' },
    });
    expect(await (await open(provider(url, { usageUrl: 'whole' }))).getUsageInfo()).toEqual(whole);
    expect(asked[0]?.headers.authorization).toBe('Bearer key-of-srv');
    expect(await (await open(provider(url))).getUsageInfo()).toBeNull();
    expect(await (await open(provider(url, { usageUrl: 'nowhere' }))).getUsageInfo()).toBeNull();
  });

  it('of its models stands in their list, with the entry as it came', async () => {
    const entry = {
      id: 'big',
      display_name: 'Big',
      is_new: true,
      price_factor: 1.5,
      context_config: { '200K': { token_count: 200_000, is_default: true }, odd: 1 },
      promotion: { active: true, badge: { en: 'Half', zh: '五折', no: 5 }, ...PROMOTION, odd: 1 },
      anything: [1],
    };
    const { url } = await pages({
      '/v1/models': { data: [entry, { id: 'a b' }, 'junk', { value: 'off', isEnabled: false }] },
    });
    const models = await (await open(provider(url, { modelsUrl: '/models' }))).getAvailableModels();
    expect(models.find(({ value }) => value === 'srv/big')).toEqual({
      value: 'srv/big',
      displayName: 'Big',
      description: '',
      isEnabled: true,
      isNew: true,
      priceFactor: 1.5,
      context_config: { '200K': { token_count: 200_000, is_default: true } },
      promotion: { active: true, badge: { en: 'Half', zh: '五折' }, ...PROMOTION },
      serverModel: entry,
    });
    expect(models.find(({ value }) => value === 'srv/off')).toMatchObject({ isEnabled: false });
    expect(models.filter(({ value }) => value.startsWith('srv/'))).toHaveLength(3);
  });

  it.each([['not json'], [{ data: 'x' }]])('if it is no list, is passed over: %j', async (answer) => {
    const { url } = await pages({ '/v1/models': answer });
    const models = await (await open(provider(url, { modelsUrl: 'models' }))).getAvailableModels();
    expect(models.some(({ value }) => value === 'srv/m')).toBe(true);
  });

  it('elsewhere than on its own server is refused: the key would go there', async () => {
    const { url } = await pages({});
    const session = await open(provider(url, { usageUrl: 'https://example.com/usage' }));
    await expect(collect(session)).rejects.toThrow('since the key is sent there');
  });
});
