// Slash commands of a session that show and change what it works with.
export type { CommandReach } from './answer-command.js';
export { sessionCommands } from './session-commands.js';
