// What a stored session cost: as its own process counted it, else by the usage of its replies and the known prices.
import type { Usage } from '../../protocol/content.js';
import {
  type Catalogue,
  costPicoUsd,
  priceForPrompt,
  promptTokensOf,
  usdFromPico,
} from '../../providers/models/index.js';
import { type EntryValue, type ReadEntry, toUsage } from '../store/index.js';
import type { ModelCosts } from './session-document.js';

export interface SessionCosts {
  readonly costs: readonly ModelCosts[];
  /** US dollars; null if the price of a model is not known. */
  readonly totalCostUsd: number | null;
}

/** Whose models a name without a provider belongs to. */
const PROVIDERS = ['anthropic', 'openai', 'google'];

/** @param state the last line of state in the transcript, if there is one */
export async function sessionCosts(
  entries: readonly ReadEntry[],
  state: EntryValue | undefined,
  loadCatalogue: () => Promise<Pick<Catalogue, 'find'>>,
): Promise<SessionCosts> {
  const counted = countedCosts(state) ?? (await estimatedCosts(entries, loadCatalogue));
  const isKnown = counted.every(({ costUsd }) => costUsd !== null);
  const total = counted.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  return { costs: counted, totalCostUsd: isKnown ? total : null };
}

function countedCosts(entry: EntryValue | undefined): ModelCosts[] | null {
  const state = recordOf(entry?.state);
  const models = Object.entries(recordOf(recordOf(state.ledger).models));
  if (models.length === 0) return null;
  return models.map(([model, value]) => {
    const line = recordOf(value);
    const isPriced =
      line.isPriceKnown === true && typeof line.costPico === 'string' && /^\d{1,30}$/.test(line.costPico);
    return toCosts(model, toUsage(line.usage), isPriced ? usdFromPico(BigInt(line.costPico as string)) : null);
  });
}

/** A reply may stand in several entries, each with its usage; the last one has all of it. */
async function estimatedCosts(
  entries: readonly ReadEntry[],
  loadCatalogue: () => Promise<Pick<Catalogue, 'find'>>,
): Promise<ModelCosts[]> {
  const replies = new Map<string, { model: string; usage: Usage }>();
  for (const { uuid, role, replyId, value } of entries) {
    if (role !== 'assistant') continue;
    const { model, usage } = recordOf(value.message);
    if (typeof model !== 'string' || model === '<synthetic>') continue;
    replies.set(replyId ?? uuid, { model, usage: toUsage(usage) });
  }
  if (replies.size === 0) return [];
  const catalogue = await loadCatalogue();
  const byModel = new Map<string, { usage: Usage; pico: bigint | null }>();
  for (const { model, usage } of replies.values()) {
    const before = byModel.get(model);
    const pico = priceOf(catalogue, model, usage);
    byModel.set(model, {
      usage: before === undefined ? usage : sum(before.usage, usage),
      pico: pico === null || before?.pico === null ? null : pico + (before?.pico ?? 0n),
    });
  }
  return [...byModel].map(([model, { usage, pico }]) =>
    toCosts(model, usage, pico === null ? null : usdFromPico(pico)),
  );
}

function priceOf(catalogue: Pick<Catalogue, 'find'>, model: string, usage: Usage): bigint | null {
  for (const provider of PROVIDERS) {
    const facts = catalogue.find(provider, model);
    const price = facts === null ? null : priceForPrompt(facts, promptTokensOf(usage));
    if (price !== null) return costPicoUsd(usage, price);
  }
  return null;
}

function toCosts(model: string, usage: Usage, costUsd: number | null): ModelCosts {
  return { model, inputTokens: promptTokensOf(usage), outputTokens: usage.output_tokens, costUsd };
}

function sum(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
  };
}

function recordOf(value: unknown): EntryValue {
  return typeof value === 'object' && value !== null ? (value as EntryValue) : {};
}
