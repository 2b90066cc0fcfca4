// Servers of the Chat Completions form that are not OpenAI's: what the checker takes of them.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ThinkingConfig } from '../../src/protocol/options.js';
import { query } from '../../src/sdk/query.js';
import { fakeHost } from '../../src/testing/fake-host.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, thinking, toolCall } from '../../src/testing/model/script.js';
import { validateChatRequest } from '../../src/testing/wire/wire-chat.js';

const THINKING: ThinkingConfig = { type: 'enabled', budgetTokens: 2_000 };

/** A session of two requests with a known provider, whose server is played by the mock. */
async function talk(provider: string, variable: string, server: 'openai' | 'compatible') {
  const steps = [reply(thinking('Hm.', ''), toolCall('Glob', { pattern: '*' })), text('Done.')];
  const mock = await startMockProvider({ api: 'openai-chat', server, steps });
  onTestFinished(() => mock.close());
  const options = {
    model: `${provider}/some-model`,
    env: { [`${variable}_BASE_URL`]: mock.url, [`${variable}_API_KEY`]: 'test-key-of-mine' },
    host: fakeHost(),
    thinking: THINKING,
    persistSession: false,
  };
  const result = lastResult(await collect(query({ prompt: 'Look.', options })));
  return { mock, result };
}

describe('the mock of another maker', () => {
  it.each([
    ['deepseek', 'DEEPSEEK', 'thinking'],
    ['moonshotai', 'MOONSHOT', 'thinking'],
    ['zai', 'ZAI', 'thinking'],
    ['alibaba', 'DASHSCOPE', 'enable_thinking'],
    ['openrouter', 'OPENROUTER', 'reasoning'],
    ['vllm', 'VLLM', 'chat_template_kwargs'],
    ['llamacpp', 'LLAMACPP', 'chat_template_kwargs'],
  ])('takes how %s is told to think', async (provider, variable, field) => {
    const { mock, result } = await talk(provider, variable, 'compatible');
    expect(mock.violations).toEqual([]);
    expect(result.result).toBe('Done.');
    expect(mock.requests[0]?.body).toHaveProperty(field);
    mock.assertClean();
  });

  it("is not OpenAI's, which knows no such field", async () => {
    const { mock } = await talk('deepseek', 'DEEPSEEK', 'openai');
    expect(mock.violations[0]).toMatchObject({ path: 'thinking' });
  });
});

describe('validateChatRequest', () => {
  const body = (more: object) => ({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...more });
  it.each([
    [{ thinking: 'on' }, 'thinking'],
    [{ thinking: { type: 'adaptive' } }, 'thinking'],
    [{ enable_thinking: 'yes' }, 'enable_thinking'],
    [{ chat_template_kwargs: [] }, 'chat_template_kwargs'],
    [{ something: 1 }, 'something'],
  ])('also checks the fields of other makers: %j', (more, path) => {
    expect(validateChatRequest(body(more), { server: 'compatible' })).toMatchObject([{ path }]);
  });
});
