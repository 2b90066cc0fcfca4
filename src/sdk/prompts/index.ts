// What a program may say to a session, and what comes next.

export { listOutputStyles } from './output-style-options.js';
export { checkUserMessage, queuedMessage } from './user-message.js';
