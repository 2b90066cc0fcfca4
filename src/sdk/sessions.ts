// The functions over stored sessions. Names and results are those of the published SDKs; each works on the disk and on
// a user's own store, and none of them starts a session. What does the work is loaded with the first call.

import { checkObject } from '../protocol/given.js';
import type { RewindResult } from '../protocol/rewind.js';
import type { SDKSessionInfo, SessionMessage, SessionStore } from '../protocol/session-store.js';
import { DOORS } from './features.js';
import type {
  CleanSessionsOptions,
  CleanSessionsResult,
  DeleteSessionOptions,
  ExportSessionOptions,
  ForkSessionOptions,
  ForkSessionResult,
  GetSessionInfoOptions,
  GetSessionMessagesOptions,
  GetSubagentMessagesOptions,
  ImportSessionToStoreOptions,
  ListRewindPointsOptions,
  ListSessionsOptions,
  ListSubagentsOptions,
  RewindSessionOptions,
  SessionFunctionOptions,
  SessionMutationOptions,
  SessionRewindPoint,
} from './sessions/index.js';

const OPTIONS = 'The options of a function over sessions';

/** Most ids are whole, and need nothing loaded. @throws ConfigError */
async function wholeId(given: string, options: SessionFunctionOptions): Promise<string> {
  checkObject(options, OPTIONS);
  return given?.length === 36 ? given : (await DOORS.storedSessions()).wholeId(given, options);
}

/**
 * The sessions of a folder, of its worktrees, or of all folders; the one written last first.
 * Contract: reads the names of all, and the ends of the transcripts of the page; a damaged transcript is left out.
 * @throws ConfigError for options that cannot be used, such as a store that cannot list
 */
export async function listSessions(options: ListSessionsOptions = {}): Promise<SDKSessionInfo[]> {
  checkObject(options, OPTIONS);
  return (await DOORS.storedSessions()).listSessions(options);
}

/**
 * One session; undefined if there is none of that id, or nothing in it to make a title of.
 * @throws SessionError if the id is no UUID
 */
export async function getSessionInfo(
  sessionId: string,
  options: GetSessionInfoOptions = {},
): Promise<SDKSessionInfo | undefined> {
  return (await DOORS.storedSessions()).getSessionInfo(await wholeId(sessionId, options), options);
}

/**
 * The conversation of a session, oldest first: what a resumed session goes on with, or with `view: 'historical'` all of
 * it. A reply may come as several messages with one `message.id`.
 * @returns empty if there is no such session
 * @throws SessionError if the id is no UUID, or the transcript cannot be read
 */
export async function getSessionMessages(
  sessionId: string,
  options: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  return (await DOORS.storedSessions()).getSessionMessages(await wholeId(sessionId, options), options);
}

/**
 * The ids of the subagents that a session started, sorted; none if there is no such session.
 * @throws SessionError if the id is no UUID; ConfigError for a store that cannot list them
 */
export async function listSubagents(sessionId: string, options: ListSubagentsOptions = {}): Promise<string[]> {
  return (await DOORS.storedSessions()).listSubagents(await wholeId(sessionId, options), options);
}

/**
 * The conversation of a subagent, oldest first.
 * @returns empty if there is no such session or subagent
 * @throws SessionError if the session's id is no UUID; ConfigError if the agent's could not be one
 */
export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: GetSubagentMessagesOptions = {},
): Promise<SessionMessage[]> {
  return (await DOORS.storedSessions()).getSubagentMessages(await wholeId(sessionId, options), agentId, options);
}

/**
 * Gives a session a title, which goes before every other. May be called while the session runs.
 * @throws SessionError if there is no such session, or it cannot be written; ConfigError if the title is empty
 */
export async function renameSession(
  sessionId: string,
  title: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  await (await DOORS.storedSessions()).renameSession(await wholeId(sessionId, options), title, options);
}

/**
 * Tags a session. A session has one tag at most. May be called while the session runs.
 * @param tag null takes the tag away
 * @throws SessionError if there is no such session, or it cannot be written; ConfigError if the tag is empty
 */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionMutationOptions = {},
): Promise<void> {
  await (await DOORS.storedSessions()).tagSession(await wholeId(sessionId, options), tag, options);
}

/**
 * Marks a session as archived. Lists still have it, with `archived: true`; a prompt sent to it later takes that back.
 * @throws SessionError if there is no such session; ConfigError with a store, which has no place for the mark
 */
