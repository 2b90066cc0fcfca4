// What the user typed: commands, those of files too, files and text, and the queue of messages that wait.
export { createMessageQueue, type MessageQueue, type QueuedMessage } from './message-queue.js';
export { type OpenedCommands, openCommandFiles } from './open-command-files.js';
export { type ProcessedInput, type PromptInput, processUserInput, readPrompt, slashOf } from './process-user-input.js';
