// Questions below the draft; loaded with the session.

export { type AskParts, askInTerminal } from './ask-in-terminal.js';
export { askBeforeSession } from './before-session.js';
