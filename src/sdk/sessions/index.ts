// Stored sessions: listed, read, changed, gone on with.

export {
  type CleanSessionsResult,
  cleanSessions,
  deleteSession,
  forkSession,
  importSessionToStore,
  renameSession,
  setArchived,
  tagSession,
} from './change-sessions.js';
export { exportSession } from './export-session.js';
export { keptSessionOptions } from './kept-session-options.js';
export { findSessionIds, getSessionInfo, listSessions, wholeId } from './list-sessions.js';
export type { SessionStart } from './resume-options.js';
export {
  type CleanSessionsOptions,
  checkStore,
  contextOf,
  type DeleteSessionOptions,
  type ExportFormat,
  type ExportSessionOptions,
  type ForkSessionOptions,
  type ForkSessionResult,
  type GetSessionInfoOptions,
  type GetSessionMessagesOptions,
  type GetSubagentMessagesOptions,
  type ImportSessionToStoreOptions,
  type ListRewindPointsOptions,
  type ListSessionsOptions,
  type ListSubagentsOptions,
  type RewindSessionOptions,
  requireSession,
  type SessionFunctionOptions,
  type SessionMessageView,
  type SessionMutationOptions,
  type SessionRewindPoint,
  storeKey,
  storeOf,
} from './session-options.js';
export { getSessionMessages, getSubagentMessages, listSubagents, readStoredTranscript } from './stored-transcript.js';
export { waitingCalls } from './waiting-calls.js';
export type { FolderWorktree } from './worktrees.js';
export { listFolderWorktrees, removeFolderWorktree } from './worktrees.js';
