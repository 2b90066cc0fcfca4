// Commands about settings, and the folders that sessions work in. One door, loaded with the first of them.

export { runCompletions } from './completions.js';
export { runConfig } from './config.js';
export { runWorktrees } from './worktrees.js';
