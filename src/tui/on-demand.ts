// What a person at the terminal asks for now and then. Windows that take the whole screen are loaded by themselves.

export { copyByProgram, copySequence } from './clipboard.js';
export { createHistorySearch, editExternally } from './composer/index.js';
export { earlierTurns } from './earlier-turns.js';
export { createStatusLineView } from './status/index.js';
