// Models that are asked beside the loop: loaded with the first question.

/** For a line about a round of tools. */
export { createToolSummaries } from '../../engine/tool-summaries.js';
/** By a tool about a text, by a hook about an event. */
export { askForHook, askSmallModel, titleByModel } from './ask-small-model.js';
/** Whether a call may run, in mode `auto`. */
export { decideWithJudge } from './permission-judge.js';
/** For the title of the session. */
