// The functions that copy stored sessions: into a session of their own, and into a user's store. Originals are only
// read, so a session that runs can be copied; the copy has what was written until then.
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError, SessionError } from '../../protocol/errors.js';
import type { SessionStore } from '../../protocol/session-store.js';
import {
  copySession,
  EMPTY_LEDGER,
  forkInStore,
  importTranscript,
  isBoundary,
  placeIn,
  projectKey,
  readTranscriptFile,
  realFolder,
  refuseSecret,
  replacedBy,
  resumeSession,
  type SessionPlace,
  subagentFile,
  subagentIds,
  subagentSubpath,
  titleLineOf,
} from '../../session/store/index.js';
import type { ForkSessionOptions, ForkSessionResult, ImportSessionToStoreOptions } from '../session-options.js';
import { contextOf, requireSession, storeKey, storeOf } from './context.js';

/** Contract: as in `sdk/sessions.ts`. */
export async function forkSession(sessionId: string, options: ForkSessionOptions): Promise<ForkSessionResult> {
  const { upToMessageId, dir, title } = options;
  const context = contextOf(options);
  const { host } = context;
  const forkId = host.ids.uuid();
  // Before anything is written.
  if (title !== undefined) await refuseSecret(context.env, titleLineOf(forkId, title));
  if (upToMessageId !== undefined && typeof upToMessageId !== 'string')
    throw new ConfigError(`upToMessageId is ${JSON.stringify(upToMessageId)}. Give the uuid of a message.`);
  const store = storeOf(options);
  if (store === null) {
    await forkOnDisk(host, await requireSession(context, sessionId, dir), forkId, upToMessageId, title);
  } else {
    const key = await storeKey(host, sessionId, dir);
    const entries = await store.load(key);
    if (entries === null) throw new SessionError('session_not_found', `The sessionStore has no session ${sessionId}.`);
    await forkInStore(host, store, key, entries, {
      sessionId: forkId,
      subpaths: (await store.listSubkeys?.(key)) ?? [],
      load: (subpath) => store.load({ ...key, subpath }),
      ...(upToMessageId === undefined ? {} : { upTo: upToMessageId }),
      ...(title === undefined ? {} : { title }),
    });
  }
  return { sessionId: forkId };
}

/** The fork has spent nothing yet: what the original cost is in that one's bill. */
async function forkOnDisk(
  host: Host,
  place: SessionPlace,
  forkId: string,
  upTo: string | undefined,
  title: string | undefined,
): Promise<void> {
  const resumed = await resumeSession(
    host,
    place,
    upTo === undefined ? undefined : await behindBoundary(host, place, upTo),
  );
  await readable(place.file, () =>
    copySession(host, {
      from: place,
      to: placeIn(place.folder, forkId),
      state: { ...resumed.state, ledger: EMPTY_LEDGER },
      lastUuid: resumed.lastUuid,
      ...(upTo === undefined ? {} : { upToAt: resumed.lastAt }),
      ...(title === undefined ? {} : { title }),
    }),
  );
}

/** Up to the boundary of a compaction means: up to what it replaced. */
async function behindBoundary(host: Host, place: SessionPlace, uuid: string): Promise<string> {
  const { entries } = await readable(place.file, () =>
    readTranscriptFile(host, place.file, { sessionId: place.sessionId, isSidechain: false, upTo: uuid, maxBytes: 1 }),
  );
  const last = entries.at(-1)?.value;
  return last !== undefined && isBoundary(last) ? (replacedBy(last) ?? uuid) : uuid;
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
  await readable(place.file, () => importTranscript(host, place, place.file, store, key, batchSize));
  if (!includeSubagents) return;
  for (const agentId of await subagentIds(host, place)) {
    const file = subagentFile(place, agentId);
    const subkey = { ...key, subpath: subagentSubpath(agentId) };
    await readable(file, () => importTranscript(host, place, file, store, subkey, batchSize));
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
