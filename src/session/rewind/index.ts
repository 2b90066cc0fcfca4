// Sets a conversation and its files back to an earlier prompt. Loaded when that is asked for.
export { rewindFiles, rewindSession } from './rewind.js';
