// The option `web`: which hosts pages come from, which model reads them, who searches, and the variables that say so.
import type { SecretInput } from './model-options.js';

export interface WebOptions {
  /**
   * Hosts that are not on the public internet and may be fetched all the same: `localhost`, `localhost:3000`,
   * `*.corp.example`, `10.0.0.5`, `10.1.0.0/16`. Default: none.
   */
  readonly privateHosts?: readonly string[];
  /** Answers questions about pages; false: nobody does, and pages are shown. Default: the tier `lite` of the provider. */
  readonly model?: string | false;
  readonly search?: WebSearchOptions;
}

export const SEARCH_PROVIDERS = ['brave', 'tavily', 'exa', 'searxng', 'model'] as const;

/** `model`: the provider of the session's model searches, if its API can. */
export type SearchProviderName = (typeof SEARCH_PROVIDERS)[number];

export interface WebSearchOptions {
  /** Default: the first whose variable is set, in the order brave, tavily, exa, searxng. */
  readonly provider?: SearchProviderName;
  /** Default: the variable of the provider. */
  readonly apiKey?: SecretInput;
  /** Address of its API; for `searxng` of the server. */
  readonly baseUrl?: string;
  /** Results of one search. Default 10. */
  readonly maxResults?: number;
}

export const SEARCH_VARIABLES = [
  ['brave', 'BRAVE_API_KEY'],
  ['brave', 'BRAVE_SEARCH_API_KEY'],
  ['tavily', 'TAVILY_API_KEY'],
  ['exa', 'EXA_API_KEY'],
  ['searxng', 'SEARXNG_URL'],
] as const;
