// A line about each round of tools: asked for beside the loop, paid for like everything else, and never waited for.
import { describe, expect, it, onTestFinished } from 'vitest';
import { ModelError } from '../../src/protocol/errors.js';
import type { SDKMessage, SDKToolUseSummaryMessage } from '../../src/protocol/messages.js';
import type { ModelRequest } from '../../src/providers/contract/provider.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { fakeHost } from '../../src/testing/fake-host.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, type ScriptedAnswer, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool } from '../support/engine.js';
import { bareEngine } from '../support/soak/bare-engine.js';
import { billOf, catalogueOf, metered } from '../support/soak/meter.js';

const isSummary = (request: ModelRequest) => request.system.some((block) => block.text.includes('calls of tools'));
const summaries = (messages: readonly SDKMessage[]) =>
  messages.filter((message): message is SDKToolUseSummaryMessage => message.type === 'tool_use_summary');

/** Two calls, then one, then the answer; `summarise` answers the requests beside. */
function worker(summarise: (request: ModelRequest) => ScriptedAnswer | Promise<ScriptedAnswer>) {
  let round = 0;
  return scriptedModel((request) => {
    if (isSummary(request)) return summarise(request);
    round += 1;
    if (round === 1)
      return reply(text('I look.'), toolCall('Probe', { value: 'a' }, 'c1'), toolCall('Probe', { value: 'b' }, 'c2'));
    return round === 2 ? toolCall('Probe', { value: 'c' }, 'c3') : text('done');
  });
}

function engineOf(model: Parameters<typeof bareEngine>[0], overrides: Partial<QueryEngineConfig> = {}) {
  const engine = bareEngine(model, { tools: [probeTool()], toolUseSummaries: true, ...overrides });
  onTestFinished(() => engine.close());
  return engine;
}

describe('lines about rounds of tools', () => {
  it('come as messages that name the calls', async () => {
    const model = worker((request) =>
      text(`Looked at ${JSON.stringify(request.messages).includes('"a') ? 'a and b' : 'c'}\n`),
    );
    const messages = await collect(engineOf(model).submitMessage('go'));
    expect(summaries(messages).map(({ summary, preceding_tool_use_ids: ids }) => [summary, ids])).toEqual([
      [expect.any(String), ['c1', 'c2']],
      [expect.any(String), ['c3']],
    ]);
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'done', num_turns: 3 });
    expect(messages.at(-1)?.type).toBe('result');
    const [asked] = model.requests.filter(isSummary);
    expect(asked).toMatchObject({ model: 'scripted', tools: [], maxTokens: 100 });
    expect(JSON.stringify(asked?.messages)).toMatch(/I look\..*Probe.*ran a.*Probe.*ran b/);
    expect(model.violations).toEqual([]);
  });

  it('are not asked for unless they are wanted', async () => {
    const model = worker(() => text('no'));
    const messages = await collect(engineOf(model, { toolUseSummaries: false }).submitMessage('go'));
    expect(summaries(messages)).toEqual([]);
    expect(model.calls).toBe(3);
  });

  it('do not hold up the next request', async () => {
    let answered: () => void = () => undefined;
    const afterwards = new Promise<void>((resolve) => {
      answered = resolve;
    });
    let requests = 0;
    const model = scriptedModel((request) => {
      // The line about the only round is there once the loop has gone on without it.
      if (isSummary(request)) return { ...reply(text('late')), waitFor: afterwards };
      requests += 1;
      if (requests === 1) return toolCall('Probe', {}, 'c1');
      answered();
      return text('done');
    });
    const messages = await collect(engineOf(model).submitMessage('go'));
    expect(summaries(messages)).toMatchObject([{ summary: 'late' }]);
  });

  it('that cannot be had are logged and nothing else', async () => {
    const logged: string[] = [];
    const failing = worker(() => ({ error: new ModelError('overloaded', 'busy', { status: 529 }) }));
    const messages = await collect(
      engineOf(failing, {
        log: (event) => logged.push(event),
        limits: { retryBaseMs: 0, retryMaxMs: 0, retryHorizonMs: 60_000 },
      }).submitMessage('go'),
    );
    expect(lastResult(messages).subtype).toBe('success');
    expect(summaries(messages)).toEqual([]);
    expect(logged.filter((event) => event === 'tool_summary_failed')).toHaveLength(2);
    expect(failing.calls).toBe(5);
    expect(JSON.stringify(messages)).not.toContain('api_retry');
  });

  it('are counted in the bill, to the last token, and in the budget', async () => {
    const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
    const usage = { input_tokens: 1_000, output_tokens: 7 };
    const meter = metered(worker(() => ({ ...reply(text('looked')), usage })));
    const engine = engineOf(meter.provider, {
      maxBudgetUsd: 1,
      catalogueOverrides: catalogueOf({ scripted: price }, 200_000, 32_000),
    });
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(meter.attempts).toHaveLength(5);
    expect(result.total_cost_usd).toBe(Number(billOf(meter.attempts, { scripted: price })) / 1e12);
  });

  it('are told without a model if the budget does not allow one', async () => {
    const model = worker(() => text('never'));
    const engine = engineOf(model, {
      maxBudgetUsd: 1,
      toolUseSummaries: { model: 'of-unknown-price' },
      catalogueOverrides: catalogueOf(
        { scripted: { input: 3, output: 15, cacheRead: 1, cacheWrite: 1 } },
        200_000,
        32_000,
      ),
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(summaries(messages).map(({ summary }) => summary)).toEqual(['Probe ×2', 'Probe']);
    expect(model.calls).toBe(3);
  });

  it('are told without a model if earlier ones are still under way', async () => {
    let rounds = 0;
    const host = fakeHost();
    const model = scriptedModel((request) => {
      if (isSummary(request)) return { stall: true };
      rounds += 1;
      return rounds <= 3 ? toolCall('Probe', { value: String(rounds) }) : text('done');
    });
    const failing = probeTool({ run: async () => Promise.reject(new Error('no')) });
    const running = collect(engineOf(model, { host, tools: [failing] }).submitMessage('go'));
    // At its end the prompt waits for a while, and then no longer. The other timer loads what the first reply needs.
    for (let tries = 0; host.clock.pending() < 2 && tries < 1_000; tries++) await host.clock.advance(0);
    expect(host.clock.pending()).toBe(2);
    await host.clock.advance(2_000);
    const messages = await running;
    expect(summaries(messages).map(({ summary }) => summary)).toEqual(['Probe (1 failed)']);
    expect(lastResult(messages).subtype).toBe('success');
    expect(host.clock.pending()).toBe(0);
  });

  it('end with the prompt that is aborted', async () => {
    const model = worker(() => ({ stall: true }));
    const engine = engineOf(model);
    const messages: SDKMessage[] = [];
    for await (const message of engine.submitMessage('go')) {
      messages.push(message);
      if (message.type === 'user') engine.interrupt();
    }
    expect(lastResult(messages).terminal_reason).toBe('aborted');
    expect(summaries(messages)).toEqual([]);
  });
});
