// Limits of time that a provider has of its own, in place of those of the session.
import { expect, it, onTestFinished } from 'vitest';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { type AttemptLimits, type Provider, withOwnLimits } from '../../../src/providers/contract/provider.js';
import { query } from '../../../src/sdk/query.js';
import { fakeHost } from '../../../src/testing/fake-host.js';
import { startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { REQUEST } from '../../support/anthropic-replies.js';

it('end its attempts, though the session would wait for hours', async () => {
  const mock = await startMockProvider({
    api: 'openai-chat',
    steps: [{ stall: true }, { ...reply(text('Half a reply.')), stallAfterEvents: 2 }, text('Whole.')],
  });
  onTestFinished(() => mock.close());
  // Time passes only if the test says so, however long the machine takes.
  const host = fakeHost();
  const messages: SDKMessage[] = [];
  const running = (async () => {
    const options = {
      host,
      model: 'side/one',
      providers: { side: { baseUrl: `${mock.url}/v1`, requestTimeoutMs: 50, streamIdleMs: 50 } },
      limits: { requestTimeoutMs: 9_000_000, streamIdleMs: 9_000_000, retryBaseMs: 0 },
      includePartialMessages: true,
      persistSession: false,
      tools: [],
    };
    for await (const message of query({ prompt: 'go', options })) messages.push(message);
  })();
  const until = async (isThere: () => boolean) => {
    while (!isThere()) await Promise.all([host.clock.advance(0), new Promise((resolve) => setImmediate(resolve))]);
  };

  await until(() => mock.requests.length === 1);
  await host.clock.advance(60);
  await until(() => messages.some(({ type }) => type === 'stream_event'));
  await host.clock.advance(60);
  await until(() => mock.requests.length === 3);
  await running;
  const retries = messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'api_retry' ? [message.reason] : [],
  );
  expect(retries).toEqual(['timeout', 'stream_idle']);
  expect(lastResult(messages)).toMatchObject({ result: 'Whole.' });
});

it('stand in place of those that it has, and of no others', async () => {
  const model = scriptedModel([text('a'), text('b')]);
  const seen: AttemptLimits[] = [];
  const watched: Provider = {
    id: model.id,
    stream(request, limits, signal) {
      seen.push(limits);
      return model.stream(request, limits, signal);
    },
  };
  const limits = { requestTimeoutMs: 1, streamIdleMs: 2, onLimitState: () => undefined };
  const signal = new AbortController().signal;
  await collect(withOwnLimits(watched, { streamIdleMs: 0 }).stream(REQUEST, limits, signal));
  expect(seen).toEqual([{ ...limits, streamIdleMs: 0 }]);
  expect(withOwnLimits(watched, undefined)).toBe(watched);
});
