// The lines below the draft.

export { activityLines, readBranch, statusLine } from './status-line.js';
export { createStatusLineView, type StatusLineView } from './status-line-command.js';
