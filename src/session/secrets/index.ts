// Keeps secrets from the model: the vault of the session, and what is told of it.
export { shieldSecrets } from './secret-shield.js';
export { createSessionVault, placeholderKeyFile } from './session-vault.js';
