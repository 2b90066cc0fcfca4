// Which model answers, with whose key, over which way, and what it may cost.

export { credentialsFile } from './credentials-file.js';
export type { KeptModel, KeptProvider, KeptProviders } from './kept-providers.js';
export { openModelAccess, openModelReach } from './model-access.js';
export { fallbackSettings } from './model-chain.js';
export type { ModelPolicy } from './model-policy.js';
export { keepModelProfile } from './model-profiles.js';
export { readModelsFile } from './models-file.js';
export { hasOverrides, hostPlace, lazyPrices, modelLimits, openModels, type SessionModels } from './open-models.js';
export { placeholderKeyFile } from './placeholder-key.js';
export { readStoredKeys, storedKeysFile, writeStoredKey } from './stored-keys.js';
export { storedTokens } from './stored-tokens.js';
