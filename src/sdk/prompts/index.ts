// What a program may say to a session, and what comes next.

export { listOutputStyles, openOutputStyle, outputStyles } from './output-style-options.js';
export { checkUserMessage, nextWork, promptOf, queuedMessage, suggestNext } from './stream-prompts.js';
