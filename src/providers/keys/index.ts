// Keys: where they come from, what they are called, who must not see them.
export type { KeyHelper } from './key-helper.js';
export { looksLikeModelKey } from './key-names.js';
export {
  familyOf,
  KEY_VARIABLES,
  LOCAL_KEY_VARIABLES,
  PROVIDER_ORDER,
  PROVIDER_SECRET_VARIABLES,
  pricedAs,
} from './key-variables.js';
export { createSecrets, type Secrets } from './secrets.js';
