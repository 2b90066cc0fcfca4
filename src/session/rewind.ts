// Sets a session back to the moment before a message of the user.
import { type Host, isFileError } from '../host/host.js';
import { ConfigError, SessionError } from '../protocol/errors.js';
import type { RewindFilesOptions, RewindFilesResult } from '../protocol/rewind.js';
import { errorText } from '../util/text.js';
import type { Runtime } from './assemble.js';
import type { QueryEngineConfig } from './config.js';
import type { Session } from './session.js';
import { takeSessionLock } from './store/session-lock.js';
import { homeFolder, projectFolder, transcriptPath } from './store/store-path.js';

const NO_CHECKPOINTS =
  'This session keeps no file checkpoints. They are made with enableFileCheckpointing, which a rewind needs as well.';

/**
 * Contract: throws for bugs alone; what stands in the way is in the result.
 * @param runtime of the running session, which is then its writer; null before its first prompt and after its end
 */
export async function rewindFiles(
  session: Session,
  runtime: Runtime | null,
  userMessageId: string,
  options: RewindFilesOptions,
): Promise<RewindFilesResult> {
  try {
    const checkpoints = await session.checkpoints();
    if (checkpoints === null) return { canRewind: false, error: NO_CHECKPOINTS };
    const rewind = () => checkpoints.rewind(userMessageId, options);
    // What changes nothing needs no place to be made and nobody's leave.
    if (options.dryRun === true || !(await checkpoints.has(userMessageId))) return await rewind();
    return await asWriter(session, runtime, rewind);
  } catch (error) {
    const isExpected = error instanceof ConfigError || error instanceof SessionError || isFileError(error);
    if (!isExpected) throw error;
    return { canRewind: false, error: errorText(error) };
  }
}

/** Nobody else works on the session meanwhile. @throws SessionError where somebody does; FileError */
async function asWriter<T>(
  { config, host, sessionId }: Session,
  runtime: Runtime | null,
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
  const home = homeFolder(host, { ...host.env, ...config.env });
  return transcriptPath(await projectFolder(host, home, config.cwd), sessionId);
}
