// What the first request of a session knows of its model: its window and the longest reply it gives.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTokenEstimator } from '../../src/engine/tokens/estimate-tokens.js';
import { createNodeHost } from '../../src/host/node-host.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { SDKNoticeMessage } from '../../src/protocol/system-messages.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { QueryEngine } from '../../src/session/query-engine.js';
import { type MockStep, startMockProvider } from '../../src/testing/index.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { getTools } from '../../src/tools/builtin.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';
import { plainConfig } from '../support/plain-config.js';
import { isSummaryRequest } from '../support/summary-request.js';

/** An engine of a real model name, over loopback. */
async function servedEngine(steps: readonly MockStep[], overrides: Partial<QueryEngineConfig>) {
  const server = await startMockProvider({ steps });
  onTestFinished(() => server.close());
  const engine = new QueryEngine({
    ...plainConfig(),
    cwd: await temporaryFolder(),
    host: createNodeHost(),
    env: { TURNWRIGHT_HOME: await temporaryFolder(), ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test-key' },
    ...overrides,
  });
  onTestFinished(() => engine.close());
  return { engine, server };
}

const bodyOf = (server: { readonly requests: readonly { readonly body: unknown }[] }, index: number) =>
  server.requests[index]?.body as { max_tokens: number; thinking?: { budget_tokens: number } };
const noticesOf = (messages: readonly SDKMessage[], code: string) =>
  messages.filter(
    (message): message is SDKNoticeMessage =>
      message.type === 'system' && message.subtype === 'notice' && message.code === code,
  );

describe('the first request', () => {
  it.each([
    ['claude-3-haiku-20240307', 4_096],
    ['claude-3-5-haiku-20241022', 8_192],
    ['claude-sonnet-4-5', 32_000],
    ['claude-sonnet-4-5-20250929', 32_000],
    ['claude-nobody-knows', 32_000],
  ])('to %s allows a reply of %i tokens', async (userSpecifiedModel, expected) => {
    const { engine, server } = await servedEngine([text('hi')], { userSpecifiedModel });
    expect(lastResult(await collect(engine.submitMessage('go'))).subtype).toBe('success');
    expect(bodyOf(server, 0).max_tokens).toBe(expected);
    server.assertClean();
  });

  it('fits a small window, with the built-in tools and the system prompt in it', async () => {
    const contextWindow = 8_000;
    const estimator = createTokenEstimator();
    const model = scriptedModel([text('hi')]);
    const { engine } = await testEngine(model, { tools: await getTools(), contextWindow });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages).subtype).toBe('success');
    const [request] = model.requests;
    if (request === undefined) throw new Error('No request was sent.');
    expect(estimator.request(request) + request.maxTokens).toBeLessThanOrEqual(contextWindow);
    expect(request.maxTokens).toBeGreaterThanOrEqual(1_024);
  });

  it('to a fallback model allows what that one gives', async () => {
    const overloaded: MockStep = { status: 529 };
    const { engine, server } = await servedEngine([overloaded, text('hi')], {
      userSpecifiedModel: 'claude-sonnet-4-5',
      fallbackModel: 'claude-3-haiku-20240307',
      limits: { maxRetries: 0 },
    });
    await collect(engine.submitMessage('go'));
    expect([bodyOf(server, 0).max_tokens, bodyOf(server, 1).max_tokens]).toEqual([32_000, 4_096]);
  });

  it('goes by the overrides of the catalogue', async () => {
    const model = scriptedModel([text('hi')]);
    const { engine } = await testEngine(model, {
      catalogueOverrides: { 'scripted/scripted': { contextWindow: 50_000, maxOutputTokens: 2_000 } },
    });
    await collect(engine.submitMessage('go'));
    expect(model.requests[0]?.maxTokens).toBe(2_000);
  });

  it('lowers a thinking budget that the model cannot give, and says so once', async () => {
    const { engine, server } = await servedEngine([text('hi')], {
      userSpecifiedModel: 'claude-3-haiku-20240307',
      thinkingConfig: { type: 'enabled', budgetTokens: 10_000 },
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(bodyOf(server, 0)).toMatchObject({ max_tokens: 4_096, thinking: { budget_tokens: 3_072 } });
    expect(noticesOf(messages, 'thinking_reduced')).toEqual([
      expect.objectContaining({ message: expect.stringContaining('3072') }),
    ]);
    server.assertClean();
  });
});

describe('a context that fills up', () => {
  const WINDOW = 60_000;
  const words = (tokens: number) => 'some words of output '.repeat(tokens / 4);

  /** Each prompt runs one tool that gives 1,500 tokens or so. */
  async function fill(overrides: Partial<QueryEngineConfig>, prompts: number) {
    const model = scriptedModel((request) => {
      if (isSummaryRequest(request)) return text('<summary>All was said.</summary>');
      const last = request.messages.at(-1);
      const hasResult = Array.isArray(last?.content) && last.content.some((block) => block.type === 'tool_result');
      return hasResult ? text('done') : toolCall('Probe', { value: String(request.messages.length) });
    });
    let n = 0;
    const { engine } = await testEngine(model, {
      tools: [probeTool({ run: async () => `${n++} ${words(1_500)}` })],
      contextWindow: WINDOW,
      ...overrides,
    });
    const told: { prompt: number; notice: SDKNoticeMessage }[] = [];
    for (let prompt = 0; prompt < prompts; prompt++) {
      const messages = await collect(engine.submitMessage(`prompt ${prompt}`));
      for (const notice of noticesOf(messages, 'context_filling')) told.push({ prompt, notice });
    }
    return { engine, told };
  }

  it('is told once, with figures and what to do, if compaction is not automatic', async () => {
    const { told } = await fill({ autoCompact: false }, 16);
    expect(told).toHaveLength(1);
    const notice = told[0]?.notice;
    expect(notice?.level).toBe('warning');
    expect(notice?.remedy).toMatch(/Automatic compaction is off.*\/compact/);
    const { used_tokens: used = 0, context_window: window, percent = 0 } = notice?.data ?? {};
    expect(window).toBe(WINDOW);
    expect(percent).toBe(Math.round((used / WINDOW) * 100));
    expect(notice?.message).toContain(`${percent} %`);
  });

  it('is told again after it was emptied and filled once more', async () => {
    const { told } = await fill({}, 30);
    expect(told.length).toBeGreaterThan(1);
    expect(told.every(({ notice }) => notice.level === 'info' && /compacted by itself/.test(notice.remedy ?? ''))).toBe(
      true,
    );
    const prompts = told.map(({ prompt }) => prompt);
    expect(new Set(prompts).size).toBe(prompts.length);
  });
});
