// Names for models that are not models: tiers and short names. Data only; change a default here and nowhere else.
import { MODEL_TIERS, type ModelTier } from '../../protocol/model-options.js';

/** The model if none is named. */
export const DEFAULT_MODEL = 'claude-sonnet-5-5';

/** Lower-case alias to model name. */
export const MODEL_ALIASES: ReadonlyMap<string, string> = new Map([
  ['auto', DEFAULT_MODEL],
  ['ultimate', 'claude-opus-5-5'],
  ['performance', 'claude-sonnet-5-5'],
  ['efficient', 'claude-haiku-5-5'],
  ['lite', 'claude-haiku-5-5'],
  ['opus', 'claude-opus-5-5'],
  ['sonnet', 'claude-sonnet-5-5'],
  ['haiku', 'claude-haiku-5-5'],
]);

export function isTier(name: string): name is ModelTier {
  return (MODEL_TIERS as readonly string[]).includes(name);
}
