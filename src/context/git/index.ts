// What git would start by itself in a repository, and what is known of its state.

export { trackedPaths } from './git-files.js';
export { gitPrograms } from './git-programs.js';
export { findRepository, type GitRepository } from './git-repository.js';
export { takeGitSnapshot } from './git-snapshot.js';
export { gitLeaf, pathOf, type Reach } from './git-starts.js';
export { isGitSuspicious } from './git-suspicion.js';
export { createGitWatch, type GitWatch } from './git-watch.js';
export { findGit, QUIET_SETTINGS, quietEnvironment } from './quiet-git.js';
