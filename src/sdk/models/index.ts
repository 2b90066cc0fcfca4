// Which models there are, whose keys reach them, and what a server of models can do.

export {
  accessToken,
  accessTokenFromEnv,
  apiKey,
  apiKeyFromEnv,
  apiKeyHelper,
  qodercliAuth,
  tokenProvider,
} from './auth.js';
export type { AvailableModelsOptions } from './available-models.js';
export { availableModels, usageInfo } from './available-models.js';
export type { DeniedModelsMatch } from './denied-models.js';
export { matchDeniedModels } from './denied-models.js';
export type { KeyStatus, ProviderKeyStatus } from './model-keys.js';
export { keyedProvider, keyStatus, removeKey, saveKey } from './model-keys.js';
export { modelOptions } from './model-options.js';
export type { ListedModel } from './models.js';
export { byokProviders, listModels } from './models.js';
export { askModel, type ModelProfile, type Probe, prepareProbe, QUESTIONS } from './probe-model.js';
