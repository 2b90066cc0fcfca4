// The functions that set stored sessions back, and say to where that can be.

import { SessionError } from '../protocol/errors.js';
import type { RewindOptions, RewindResult } from '../protocol/rewind.js';
import type { SessionStore } from '../protocol/session-store.js';
import { filesByPrompt } from '../session/checkpoints/index.js';
import type { QueryEngineConfig } from '../session/config/index.js';
import { QueryEngine } from '../session/query-engine.js';
import {
  folderOfSession,
  isPrompt,
  promptOf,
  realFolder,
  requireStored,
  resumeEntries,
  timeOf,
  withoutRepeats,
} from '../session/store/index.js';
import { resolveOptions } from './resolve-options.js';
import {
  contextOf,
  type ListRewindPointsOptions,
  type RewindSessionOptions,
  readStoredTranscript,
  requireSession,
  type SessionRewindPoint,
  storeKey,
  storeOf,
} from './sessions/index.js';

/** Contract: as in `sdk/sessions.ts`. */
export async function listRewindPoints(
  sessionId: string,
  options: ListRewindPointsOptions,
): Promise<SessionRewindPoint[]> {
  const context = contextOf(options);
  const store = storeOf(options);
  if (store !== null) await requireStored(store, await storeKey(context.host, sessionId, options.dir));
  const place = store === null ? await requireSession(context, sessionId, options.dir) : null;
  const read = await readStoredTranscript(context, sessionId, options, { acrossCompactions: true });
  // Former contents of files are kept on the machine, never in a store.
  const files = place === null ? NO_FILES : await filesByPrompt(context.host, place.ownFolder);
  return withoutRepeats(read?.entries ?? []).flatMap((entry) => {
    const { uuid, value } = entry;
    if (!isPrompt(entry)) return [];
    const at = timeOf(value);
    return [
      {
        uuid,
        prompt: promptOf(value)?.text ?? '',
        ...(at === null ? {} : { at }),
        filesChanged: files.get(uuid) ?? null,
      },
    ];
  });
}

const NO_FILES: ReadonlyMap<string, readonly string[]> = new Map();

/** A rewind asks no model, so that it needs no key. */
const NO_MODEL = 'offline';

/** Contract: as in `sdk/sessions.ts`. */
export async function rewindSession(
  sessionId: string,
  messageId: string,
  options: RewindSessionOptions,
): Promise<RewindResult> {
  const { dir, env, host: _host, sessionStore: _store, ...how } = options;
  const { host, home } = contextOf(options);
  const store = storeOf(options);
  if (store !== null) return rewindStored(store, sessionId, messageId, options, how);
  const place = await requireSession({ host, home }, sessionId, dir);
  const cwd = await folderOfSession(host, home, place.sessionId);
  if (cwd === null)
    throw new SessionError('session_invalid', `Session ${sessionId} does not say which folder it is of.`);
  const config = await resolveOptions(
    {
      resume: place.sessionId,
      cwd,
      model: NO_MODEL,
      ...(env === undefined ? {} : { env: { ...env } }),
      ...(how.scope === 'conversation' ? {} : { enableFileCheckpointing: true }),
    },
    host,
  );
  return rewindWith(config, messageId, how);
}

/** In the store alone, whatever copy of the session this machine may have: it gets the rewind when it is resumed. */
async function rewindStored(
  store: SessionStore,
  sessionId: string,
  messageId: string,
  options: RewindSessionOptions,
  how: RewindOptions,
): Promise<RewindResult> {
  const { dir, env } = options;
  const { host } = contextOf(options);
  const { scope = 'both' } = how;
  const key = await storeKey(host, sessionId, dir);
  const entries = await store.load(key);
  if (entries === null) await requireStored(store, key);
  if (scope !== 'conversation')
    return { status: 'rejected', targetUserMessageId: messageId, scope, error: NO_FILES_IN_STORES };
  const { sessionId: id, messages, lastUuid, state, laterReplies } = await resumeEntries(entries ?? [], key.sessionId);
  const cwd = await realFolder(host, dir ?? host.platform.cwd);
  const own = env === undefined ? {} : { env: { ...env } };
  const plain = { cwd, model: NO_MODEL, sessionStore: store, persistSession: false, ...own };
  const resumed = {
    sessionId: id,
    resumedFrom: lastUuid,
    initialMessages: messages,
    resumedState: state,
    resumedReplies: laterReplies,
  };
  return rewindWith({ ...(await resolveOptions(plain, host)), ...resumed }, messageId, how);
}

const NO_FILES_IN_STORES =
  'Former contents of files are kept on the machine, not in a sessionStore. The scope conversation sets back the conversation alone.';

/** Nothing of the session is put together: no model, no server, no hook. */
async function rewindWith(config: QueryEngineConfig, messageId: string, how: RewindOptions): Promise<RewindResult> {
  const engine = new QueryEngine(config);
  try {
    return await engine.rewind(messageId, how);
  } finally {
    await engine.close();
  }
}
