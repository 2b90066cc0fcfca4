// A provider with limits of time of its own, in place of those of the session.
import type { AttemptLimits, Provider } from './provider.js';

/** What a provider may have of its own. Milliseconds; 0: no limit. */
export type ProviderLimits = Partial<Pick<AttemptLimits, (typeof OWN_LIMITS)[number]>>;

export const OWN_LIMITS = ['requestTimeoutMs', 'streamIdleMs', 'contentIdleMs'] as const;

type Closable = Provider & { close?(): void };

/** Contract: the same provider in everything else; if there are no limits, itself. */
export function withOwnLimits(provider: Closable, own: ProviderLimits | undefined): Closable {
  if (own === undefined) return provider;
  return {
    ...qualitiesOf(provider),
    stream: (request, limits, signal) => provider.stream(request, { ...limits, ...own }, signal),
    close: () => provider.close?.(),
  };
}

// What a provider is beside what it sends: for one that stands in front of another.

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
