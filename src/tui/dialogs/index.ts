// Questions below the draft; loaded with the session.

export type { AskParts } from './ask-in-terminal.js';
