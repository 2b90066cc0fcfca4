// Money over many random prompts: shared budgets that must hold, and bills that must be exact. What is right is counted
// by the provider's own meter, not by the engine.
import { expect } from 'vitest';
import { type Budget, createBudget } from '../../../src/engine/state/spending.js';
import { createTokenEstimator } from '../../../src/engine/tokens/estimate-tokens.js';
import type { Usage } from '../../../src/protocol/content.js';
import { ModelError } from '../../../src/protocol/errors.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import type { ModelPrice } from '../../../src/providers/models/model-names.js';
import { fakeHost } from '../../../src/testing/fake-host.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { reply, type ScriptedAnswer, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { agentTool } from '../../../src/tools/agent.js';
import { textOf } from '../../engine/long-histories.js';
import { probeTool } from '../engine.js';
import { isSummaryRequest } from '../summary-request.js';
import { bareEngine } from './bare-engine.js';
import { billOf, catalogueOf, type Meter, metered, micro, type Prices } from './meter.js';
import { createRandom, type Random } from './random.js';

const ENGINES = 8;
const WINDOW = 200_000;
const MAX_OUTPUT = 32_000;
/** A price has six decimals at most, so tokens times price is a whole number of 1e-12 US dollars. */
const PICO_PER_USD = 1e12;

export interface BudgetFigures {
  readonly trees: number;
  /** Budgets that spent more than their limit. */
  overspent: number;
  /** Prompts that ended for want of money after they had done something. */
  ended: number;
  /** Those of them that gave a last summary. */
  summarised: number;
}

/** Trees of budgets with eight engines at once on each, some of which have subagents. */
export async function checkBudgets(trees: number, seed: number): Promise<BudgetFigures> {
  const figures = { trees, overspent: 0, ended: 0, summarised: 0 };
  for (let tree = 0; tree < trees; tree++) await runTree(createRandom(seed * 7_919 + tree), figures);
  return figures;
}

async function runTree(random: Random, figures: BudgetFigures): Promise<void> {
  const prices: Prices = { scripted: randomPrice(random) };
  const limit = Number((random.next() ** 2 * 3 + 0.01).toFixed(6));
  const root = createBudget(limit);
  const middle = [root.child(), root.child(Number((limit * random.next()).toFixed(6))), root.child(limit * 2)];
  const budgets: Budget[] = [root, ...middle];
  const meters: Meter[] = [];
  await Promise.all(
    Array.from({ length: ENGINES }, async (_, index) => {
      const own = createRandom(random.int(0, 2 ** 31));
      const budget = own.pick([root, ...middle]).child();
      budgets.push(budget);
      const meter = metered(spender(own, index));
      meters.push(meter);
      const engine = bareEngine(meter.provider, {
        tools: [probeTool({ run: async () => 'x'.repeat(own.int(1, 8_000)) }), agentTool],
        budget,
        maxTurns: own.int(2, 12),
        catalogueOverrides: catalogueOf(prices, WINDOW, MAX_OUTPUT),
        ...(own.chance(0.3) ? { maxBudgetUsd: Number((limit * own.next() + 0.000_1).toFixed(6)) } : {}),
      });
      const result = lastResult(await collect(engine.submitMessage('x'.repeat(own.int(1, 4_000)))));
      await engine.close();
      if (result.terminal_reason !== 'budget_exhausted' || result.num_turns === 0) return;
      figures.ended++;
      if (result.result.startsWith('Summary')) figures.summarised++;
    }),
  );
  const spent = meters.reduce((sum, meter) => sum + billOf(meter.attempts, prices), 0n);
  if (spent > micro(limit) * 1_000_000n) figures.overspent++;
  // Floats are added here, so the last digit may differ; the sum above is exact.
  const isOver = (budget: Budget) => budget.spentUsd > budget.limitUsd * (1 + 1e-12);
  figures.overspent += budgets.filter(isOver).length;
  expect(Math.abs(root.spentUsd - Number(spent) / PICO_PER_USD)).toBeLessThan(1e-9);
}

