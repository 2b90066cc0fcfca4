// Keeps secrets from the model: the vault of the session, and what is told of it.
export { createSessionVault, placeholderKeyFile, shieldSecrets } from './session-vault.js';
