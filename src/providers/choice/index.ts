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
export { findProvider, KNOWN_PROVIDERS } from './known-providers.js';
export {
  createModelRouter,
  loadProvider,
  type ModelPlace,
  type ModelReach,
  type ModelRouter,
  preloadProvider,
  resolveFrom,
  resolveModels,
} from './model-router.js';
export { configureProviders } from './own-providers.js';
export {
  addressOf,
  allProviders,
  type ConfiguredProvider,
  type Credential,
  credentialOf,
  isUsable,
  type ModelAccess,
  type ModelObjects,
  providerNamed,
  setting,
} from './provider-access.js';
export { objectThinkingChoices, type ThinkingChoices, thinkingChoices } from './thinking-choices.js';
