// One prompt from its text to its result: prepared, run, ended; calls that wait for an answer.
export { openCalls } from './deferred/waiting-calls.js';
export { fromHook } from './hear-message.js';
export { configureRequests, type PromptOptions } from './prepare-prompt.js';
export { SHOWN_PROMPT, stateLine } from './prompt-end.js';
export { runLoop } from './run-loop.js';
export { type PromptTurn, runPrompt } from './run-prompt.js';
export { toldBefore } from './told-environment.js';
