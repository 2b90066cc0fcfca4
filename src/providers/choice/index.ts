// Which provider answers for a model, and with whose key.

export {
  chooseIfKeyed,
  chooseModel,
  type ModelChoice,
  NO_KEY,
  noKeyAtAll,
  objectChoice,
  providerOfAuth,
  type RemoteChoice,
} from './choose-model.js';
export { withCustomModels } from './custom-models.js';
export type { ConfiguredProvider } from './known-provider.js';
export { findProvider, KNOWN_PROVIDERS } from './known-providers.js';
export { createModelRouter, type ModelPlace, type ModelRouter } from './model-router.js';
export { configureProviders } from './own-providers.js';
export type { Credential } from './provider-access.js';
export {
  addressOf,
  allProviders,
  credentialOf,
  isUsable,
  type ModelAccess,
  type ModelObjects,
  providerNamed,
  setting,
} from './provider-access.js';
export { loadProvider, type ModelReach, preloadProvider, resolveFrom, resolveModels } from './registry.js';
export { objectThinkingChoices, type ThinkingChoices, thinkingChoices } from './thinking-choices.js';
