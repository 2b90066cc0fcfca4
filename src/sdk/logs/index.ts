// What is written of a run for those who look into it, without secrets.
export type { DebugLog } from './debug-log.js';
export { NO_DEBUG_LOG } from './debug-log.js';
export { createLogRedactor, describeRun } from './describe-run.js';
