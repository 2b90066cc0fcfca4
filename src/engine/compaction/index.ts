// When a conversation is made shorter, and how.
export { createCompactor } from './compactor.js';
export type { PinRoom, PinSource } from './pins.js';
