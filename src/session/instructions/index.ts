// Instruction files that a conversation comes to later: of folders below, and of rules for some files.
export { pinnedInstructions } from './pinned-instructions.js';
export { type LaterInstructions, touchedSince } from './touched-files.js';