export async function archiveSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  await (await DOORS.storedSessions()).setArchived(await wholeId(sessionId, options), true, options);
}

/** Takes the mark of `archiveSession` back: lists then have `archived: false`. Throws as that does. */
export async function unarchiveSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  await (await DOORS.storedSessions()).setArchived(await wholeId(sessionId, options), false, options);
}

/**
 * Deletes a session: its transcript and everything beside it, such as subagents, checkpoints and kept output. With a
 * store it calls that store's `delete`; a store without one keeps the session, and that is no error.
 * Contract: nothing of it is left when this resolves; if it rejects, the session is still found.
 * @throws SessionError if there is no such session, if another process writes it (`session_in_use`) and `force`
 *   is not given, or if something cannot be removed
 */
export async function deleteSession(sessionId: string, options: DeleteSessionOptions = {}): Promise<void> {
  await (await DOORS.storedSessions()).deleteSession(await wholeId(sessionId, options), options);
}

/**
 * Removes what nobody needs any more from the home: sessions that are too old or too much, if that was asked for,
 * and what crashes left: content that no session names, folders without a session, locks of processes that are gone,
 * halves of writes.
 * Contract: never a session that runs; a removal that fails is in the result, not thrown. Without `olderThanDays` and
 * `maxBytes` no session is deleted.
 * @throws ConfigError for options that cannot be used
 */
export async function cleanSessions(options: CleanSessionsOptions = {}): Promise<CleanSessionsResult> {
  checkObject(options, OPTIONS);
  return (await DOORS.storedSessions()).cleanSessions(options);
}

/**
 * Copies a session, or its beginning, into a new one beside it, which can be resumed. Every entry gets a new uuid and
 * names the one it came from (`forkedFrom`). On the disk its subagents, large content and checkpoints are copied too; its
 * tag and its bill stay with the original.
 * @throws SessionError if there is no such session, or no such message in it; ConfigError if the title is empty
 */
export async function forkSession(sessionId: string, options: ForkSessionOptions = {}): Promise<ForkSessionResult> {
  return (await DOORS.storedSessions()).forkSession(await wholeId(sessionId, options), options);
}

/**
 * Copies a session of the disk into a store, with the transcripts of its subagents. May be repeated: the store tells
 * entries apart by their uuid. Lines that cannot be read are left out.
 * @throws SessionError if there is no such session, or it cannot be read; whatever the store throws
 */
export async function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  options: ImportSessionToStoreOptions = {},
): Promise<void> {
  await (await DOORS.storedSessions()).importSessionToStore(await wholeId(sessionId, options), store, options);
}

/**
 * The whole conversation of a session as one text, what compactions replaced included, with its subagents and costs.
 * Contract: nothing in a session can become markup, a script or a load from elsewhere. Thinking is left out unless
 * asked for.
 * @throws SessionError if there is no such session, or it cannot be read; ConfigError for an unknown format
 */
export async function exportSession(sessionId: string, options: ExportSessionOptions = {}): Promise<string> {
  return (await DOORS.wholeSessions()).exportSession(await wholeId(sessionId, options), options);
}

/**
 * The messages of the user that a session can go back to, oldest first, also from before a compaction, with the files
 * that each prompt changed. Of a `sessionStore` nothing is known of files.
 * @throws SessionError if there is no such session, or it cannot be read
 */
export async function listRewindPoints(
  sessionId: string,
  options: ListRewindPointsOptions = {},
): Promise<SessionRewindPoint[]> {
  return (await DOORS.wholeSessions()).listRewindPoints(await wholeId(sessionId, options), options);
}

/**
 * As `rewind` of a running session: sets conversation, files or both (the default) back to before a message of the user.
 * Starts no model, tool or hook. In a `sessionStore` only the conversation can be set back, and `dir` must be there.
 * @param messageId uuid of the message, or the `rewindId` of an earlier rewind, which is then taken back
 * @throws SessionError if there is no such session, or another process writes it; ConfigError if its folder is gone
 */
export async function rewindSession(
  sessionId: string,
  messageId: string,
  options: RewindSessionOptions = {},
): Promise<RewindResult> {
  return (await DOORS.wholeSessions()).rewindSession(await wholeId(sessionId, options), messageId, options);
}
