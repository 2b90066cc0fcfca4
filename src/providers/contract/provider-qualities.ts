// What a provider is beside what it sends: for one that stands in front of another.
import type { Provider } from './provider.js';

/** Contract: all but `stream`, as the provider says it when it is asked. */
export function qualitiesOf(provider: Provider): Omit<Provider, 'stream'> {
  return {
    id: provider.id,
    ...(provider.free === undefined ? {} : { free: provider.free }),
    ...(provider.outputSchema === undefined
      ? {}
      : { outputSchema: (model, schema) => provider.outputSchema?.(model, schema) ?? null }),
    ...(provider.searchesWeb === undefined ? {} : { searchesWeb: (model) => provider.searchesWeb?.(model) ?? false }),
    ...(provider.thinkingForm === undefined ? {} : { thinkingForm: (model) => provider.thinkingForm?.(model) ?? null }),
  };
}
