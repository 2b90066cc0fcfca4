// What usage costs. Rule: money is counted in whole pico-USD, so that no sum of any length drifts; a float appears
// once, at the very end.
//
// A price is USD per million tokens with at most six decimals. Times a million it is a whole number, and tokens times
// that number is the cost in 1e-12 USD, exactly. The products pass 2^53, hence BigInt.
import type { Usage } from '../../protocol/content.js';
import type { ModelFacts, ModelPrice } from './model-names.js';

const PRICE_STEPS = 1e6;
const PICO_PER_USD = 1e12;
/** What a cache write for an hour costs, times the price of reading the same tokens afresh. */
const HOUR_FACTOR = 2;

/**
 * The price of one request with a prompt of this length: of a model with tiers, the tier that the length falls into.
 * @param promptTokens  all of the prompt, cached tokens included
 * @returns null if the price is not known
 */
export function priceForPrompt(facts: Pick<ModelFacts, 'price' | 'tiers'>, promptTokens: number): ModelPrice | null {
  if (facts.price === null) return null;
  return facts.tiers.findLast((tier) => promptTokens > tier.above)?.price ?? facts.price;
}

/** Tokens of the prompt that the usage is of: read afresh, written to the cache and read from it. */
export function promptTokensOf(usage: Usage): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}

/** Of two requests together. What only some servers count is as in the first. */
export function addUsage(one: Usage, other: Usage): Usage {
  return {
    ...one,
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cache_creation_input_tokens: one.cache_creation_input_tokens + other.cache_creation_input_tokens,
    cache_read_input_tokens: one.cache_read_input_tokens + other.cache_read_input_tokens,
  };
}

/**
 * The cost of usage in USD, correct to the last digit that a float holds.
 * Contract: one price for all of it, so give the usage of one request and its `priceForPrompt`. A count that is no
 * positive number costs nothing; part of a token costs a whole one.
 */
export function costUsd(usage: Usage, price: ModelPrice): number {
  return usdFromPico(costPicoUsd(usage, price));
}

/** As `costUsd`, in whole 1e-12 USD: for ledgers, which add these and convert the total with `usdFromPico`. */
export function costPicoUsd(usage: Usage, price: ModelPrice): bigint {
  const hourly = Math.min(usage.cache_creation?.ephemeral_1h_input_tokens ?? 0, usage.cache_creation_input_tokens);
  return (
    pico(usage.input_tokens, price.input) +
    pico(usage.output_tokens, price.output) +
    pico(usage.cache_creation_input_tokens - hourly, price.cacheWrite) +
    pico(hourly, price.cacheWrite1h ?? HOUR_FACTOR * price.input) +
    pico(usage.cache_read_input_tokens, price.cacheRead)
  );
}

/** Whole 1e-12 USD as USD. */
export function usdFromPico(amount: bigint): number {
  return Number(amount) / PICO_PER_USD;
}

/**
 * The most that a request can cost, USD, before it is sent: each token of the prompt at the dearer of reading it and
 * writing it to the cache, each possible token of the reply.
 * Contract: never less than `costUsd` of what the request then uses, if it stays within both counts and writes to the
 * cache for five minutes, which is all that the engine's requests ask for; infinite if a count is not a finite number.
 */
export function worstCaseUsd(inputTokens: number, outputTokens: number, price: ModelPrice): number {
  if (!Number.isFinite(inputTokens) || !Number.isFinite(outputTokens)) return Number.POSITIVE_INFINITY;
  // A cache that costs more to read than to skip is not known to exist; the bound must hold all the same.
  const dearest = Math.max(price.input, price.cacheWrite, price.cacheRead);
  return usdFromPico(pico(inputTokens, dearest) + pico(outputTokens, price.output));
}

function pico(tokens: number, price: number): bigint {
  if (!Number.isFinite(tokens) || tokens <= 0) return 0n;
  return BigInt(Math.ceil(tokens)) * BigInt(Math.round(price * PRICE_STEPS));
}
