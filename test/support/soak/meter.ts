// A provider's own bill: what its streams reported, attempt by attempt, added up apart from the engine. Money is in whole
// 1e-12 US dollars, as prices have at most six decimals per million tokens.
import { streamedTokens } from '../../../src/engine/tokens/estimate-tokens.js';
import type { ContentDelta, Usage } from '../../../src/protocol/content.js';
import type { CatalogueOverrides } from '../../../src/protocol/model-options.js';
import type { Provider } from '../../../src/providers/contract/provider.js';
import type { ModelPrice } from '../../../src/providers/models/model-names.js';

export interface MeteredAttempt {
  readonly model: string;
  readonly usage: Usage;
}

export interface Meter {
  readonly provider: Provider;
  /** Attempts that reported usage, oldest first. */
  readonly attempts: readonly MeteredAttempt[];
}

/**
 * Passes everything on and writes down what each attempt reported last. If that was not the end of it, the output is
 * what was sent by then, counted as the engine does: a vendor bills it, whether or not anybody was told.
 */
export function metered(inner: Provider): Meter {
  const attempts: { model: string; usage: Usage }[] = [];
  const provider: Provider = {
    id: inner.id,
    async *stream(request, limits, signal) {
      let attempt: { model: string; usage: Usage } | null = null;
      let isCounted = false;
      const texts = new Map<number, string>();
      try {
        for await (const event of inner.stream(request, limits, signal)) {
          if (event.type === 'message_start') {
            attempt = { model: request.model, usage: event.message.usage };
            attempts.push(attempt);
          } else if (event.type === 'message_delta' && attempt !== null) {
            attempt.usage = { ...attempt.usage, ...event.usage };
            isCounted = true;
          } else if (event.type === 'content_block_delta') {
            texts.set(event.index, `${texts.get(event.index) ?? ''}${textOf(event.delta)}`);
          }
          yield event;
        }
      } finally {
        if (attempt !== null && !isCounted) {
          const sent = [...texts.values()].reduce((sum, text) => sum + streamedTokens(text), 0);
          attempt.usage = { ...attempt.usage, output_tokens: Math.max(attempt.usage.output_tokens, Math.ceil(sent)) };
        }
      }
    },
  };
  return { provider, attempts };
}

function textOf(delta: ContentDelta): string {
  switch (delta.type) {
    case 'text_delta':
      return delta.text;
    case 'thinking_delta':
      return delta.thinking;
    case 'input_json_delta':
      return delta.partial_json;
    default:
      return '';
  }
}

export type Prices = Readonly<Record<string, ModelPrice>>;

/** What the attempts cost. @throws Error if a model has no price */
export function billOf(attempts: readonly MeteredAttempt[], prices: Prices): bigint {
  return attempts.reduce((sum, { model, usage }) => {
    const price = prices[model];
    if (price === undefined) throw new Error(`No price of ${model}.`);
    const hour = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
    // Without a price of its own, a write for an hour costs twice the input.
    const hourly = price.cacheWrite1h === undefined ? 2n * micro(price.input) : micro(price.cacheWrite1h);
    const lines: readonly [number, bigint][] = [
      [usage.input_tokens, micro(price.input)],
      [usage.output_tokens, micro(price.output)],
      [usage.cache_creation_input_tokens - hour, micro(price.cacheWrite)],
      [hour, hourly],
      [usage.cache_read_input_tokens, micro(price.cacheRead)],
    ];
    return lines.reduce((total, [tokens, usd]) => total + BigInt(tokens) * usd, sum);
  }, 0n);
}

/** A whole number of millionths, by the digits of the number: no product of floats. */
export function micro(usd: number): bigint {
  const [whole = '0', digits = ''] = usd.toFixed(6).split('.');
  return BigInt(whole) * 1_000_000n + BigInt(digits);
}

/** Limits and prices as `catalogueOverrides` takes them. */
export function catalogueOf(prices: Prices, contextWindow: number, maxOutputTokens: number): CatalogueOverrides {
  return Object.fromEntries(
    Object.entries(prices).map(([model, price]) => [`scripted/${model}`, { contextWindow, maxOutputTokens, price }]),
  );
}
