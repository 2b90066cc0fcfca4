// ccusage reads what our sessions used: tokens by model, and what they cost.
import { expect, it } from 'vitest';
import type { ModelUsage } from '../../src/protocol/messages.js';
import { loadCatalogue } from '../../src/providers/models/catalogue.js';
import { forkSession } from '../../src/sdk/sessions.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, testEngine } from '../support/engine.js';
import { runClient } from './drive.js';

const MODEL = 'claude-sonnet-4-5-20250929';

interface Totals {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheCreationTokens: number;
  readonly cacheReadTokens: number;
  readonly totalCost: number;
}

function usageOf(home: string): Totals {
  const output = runClient('ccusage/dist/index.js', ['daily', '--json', '--offline'], {
    CLAUDE_CONFIG_DIR: home,
    HOME: home,
  });
  return (JSON.parse(output) as { totals: Totals }).totals;
}

async function session(steps: Parameters<typeof scriptedModel>[0], prompts: readonly string[]) {
  const { engine, home } = await testEngine(scriptedModel(steps), {
    tools: [probeTool({ readOnly: true, concurrencySafe: true })],
    userSpecifiedModel: MODEL,
  });
  let usage: ModelUsage | undefined;
  let sessionId = '';
  for (const prompt of prompts) {
    const result = lastResult(await collect(engine.submitMessage(prompt)));
    usage = result.modelUsage[MODEL];
    sessionId = result.session_id;
  }
  await engine.close();
  return { home, sessionId, usage };
}

it('counts the tokens of a session as its result does', async () => {
  const steps = [
    reply(text('Looking.'), toolCall('Probe', { value: 'a' }), toolCall('Probe', { value: 'b' })),
    text('First answer.'),
    text('Second answer.'),
  ];
  const { home, usage } = await session(steps, ['first prompt', 'second prompt']);
  expect(usage?.inputTokens).toBeGreaterThan(0);
  const counted = usageOf(home);
  const price = (await loadCatalogue()).find('anthropic', MODEL)?.price;
  const costs = (usage?.inputTokens ?? 0) * (price?.input ?? 0) + (usage?.outputTokens ?? 0) * (price?.output ?? 0);
  expect(counted.totalCost).toBeGreaterThan(0);
  expect(counted.totalCost).toBeCloseTo(costs / 1e6, 9);
  expect(counted).toMatchObject({
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
    cacheCreationTokens: usage?.cacheCreationInputTokens,
    cacheReadTokens: usage?.cacheReadInputTokens,
  });
});

it('counts no reply twice, neither after a compaction nor in a fork', async () => {
  const summary = `<summary>${'what was said and done before, '.repeat(10)}</summary>`;
  const { home, sessionId, usage } = await session(
    [text('one'), text('two'), text(summary), text('three')],
    ['first prompt', 'second prompt', '/compact', 'third prompt'],
  );
  await forkSession(sessionId, { env: { TURNWRIGHT_HOME: home } });
  const counted = usageOf(home);
  // The request for the summary is in no transcript: what it cost stands in our own line of state alone.
  expect(counted.outputTokens).toBeGreaterThan(0);
  expect(counted.outputTokens).toBeLessThanOrEqual(usage?.outputTokens ?? 0);
  expect(counted.inputTokens).toBeLessThanOrEqual(usage?.inputTokens ?? 0);
});
