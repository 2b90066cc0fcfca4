// Whether commands of the session are confined, and what git may start.
export { lazyGitWatch, openCommandSandbox } from './open-command-sandbox.js';
export { openSessionSandbox, type SessionSandbox, sessionPolicy } from './session-sandbox.js';
