// Keys: where they come from, what they are called, who must not see them.
export { createKeyedProvider, createKeyHelper, createTokenFetcher, type KeyHelper } from './changing-keys.js';
export {
  createSecrets,
  familyOf,
  KEY_VARIABLES,
  LOCAL_KEY_VARIABLES,
  looksLikeModelKey,
  PROVIDER_ORDER,
  PROVIDER_SECRET_VARIABLES,
  pricedAs,
  type Secrets,
} from './key-variables.js';
