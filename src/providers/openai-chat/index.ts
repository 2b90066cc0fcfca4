// The Chat Completions API.
export { CHAT_QUIRKS, type ChatQuirks } from './quirks.js';
export { thinkingFields } from './request-body.js';
