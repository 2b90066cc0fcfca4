// Whether commands of the session are confined, and what git may start.
export { openGitWatch } from './open-git-watch.js';
export { openSessionSandbox, type SessionSandbox, sessionPolicy } from './session-sandbox.js';
