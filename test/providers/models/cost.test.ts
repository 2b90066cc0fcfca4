// What usage costs: known bills, and sums that do not drift.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_USAGE, type Usage } from '../../../src/protocol/content.js';
import { loadCatalogue } from '../../../src/providers/models/catalogue.js';
import {
  costPicoUsd,
  costUsd,
  priceForPrompt,
  promptTokensOf,
  usdFromPico,
  worstCaseUsd,
} from '../../../src/providers/models/cost.js';
import type { ModelPrice } from '../../../src/providers/models/model-names.js';

const SONNET: ModelPrice = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const catalogue = await loadCatalogue();

function usage(input: number, output: number, written = 0, read = 0): Usage {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
  };
}

function add(a: Usage, b: Usage): Usage {
  return usage(
    a.input_tokens + b.input_tokens,
    a.output_tokens + b.output_tokens,
    a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    a.cache_read_input_tokens + b.cache_read_input_tokens,
  );
}

const tokens = fc.oneof(fc.nat({ max: 2_000_000 }), fc.nat({ max: 2 ** 40 }));
const usages = fc.tuple(tokens, tokens, tokens, tokens).map((counts) => usage(...counts));
/** Prices as people write them: up to six decimals, kept as text so that the reference needs no float. */
const decimal = fc
  .tuple(fc.nat({ max: 600 }), fc.nat({ max: 999_999 }))
  .map(([whole, part]) => `${whole}.${String(part).padStart(6, '0')}`);
const prices = fc.tuple(decimal, decimal, decimal, decimal);

function priceOf([input, output, cacheWrite, cacheRead]: readonly [string, string, string, string]): ModelPrice {
  const [a, b, c, d] = [Number(input), Number(output), Number(cacheWrite), Number(cacheRead)];
  return { input: a, output: b, cacheWrite: c, cacheRead: d };
}

function reference(bill: Usage, [input, output, written, read]: readonly [string, string, string, string]): bigint {
  const digits = (text: string) => BigInt(text.replace('.', ''));
  return (
    BigInt(bill.input_tokens) * digits(input) +
    BigInt(bill.output_tokens) * digits(output) +
    BigInt(bill.cache_creation_input_tokens) * digits(written) +
    BigInt(bill.cache_read_input_tokens) * digits(read)
  );
}

function expectSame(actual: number, expected: number): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(Math.abs(expected) * 1e-12);
}

describe('a cache write for an hour', () => {
  const written = (hour: number, all: number): Usage => ({
    ...usage(0, 0, all),
    cache_creation: { ephemeral_5m_input_tokens: all - hour, ephemeral_1h_input_tokens: hour },
  });

  it('costs twice the input, and the rest of the writes what it always costs', () => {
    expect(costUsd(written(1_000_000, 1_000_000), SONNET)).toBe(6);
    expect(costUsd(written(400_000, 1_000_000), SONNET)).toBe(0.4 * 6 + 0.6 * 3.75);
    expect(costUsd(written(0, 1_000_000), SONNET)).toBe(3.75);
  });

  it('costs what the model asks, if that is known', () => {
    expect(costUsd(written(1_000_000, 1_000_000), { ...SONNET, cacheWrite1h: 5 })).toBe(5);
  });

  it('never counts for more than was written', () => {
    expect(costUsd(written(2_000_000, 1_000_000), SONNET)).toBe(6);
  });
});

