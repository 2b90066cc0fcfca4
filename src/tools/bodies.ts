// What tools do, loaded with the first call, and what bodies load when they come to it: nothing else in `tools/` loads on demand,
// but for what runs in a thread of its own. Tools whose bodies share most of what they load share a door, and a file of `dist/`
// (`GROUPS` in `scripts/build.mjs`).
import { loadOnce } from '../util/load-once.js';

/** Read, Edit and Write. */
export const loadFiles = loadOnce(() => import('./files/index.js'));
/** Glob and Grep. */
export const loadSearch = loadOnce(() => import('./search/index.js'));
export const loadNotebook = loadOnce(() => import('./notebook/index.js'));
/** Bash. */
export const loadCommand = loadOnce(() => import('./bash/run-command.js'));
/** TaskOutput and TaskStop. */
export const loadTasks = loadOnce(() => import('./background-task/use-task.js'));
export const loadWorktrees = loadOnce(() => import('./worktree/use-worktree.js'));
/** Agent and SendMessage. */
export const loadAgents = loadOnce(() => import('./agent/delegate.js'));
/** WebFetch. */
export const loadPages = loadOnce(() => import('./web-fetch/answer-from-page.js'));

// ---- Within bodies.

/** A file is read that is an image or a PDF. */
export const loadMedia = loadOnce(() => import('./files/show-media.js'));
/** A change is large enough for a diff by lines. */
export const loadComparison = loadOnce(() => import('./files/comparison.js'));
/** The user's own, if there is one. */
export const loadSharp = loadOnce(() => import('sharp'));
/** Looks for the binary of this platform, and throws if there is none. */
export const loadRipgrep = loadOnce(() => import('@vscode/ripgrep'));
