// Sets a session back to the moment before a message of the user: its files, its conversation, or both.
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError, SessionError } from '../../protocol/errors.js';
import type {
  RewindFilesOptions,
  RewindFilesResult,
  RewindOptions,
  RewindResult,
  RewindScope,
} from '../../protocol/rewind.js';
import { errorText } from '../../util/text.js';
import type { QueryEngineConfig } from '../config/index.js';
import type { Session, SessionRuntime } from '../core/index.js';
import { projectFolder, type RewindPoint, sessionsHome, takeSessionLock, transcriptPath } from '../store/index.js';
import { findPoint, openForRewind, setBack } from './rewind-conversation.js';

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

/** Contract: as `rewindFiles`. Where files and conversation are meant and the files cannot be set back, nothing is. */
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

function cannot(error: string): RewindFilesResult {
  return { canRewind: false, error };
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
