// What a session has used: every request, by model. Totals only grow.
import type { RequestRecord } from '../engine/loop-state.js';
import { EMPTY_USAGE, type Usage } from '../protocol/content.js';
import type { ModelUsage } from '../protocol/messages.js';

export interface UsageLedger {
  add(record: RequestRecord, free: boolean): void;
  readonly totals: Usage;
  readonly byModel: Readonly<Record<string, ModelUsage>>;
  /** Milliseconds in requests, whole session. */
  readonly apiDurationMs: number;
  /** Sum of what is known. */
  readonly totalCostUsd: number;
  /** True where a model without a known price took part. */
  readonly costUnknown: boolean;
}

export function createUsageLedger(): UsageLedger {
  let totals = EMPTY_USAGE;
  let apiDurationMs = 0;
  const byModel: Record<string, ModelUsage> = {};
  return {
    add({ model, usage, durationMs }, free) {
      totals = sum(totals, usage);
      apiDurationMs += durationMs;
      const before = byModel[model];
      byModel[model] = {
        inputTokens: (before?.inputTokens ?? 0) + usage.input_tokens,
        outputTokens: (before?.outputTokens ?? 0) + usage.output_tokens,
        cacheReadInputTokens: (before?.cacheReadInputTokens ?? 0) + usage.cache_read_input_tokens,
        cacheCreationInputTokens: (before?.cacheCreationInputTokens ?? 0) + usage.cache_creation_input_tokens,
        webSearchRequests: 0,
        costUSD: free ? 0 : null,
        contextWindow: null,
        maxOutputTokens: null,
      };
    },
    get totals() {
      return totals;
    },
    get byModel() {
      return { ...byModel };
    },
    get apiDurationMs() {
      return apiDurationMs;
    },
    get totalCostUsd() {
      return Object.values(byModel).reduce((total, usage) => total + (usage.costUSD ?? 0), 0);
    },
    get costUnknown() {
      return Object.values(byModel).some((usage) => usage.costUSD === null);
    },
  };
}

function sum(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
  };
}
