// What a session has used, every wire attempt, by model, and what its models cost and hold. Totals only grow. Money is added in whole
// 1e-12 US dollars, and nothing is guessed: an unknown price stays unknown.
import type { Pricing, RequestRecord } from '../../engine/state/index.js';
import { type CacheCreation, EMPTY_USAGE, type Usage } from '../../protocol/content.js';
import type { ModelUsage } from '../../protocol/messages.js';
import type { ModelRouter } from '../../providers/choice/index.js';
import {
  type Catalogue,
  costPicoUsd,
  costUsd,
  type ModelFacts,
  priceForPrompt,
  promptTokensOf,
  usdFromPico,
  worstCaseUsd,
} from '../../providers/models/index.js';

export interface PriceBook {
  facts(model: string): ModelFacts | null;
  /** Null if the price is not known. A provider that costs nothing has a price of nothing. */
  pricing(model: string): Pricing | null;
  /** Cost of one request in 1e-12 US dollars; null if the price is not known. */
  costPico(model: string, usage: Usage): bigint | null;
}

export interface Prices {
  /** Null until they were loaded. */
  known(): PriceBook | null;
  /** Loads the catalogue with the first call. */
  load(): Promise<PriceBook>;
}

const FREE: Pricing = { worstCaseUsd: () => 0, costUsd: () => 0 };

export function createPriceBook(catalogue: Pick<Catalogue, 'find'>, locate: ModelRouter['locate']): PriceBook {
  const facts = (name: string) => {
    const { provider, model } = locate(name);
    return catalogue.find(provider, model);
  };
  return {
    facts,
    pricing(model) {
      if (locate(model).free) return FREE;
      const known = facts(model);
      const base = known?.price;
      if (known === null || base == null) return null;
      const priceAt = (promptTokens: number) => priceForPrompt(known, promptTokens) ?? base;
      return {
        worstCaseUsd: (input, output) => worstCaseUsd(input, output, priceAt(input)),
        costUsd: (usage) => costUsd(usage, priceAt(promptTokensOf(usage))),
      };
    },
    costPico(model, usage) {
      if (locate(model).free) return 0n;
      const known = facts(model);
      const price = known === null ? null : priceForPrompt(known, promptTokensOf(usage));
      return price === null ? null : costPicoUsd(usage, price);
    },
  };
}

/** A ledger as a transcript keeps it, by model. Money in whole 1e-12 US dollars, as digits. */
export interface LedgerState {
  readonly apiDurationMs: number;
  readonly models: Readonly<Record<string, LineState>>;
}

interface LineState {
  readonly usage: Usage;
  readonly costPico: string;
  readonly isPriceKnown: boolean;
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
}

export interface UsageLedger {
  add(record: RequestRecord): void;
  /** What comes in from here on is of a prompt of its own. */
  beginPrompt(): void;
  /** Of the prompt alone. Its cost is null if an attempt without a known price took part. */
  readonly ofPrompt: { readonly usage: Usage; readonly costUsd: number | null; readonly firstEventMs: number | null };
  /** Prices what came in since. Until then, an attempt counts in tokens but not in money. */
  priceWith(book: PriceBook): void;
  readonly totals: Usage;
  readonly byModel: Readonly<Record<string, ModelUsage>>;
  /** Milliseconds in requests, whole session. */
  readonly apiDurationMs: number;
  /** Sum of what is known. */
  readonly totalCostUsd: number;
  /** True if an attempt without a known price took part. */
  readonly costUnknown: boolean;
  /** What another ledger can go on from. */
  state(): LedgerState;
}

interface ModelLine {
  usage: Usage;
  costPico: bigint;
  isPriceKnown: boolean;
  contextWindow: number | null;
  maxOutputTokens: number | null;
}

