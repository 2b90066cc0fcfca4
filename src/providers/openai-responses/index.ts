// The Responses API.
export { reasoningFields } from './request-body.js';
