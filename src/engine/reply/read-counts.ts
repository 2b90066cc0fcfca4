// The counts of tokens that a provider reports, as far as they are counts: a budget that is not a number limits nothing.
import { type CacheCreation, EMPTY_USAGE, type Usage } from '../../protocol/content.js';

const COUNTS = Object.keys(EMPTY_USAGE) as Exclude<keyof Usage, 'cache_creation'>[];

/** What is no count is as good as not told. */
export function readCounts(told: Partial<Usage> | null | undefined): Partial<Usage> {
  if (typeof told !== 'object' || told === null) return {};
  const counts: { -readonly [K in keyof Usage]?: Usage[K] } = {};
  for (const key of COUNTS) {
    const count = told[key];
    if (isCount(count)) counts[key] = count;
  }
  const creation = told.cache_creation;
  if (isCreation(creation)) counts.cache_creation = creation;
  return counts;
}

function isCreation(value: CacheCreation | null | undefined): value is CacheCreation {
  return isCount(value?.ephemeral_5m_input_tokens) && isCount(value.ephemeral_1h_input_tokens);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
