// How long texts and requests are, in tokens.
export { createTokenEstimator, streamedTokens, type TokenEstimator } from './estimate-tokens.js';
