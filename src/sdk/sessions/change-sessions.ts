// The functions that change stored sessions. A transcript is only appended to, never rewritten, so all of these may be
// called while the session runs; what would take something from a running session is refused.

import { type Host, isFileError } from '../../host/host.js';
import { ConfigError, SessionError } from '../../protocol/errors.js';
import type { SessionStore } from '../../protocol/session-store.js';
import {
  anyStat,
  appendMetadata,
  collectGarbage,
  copySession,
  EMPTY_LEDGER,
  forkInStore,
  type GarbageReport,
  importTranscript,
  isBoundary,
  locateSession,
  type MetadataLine,
  markArchived,
  placeIn,
  projectKey,
  readTranscriptFile,
  realFolder,
  refuseSecret,
  removeSession,
  replacedBy,
  requireStored,
  resumeSession,
  type SessionPlace,
  subagentFile,
  subagentIds,
  subagentSubpath,
  tagLineOf,
  titleLineOf,
} from '../../session/store/index.js';
import {
  type CleanSessionsOptions,
  contextOf,
  type DeleteSessionOptions,
  type ForkSessionOptions,
  type ForkSessionResult,
  type ImportSessionToStoreOptions,
  requireSession,
  type SessionMutationOptions,
  storeKey,
  storeOf,
} from './session-options.js';

/** Contract: as in `sdk/sessions.ts`. */
export async function renameSession(sessionId: string, title: string, options: SessionMutationOptions): Promise<void> {
  await addLine(sessionId, (id) => titleLineOf(id, title), options);
}

/** Contract: as in `sdk/sessions.ts`. */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionMutationOptions,
): Promise<void> {
  await addLine(sessionId, (id) => tagLineOf(id, tag), options);
}

async function addLine(
  sessionId: string,
  lineOf: (id: string) => MetadataLine,
  options: SessionMutationOptions,
): Promise<void> {
  const context = contextOf(options);
  const store = storeOf(options);
  if (store === null) {
    const place = await requireSession(context, sessionId, options.dir);
    const line = lineOf(place.sessionId);
    await refuseSecret(context.env, line);
    return appendMetadata(context.host, place, line);
  }
  const key = await storeKey(context.host, sessionId, options.dir);
  const line = lineOf(key.sessionId);
  await refuseSecret(context.env, line);
  await requireStored(store, key);
  await store.append(key, [{ ...line }]);
}

/** As `archiveSession` and `unarchiveSession`. */
export async function setArchived(
  sessionId: string,
  archived: boolean,
  options: SessionMutationOptions,
): Promise<void> {
  if (storeOf(options) !== null) {
    throw new ConfigError('A session of a sessionStore cannot be archived: the mark is kept in a file.', {
      code: 'not_supported',
    });
  }
  const context = contextOf(options);
  const place = await requireSession(context, sessionId, options.dir);
  await markArchived(context.host, place, archived, context.host.clock.now());
}

// The functions that copy stored sessions: into a session of their own, and into a user's store. Originals are only
// read, so a session that runs can be copied; the copy has what was written until then.

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

// Deletes stored sessions, on the disk and in a user's store.

/** Contract: as in `sdk/sessions.ts`. */
export async function deleteSession(sessionId: string, options: DeleteSessionOptions): Promise<void> {
  const context = contextOf(options);
  const store = storeOf(options);
  if (store !== null) {
    const key = await storeKey(context.host, sessionId, options.dir);
    await store.delete?.(key);
    return;
  }
  const { host, home } = context;
  // A folder that was moved may have left a copy of the session: it would come back to life as that.
  const locate = () => locateSession(host, home, sessionId, options.dir, anyStat);
  let place: SessionPlace | null = (await locate()) ?? (await requireSession(context, sessionId, options.dir));
  while (place !== null) {
    await removeSession(host, home, place, options.force ?? false);
    place = await locate();
  }
}

// Clears away what nobody needs any more.

/** What was removed, what should have been and could not, and what is left. */
export type CleanSessionsResult = GarbageReport;

const DAY_MS = 24 * 60 * 60_000;

/** Contract: as in `sdk/sessions.ts`. */
export async function cleanSessions(options: CleanSessionsOptions): Promise<CleanSessionsResult> {
  const { olderThanDays, maxBytes, dryRun = false, signal } = options;
  const { host, home } = contextOf(options);
  return collectGarbage(host, home, {
    dryRun,
    ...(signal === undefined ? {} : { signal }),
    ...(olderThanDays === undefined
      ? {}
      : { olderThan: host.clock.now() - checkAmount('olderThanDays', olderThanDays) * DAY_MS }),
    ...(maxBytes === undefined ? {} : { maxBytes: checkAmount('maxBytes', maxBytes) }),
  });
}

/** A slip here deletes sessions, so nothing is guessed. */
function checkAmount(name: string, value: number): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw new ConfigError(`${name} is ${String(value)}. Give a number above 0.`);
}
