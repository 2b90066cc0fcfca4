// One prompt from its text to its result: prepared, run, ended; calls that wait for an answer.

export { fromHook } from './hear-message.js';
export { readMemoryIndex } from './memory-index.js';
export { waitingCalls } from './open-calls.js';
export {
  configureRequests,
  lacksPlanTool,
  mayDeferTools,
  namesServerPrompt,
  type PromptOptions,
  requestSettings,
  systemPrompt,
} from './prepare-prompt.js';
export { SHOWN_PROMPT, stateLine } from './prompt-end.js';
export { mayJoin } from './queued-message.js';
export { loopDeps, runLoop, stateOf } from './run-loop.js';
export { type PromptTurn, runPrompt } from './run-prompt.js';
export { askForTitle } from './session-title.js';
export { toldBefore } from './told-environment.js';
export { instructionsNow } from './told-instructions.js';
export { openCalls } from './waiting-calls.js';
