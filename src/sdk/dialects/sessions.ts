// The functions over stored sessions, in the folder of another program.

import { createNodeHost } from '../../host/node-host.js';
import type { SessionFunctionOptions } from '../sessions/index.js';
import * as ours from '../sessions.js';
import { type DialectFolder, sessionVariables } from './folders.js';

/** Each as `turnwright` has it; the sessions are those of the folder. */
export function sessionFunctions(folder: DialectFolder) {
  const there = <Given extends SessionFunctionOptions>(options: Given | undefined): Given => {
    const host = options?.host ?? createNodeHost();
    const env = { ...host.env, ...options?.env };
    return { ...(options as Given), host, env: { ...options?.env, ...sessionVariables(folder, host, env) } };
  };
  return {
    listSessions: ((options) => ours.listSessions(there(options))) satisfies typeof ours.listSessions,
    getSessionInfo: ((id, options) => ours.getSessionInfo(id, there(options))) satisfies typeof ours.getSessionInfo,
    getSessionMessages: ((id, options) =>
      ours.getSessionMessages(id, there(options))) satisfies typeof ours.getSessionMessages,
    listSubagents: ((id, options) => ours.listSubagents(id, there(options))) satisfies typeof ours.listSubagents,
    getSubagentMessages: ((id, agent, options) =>
      ours.getSubagentMessages(id, agent, there(options))) satisfies typeof ours.getSubagentMessages,
    renameSession: ((id, title, options) =>
      ours.renameSession(id, title, there(options))) satisfies typeof ours.renameSession,
    tagSession: ((id, tag, options) => ours.tagSession(id, tag, there(options))) satisfies typeof ours.tagSession,
    deleteSession: ((id, options) => ours.deleteSession(id, there(options))) satisfies typeof ours.deleteSession,
    archiveSession: ((id, options) => ours.archiveSession(id, there(options))) satisfies typeof ours.archiveSession,
    unarchiveSession: ((id, options) =>
      ours.unarchiveSession(id, there(options))) satisfies typeof ours.unarchiveSession,
    forkSession: ((id, options) => ours.forkSession(id, there(options))) satisfies typeof ours.forkSession,
    importSessionToStore: ((id, store, options) =>
      ours.importSessionToStore(id, store, there(options))) satisfies typeof ours.importSessionToStore,
  };
}
