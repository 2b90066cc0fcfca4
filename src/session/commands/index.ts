// Commands that stand in files: those of a session, and the shell that they may use.
export { type OpenedCommands, openCommandFiles } from './open-command-files.js';
