// Worktrees of git for work that must not meet other work: made, taken up, kept, looked at, removed, and found again after
// a crash. Loaded with the first of them.
export { rulesInWorktree } from '../../permissions/moved-rules.js';
export { createWorktree, enterWorktree, keepWorktree } from './create-worktree.js';
export { inspectWorktree, removeWorktree } from './remove-worktree.js';
export type { SessionWorktrees } from './session-worktrees.js';
export { leftNotices, moveInto, openWorktrees } from './session-worktrees.js';
export type { WorktreePlace } from './worktree.js';
export { findWorktree, leftBehind, listWorktrees } from './worktree-records.js';
