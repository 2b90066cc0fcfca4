// What `thinking` comes to on the wire: by the model of each request and the environment, over a session.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { QueryEngine } from '../../src/session/query-engine.js';
import { type MockStep, startMockProvider } from '../../src/testing/index.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';

import { reply, text, thinking, toolCall } from '../../src/testing/model/script.js';
import { probeTool, temporaryFolder } from '../support/engine.js';
import { plainConfig } from '../support/plain-config.js';

const NEW = 'claude-opus-4-6';
const MIDDLE = 'claude-sonnet-4-5';
const OLD = 'claude-3-5-haiku-20241022';

async function served(
  steps: readonly MockStep[],
  { env = {}, ...overrides }: Partial<QueryEngineConfig> & { env?: Record<string, string> } = {},
) {
  const server = await startMockProvider({ steps });
  onTestFinished(() => server.close());
  const home = await temporaryFolder();
  const engine = new QueryEngine({
    ...plainConfig(),
    cwd: await temporaryFolder(),
    host: createNodeHost(),
    env: { TURNWRIGHT_HOME: home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test-key', ...env },
    tools: [probeTool()],
    ...overrides,
  });
  onTestFinished(() => engine.close());
  const thoughts = () => server.requests.map(({ body }) => (body as { thinking?: unknown }).thinking);
  return { engine, server, thoughts };
}

const reduced = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'notice' && message.code === 'thinking_reduced'
      ? [message.message]
      : [],
  );
const budget = (tokens: number) => ({ type: 'enabled', budget_tokens: tokens });
// The turn that goes on after a call must begin with thinking, so that a budget stays.
const three = [reply(thinking('Hm.', 'c2lnbmF0dXJl'), toolCall('Probe')), text('ok'), text('ok')];

describe('thinking', () => {
  it.each<[string, Partial<QueryEngineConfig> & { env?: Record<string, string> }, unknown]>([
    ['is the model’s own where it knows how, without a word', { userSpecifiedModel: NEW }, { type: 'adaptive' }],
    ['is not asked for without a word where that takes a budget', { userSpecifiedModel: MIDDLE }, undefined],
    [
      'is a budget there where it is wanted',
      { userSpecifiedModel: MIDDLE, thinkingConfig: { type: 'adaptive' } },
      budget(10_000),
    ],
    ['is off where the caller says so', { userSpecifiedModel: NEW, thinkingConfig: { type: 'disabled' } }, undefined],
    ['is off where the variable is 0', { userSpecifiedModel: NEW, env: { MAX_THINKING_TOKENS: '0' } }, undefined],
    [
      'has the budget of the variable',
      { userSpecifiedModel: MIDDLE, env: { MAX_THINKING_TOKENS: '3000' } },
      budget(3_000),
    ],
  ])('%s, the same in each request', async (_title, overrides, expected) => {
    const { engine, server, thoughts } = await served(three, overrides);
    for (const prompt of ['one', 'two']) {
      const messages = await collect(engine.submitMessage(prompt));
      expect(lastResult(messages).subtype).toBe('success');
      expect(reduced(messages)).toEqual([]);
    }
    expect(thoughts()).toEqual([expected, expected, expected]);
    server.assertClean();
  });

  it('follows the model, which may be another with each request', async () => {
    const { engine, server, thoughts } = await served([...three, text('ok'), text('ok')], {
      userSpecifiedModel: NEW,
      thinkingConfig: { type: 'adaptive' },
    });
    await collect(engine.submitMessage('one'));
    for (const model of [MIDDLE, OLD, 'somebody-elses']) {
      engine.setModel(model);
      await collect(engine.submitMessage('and'));
    }
    const adaptive = { type: 'adaptive' };
    // What is not known of a model its API says.
    expect(thoughts()).toEqual([adaptive, adaptive, budget(10_000), undefined, adaptive]);
    server.assertClean();
  });

  it('that was asked for and that a model has not is told with each prompt, once', async () => {
    const { engine, server } = await served(three, {
      userSpecifiedModel: OLD,
      thinkingConfig: { type: 'adaptive' },
    });
    for (const prompt of ['one', 'two'])
      expect(reduced(await collect(engine.submitMessage(prompt)))).toEqual([expect.stringContaining(OLD)]);
    server.assertClean();
  });

  it('in a budget that the API refuses is asked for otherwise, and no more made a budget of', async () => {
    const refusal: MockStep = {
      status: 400,
      body: {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'thinking.type.enabled: use adaptive' },
      },
    };
    const { engine, server, thoughts } = await served([refusal, ...three], {
      userSpecifiedModel: MIDDLE,
      thinkingConfig: { type: 'adaptive' },
    });
    for (const prompt of ['one', 'two']) await collect(engine.submitMessage(prompt));
    const adaptive = { type: 'adaptive' };
    expect(thoughts()).toEqual([budget(10_000), adaptive, adaptive, adaptive]);
    server.assertClean();
  });
});
