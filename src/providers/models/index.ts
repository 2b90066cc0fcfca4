// What is known of models: names, limits, prices.
export { type Catalogue, loadCatalogue } from './catalogue.js';
export { checkTiers } from './check-tiers.js';
export { costPicoUsd, costUsd, priceForPrompt, promptTokensOf, usdFromPico, worstCaseUsd } from './cost.js';
export { isTier, MODEL_ALIASES } from './model-aliases.js';
export type { InputKind, ModelFacts, ModelPrice } from './model-facts.js';
export { MODEL_LIMITS_TABLE, type ModelLimits } from './model-limits.js';
