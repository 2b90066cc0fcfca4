// Instruction files that a conversation comes to later: of folders below, and of rules for some files.
export { addInstructions, pinnedInstructions } from './add-instructions.js';
export { type LaterInstructions, touchedSince } from './touched-files.js';
