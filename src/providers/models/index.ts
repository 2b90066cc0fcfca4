// What is known of models: names, limits, prices.
export { type Catalogue, loadCatalogue } from './catalogue.js';
export { addUsage, costPicoUsd, costUsd, priceForPrompt, promptTokensOf, usdFromPico, worstCaseUsd } from './cost.js';
export { MODEL_LIMITS_TABLE, type ModelLimits } from './model-limits.js';
export { checkTiers, type InputKind, isTier, MODEL_ALIASES, type ModelFacts, type ModelPrice } from './model-names.js';
