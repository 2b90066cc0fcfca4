// Tool calls: in which order they run, one call from its input to its result, circles of them.
export { type LoopVerdict, traceCalls } from './detect-loop.js';
export { findRepetition, type Repetition } from './detect-repetition.js';
export { createEarlyCalls, type EarlyCalls } from './early-calls.js';
export { refuseAll, runTools, type ToolRound } from './run-tools.js';
