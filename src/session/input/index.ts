// What the user typed: commands, files and text, and the queue of messages that wait.
export { createMessageQueue, type MessageQueue, type QueuedMessage } from './message-queue.js';
export { type ProcessedInput, type PromptInput, processUserInput, readPrompt, slashOf } from './process-user-input.js';
