// What Bash does with a command. Its body, `run-command.ts`, is loaded with the first call.
export { findShell, NOT_REMOTE, shellEnvironment } from './shell.js';
