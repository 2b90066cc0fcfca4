// What the models of a session cost and hold, from the catalogue. Nothing is guessed: an unknown price stays unknown.
import type { Pricing } from '../../engine/state/index.js';
import type { Usage } from '../../protocol/content.js';
import type { ModelRouter } from '../../providers/choice/index.js';
import {
  type Catalogue,
  costPicoUsd,
  costUsd,
  type ModelFacts,
  priceForPrompt,
  promptTokensOf,
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
