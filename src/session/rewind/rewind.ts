// Sets a session back to the moment before a message of the user: its files, its conversation, or both.

import path from 'node:path';
import { type MessageDraft, NO_COMPACTION } from '../../engine/state/index.js';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError, SessionError } from '../../protocol/errors.js';
import type { ContentSource } from '../../protocol/options.js';
import type {
  RewindFilesOptions,
  RewindFilesResult,
  RewindOptions,
  RewindResult,
  RewindScope,
} from '../../protocol/rewind.js';
import { pricedAs } from '../../providers/keys/index.js';
import { loadCatalogue } from '../../providers/models/index.js';
import { errorText, shorten } from '../../util/text.js';
import { cannot } from '../checkpoints/index.js';
import { type QueryEngineConfig, resolveLimits } from '../config/index.js';
import { rememberFiles, type Session, type SessionRuntime } from '../core/index.js';
import type { Message } from '../messages/index.js';
import { hostPlace } from '../models/index.js';
import { SHOWN_PROMPT, stateLine } from '../prompt/index.js';
import { createSessionVault } from '../secrets/index.js';
import { createPriceBook } from '../spending/index.js';
import {
  createStoreReader,
  findRewindPoint,
  isPrompt,
  openSessionTranscript,
  placeIn,
  projectFolder,
  putBack,
  type ReadUpTo,
  type RewindLine,
  type RewindPoint,
  readSession,
  readSessionEntries,
  readTranscriptFile,
  type SessionPlace,
  sessionsHome,
  subagentFile,
  subagentIds,
  type Transcript,
  takeSessionLock,
  todosAfter,
  transcriptPath,
  transcriptStat,
} from '../store/index.js';

const NO_CHECKPOINTS =
  'This session keeps no file checkpoints. They are made with enableFileCheckpointing, which a rewind needs as well.';
const ALONE = 'The scope conversation sets back the conversation alone.';
const SCOPES: readonly RewindScope[] = ['conversation', 'files', 'both'];

/**
 * Contract: throws for bugs alone; what stands in the way is in the result.
 * @param runtime of the running session, which is then its writer; null before its first prompt and after its end
 */
export async function rewindFiles(
  session: Session,
  runtime: SessionRuntime | null,
  userMessageId: string,
  options: RewindFilesOptions,
): Promise<RewindFilesResult> {
  return unlessRefused(cannot, async () => {
    const checkpoints = await session.checkpoints();
    if (checkpoints === null) return cannot(NO_CHECKPOINTS);
    const rewind = () => checkpoints.rewind(userMessageId, options);
    // What changes nothing needs no place to be made and nobody's leave.
    if (options.dryRun === true || !(await checkpoints.has(userMessageId))) return await rewind();
    return await asWriter(session, runtime, rewind);
  });
}

/** Contract: as `rewindFiles`. If files and conversation are meant and the files cannot be set back, nothing is. */
export async function rewindSession(
  session: Session,
  runtime: SessionRuntime | null,
  userMessageId: string,
  options: RewindOptions,
): Promise<RewindResult> {
  const { scope = 'both', ...fileOptions } = options;
  const what = { targetUserMessageId: userMessageId, scope };
  const reject = (error: string): RewindResult => ({ status: 'rejected', ...what, error });
  if (!SCOPES.includes(scope))
    return reject(`There is no scope ${JSON.stringify(scope)}. It is one of ${SCOPES.join(', ')}.`);
  if (scope === 'files') {
    const files = await rewindFiles(session, runtime, userMessageId, fileOptions);
    if (!files.canRewind) return { ...reject(files.error ?? ''), files };
    return { ...what, status: statusOf(options, files), ...fileFields(files) };
  }
  return unlessRefused(reject, async () => {
    const point = await findPoint(session, userMessageId);
    if (typeof point === 'string') return reject(point);
    const ends = { ...what, ...conversationFields(session, point) };
    if (options.dryRun === true) {
      const files = scope === 'both' ? await rewindFiles(session, runtime, userMessageId, fileOptions) : null;
      if (files?.canRewind === false) return { ...reject(`${files.error} ${ALONE}`), files };
      return { ...ends, status: 'ready', ...fileFields(files) };
    }
    if (scope === 'both' && (await session.checkpoints()) === null) return reject(`${NO_CHECKPOINTS} ${ALONE}`);
    const writer = await openForRewind(session, runtime);
    try {
      const rewindId = session.host.ids.uuid();
      const files = scope === 'both' ? await filesToo(session, userMessageId, fileOptions, rewindId) : null;
      if (files?.canRewind === false) return { ...reject(`${files.error} ${ALONE}`), files };
      const error = await setBack(session, writer, point, { uuid: rewindId, targetUuid: userMessageId, scope });
      const status = error === null ? statusOf(options, files) : 'partial';
      return { ...ends, status, ...fileFields(files), rewindId, ...(error === null ? {} : { error }) };
    } finally {
      await writer.release();
    }
  });
}

