// When a conversation is made shorter, and how.

export type { PinRoom, PinSource } from './ask-summary.js';
export { createCompactor } from './compactor.js';
