// Limits of time that a provider has of its own, in place of those of the session.
import { expect, it, onTestFinished } from 'vitest';
import { withOwnLimits } from '../../src/providers/limited-provider.js';
import type { AttemptLimits, Provider } from '../../src/providers/provider.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/collect.js';
import { startMockProvider } from '../../src/testing/mock-provider.js';
import { reply, text } from '../../src/testing/script-steps.js';
import { scriptedModel } from '../../src/testing/scripted-model.js';
import { REQUEST } from '../support/anthropic-replies.js';
import { temporaryFolder } from '../support/engine.js';

it('end its attempts, though the session would wait for hours', async () => {
  const mock = await startMockProvider({
    api: 'openai-chat',
    steps: [{ stall: true }, { ...reply(text('Half a reply.')), stallAfterEvents: 2 }, text('Whole.')],
  });
  onTestFinished(() => mock.close());
  const home = await temporaryFolder();
  const messages = await collect(
    query({
      prompt: 'go',
      options: {
        model: 'side/one',
        providers: { side: { baseUrl: `${mock.url}/v1`, requestTimeoutMs: 50, streamIdleMs: 50 } },
        limits: { requestTimeoutMs: 9_000_000, streamIdleMs: 9_000_000, retryBaseMs: 0 },
        env: { TURNWRIGHT_HOME: home },
        cwd: home,
        persistSession: false,
        tools: [],
      },
    }),
  );
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
