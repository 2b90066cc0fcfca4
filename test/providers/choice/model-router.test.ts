// From a name to a provider that works, and from one model of a session to another's.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import { type ModelReach, resolveModels } from '../../../src/providers/choice/model-router.js';
import type { ModelAccess } from '../../../src/providers/choice/provider-access.js';
import { attempt, REQUEST, textReply, wire } from '../../support/anthropic-replies.js';
import { accessOf } from '../../support/model-access.js';
import { plain, type SseServer, startSseServer, stream } from '../../support/sse-server.js';

const KEY = { ANTHROPIC_API_KEY: 'a-secret-key' };
const host = createNodeHost();

function reachOf(access: ModelAccess, more: Partial<ModelReach> = {}): ModelReach {
  return {
    access,
    clock: host.clock,
    ids: host.ids,
    routeTo: async () => undefined,
    keptProfiles: async () => ({}),
    openHelper: () => Promise.reject(new Error('no helper was asked for')),
    openFetcher: () => Promise.reject(new Error('no token was asked for')),
    ...more,
  };
}

async function server(text = 'x'): Promise<SseServer> {
  const started = await startSseServer(stream(wire(textReply(text))));
  onTestFinished(() => started.close());
  return started;
}

async function resolved(model: string | undefined, reach: ModelReach) {
  const models = await resolveModels(model, reach);
  onTestFinished(() => models.close());
  return models;
}

describe('resolveModels', () => {
  it('gives a provider that works with the environment', async () => {
    const { url, requests, until, isOpen } = await server();
    const models = await resolved('haiku', reachOf(accessOf({ ...KEY, ANTHROPIC_BASE_URL: url })));
    expect(models).toMatchObject({ model: 'claude-haiku-5-5', apiKeySource: 'user' });
    expect(models.provider.id).toBe('anthropic');
    expect((await attempt(models.provider, { request: { ...REQUEST, model: models.model } })).error).toBeNull();
    expect(requests[0]?.headers['x-api-key']).toBe('a-secret-key');
    models.close();
    await until(() => !isOpen());
  });

  it('without a key gives one that fails when it is asked, and others all the same', async () => {
    const models = await resolveModels(undefined, reachOf(accessOf()));
    onTestFinished(() => models.close());
    expect(models).toMatchObject({ model: 'none', apiKeySource: 'none' });
    expect((await attempt(models.provider, { request: { ...REQUEST, model: 'none' } })).error).toMatchObject({
      kind: 'authentication',
    });
    expect(await models.admit('offline')).toBe('offline/offline');
  });

  it('gives the offline provider by its name', async () => {
    const models = await resolved('offline', reachOf(accessOf()));
    expect(models).toMatchObject({ model: 'offline', apiKeySource: 'none' });
    expect(models.provider.id).toBe('offline');
    expect(models.locate('offline')).toEqual({ provider: 'offline', model: 'offline', free: true });
  });

  it('refuses a base URL that is none without showing it', async () => {
    const reach = reachOf(accessOf({ ...KEY, ANTHROPIC_BASE_URL: 'secretword' }));
    await expect(resolveModels('m', reach)).rejects.toThrow(/ANTHROPIC_BASE_URL/);
    await expect(resolveModels('m', reach)).rejects.not.toThrow(/secretword/);
  });

  it('sends headers of the user, and takes the way it is told', async () => {
    const { url, requests } = await server();
    const asked: string[] = [];
    const access = accessOf({ ...KEY, ANTHROPIC_BASE_URL: url, ANTHROPIC_CUSTOM_HEADERS: 'x-team: blue' });
    const routeTo = async (to: string) => {
      asked.push(to);
      return 'fetch' as const;
    };
    const models = await resolved('m', reachOf(access, { routeTo }));
    await attempt(models.provider, { request: { ...REQUEST, model: 'm' } });
    expect(asked).toEqual([url]);
    expect(requests[0]?.headers).toMatchObject({ 'x-team': 'blue', 'sec-fetch-mode': 'cors' });
  });
});

