// Providers beside the default one, and keys that change: loaded when a model of one is named.

export { createKeyedProvider } from '../keys/index.js';
export { findProvider } from './known-providers.js';
export { configureProviders } from './own-providers.js';
