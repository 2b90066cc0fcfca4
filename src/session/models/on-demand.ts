// Who decides which model answers a request, and what it may cost, if somebody does: loaded as the session is put together.

export { openFallback } from './model-chain.js';
export { openModelPolicy } from './model-policy.js';
export { createLimitedSpending, sessionBudget } from './session-budget.js';
