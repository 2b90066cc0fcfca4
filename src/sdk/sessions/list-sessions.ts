// Lists of stored sessions, and what a list says of one.

import { ConfigError, SessionError } from '../../protocol/errors.js';
import type { SDKSessionInfo } from '../../protocol/session-store.js';
import {
  listFiles,
  listStore,
  locateSession,
  openIndexCache,
  readOne,
  readPage,
  readStored,
  sessionFolders,
} from '../../session/store/index.js';
import {
  checkPage,
  contextOf,
  type GetSessionInfoOptions,
  type ListSessionsOptions,
  type SessionFunctionOptions,
  storeKey,
  storeOf,
  storeProject,
} from './session-options.js';

/** Contract: as in `sdk/sessions.ts`. */
export async function listSessions(options: ListSessionsOptions): Promise<SDKSessionInfo[]> {
  const { host, home } = contextOf(options);
  const { dir, includeWorktrees = true, includeProgrammatic = true } = options;
  const page = { ...checkPage(options), includeProgrammatic };
  const store = storeOf(options);
  if (store !== null) return listStore(store, await storeProject(host, dir), page);
  const files = await listFiles(host, await sessionFolders(host, home, dir, includeWorktrees));
  const cache = await openIndexCache(host, home, Math.min(files.length, page.offset + page.limit));
  const sessions = await readPage(host, files, page, cache);
  await cache?.save(files);
  return sessions;
}

/** Contract: as in `sdk/sessions.ts`. */
export async function getSessionInfo(
  sessionId: string,
  options: GetSessionInfoOptions,
): Promise<SDKSessionInfo | undefined> {
  const { host, home } = contextOf(options);
  const store = storeOf(options);
  if (store !== null) return (await readStored(store, await storeKey(host, sessionId, options.dir))) ?? undefined;
  const place = await locateSession(host, home, sessionId, options.dir);
  return place === null ? undefined : ((await readOne(host, place)) ?? undefined);
}

/**
 * The ids that begin with `prefix`, of the sessions that `listSessions` would look at, the newest first.
 * Contract: reads names only, no transcript.
 */
export async function findSessionIds(prefix: string, options: ListSessionsOptions): Promise<string[]> {
  const { host, home } = contextOf(options);
  const files = await listFiles(host, await sessionFolders(host, home, options.dir, options.includeWorktrees ?? true));
  const wanted = prefix.toLowerCase();
  return files.map(({ sessionId }) => sessionId).filter((id) => id.startsWith(wanted));
}

// Session ids as people hand them on: the first characters, as lists show them. One rule: what could be more than one
// session, or something else than an id, is never one.

/** Eight characters at least, and less than all of them. */
const BEGINNING = /^[0-9a-f]{8}[0-9a-f-]{0,27}$/i;
const MAX_LISTED = 5;

/**
 * The id of the one session that begins so; what is no beginning of an id as it is: whoever uses it says so.
 * @throws ConfigError if several begin so, SessionError if none does
 */
export async function wholeId(
  given: string,
  options: SessionFunctionOptions & { readonly dir?: string },
): Promise<string> {
  if (typeof given !== 'string' || !BEGINNING.test(given)) return given;
  const ids =
    options.sessionStore === undefined
      ? await findSessionIds(given, options)
      : (await listSessions(options)).map(({ sessionId }) => sessionId);
  const found = [...new Set(ids)].filter((id) => id.startsWith(given.toLowerCase()));
  const [only, another] = found;
  if (only === undefined)
    throw new SessionError(
      'session_not_found',
      `There is no session${placeOf(options)} whose id begins with ${given}.`,
    );
  if (another === undefined) return only;
  const some = found.slice(0, MAX_LISTED).join(', ');
  throw new ConfigError(`${found.length} sessions have ids that begin with ${given}: ${some}. Give more of it.`);
}

function placeOf({ dir, sessionStore }: SessionFunctionOptions & { readonly dir?: string }): string {
  if (sessionStore !== undefined) return ' in the session store';
  return dir === undefined ? '' : ` of ${dir}`;
}
