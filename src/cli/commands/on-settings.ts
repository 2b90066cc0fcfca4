// Commands about what settings and rules say here, and the folders that sessions work in. One door, loaded with the first of them.

export { runCompletions } from './completions.js';
export { runConfig } from './config.js';
export { runPermissions } from './permissions.js';
export { runWorktrees } from './worktrees.js';
