// Slash commands that files describe.

export { expandCommand } from './command-file.js';
export { type CommandFile, findCommands, readAgain } from './find-commands.js';
