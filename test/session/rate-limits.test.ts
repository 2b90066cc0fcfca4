// Limits of rate and quota: what is told of them, and who waits for their end.
import { describe, expect, it, onTestFinished } from 'vitest';
import { ModelError } from '../../src/protocol/errors.js';
import type { SDKMessage, SDKUserMessage } from '../../src/protocol/messages.js';
import { classifyResponse } from '../../src/providers/anthropic/classify-error.js';
import { query } from '../../src/sdk/query.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { fakeHost } from '../../src/testing/fake-host.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockApi } from '../../src/testing/mock/mock-wire.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { bareEngine } from '../support/soak/bare-engine.js';

const HOUR = 3_600_000;

const limitsOf = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'rate_limit_event' ? [message.rate_limit_info] : []));
const waitsOf = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'api_retry' ? [message.retry_delay_ms] : [],
  );

/** A quota that is spent until then. */
async function spentUntil(resetMs: number, config: Partial<QueryEngineConfig>, isNamed = true) {
  const host = fakeHost();
  const model = scriptedModel((request) => {
    const left = resetMs - host.clock.monotonic();
    if (left <= 0 || request.model === 'second') return text('at last');
    const details = { status: 429, retryAfterMs: isNamed ? left : null, limitType: 'five_hour' };
    return { error: new ModelError('quota', 'spent', details) };
  });
  const engine = bareEngine(model, { host, ...config });
  onTestFinished(() => engine.close());
  const startedAt = host.clock.now();
  let isOver = false;
  const running = collect(engine.submitMessage('go')).finally(() => {
    isOver = true;
  });
  for (let steps = 0; !isOver && steps < 10_000; steps++) await host.clock.advance(60_000);
  return { messages: await running, model, host, engine, startedAt };
}

describe('a limit that was reached', () => {
  it('is waited for if the host wants it, and told, with its reset and its end', async () => {
    const { messages, model, host, startedAt } = await spentUntil(5 * HOUR, { waitUntilReset: true });
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'at last' });
    expect(model.calls).toBe(2);
    const resetsAt = Math.ceil((startedAt + 5 * HOUR) / 1_000);
    expect(limitsOf(messages)).toEqual([
      { status: 'rejected', resetsAt, rateLimitType: 'five_hour' },
      { status: 'allowed' },
    ]);
    const [wait = 0, ...others] = waitsOf(messages);
    expect(others).toEqual([]);
    expect(wait).toBeGreaterThanOrEqual(5 * HOUR);
    expect(wait).toBeLessThanOrEqual(5 * HOUR + 5_000);
    expect(host.clock.monotonic()).toBeGreaterThanOrEqual(5 * HOUR);
  });

  it.each([
    ['nobody wants it', {}, 5 * HOUR, true],
    ['the server names no reset', { waitUntilReset: true }, 5 * HOUR, false],
    ['the reset is further away than a timer goes', { waitUntilReset: true }, 24 * 30 * HOUR, true],
  ])('is not waited for where %s', async (_name, config, resetMs, isNamed) => {
    const { messages, model } = await spentUntil(resetMs, config, isNamed);
    expect(lastResult(messages)).toMatchObject({ terminal_reason: 'api_error' });
    expect(waitsOf(messages)).toEqual([]);
    expect(limitsOf(messages)).toMatchObject([{ status: 'rejected' }]);
    expect(model.calls).toBe(1);
  });

  it('is not waited for if another model is left', async () => {
    const config = { waitUntilReset: true, fallback: { models: ['second'] } };
    const { messages, model } = await spentUntil(5 * HOUR, config);
    expect(lastResult(messages)).toMatchObject({ result: 'at last' });
    expect(waitsOf(messages)).toEqual([]);
    expect(model.requests.map((request) => request.model)).toEqual(['scripted', 'second']);
  });

  it('does not hold up an abort while it is waited for', async () => {
    const host = fakeHost();
    const model = scriptedModel([{ error: new ModelError('quota', 'spent', { status: 429, retryAfterMs: HOUR }) }]);
    const engine = bareEngine(model, { host, waitUntilReset: true });
    onTestFinished(() => engine.close());
    const messages: SDKMessage[] = [];
    for await (const message of engine.submitMessage('go')) {
      messages.push(message);
      if (message.type === 'system' && message.subtype === 'api_retry') engine.interrupt();
    }
    expect(lastResult(messages)).toMatchObject({ terminal_reason: 'aborted' });
    expect(host.clock.monotonic()).toBe(0);
  });
});

describe('the headers of the Messages API', () => {
  const clock = { now: () => 1_000_000_000_000 };
  const limited = (headers: Readonly<Record<string, string>>) => {
    const response = { status: 429, header: (name: string) => headers[name] ?? null, text: '{}' };
    const { retryAfterMs, limitType } = classifyResponse(response, clock, []);
    return { retryAfterMs, limitType };
  };

  it.each([
    [{}, null, null],
    [{ 'retry-after': '7' }, 7_000, null],
    [
      {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-reset': '1000003600',
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      },
      3_600_000,
      'five_hour',
    ],
    [
      {
        'anthropic-ratelimit-requests-remaining': '3',
        'anthropic-ratelimit-requests-reset': '2001-09-09T02:46:40Z',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2001-09-09T01:47:10Z',
      },
      30_000,
      'input-tokens',
    ],
    [{ 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': 'soon' }, null, 'tokens'],
  ])('say when a limit that is used up is reset: %j', (headers, retryAfterMs, limitType) => {
    expect(limited(headers as Readonly<Record<string, string>>)).toEqual({ retryAfterMs, limitType });
  });
});

describe('a limit that is near', () => {
  const headersOf = (api: MockApi, remaining: number): Record<string, string> =>
    api === 'anthropic'
      ? { 'anthropic-ratelimit-tokens-limit': '1000', 'anthropic-ratelimit-tokens-remaining': String(remaining) }
      : { 'x-ratelimit-limit-tokens': '1000', 'x-ratelimit-remaining-tokens': String(remaining) };

  it.each(['anthropic', 'openai-chat', 'openai-responses'] as const)(
    'is told once, before the reply it came with: %s',
    async (api) => {
      const steps = [900, 60, 40, 990, 50].map((left) => ({
        ...reply(text(`${left} left`)),
        headers: headersOf(api, left),
      }));
      const mock = await startMockProvider({ api, steps });
      onTestFinished(() => mock.close());
      const providers = { mine: { api, baseUrl: mock.url, apiKey: 'test-key-of-mine' } };
      async function* prompts(): AsyncGenerator<SDKUserMessage> {
        for (const content of ['a', 'b', 'c', 'd', 'e']) {
          yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
        }
      }
      const options = { model: 'mine/m', providers, persistSession: false, host: fakeHost() };
      const messages = await collect(query({ prompt: prompts(), options }));
      expect(limitsOf(messages)).toEqual([
        { status: 'allowed_warning', rateLimitType: 'tokens', utilization: 0.94 },
        { status: 'allowed_warning', rateLimitType: 'tokens', utilization: 0.95 },
      ]);
      const at = messages.findIndex(({ type }) => type === 'rate_limit_event');
      expect(messages.slice(at).find(({ type }) => type === 'assistant')).toMatchObject({
        message: { content: [{ text: '60 left' }] },
      });
      mock.assertClean();
    },
  );
});
