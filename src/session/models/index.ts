// Which model answers, with whose key, over which way, and what it may cost.

export type { KeptModel, KeptProvider, KeptProviders } from './credentials-file.js';
export {
  credentialsFile,
  describedProvider,
  readKeptProviders,
  readStoredKeys,
  storedTokens,
  writeKeptProviders,
  writeStoredKey,
} from './credentials-file.js';
export { openModelAccess, openModelReach } from './model-access.js';
export { fallbackSettings } from './model-chain.js';
export type { ModelPolicy } from './model-policy.js';
export {
  hasOverrides,
  hostPlace,
  lazyPrices,
  modelLimits,
  openModels,
  plainModelName,
  type SessionModels,
} from './open-models.js';
export { keepModelProfile, readModelsFile } from './user-files.js';
