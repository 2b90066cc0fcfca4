// Tools of sessions in which somebody answers. Loaded with the first of them.

export { createAskUserQuestion } from '../../tools/ask-user-question.js';
export { enterPlanModeTool, exitPlanModeTool } from '../../tools/plan-mode.js';