/** @param earlier what an earlier process used of the same session */
export function createUsageLedger(earlier: LedgerState = { apiDurationMs: 0, models: {} }): UsageLedger {
  // A Map: a model may be named like a property of every object.
  const lines = new Map<string, ModelLine>(
    Object.entries(earlier.models).map(
      ([model, line]) => [model, { ...line, costPico: BigInt(line.costPico) }] as const,
    ),
  );
  let totals = [...lines.values()].reduce((total, line) => sum(total, line.usage), EMPTY_USAGE);
  let { apiDurationMs } = earlier;
  let unpriced: RequestRecord[] = [];
  let prompt = emptyLine();
  /** Of the first request of the prompt that was answered. */
  let firstEventMs: number | null = null;
  /** Attempts of the prompt among those that have no price yet. */
  let isOfPrompt = new WeakSet<RequestRecord>();

  return {
    add(record) {
      totals = sum(totals, record.usage);
      apiDurationMs += record.durationMs;
      unpriced.push(record);
      firstEventMs ??= record.firstEventMs;
      prompt.usage = sum(prompt.usage, record.usage);
      isOfPrompt.add(record);
      const line = lines.get(record.model);
      if (line === undefined) {
        lines.set(record.model, { ...emptyLine(), usage: record.usage });
      } else {
        line.usage = sum(line.usage, record.usage);
      }
    },
    priceWith(book) {
      for (const record of unpriced) {
        const { model, usage } = record;
        const line = lines.get(model);
        if (line === undefined) continue;
        const cost = book.costPico(model, usage);
        for (const each of isOfPrompt.has(record) ? [line, prompt] : [line]) {
          if (cost === null) each.isPriceKnown = false;
          else each.costPico += cost;
        }
        const facts = book.facts(model);
        line.contextWindow = facts?.contextWindow ?? null;
        line.maxOutputTokens = facts?.maxOutputTokens ?? null;
      }
      unpriced = [];
    },
    beginPrompt() {
      prompt = emptyLine();
      firstEventMs = null;
      isOfPrompt = new WeakSet();
    },
    get ofPrompt() {
      const { usage, costPico, isPriceKnown } = prompt;
      return { usage, costUsd: isPriceKnown ? usdFromPico(costPico) : null, firstEventMs };
    },
    get totals() {
      return totals;
    },
    get byModel() {
      return Object.fromEntries([...lines].map(([model, line]) => [model, toModelUsage(line)]));
    },
    get apiDurationMs() {
      return apiDurationMs;
    },
    get totalCostUsd() {
      return usdFromPico([...lines.values()].reduce((total, line) => total + line.costPico, 0n));
    },
    get costUnknown() {
      return [...lines.values()].some((line) => !line.isPriceKnown);
    },
    state: () => ({
      apiDurationMs,
      models: Object.fromEntries(
        [...lines].map(([model, line]) => [model, { ...line, costPico: line.costPico.toString() }]),
      ),
    }),
  };
}

function emptyLine(): ModelLine {
  return { usage: EMPTY_USAGE, costPico: 0n, isPriceKnown: true, contextWindow: null, maxOutputTokens: null };
}

function toModelUsage(line: ModelLine): ModelUsage {
  return {
    inputTokens: line.usage.input_tokens,
    outputTokens: line.usage.output_tokens,
    cacheReadInputTokens: line.usage.cache_read_input_tokens,
    cacheCreationInputTokens: line.usage.cache_creation_input_tokens,
    webSearchRequests: 0,
    costUSD: line.isPriceKnown ? usdFromPico(line.costPico) : null,
    contextWindow: line.contextWindow,
    maxOutputTokens: line.maxOutputTokens,
  };
}

function sum(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
    ...(a.cache_creation === undefined && b.cache_creation === undefined ? {} : { cache_creation: sumCreation(a, b) }),
  };
}

function sumCreation(a: Usage, b: Usage): CacheCreation {
  const hour = (usage: Usage) => usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const minutes = (usage: Usage) =>
    usage.cache_creation?.ephemeral_5m_input_tokens ?? usage.cache_creation_input_tokens;
  return { ephemeral_5m_input_tokens: minutes(a) + minutes(b), ephemeral_1h_input_tokens: hour(a) + hour(b) };
}