describe('costUsd', () => {
  it('is the bill of known usage', () => {
    expect(costUsd(usage(1_000_000, 1_000_000, 1_000_000, 1_000_000), SONNET)).toBe(22.05);
    expect(costUsd(usage(1_000, 500), SONNET)).toBe(0.0105);
    expect(costUsd(usage(10, 20, 3_000, 40_000), SONNET)).toBe(0.02358);
    expect(costUsd(usage(1, 0), { ...SONNET, input: 0.005 })).toBe(0.000000005);
    expect(costUsd(EMPTY_USAGE, SONNET)).toBe(0);
  });

  it.each([
    ['anthropic', 'claude-haiku-4-5-20251001', 0.00225],
    ['anthropic', 'claude-opus-4-5', 0.01125],
    ['anthropic', 'claude-opus-4-1', 0.03375],
    ['openai', 'gpt-5', 0.003375],
    ['deepseek', 'deepseek-chat', 0.000392],
  ])('of %s %s', (provider, model, expected) => {
    const price = catalogue.find(provider, model)?.price ?? null;
    if (price === null) throw new Error('no price');
    expectSame(costUsd(usage(400, 200, 600, 1_000), price), expected);
  });

  it('equals a reference without floats, whatever the counts and prices', () => {
    fc.assert(
      fc.property(usages, prices, (bill, texts) => {
        const expected = reference(bill, texts);
        expect(costPicoUsd(bill, priceOf(texts))).toBe(expected);
        expectSame(costUsd(bill, priceOf(texts)), Number(expected) / 1e12);
      }),
      { seed: 42, numRuns: 500 },
    );
  });

  it('of a sum is the sum of the costs', () => {
    fc.assert(
      fc.property(fc.array(usages, { maxLength: 60 }), prices, (bills, texts) => {
        const price = priceOf(texts);
        const total = bills.reduce(add, EMPTY_USAGE);
        const parts = bills.reduce((sum, bill) => sum + costPicoUsd(bill, price), 0n);
        expect(costPicoUsd(total, price)).toBe(parts);
        expectSame(
          costUsd(total, price),
          bills.reduce((sum, bill) => sum + costUsd(bill, price), 0),
        );
      }),
      { seed: 42, numRuns: 200 },
    );
  });

  it('of ten thousand small requests has no drift at all', () => {
    let ledger = 0n;
    for (let request = 0; request < 10_000; request++) ledger += costPicoUsd(usage(1, 1, 1, 1), SONNET);
    expect(usdFromPico(ledger)).toBe(0.2205);
  });

  it('counts what is no number as nothing and a part of a token as one', () => {
    expect(costUsd(usage(Number.NaN, -5, Number.POSITIVE_INFINITY, -0), SONNET)).toBe(0);
    expect(costUsd(usage(0.5, 0), SONNET)).toBe(0.000003);
  });
});

describe('priceForPrompt', () => {
  const haiku = catalogue.find('anthropic', 'claude-haiku-5-5');
  const coder = catalogue.find('alibaba', 'qwen3-coder-plus');

  it('is the tier that the whole prompt falls into', () => {
    if (haiku === null || coder === null) throw new Error('the models are gone');
    expect(priceForPrompt(haiku, 0)?.input).toBe(0.1);
    expect(priceForPrompt(haiku, 100_000)?.input).toBe(0.1);
    expect(priceForPrompt(haiku, 100_001)).toEqual({ input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 });
    expect([1, 32_001, 128_001, 256_001, 900_000].map((n) => priceForPrompt(coder, n)?.output)).toEqual([
      5, 9, 15, 60, 60,
    ]);
  });

  it('counts cached tokens to the prompt', () => {
    expect(promptTokensOf(usage(1, 1_000, 20, 300))).toBe(321);
  });

  it('is null without a price', () => {
    expect(priceForPrompt({ price: null, tiers: [] }, 5)).toBeNull();
  });
});

describe('worstCaseUsd', () => {
  it('takes the prompt at its dearest', () => {
    expect(worstCaseUsd(1_000_000, 1_000_000, SONNET)).toBe(18.75);
    expect(worstCaseUsd(1_000_000, 0, { ...SONNET, cacheWrite: 0 })).toBe(3);
    expect(worstCaseUsd(0, 0, SONNET)).toBe(0);
  });

  it('is never less than the bill within the same counts', () => {
    fc.assert(
      fc.property(usages, prices, (bill, texts) => {
        const price = priceOf(texts);
        const most = worstCaseUsd(promptTokensOf(bill), bill.output_tokens, price);
        expect(most).toBeGreaterThanOrEqual(costUsd(bill, price));
      }),
      { seed: 42, numRuns: 300 },
    );
  });

  it('is infinite if a count is unknown', () => {
    expect(worstCaseUsd(Number.NaN, 1, SONNET)).toBe(Number.POSITIVE_INFINITY);
    expect(worstCaseUsd(1, Number.POSITIVE_INFINITY, SONNET)).toBe(Number.POSITIVE_INFINITY);
  });
});
