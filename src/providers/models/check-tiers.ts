// Reads which model stands for each tier. Loaded if somebody says so.
import { ConfigError } from '../../protocol/errors.js';
import { MODEL_TIERS, type ModelTiers } from '../../protocol/model-options.js';
import { isTier } from './model-aliases.js';

/** @throws ConfigError for an unknown tier, and for one whose model is a tier again */
export function checkTiers(value: unknown, where: string): ModelTiers | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError(`${where} must be an object with a model for each tier: ${MODEL_TIERS.join(', ')}.`);
  }
  const tiers: Record<string, string> = {};
  for (const [tier, model] of Object.entries(value)) {
    if (!isTier(tier)) {
      throw new ConfigError(`${where}: there is no tier "${tier.slice(0, 64)}". Tiers: ${MODEL_TIERS.join(', ')}.`);
    }
    if (typeof model !== 'string' || model.trim() === '') throw new ConfigError(`${where}.${tier} must name a model.`);
    if (isTier(model.trim().toLowerCase())) {
      throw new ConfigError(`${where}.${tier} is "${model.trim()}", which is a tier itself. Name a model.`);
    }
    tiers[tier] = model.trim();
  }
  return tiers;
}
