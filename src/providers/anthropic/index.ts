// The Messages API.
export { createAnthropicProvider } from './anthropic.js';
export { classifyEvent } from './classify-error.js';
