// One prompt from its text to its result: prepared, run, ended; calls that wait for an answer.

export { askForTitle } from './ask-small-model.js';
export { fromHook, mayJoin } from './hear-message.js';
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
export { openCalls, SHOWN_PROMPT, stateLine } from './prompt-end.js';
export { loopDeps, runLoop, stateOf } from './run-loop.js';
export { type PromptTurn, runPrompt } from './run-prompt.js';
export { instructionsNow, toldBefore } from './told-beside.js';
