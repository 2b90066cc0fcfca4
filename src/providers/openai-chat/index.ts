// The Chat Completions API.
export { thinkingFields } from './request-body.js';
