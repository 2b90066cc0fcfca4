// The lines below the draft.

export { readBranch } from './read-branch.js';
export { activityLines, statusLine } from './status-line.js';
export { createStatusLineView, type StatusLineView } from './status-line-command.js';
