// The plan of a session in mode plan: its file, and what the model is told of the mode.
export { openPlan, type SessionPlan } from './session-plan.js';
