// What works on stored sessions: lists, conversations, changes.

export {
  cleanSessions,
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  importSessionToStore,
  listSessions,
  listSubagents,
  renameSession,
  setArchived,
  tagSession,
  wholeId,
} from '../sessions/index.js';
