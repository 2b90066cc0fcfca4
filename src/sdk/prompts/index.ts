// What a program may say to a session, and what comes next.

export { nextWork, suggestNext } from './next-work.js';
export { listOutputStyles, openOutputStyle, outputStyles } from './output-style-options.js';
export { checkUserMessage, queuedMessage } from './user-message.js';
