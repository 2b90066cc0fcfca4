// Tool calls: in which order they run, one call from its input to its result, circles of them.
export { findRepetition, type LoopVerdict, type Repetition, traceCalls } from './detect-loop.js';
export { executeTool } from './execute-tool.js';
export { createEarlyCalls, type EarlyCalls, refuseAll, runTools, type ToolRound } from './run-tools.js';
export { afterBatch } from './tool-hooks.js';
