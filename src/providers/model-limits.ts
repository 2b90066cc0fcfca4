// The limits of well-known models, at hand before the first request. One rule: what is not known is null.
//
// The catalogue knows more, but reading it takes some 4 ms, and a session that asks for no budget would wait for it
// before it sends anything. These two figures of each model are 3 KB of text that comes with the session's own code and
// is taken apart at the first question, in less than a tenth of a millisecond.
import { MODEL_LIMITS } from './model-limits-data.js';
import { findModel, indexModelNames, type ModelNameIndex, type NamedModel } from './model-names.js';

export interface ModelLimits {
  /** Tokens of prompt and reply together. */
  readonly contextWindow: number;
  /** Longest reply, tokens. */
  readonly maxOutputTokens: number;
}

type LimitsEntry = NamedModel & ModelLimits;

export interface ModelLimitsTable {
  /** Contract: finds what `Catalogue.find` of the snapshot finds, without overrides. */
  find(provider: string, model: string): ModelLimits | null;
}

export function createModelLimitsTable(): ModelLimitsTable {
  let index: ModelNameIndex<LimitsEntry> | null = null;
  return {
    find(provider, model) {
      index ??= indexModelNames(MODEL_LIMITS.trim().split('\n').flatMap(readLine));
      return findModel(index, provider, model);
    },
  };
}

function readLine(line: string): LimitsEntry[] {
  const [provider = '', contextWindow, maxOutputTokens, ...ids] = line.split(' ');
  const limits = { contextWindow: Number(contextWindow), maxOutputTokens: Number(maxOutputTokens) };
  return ids.map((id) => ({ provider, id, ...limits }));
}
