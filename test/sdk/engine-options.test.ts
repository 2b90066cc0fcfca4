// Options that no other SDK has: what `QueryEngine` takes, `query()` takes too.
import { describe, expect, it } from 'vitest';
import { createBudget } from '../../src/engine/state/spending.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

const catalogueOverrides = {
  'scripted/scripted': { contextWindow: 100_000, maxOutputTokens: 5_000, price: { input: 3, output: 15 } },
};

async function ask(model: ReturnType<typeof scriptedModel>, options: Options, prompt = 'go') {
  const cwd = await temporaryFolder();
  return collect(query({ prompt, options: { provider: model, cwd, persistSession: false, ...options } }));
}

describe('query() takes', () => {
  it('catalogueOverrides, and so a price and a limit', async () => {
    const model = scriptedModel([{ ...reply(text('ok')), usage: { input_tokens: 1_000, output_tokens: 100 } }]);
    const result = lastResult(await ask(model, { catalogueOverrides }));
    expect(result.total_cost_usd).toBeCloseTo((1_000 * 3 + 100 * 15) / 1e6, 12);
    expect(model.requests[0]?.maxTokens).toBe(5_000);
  });

  it('budget, shared with others', async () => {
    const budget = createBudget(1);
    const model = scriptedModel([{ ...reply(text('ok')), usage: { input_tokens: 1_000, output_tokens: 100 } }]);
    await ask(model, { catalogueOverrides, budget: budget.child() });
    expect(budget.spentUsd).toBeCloseTo((1_000 * 3 + 100 * 15) / 1e6, 12);
  });

  it('contextWindow and autoCompact', async () => {
    const model = scriptedModel([text('ok')]);
    const messages = await ask(model, { contextWindow: 9_000, autoCompact: false }, 'some words '.repeat(2_000));
    expect(messages).toContainEqual(
      expect.objectContaining({ code: 'context_filling', remedy: expect.stringMatching(/compaction is off/) }),
    );
    model.assertDone();
  });

  it('prefetch', async () => {
    const model = scriptedModel([text('ok')]);
    await ask(model, { prefetch: async ({ text: prompt }) => [`A skill for ${prompt}.`] });
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('A skill for go.');
  });

  it('toolUseSummaries', async () => {
    const model = scriptedModel((request) => {
      if (request.tools.length === 0) return text('Looked around.');
      return request.messages.length === 1 ? toolCall('Glob', { pattern: '*' }) : text('ok');
    });
    const messages = await ask(model, { toolUseSummaries: true });
    expect(messages).toContainEqual(expect.objectContaining({ type: 'tool_use_summary', summary: 'Looked around.' }));
    expect(messages.filter((message) => message.type === 'system' && message.subtype === 'notice')).toEqual([]);
  });
});
