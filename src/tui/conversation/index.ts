// What is said, as lines: finished ones go into the scrollback, open ones below it.

export { type Conversation, createConversation } from './conversation.js';