describe('the models of one session', () => {
  const two = async () => {
    const [first, second] = [await server(), await server()];
    const providers = {
      near: { baseUrl: second.url, api: 'anthropic', apiKey: 'near-key-1', free: true },
      far: { baseUrl: 'http://127.0.0.1:1', api: 'anthropic' },
    };
    const access = accessOf({ ...KEY, ANTHROPIC_BASE_URL: first.url }, { providers });
    return { first, second, models: await resolved('opus', reachOf(access)) };
  };
  const bodyOf = ({ requests }: SseServer, at = 0) => JSON.parse(requests[at]?.body ?? '{}') as { model?: string };

  it('go each to its own provider, with its own key and under its own name', async () => {
    const { first, second, models } = await two();
    expect(await models.admit('near/some/model')).toBe('near/some/model');
    expect(await models.admit('haiku')).toBe('claude-haiku-5-5');
    for (const model of ['near/some/model', 'claude-haiku-5-5', models.model]) {
      expect((await attempt(models.provider, { request: { ...REQUEST, model } })).error).toBeNull();
    }
    expect(second.requests).toHaveLength(1);
    expect(bodyOf(second).model).toBe('some/model');
    expect(second.requests[0]?.headers['x-api-key']).toBe('near-key-1');
    expect(first.requests.map(({ body }) => (JSON.parse(body) as { model: string }).model)).toEqual([
      'claude-haiku-5-5',
      'claude-opus-5-5',
    ]);
    expect(models.locate('near/some/model')).toEqual({ provider: 'near', model: 'some/model', free: true });
    expect(models.locate('haiku')).toEqual({ provider: 'anthropic', model: 'claude-haiku-5-5', free: false });
  });

  it('need not be told before: the first request finds the way', async () => {
    const { first, second, models } = await two();
    for (const model of ['near/m', 'near/m', 'sonnet']) {
      expect((await attempt(models.provider, { request: { ...REQUEST, model } })).error).toBeNull();
    }
    expect(second.requests).toHaveLength(2);
    expect(bodyOf(second, 1).model).toBe('m');
    expect(bodyOf(first).model).toBe('claude-sonnet-5-5');
  });

  it('that cannot be reached are told as the model’s failure, or when they are named', async () => {
    const { models } = await two();
    const { error } = await attempt(models.provider, { request: { ...REQUEST, model: 'openrouter/m' } });
    expect(error).toMatchObject({ kind: 'not_found', message: expect.stringContaining('OPENROUTER_API_KEY') });
    await expect(models.admit('nobody/m')).rejects.toThrow(/no provider "nobody"/);
    expect((await attempt(models.provider, { request: { ...REQUEST, model: 'far/m' } })).error?.kind).toBe(
      'connection',
    );
  });

  it('keep names with a slash apart', async () => {
    const gate = await server();
    const providers = { near: { baseUrl: gate.url, api: 'anthropic' } };
    const models = await resolved('near/anthropic/x', reachOf(accessOf(KEY, { providers })));
    expect(models.model).toBe('near/anthropic/x');
    expect(models.locate(models.model)).toMatchObject({ provider: 'near', model: 'anthropic/x' });
    await models.admit('anthropic/x');
    expect(models.locate('anthropic/x')).toMatchObject({ provider: 'anthropic', model: 'x' });
  });

  it('are closed together, those that are still being opened too', async () => {
    const { first, second, models } = await two();
    await attempt(models.provider, { request: { ...REQUEST, model: 'near/m' } });
    await attempt(models.provider, { request: { ...REQUEST, model: models.model } });
    expect([first.isOpen(), second.isOpen()]).toEqual([true, true]);
    models.close();
    await Promise.all([first.until(() => !first.isOpen()), second.until(() => !second.isOpen())]);
  });

  it('a stream that nobody reads to its end is closed', async () => {
    const { second, models } = await two();
    const limits = { requestTimeoutMs: 5_000, streamIdleMs: 5_000 };
    const request = { ...REQUEST, model: 'near/m' };
    for await (const event of models.provider.stream(request, limits, new AbortController().signal)) {
      expect(event.type).toBe('message_start');
      break;
    }
    expect(second.requests).toHaveLength(1);
  });
});

it('a refused key says so with the id of the provider’s own server', async () => {
  const gate = await startSseServer(plain(401, '{"error":{"type":"authentication_error","message":"bad key"}}'));
  onTestFinished(() => gate.close());
  const models = await resolved('m', reachOf(accessOf({ ...KEY, ANTHROPIC_BASE_URL: gate.url })));
  const { error } = await attempt(models.provider, { request: { ...REQUEST, model: 'm' } });
  expect(error).toMatchObject({ kind: 'authentication', status: 401, retryable: false });
});
