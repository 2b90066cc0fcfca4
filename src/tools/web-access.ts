// What tools for the web get of a session: how it reaches pages and who searches for it. Contracts only.

import type { WebSearchOutput } from '../protocol/tool-io.js';
import type { RequestedSearch } from '../providers/contract/index.js';
import type { FetchedPage } from '../providers/web/index.js';

export interface WebAccess {
  /**
   * A page as it is now, or was a short while ago. `url` is what was decided on.
   * Contract: throws `ToolError` for what cannot be fetched; settles soon after the signal aborts.
   */
  fetchPage(url: string, signal: AbortSignal): Promise<FetchedPage>;
  /** Null if nobody is set who searches. Contract: as `fetchPage`. */
  readonly search: ((query: WebQuery, context: SearchContext) => Promise<readonly WebHit[]>) | null;
}

/** What a search needs of its call. */
export interface SearchContext {
  readonly signal: AbortSignal;
  /** As `ToolContext.askModel`. */
  askModel?(question: ModelQuestion): Promise<string | null>;
}

export interface WebQuery {
  readonly query: string;
  /** Only these hosts and those below them. Empty: all. */
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
}

export type WebHit = WebSearchOutput['results'][number];

/** A question to a small model, about a text that nobody vouches for. */
export interface ModelQuestion {
  /** What is asked. */
  readonly question: string;
  /** What it is asked about. */
  readonly text: string;
  /** What the model is told of both. */
  readonly instruction: string;
  readonly maxTokens: number;
  /** The provider searches the web for the answer. Then the session's own model is asked, if it can. */
  readonly webSearch?: RequestedSearch;
}
