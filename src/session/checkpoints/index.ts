// What files were before each change, so that they can be set back.
export type { Checkpoints } from './checkpoints.js';
export { filesByPrompt } from './journal.js';
export { NO_PLACE, openCheckpoints } from './open-checkpoints.js';
export { cannot } from './rewind-files.js';
