// Lists of stored sessions, and what a list says of one.
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
import { checkPage, contextOf, storeKey, storeOf, storeProject } from './context.js';
import type { GetSessionInfoOptions, ListSessionsOptions } from './session-options.js';

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
