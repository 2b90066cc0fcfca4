// The functions that copy stored sessions: into a session of their own, and into a user's store. Originals are only
// read, so a session that runs can be copied; the copy has what was written until then.
import { isFileError } from '../../host/host.js';
import { ConfigError, SessionError } from '../../protocol/errors.js';
import type { SessionStore } from '../../protocol/session-store.js';
import { forkInStore, forkTranscript } from '../../session/store/fork.js';
import { importTranscript } from '../../session/store/import-session.js';
import { placeIn, realFolder } from '../../session/store/session-places.js';
import { projectKey } from '../../session/store/store-path.js';
import { subagentFile, subagentIds, subagentSubpath } from '../../session/store/subagent-places.js';
import type { ForkSessionOptions, ForkSessionResult, ImportSessionToStoreOptions } from '../session-options.js';
import { contextOf, requireSession, storeKey, storeOf } from './context.js';

/** Contract: as in `sdk/sessions.ts`. */
export async function forkSession(sessionId: string, options: ForkSessionOptions): Promise<ForkSessionResult> {
  const { upToMessageId, title, dir } = options;
  const context = contextOf(options);
  const { host } = context;
  const fork = {
    sessionId: host.ids.uuid(),
    ...(upToMessageId === undefined ? {} : { upTo: upToMessageId }),
    ...(title === undefined ? {} : { title }),
  };
  const store = storeOf(options);
  if (store === null) {
    const place = await requireSession(context, sessionId, dir);
    await readable(place.file, () => forkTranscript(host, place, placeIn(place.folder, fork.sessionId), fork));
  } else {
    const key = await storeKey(host, sessionId, dir);
    const entries = await store.load(key);
    if (entries === null) throw new SessionError('session_not_found', `The sessionStore has no session ${sessionId}.`);
    await forkInStore(host, store, key, entries, fork);
  }
  return { sessionId: fork.sessionId };
}

/** Contract: as in `sdk/sessions.ts`. */
export async function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  options: ImportSessionToStoreOptions,
): Promise<void> {
  const { dir, includeSubagents = true, batchSize = 100 } = options;
  if (!Number.isSafeInteger(batchSize) || batchSize < 1) {
    throw new ConfigError(`batchSize is ${String(batchSize)}. Give a whole number of at least 1.`);
  }
  storeOf({ sessionStore: store });
  const context = contextOf(options);
  const { host } = context;
  const place = await requireSession(context, sessionId, dir);
  const key = { projectKey: projectKey(await realFolder(host, dir ?? host.platform.cwd)), sessionId: place.sessionId };
  await readable(place.file, () => importTranscript(host, place.file, store, key, batchSize));
  if (!includeSubagents) return;
  for (const agentId of await subagentIds(host, place)) {
    const file = subagentFile(place, agentId);
    const subkey = { ...key, subpath: subagentSubpath(agentId) };
    await readable(file, () => importTranscript(host, file, store, subkey, batchSize));
  }
}

async function readable<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new SessionError('session_invalid', `${file} cannot be copied: ${error.message}`, error);
  }
}
