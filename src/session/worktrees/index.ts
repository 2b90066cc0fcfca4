// Worktrees of git for work that must not meet other work: made, taken up, kept, looked at, removed, and found again after
// a crash. Loaded with the first of them.
export { createWorktree, enterWorktree, keepWorktree, type WorktreeRequest } from './create-worktree.js';
export { inspectWorktree, removeWorktree, type WorktreeRemoval } from './remove-worktree.js';
export type { Worktree, WorktreePlace } from './worktree.js';
export type { WorktreeLoss } from './worktree-git.js';
export { findWorktree, type ListedWorktree, leftBehind, listWorktrees } from './worktree-records.js';