/** The session is held already. */
async function filesToo(
  session: Session,
  uuid: string,
  options: RewindFilesOptions,
  rewindId: string,
): Promise<RewindFilesResult> {
  const checkpoints = await session.checkpoints();
  return checkpoints === null ? cannot(NO_CHECKPOINTS) : checkpoints.rewind(uuid, options, rewindId);
}

function conversationFields({ history }: Session, { messages }: RewindPoint): Partial<RewindResult> {
  const kept = new Set(messages.map(({ uuid }) => uuid));
  return {
    retainedLeafId: messages.at(-1)?.uuid ?? null,
    removedMessageIds: history.messages.flatMap(({ uuid }) => (kept.has(uuid) ? [] : [uuid])),
  };
}

function statusOf({ dryRun }: RewindOptions, files: RewindFilesResult | null): RewindResult['status'] {
  if (dryRun === true) return 'ready';
  return leftAlone(files).length === 0 ? 'success' : 'partial';
}

function fileFields(files: RewindFilesResult | null): Partial<RewindResult> {
  if (files === null) return {};
  const { filesChanged, insertions, deletions, rewindId } = files;
  return {
    ...(filesChanged === undefined ? {} : { filesChanged }),
    ...(insertions === undefined ? {} : { insertions }),
    ...(deletions === undefined ? {} : { deletions }),
    ...(rewindId === undefined ? {} : { rewindId }),
    failedFiles: leftAlone(files),
    files,
  };
}

function leftAlone(files: RewindFilesResult | null): { readonly path: string; readonly error: string }[] {
  const conflicts = (files?.conflicts ?? []).map(({ path, message }) => ({ path, error: message }));
  return [...conflicts, ...(files?.failed ?? [])];
}

async function unlessRefused<T>(refuse: (error: string) => T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isExpected = error instanceof ConfigError || error instanceof SessionError || isFileError(error);
    if (!isExpected) throw error;
    return refuse(errorText(error));
  }
}

