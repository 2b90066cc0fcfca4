// A model without a network, for the first minutes. It is no language model, and says so. Loaded when it is named.
export { createOfflineProvider } from './offline.js';
