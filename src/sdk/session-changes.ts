// The functions that change stored sessions. A transcript is only appended to, never rewritten, so all of these may be
// called while the session runs; what would take something from a running session is refused.
import { ConfigError } from '../protocol/errors.js';
import {
  appendMetadata,
  type MetadataLine,
  markArchived,
  tagLineOf,
  titleLineOf,
} from '../session/store/session-metadata.js';
import { requireStored } from '../session/store/store-index.js';
import { contextOf, requireSession, storeKey, storeOf } from './session-context.js';
import type { SessionMutationOptions } from './session-options.js';

/**
 * Gives a session a title, which goes before every other.
 * @throws SessionError where there is no such session, or it cannot be written; ConfigError where the title is empty
 */
export async function renameSession(
  sessionId: string,
  title: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  await addLine(sessionId, (id) => titleLineOf(id, title), options);
}

/**
 * Tags a session. A session has one tag at most.
 * @param tag null takes the tag away
 * @throws SessionError where there is no such session, or it cannot be written; ConfigError where the tag is empty
 */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionMutationOptions = {},
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
    return appendMetadata(context.host, place, lineOf(place.sessionId));
  }
  const key = await storeKey(context.host, sessionId, options.dir);
  const line = lineOf(key.sessionId);
  await requireStored(store, key);
  await store.append(key, [{ ...line }]);
}

/**
 * Marks a session as archived. Lists still have it, with `archived: true`; a prompt sent to it later takes that back.
 * @throws SessionError where there is no such session; ConfigError with a store, which has no place for the mark
 */
export async function archiveSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  await setArchived(sessionId, true, options);
}

/** Takes the mark of `archiveSession` back: lists then have `archived: false`. Throws as that does. */
export async function unarchiveSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  await setArchived(sessionId, false, options);
}

async function setArchived(sessionId: string, archived: boolean, options: SessionMutationOptions): Promise<void> {
  if (storeOf(options) !== null) {
    throw new ConfigError('A session of a sessionStore cannot be archived: the mark is kept in a file.', {
      code: 'not_supported',
    });
  }
  const context = contextOf(options);
  const place = await requireSession(context, sessionId, options.dir);
  await markArchived(context.host, place, archived, context.host.clock.now());
}
