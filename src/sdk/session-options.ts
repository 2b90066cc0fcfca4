// The options of the functions over stored sessions: those of the published SDKs, and the two that put them on another
// machine.
import type { Host } from '../host/host.js';
import type { SessionStore } from '../protocol/session-store.js';

/** What every function over stored sessions takes. */
export interface SessionFunctionOptions {
  /** The working directory whose sessions are meant. Absent: every folder is looked in. */
  dir?: string;
  /** The sessions of this store instead of those on the disk. `dir` then names the project; absent, this folder. */
  sessionStore?: SessionStore;
  /** The machine whose sessions are meant. Default: this one. */
  host?: Host;
  /** Variables merged over those of the host, such as `TURNWRIGHT_HOME`. */
  env?: Readonly<Record<string, string | undefined>>;
}

export interface ListSessionsOptions extends SessionFunctionOptions {
  /** Sessions at most. Default: all. */
  limit?: number;
  /** Sessions to pass over, the newest first. Default 0. */
  offset?: number;
  /** With `dir`: also the sessions of the other worktrees of its git repository. Not with a store. Default true. */
  includeWorktrees?: boolean;
  /** False: without the sessions that other SDKs marked as started by a program. Not with a store. Default true. */
  includeProgrammatic?: boolean;
}

export type GetSessionInfoOptions = SessionFunctionOptions;
export type SessionMutationOptions = SessionFunctionOptions;
