// The limits of well-known models, at hand before the first request. One rule: what is not known is null.
//
// The catalogue knows more, but reading it takes some 4 ms, and a session that asks for no budget would wait for it
// before it sends anything. These two figures of each model are 2 KB of text that comes with the session's own code; the
// first question about a provider takes its lines apart, in less than half a millisecond.
import { MODEL_LIMITS } from './model-limits-data.js';
import { findModel, indexModelNames, lowerName, type ModelNameIndex, type NamedModel } from './model-names.js';

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

/** One for all sessions of a process: what it keeps is what it would read again. */
export const MODEL_LIMITS_TABLE: ModelLimitsTable = createModelLimitsTable();

function createModelLimitsTable(): ModelLimitsTable {
  // Read by provider: a session asks for one, and the first request waits for it.
  const indexes = new Map<string, ModelNameIndex<LimitsEntry>>();
  return {
    find(provider, model) {
      const name = lowerName(provider);
      let index = indexes.get(name);
      if (index === undefined) {
        const lines = MODEL_LIMITS.split('\n').filter((line) => line.startsWith(`${name} `));
        index = indexModelNames(lines.flatMap(readLine));
        indexes.set(name, index);
      }
      return findModel(index, name, model);
    },
  };
}

function readLine(line: string): LimitsEntry[] {
  const [provider = '', contextWindow, maxOutputTokens, ...ids] = line.split(' ');
  const limits = { contextWindow: Number(contextWindow), maxOutputTokens: Number(maxOutputTokens) };
  return ids.map((id) => ({ provider, id, ...limits }));
}
