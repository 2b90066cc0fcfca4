// What Bash does with a command. Its body, `run-command.ts`, is loaded with the first call.
export { MAX_BACKGROUND_MS, MAX_SHOWN_BYTES, MAX_TIMEOUT_MS } from './limits.js';
export { findShell, NOT_REMOTE, shellEnvironment } from './shell.js';
