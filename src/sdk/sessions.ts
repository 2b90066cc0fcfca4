// The functions over stored sessions that only read. Names and results are those of the published SDKs; each works on
// the disk and on a user's own store, and none of them starts a session.
import type { SDKSessionInfo } from '../protocol/session-store.js';
import { openIndexCache } from '../session/store/index-cache.js';
import { listFiles, readOne, readPage } from '../session/store/session-index.js';
import { locateSession, sessionFolders } from '../session/store/session-places.js';
import { listStore, readStored } from '../session/store/store-index.js';
import { checkPage, contextOf, storeKey, storeOf, storeProject } from './session-context.js';
import type { GetSessionInfoOptions, ListSessionsOptions } from './session-options.js';

/**
 * The sessions of a folder, of its worktrees, or of all folders; the one written last first.
 * Contract: reads the names of all, and the ends of the transcripts of the page; a damaged transcript is left out.
 * @throws ConfigError for options that cannot be used, such as a store that cannot list
 */
export async function listSessions(options: ListSessionsOptions = {}): Promise<SDKSessionInfo[]> {
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

/**
 * One session; undefined where there is none of that id, or nothing in it to make a title of.
 * @throws SessionError where the id is no UUID
 */
export async function getSessionInfo(
  sessionId: string,
  options: GetSessionInfoOptions = {},
): Promise<SDKSessionInfo | undefined> {
  const { host, home } = contextOf(options);
  const store = storeOf(options);
  if (store !== null) return (await readStored(store, await storeKey(host, sessionId, options.dir))) ?? undefined;
  const place = await locateSession(host, home, sessionId, options.dir);
  return place === null ? undefined : ((await readOne(host, place)) ?? undefined);
}
