// The options of the functions over stored sessions, those of the published SDKs and the two that put them on another machine, checked;
// and where they look: which machine, which home, which session.
import type { Host } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError, SessionError } from '../../protocol/errors.js';
import type { RewindOptions } from '../../protocol/rewind.js';
import type { SessionKey, SessionStore } from '../../protocol/session-store.js';
import {
  checkSessionId,
  locateSession,
  projectKey,
  realFolder,
  type SessionPlace,
  sessionsHome,
} from '../../session/store/index.js';

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
export type ListSubagentsOptions = SessionFunctionOptions;

/** `runtime`: what a resumed session goes on with. `historical`: also what compactions replaced, without their summaries. */
export type SessionMessageView = 'runtime' | 'historical';

export interface GetSessionMessagesOptions extends SessionFunctionOptions {
  limit?: number;
  /** Messages to pass over, the oldest first. Default 0. */
  offset?: number;
  /** Also messages of type `system`, such as the boundary of a compaction. Default false. */
  includeSystemMessages?: boolean;
  /** Default `runtime`. */
  view?: SessionMessageView;
}

export interface GetSubagentMessagesOptions extends SessionFunctionOptions {
  limit?: number;
  offset?: number;
}

export interface DeleteSessionOptions extends SessionFunctionOptions {
  /** True: also a session that another process writes. What that process writes from then on is lost. Default false. */
  force?: boolean;
}

export interface CleanSessionsOptions extends Pick<SessionFunctionOptions, 'host' | 'env'> {
  /** Sessions that were not written for so many days are deleted. Default: none for their age. */
  olderThanDays?: number;
  /** The oldest sessions are deleted until all take no more than so many bytes. Default: none for their size. */
  maxBytes?: number;
  /** True: nothing is removed; the result says what would be. Default false. */
  dryRun?: boolean;
  /** Ends the work between two removals. */
  signal?: AbortSignal;
}

export interface ForkSessionOptions extends SessionFunctionOptions {
  /** The last message of the original that the fork has, by its uuid. Default: all. */
  upToMessageId?: string;
  /** Default: the title of the original and " (fork)". */
  title?: string;
}

export interface ForkSessionResult {
  /** Id of the new session. */
  readonly sessionId: string;
}

export interface ImportSessionToStoreOptions extends Omit<SessionFunctionOptions, 'sessionStore'> {
  /** False: without the transcripts of subagents. Default true. */
  includeSubagents?: boolean;
  /** Entries given to the store at a time. Default 100. */
  batchSize?: number;
}

export type ListRewindPointsOptions = SessionFunctionOptions;

export interface RewindSessionOptions extends ListRewindPointsOptions, RewindOptions {}

/** A message of the user that a session can go back to. */
export interface SessionRewindPoint {
  readonly uuid: string;
  /** What was said, one line of 200 characters at most. */
  readonly prompt: string;
  /** Milliseconds since the epoch; absent if it is not known. */
  readonly at?: number;
  /** Absolute paths that the prompt changed; null if there is no checkpoint of it. */
  readonly filesChanged: readonly string[] | null;
}

export type ExportFormat = 'markdown' | 'html' | 'json';

export interface ExportSessionOptions extends SessionFunctionOptions {
  /** Default `markdown`. */
  format?: ExportFormat;
  /** True: with the model's thinking. Default false. */
  includeThinking?: boolean;
  /** Characters of one tool input or result that Markdown and HTML show; what is cut is said. Default 10,000. */
  maxResultChars?: number;
}

export interface SessionContext {
  readonly host: Host;
  /** Absolute. */
  readonly home: string;
  /** What the host has, and the options. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function contextOf(options: SessionFunctionOptions): SessionContext {
  const host = options.host ?? createNodeHost();
  const env = { ...host.env, ...options.env };
  return { host, home: sessionsHome(host, env), env };
}

/** The project of a store that `dir` names. @throws ConfigError if `dir` is no path */
export async function storeProject(host: Host, dir: string | undefined): Promise<string> {
  return projectKey(await realFolder(host, dir ?? host.platform.cwd));
}

/** The key of a session in a store. @throws SessionError if the id is no UUID */
export async function storeKey(host: Host, sessionId: string, dir: string | undefined): Promise<SessionKey> {
  return { projectKey: await storeProject(host, dir), sessionId: checkSessionId(sessionId) };
}

/** @throws SessionError if there is no such session, or the id is no UUID */
export async function requireSession(
  { host, home }: Pick<SessionContext, 'host' | 'home'>,
  sessionId: string,
  dir: string | undefined,
): Promise<SessionPlace> {
  const place = await locateSession(host, home, sessionId, dir);
  if (place !== null) return place;
  const where = dir === undefined ? `any folder of ${home}` : `the sessions of ${dir}`;
  throw new SessionError('session_not_found', `There is no session ${sessionId} in ${where}.`);
}

/** @throws ConfigError for a page that is none */
export function checkPage({ limit, offset }: { limit?: number | undefined; offset?: number | undefined }): {
  limit: number;
  offset: number;
} {
  return {
    limit: limit === undefined ? Number.POSITIVE_INFINITY : checkCount('limit', limit),
    offset: offset === undefined ? 0 : checkCount('offset', offset),
  };
}

function checkCount(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new ConfigError(`${name} is ${String(value)}. Give a whole number of at least 0.`);
}

/** The store if one was given. @throws ConfigError for what is no store */
export function storeOf({ sessionStore }: SessionFunctionOptions): SessionStore | null {
  return checkStore(sessionStore);
}

// Whether what a caller gives as a session store can be one.

/** Null if none was given. @throws ConfigError for what is no store */
export function checkStore(store: SessionStore | undefined): SessionStore | null {
  if (store === undefined) return null;
  if (typeof store?.append === 'function' && typeof store.load === 'function') return store;
  throw new ConfigError('sessionStore is not a session store: it needs at least the methods append and load.');
}
