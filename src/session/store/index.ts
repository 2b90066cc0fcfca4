// Transcripts and what lies beside them: written, read, listed, forked, deleted.

export { type BlobStore, createBlobStore } from './blobs.js';
export { collectGarbage, type GarbageReport, removeSession } from './collect-garbage.js';
export { toConversation, toUsage } from './conversation.js';
export { damageText } from './damage.js';
export { type StateEntry, toStateLine } from './entry.js';
export { entriesSource } from './entry-source.js';
export type { FileSessionStore, FileSessionStoreOptions } from './file-store-access.js';
export { copySession } from './fork-session.js';
export { importSession, importTranscript } from './import-session.js';
export { openIndexCache } from './index-cache.js';
export type { LatestSession } from './latest-session.js';
export { latestSession } from './latest-session.js';
export { holdsConversation, readTranscriptFile } from './open-transcript.js';
export { ownPart, refuseLinks } from './own-folder.js';
export { putBack } from './put-back.js';
export type { EntryValue } from './read-entry.js';
export { type ReadEntry, type ReadOptions, readTranscript, type TranscriptRead } from './read-transcript.js';
export { EMPTY_LEDGER, todosAfter } from './restore-state.js';
export { type ResumedSession, readSession, readSessionEntries, resumeEntries, resumeSession } from './resume.js';
export { folderOfSession, type ResumeWishes, resumeFound } from './resume-found.js';
export {
  aheadOf,
  createStoreReader,
  forkInStore,
  resumeStored,
  type StoredSession,
  type StoreReader,
} from './resume-stored.js';
export { findRewindPoint, isPrompt, type ReadUpTo, type RewindPoint } from './rewind-point.js';
export { isBoundary, replacedBy } from './scanned-entry.js';
export { refuseSecret } from './secrets/redact-entry.js';
export { foldSessionSummary, promptOf, timeOf } from './session-facts.js';
export { listFiles, readOne, readPage } from './session-index.js';
export { keepInReach, openRetention, type Retention } from './session-keeping.js';
export { sessionInUse, sessionOwner, takeLock, takeSessionLock } from './session-lock.js';
export { toSessionMessages, withoutRepeats } from './session-messages.js';
export { appendMetadata, type MetadataLine, markArchived, tagLineOf, titleLineOf } from './session-metadata.js';
export {
  anyStat,
  locateSession,
  placeIn,
  realFolder,
  type SessionPlace,
  sessionFolders,
  transcriptStat,
} from './session-places.js';
export { createFileStore, createMemoryStore, InMemorySessionStore } from './session-stores.js';
export { openSessionTranscript } from './session-transcript.js';
export { listStore, readStored, requireStored } from './store-index.js';
export { checkSessionId, homeFolder, projectFolder, projectKey, sessionsHome, transcriptPath } from './store-path.js';
export {
  idsOfSubpaths,
  nestedCallsId,
  readSubagentOrigin,
  type SubagentOrigin,
  subagentFile,
  subagentIds,
  subagentSubpath,
} from './subagent-places.js';
export type { AnnotationLine, RewindLine, Transcript } from './transcript.js';
