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
export { checkStore, contextOf, requireSession, storeKey, storeOf } from './context.js';
export { exportSession } from './export-session.js';
export { keptSessionOptions } from './kept-session-options.js';
export { findSessionIds, getSessionInfo, listSessions, wholeId } from './list-sessions.js';
export type { SessionStart } from './resume-options.js';
export type {
  CleanSessionsOptions,
  DeleteSessionOptions,
  ExportFormat,
  ExportSessionOptions,
  ForkSessionOptions,
  ForkSessionResult,
  GetSessionInfoOptions,
  GetSessionMessagesOptions,
  GetSubagentMessagesOptions,
  ImportSessionToStoreOptions,
  ListRewindPointsOptions,
  ListSessionsOptions,
  ListSubagentsOptions,
  RewindSessionOptions,
  SessionFunctionOptions,
  SessionMessageView,
  SessionMutationOptions,
  SessionRewindPoint,
} from './session-options.js';
export { getSessionMessages, getSubagentMessages, listSubagents, readStoredTranscript } from './stored-transcript.js';
export { waitingCalls } from './waiting-calls.js';
export type { FolderWorktree } from './worktrees.js';
export { listFolderWorktrees, removeFolderWorktree } from './worktrees.js';
