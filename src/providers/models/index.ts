// What is known of models: names, limits, prices.
export { type Catalogue, loadCatalogue } from './catalogue.js';
export { costPicoUsd, costUsd, priceForPrompt, promptTokensOf, usdFromPico, worstCaseUsd } from './cost.js';
export { MODEL_LIMITS_TABLE, type ModelLimits } from './model-limits.js';
export type { InputKind, ModelFacts, ModelPrice } from './model-names.js';
export { checkTiers, isTier, MODEL_ALIASES } from './model-names.js';
