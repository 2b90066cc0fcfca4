// Limits of what may be spent, and the last summary when one is reached.
export { createLimitedSpending } from './limited-spending.js';
