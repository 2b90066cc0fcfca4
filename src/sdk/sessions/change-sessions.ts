// The functions that change stored sessions. A transcript is only appended to, never rewritten, so all of these may be
// called while the session runs; what would take something from a running session is refused.
import { ConfigError } from '../../protocol/errors.js';
import {
  appendMetadata,
  type MetadataLine,
  markArchived,
  refuseSecret,
  requireStored,
  tagLineOf,
  titleLineOf,
} from '../../session/store/index.js';
import type { SessionMutationOptions } from '../session-options.js';
import { contextOf, requireSession, storeKey, storeOf } from './context.js';

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
