// What the store does for some sessions only: large content becomes files, old sessions go, titles stay in reach of a list, a
// new transcript has a file already, and the folder of transcripts is a store for programs.

export { openFileStore } from './file-store-access.js';
export { holdsConversation } from './read-transcript.js';
export { deleteOldSessions, linesOutOfReach } from './retention.js';
export { createSpill } from './spill-entry.js';
