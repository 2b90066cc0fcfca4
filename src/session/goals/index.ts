// What a session works towards by itself. Loaded with the first word about a goal.
export { createSessionGoals, type SessionGoals } from './session-goal.js';