/** Nobody else works on the session meanwhile. @throws SessionError if somebody does; FileError */
async function asWriter<T>(
  { config, host, sessionId }: Session,
  runtime: SessionRuntime | null,
  work: () => Promise<T>,
): Promise<T> {
  if (runtime !== null) {
    await runtime.transcript.open();
    return work();
  }
  const lock = await takeSessionLock(host, await transcriptOf(config, host, sessionId));
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

async function transcriptOf(config: QueryEngineConfig, host: Host, sessionId: string): Promise<string> {
  const home = sessionsHome(host, { ...host.env, ...config.env });
  return transcriptPath(await projectFolder(host, home, config.cwd), sessionId);
}

// The conversation's part of a rewind: finds the moment before a message, and makes the session go on from there. Nothing
// is taken out of the transcript, and what was spent stays spent.

/** @returns the moment before the message, or why there is none. @throws SessionError if the session cannot be read */
async function findPoint(session: Session, uuid: string): Promise<RewindPoint | string> {
  const place = await placeOf(session);
  const read = await readerOf(session, place);
  const stored = read === null ? 'not_found' : await findRewindPoint(read, uuid);
  // What could not be written yet is known to this process alone.
  const found = stored === 'not_found' ? pointInMemory(session, uuid) : stored;
  if (typeof found !== 'string') return found;
  const named = JSON.stringify(shorten(uuid, 60));
  if (found === 'no_prompt')
    return `${named} is not a message of the user. A conversation goes back to the moment before one.`;
  const agentId = session.config.persistSession === false ? null : await agentWith(session, place, uuid);
  if (agentId !== null)
    return `${named} is a message of the subagent ${agentId}. A rewind goes to a message of the session itself.`;
  return `There is no message ${named} in this session.`;
}

async function placeOf({ host, config, sessionId }: Session): Promise<SessionPlace> {
  const home = sessionsHome(host, { ...host.env, ...config.env });
  return placeIn(await projectFolder(host, home, config.cwd), sessionId);
}

/** Null if the session is kept nowhere, or nothing of it was written yet. */
async function readerOf({ host, config, sessionId }: Session, place: SessionPlace): Promise<ReadUpTo | null> {
  if (config.persistSession !== false) {
    if ((await transcriptStat(host, place.file)) === null) return null;
    return async (upTo) => (await putBack(host, place.ownFolder, await readSession(host, place, { upTo }))).read;
  }
  if (config.sessionStore === undefined) return null;
  const key = { projectKey: path.basename(place.folder), sessionId };
  const entries = await createStoreReader(config.sessionStore, host.clock).load(key);
  return entries === null ? null : (upTo) => readSessionEntries(entries, sessionId, { upTo });
}

function pointInMemory({ history, memory }: Session, uuid: string): RewindPoint | 'not_found' | 'no_prompt' {
  const { messages } = history;
  const at = messages.findIndex((message) => message.uuid === uuid);
  const target = messages[at];
  if (target === undefined) return 'not_found';
  if (!isPrompt({ role: target.type, value: { ...target } })) return 'no_prompt';
  const kept = messages.slice(0, at);
  return {
    leafUuid: kept.at(-1)?.uuid ?? null,
    messages: kept,
    todos: todosAfter(kept, []),
    compaction: { ...NO_COMPACTION, lastAtTurn: memory.compaction.lastAtTurn },
  };
}

/** The subagent whose transcript holds an entry; null if none does. */
async function agentWith({ host }: Session, place: SessionPlace, uuid: string): Promise<string | null> {
  for (const agentId of await subagentIds(host, place)) {
    const rules = { sessionId: null, isSidechain: true, upTo: uuid, maxBytes: 1 };
    const { entries } = await readTranscriptFile(host, subagentFile(place, agentId), rules);
    if (entries.length > 0) return agentId;
  }
  return null;
}

/** Who may write the session until it is released. */
interface RewindWriter {
  readonly transcript: Transcript;
  /** True: the session does not run, and its transcript is closed again. */
  readonly isOwn: boolean;
  /** The sources of untrusted texts of the conversation; undefined if nobody keeps them. */
  readonly untrusted: readonly ContentSource[] | undefined;
  release(): Promise<void>;
}

/** Takes the session. @throws SessionError if another process writes it; ConfigError */
async function openForRewind(session: Session, runtime: SessionRuntime | null): Promise<RewindWriter> {
  if (runtime !== null) {
    await runtime.transcript.open();
    const { transcript, provenance } = runtime;
    return { transcript, isOwn: false, untrusted: provenance?.sources, release: async () => undefined };
  }
  const { config, host, sessionId, memory } = session;
  const env = { ...host.env, ...config.env };
  const limits = resolveLimits(env, config.limits);
  const resumedFrom = memory.leafUuid === undefined ? config.resumedFrom : memory.leafUuid;
  const known = { ...config, resumedFrom: resumedFrom ?? null, initialMessages: [...session.history.messages] };
  // A message was found in it, so there is one, also if the conversation is empty by now.
  const vault = config.redactSecrets === false ? null : createSessionVault({ host, env });
  const transcript = await openSessionTranscript(known, { host, env, sessionId, limits, vault, mayExist: true });
  const { resumedState } = session.config;
  const writer = { transcript, isOwn: true, untrusted: resumedState?.untrusted, release: () => transcript.close() };
  try {
    await priceResumed(session);
    await transcript.open();
  } catch (error) {
    await writer.release();
    throw error;
  }
  return writer;
}

/** @returns null; or why it could not be recorded: it then holds for this session only */
async function setBack(
  session: Session,
  { transcript, isOwn, untrusted }: RewindWriter,
  point: RewindPoint,
  line: Omit<RewindLine, 'leafUuid'>,
): Promise<string | null> {
  const { history, config, memory } = session;
  await transcript.rewind({ ...line, leafUuid: point.leafUuid });
  history.restore(point.messages);
  // What the model no longer has it must be able to read again, and what it still has it need not.
  config.readFileCache.clear();
  await rememberFiles({ ...config, messages: point.messages }, session.host);
  config.setAppState((previous) => ({ ...previous, todos: point.todos }));
  memory.compaction = point.compaction;
  memory.areTasksTold = false;
  memory.isPlaceTold = false;
  if (isOwn) memory.leafUuid = transcript.lastUuid;
  const lastPrompt = promptText(point.messages);
  if (lastPrompt !== '') await transcript.annotate({ type: 'last-prompt', lastPrompt });
  await transcript.annotate(stateLine(session, transcript, untrusted));
  await transcript.endPrompt(false);
  // The drafts of a session that runs are told with its next prompt, and its lines are tried again.
  return isOwn ? troubleIn(transcript.takeDrafts()) : null;
}

/** Replies of a prompt that did not end have no price yet, and nobody else would give them one. */
async function priceResumed({ config, ledger }: Session): Promise<void> {
  const first = config.resumedReplies?.[0];
  if (first === undefined) return;
  const { provider } = config;
  const locate = provider === undefined ? pricedAs : (model: string) => ({ ...hostPlace(provider), model });
  ledger.priceWith(createPriceBook(await loadCatalogue(config.catalogueOverrides), locate));
}

/** The last prompt that is left: what a list says the session is about. */
function promptText(messages: readonly Message[]): string {
  const last = messages.findLast((message) => isPrompt({ role: message.type, value: { ...message } }));
  if (last?.type !== 'user') return '';
  const { content } = last.message;
  const text =
    typeof content === 'string'
      ? content
      : content.map((block) => (block?.type === 'text' ? block.text : '')).join(' ');
  return shorten(text, SHOWN_PROMPT).trim();
}

/** Null if everything was written in the end. */
function troubleIn(drafts: readonly MessageDraft[]): string | null {
  let trouble: string | null = null;
  for (const draft of drafts) {
    if (draft.type !== 'system') continue;
    if (draft.subtype === 'mirror_error') trouble = `The sessionStore did not take it: ${draft.error}`;
    if (draft.subtype !== 'notice') continue;
    if (draft.code === 'transcript_unavailable') trouble = draft.message;
    if (draft.code === 'transcript_recovered') trouble = null;
  }
  return trouble;
}
