// Transcripts and what lies beside them: written, read, listed, forked, deleted.

export { type BlobStore, createBlobStore, putBack } from './blobs.js';
export { collectGarbage, type GarbageReport, removeSession } from './collect-garbage.js';
export { toConversation, toUsage } from './conversation.js';
export { type StateEntry, toStateLine } from './entry.js';
export { refuseSecret } from './entry-content.js';
export type { FileSessionStore, FileSessionStoreOptions } from './file-store-access.js';
export { copySession } from './fork-session.js';
export { importSession, importTranscript } from './import-session.js';
export { entriesSource } from './line-reader.js';
export { damageText, type EntryValue, isBoundary, replacedBy } from './read-entry.js';
export {
  holdsConversation,
  type ReadEntry,
  type ReadOptions,
  readTranscript,
  readTranscriptFile,
  type TranscriptRead,
} from './read-transcript.js';
export { EMPTY_LEDGER, todosAfter } from './restore-state.js';
export {
  folderOfSession,
  type ResumedSession,
  type ResumeWishes,
  readSession,
  readSessionEntries,
  resumeEntries,
  resumeFound,
  resumeSession,
} from './resume.js';
export {
  aheadOf,
  createStoreReader,
  forkInStore,
  resumeStored,
  type StoredSession,
  type StoreReader,
} from './resume-stored.js';
export { findRewindPoint, isPrompt, type ReadUpTo, type RewindPoint } from './rewind-point.js';
export { foldSessionSummary, promptOf, timeOf } from './session-facts.js';
export {
  type LatestSession,
  latestSession,
  listFiles,
  listStore,
  openIndexCache,
  readOne,
  readPage,
  readStored,
  requireStored,
} from './session-index.js';
export { keepInReach, openRetention, type Retention } from './session-keeping.js';
export { sessionInUse, sessionOwner, takeLock, takeSessionLock } from './session-lock.js';
export { toSessionMessages, withoutRepeats } from './session-messages.js';
export { appendMetadata, type MetadataLine, markArchived, tagLineOf, titleLineOf } from './session-metadata.js';
export {
  anyStat,
  checkSessionId,
  homeFolder,
  idsOfSubpaths,
  locateSession,
  nestedCallsId,
  ownPart,
  placeIn,
  projectFolder,
  projectKey,
  readSubagentOrigin,
  realFolder,
  refuseLinks,
  type SessionPlace,
  type SubagentOrigin,
  sessionFolders,
  sessionsHome,
  subagentFile,
  subagentIds,
  subagentSubpath,
  transcriptPath,
  transcriptStat,
  UNKNOWN_ORIGIN,
} from './session-places.js';
export { createFileStore, createMemoryStore, InMemorySessionStore } from './session-stores.js';
export { openSessionTranscript } from './session-transcript.js';
export type { AnnotationLine, RewindLine, Transcript } from './transcript.js';