/** A model whose requests cost at most what the engine's estimate says, and sometimes all of the output limit. */
function spender(random: Random, index: number) {
  const estimator = createTokenEstimator();
  // A vendor's count is off by the same share in each request, and a little noise.
  const bias = 0.5 + random.next() * 0.65;
  const usageOf = (request: ModelRequest): Usage => {
    const input = Math.max(1, Math.floor(estimator.request(request) * bias * (0.95 + random.next() * 0.1)));
    const read = random.chance(0.5) ? random.int(0, input) : 0;
    const written = random.chance(0.5) ? random.int(0, input - read) : 0;
    const output = random.chance(0.2) ? request.maxTokens : random.int(1, Math.min(request.maxTokens, 4_000));
    return {
      input_tokens: input - read - written,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: output,
    };
  };
  return scriptedModel(async (request, call): Promise<ScriptedAnswer> => {
    // Replies take turns, so that engines really compete for what is left.
    for (let wait = random.int(0, 3); wait > 0; wait--) await new Promise((resolve) => setImmediate(resolve));
    const usage = usageOf(request);
    if (random.chance(0.08)) return { error: new ModelError('overloaded', 'busy', { status: 529 }) };
    const mayDelegate = request.tools.some(({ name }) => name === 'Agent');
    const isDelegated = mayDelegate && random.chance(0.2);
    const agents = Array.from({ length: random.int(1, 3) }, (_, which) =>
      toolCall('Agent', {
        description: 'help',
        prompt: `${index} ${call} ${which} ${'x'.repeat(random.int(0, 2_000))}`,
      }),
    );
    const blocks =
      request.toolChoice === 'none'
        ? [text('Summary: half of it is done.')]
        : [text('Next.'), ...(isDelegated ? agents : [toolCall('Probe', { value: `${index} ${call}` })])];
    return random.chance(0.12) ? { blocks, usage, cutAfterEvents: random.int(0, 9) } : { blocks, usage };
  });
}

export interface BillFigures {
  readonly scripts: number;
  attempts: number;
  /** Requests of subagents, for summaries and for titles: all are part of the bill. */
  delegated: number;
  summaries: number;
  titles: number;
  /** Attempts of the model that answers in place of the first. */
  fellBack: number;
}

/** What a subagent's prompt begins with, and how large the output limit of a title is. */
const DELEGATED = 'Look at part';
const TITLE_TOKENS = 64;
/** Of the sessions that compact. */
const SMALL_WINDOW = 12_000;

/** Random trees of requests whose usage and cost must be told to the last token. */
export async function checkBills(scripts: number, seed: number): Promise<BillFigures> {
  const figures = { scripts, attempts: 0, delegated: 0, summaries: 0, titles: 0, fellBack: 0 };
  for (let script = 0; script < scripts; script++) {
    const random = createRandom(seed * 104_729 + script);
    const prices: Prices = { scripted: randomPrice(random), second: randomPrice(random) };
    const isSmall = random.chance(0.4);
    const answer = randomScript(random, isSmall);
    const meter = metered(
      scriptedModel((request, call) => {
        countRequest(request, figures);
        return answer(request, call);
      }),
    );
    const engine = bareEngine(meter.provider, {
      tools: [probeTool(), agentTool],
      fallbackModel: 'second',
      limits: { retryBaseMs: 0, retryMaxMs: 0, maxRetries: 2 },
      catalogueOverrides: catalogueOf(prices, WINDOW, MAX_OUTPUT),
      ...(isSmall ? { contextWindow: SMALL_WINDOW } : {}),
      // Only a session that is kept has a title.
      ...(random.chance(0.3)
        ? { persistSession: true, titles: 'model', host: fakeHost({ files: { '/project/notes.txt': '' } }) }
        : {}),
    });
    for (let prompt = random.int(1, 3); prompt > 0; prompt--) {
      const result = lastResult(await collect(engine.submitMessage('go')));
      expect(result.terminal_reason).not.toBe('turn_setup_failed');
      expect(result.usage).toEqual(sumOf(meter.attempts.map(({ usage }) => usage)));
      const bill = billOf(meter.attempts, prices);
      expect(result.total_cost_usd).toBe(Number(bill) / PICO_PER_USD);
      expect(result).not.toHaveProperty('cost_unknown');
      for (const [model, line] of Object.entries(result.modelUsage)) {
        const own = meter.attempts.filter((attempt) => attempt.model === model);
        const usage = sumOf(own.map((attempt) => attempt.usage));
        expect(line).toMatchObject({
          inputTokens: usage.input_tokens,
          outputTokens: usage.output_tokens,
          cacheReadInputTokens: usage.cache_read_input_tokens,
          cacheCreationInputTokens: usage.cache_creation_input_tokens,
          costUSD: Number(billOf(own, prices)) / PICO_PER_USD,
        });
      }
    }
    await engine.close();
    figures.attempts += meter.attempts.length;
    figures.fellBack += meter.attempts.filter(({ model }) => model === 'second').length;
  }
  return figures;
}

