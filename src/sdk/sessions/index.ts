// Stored sessions: listed, read, changed, gone on with.

export type { CleanSessionsResult } from './change-sessions.js';
export { findSessionIds } from './list-sessions.js';
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
export {
  archiveSession,
  cleanSessions,
  deleteSession,
  exportSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  importSessionToStore,
  listRewindPoints,
  listSessions,
  listSubagents,
  renameSession,
  rewindSession,
  tagSession,
  unarchiveSession,
} from './sessions.js';
export { waitingCalls } from './waiting-calls.js';
export type { FolderWorktree } from './worktrees.js';
export { listFolderWorktrees, removeFolderWorktree } from './worktrees.js';
