// Where the functions over stored sessions look: which machine, which home, which session. Options are checked here.
import type { Host } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError, SessionError } from '../../protocol/errors.js';
import type { SessionKey, SessionStore } from '../../protocol/session-store.js';
import {
  checkSessionId,
  locateSession,
  projectKey,
  realFolder,
  type SessionPlace,
  sessionsHome,
} from '../../session/store/index.js';
import type { SessionFunctionOptions } from './session-options.js';

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