function countRequest(request: ModelRequest, figures: BillFigures): void {
  const first = JSON.stringify(request.messages[0]?.content ?? '');
  if (isSummaryRequest(request)) figures.summaries++;
  else if (request.maxTokens === TITLE_TOKENS) figures.titles++;
  else if (first.includes(DELEGATED)) figures.delegated++;
}

/** @param isLong replies are so long that a small window fills */
function randomScript(random: Random, isLong: boolean) {
  const kinds = ['overloaded', 'rate_limit', 'server', 'stream_cut', 'connection', 'invalid_request'] as const;
  return (request: ModelRequest, call: number): ScriptedAnswer => {
    const usage = randomUsage(random);
    if (random.chance(0.2)) return { error: new ModelError(random.pick(kinds), 'failed') };
    if (isSummaryRequest(request)) return { blocks: [text('<summary>Half of it is done.</summary>')], usage };
    const said = text(textOf(isLong ? random.int(10, 2_500) : 5, call));
    const isLast = call > 40 || random.chance(isLong ? 0.1 : 0.3);
    const mayDelegate = request.tools.some(({ name }) => name === 'Agent') && random.chance(0.3);
    const agents = Array.from({ length: random.int(1, 3) }, (_, part) =>
      toolCall('Agent', { description: 'look', prompt: `${DELEGATED} ${part} of ${call}.` }),
    );
    const calls = mayDelegate ? agents : [toolCall('Probe', { value: String(call) })];
    const answer = isLast ? reply(said) : reply(said, ...calls);
    if (!random.chance(0.25)) return { ...answer, usage };
    return { ...answer, usage, cutAfterEvents: random.int(0, 14), cutWith: new ModelError('stream_cut', 'cut') };
  };
}

function randomUsage(random: Random): Usage {
  const written = random.chance(0.5) ? random.int(0, 200_000) : 0;
  const hour = random.chance(0.4) ? random.int(0, written) : 0;
  return {
    input_tokens: random.int(0, 200_000),
    output_tokens: random.int(0, 32_000),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: random.chance(0.5) ? random.int(0, 1_000_000) : 0,
    ...(hour === 0
      ? {}
      : { cache_creation: { ephemeral_5m_input_tokens: written - hour, ephemeral_1h_input_tokens: hour } }),
  };
}

function sumOf(usages: readonly Usage[]): Usage {
  const sum = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  for (const usage of usages) for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += usage[key];
  if (usages.every((usage) => usage.cache_creation === undefined)) return sum;
  const hour = usages.reduce((total, usage) => total + (usage.cache_creation?.ephemeral_1h_input_tokens ?? 0), 0);
  const minutes = sum.cache_creation_input_tokens - hour;
  return { ...sum, cache_creation: { ephemeral_5m_input_tokens: minutes, ephemeral_1h_input_tokens: hour } };
}

/** Between a tenth of a cent and 100 dollars per million tokens, with up to six decimals. */
function randomPrice(random: Random): ModelPrice {
  const usd = (most: number) => Number((0.001 + random.next() * most).toFixed(random.int(3, 6)));
  const input = usd(20);
  const price = { input, output: usd(100), cacheRead: usd(input), cacheWrite: usd(input * 2) };
  return random.chance(0.5) ? price : { ...price, cacheWrite1h: usd(input * 3) };
}
