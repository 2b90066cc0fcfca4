// What tools do, loaded with the first call: the one list of it. Tools whose bodies share most of what they load share a
// door, and a file of `dist/` (`GROUPS` in `scripts/build.mjs`).
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
