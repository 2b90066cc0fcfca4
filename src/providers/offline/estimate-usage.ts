// Token counts by estimate. Messages never change once sent, so each is measured once.
import type { ModelRequest } from '../contract/index.js';

// tokenx prices prose well and JSON too low; measured against a real tokenizer.
const JSON_FACTOR = 1.35;

export type CountTokens = (text: string) => number;

/** Estimates the tokens of a request. Contract: holds no request alive; cost grows with what is new in it. */
export function createUsageEstimator(): (request: ModelRequest, count: CountTokens) => number {
  const known = new WeakMap<object, number>();
  const measure = (part: object, count: CountTokens): number => {
    const before = known.get(part);
    if (before !== undefined) return before;
    const tokens = Math.ceil(count(JSON.stringify(part)) * JSON_FACTOR);
    known.set(part, tokens);
    return tokens;
  };
  return (request, count) => {
    const parts: readonly object[] = [...request.system, ...request.tools, ...request.messages];
    return parts.reduce((sum, part) => sum + measure(part, count), 0);
  };
}
