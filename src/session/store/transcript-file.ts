// The file of a transcript as its writer holds it: taken by a lock, opened when the first line comes, and looked at
// again after every failure, as that may have left half a line.
import { type AppendHandle, type Host, isFileError } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import { DOORS } from '../features.js';
import { refuseLinks } from './own-folder.js';
import { type SessionLock, sessionInUse, sessionOwner, takeSessionLock } from './session-lock.js';

export interface TranscriptFileOptions {
  readonly host: Host;
  /** Absolute. */
  readonly path: string;
  /** False: the lock of another transcript stands for this one too. */
  readonly isLocked: boolean;
  /** False: the file must not have anything in it yet. */
  readonly mayExist: boolean;
}

export interface TranscriptFile {
  /** Takes the session, once. @throws SessionError if another has it, or the file is there and should not be */
  claim(): Promise<void>;
  /** Null if it is not open. */
  readonly handle: AppendHandle | null;
  /** Open for a line that starts at the end of the last one. @throws SessionError, FileError */
  open(): Promise<AppendHandle>;
  /** What must stand before the next line: a line end if the last line has none. Asked once for each line. */
  lineStart(): string;
  /** @throws SessionError if another took the session meanwhile */
  check(): Promise<void>;
  /** After a failure. The next `open` starts afresh. */
  abandon(): Promise<void>;
  close(): Promise<void>;
}

export function createTranscriptFile(options: TranscriptFileOptions): TranscriptFile {
  const { host, path, isLocked, mayExist } = options;
  let lock: SessionLock | null = null;
  let isClaimed = false;
  let handle: AppendHandle | null = null;
  let isTorn = false;
  // Known empty: nothing has to be asked about its end.
  let isNew = !mayExist;

  const claim = async (): Promise<void> => {
    if (isClaimed) return;
    // A new session's id is known to nobody who could have put one there.
    if (isLocked && mayExist) await refuseLinks(host, path.slice(0, -'.jsonl'.length));
    if (isLocked) lock ??= await takeSessionLock(host, path);
    if (!mayExist && (await sizeOf(host, path)) > 0) await refuseTaken();
    isClaimed = true;
  };

  const refuseTaken = async (): Promise<void> => {
    const { holdsConversation } = await DOORS.store();
    if (await holdsConversation(host, path)) {
      await lock?.release();
      lock = null;
      throw new SessionError(
        'session_invalid',
        `There is a session with the transcript ${path} already. Go on with it by resume, or choose another sessionId.`,
      );
    }
    // Half of a first line, as a crash leaves it, is no session, and has to be ended before the next line.
    isNew = false;
  };

  const abandon = async (): Promise<void> => {
    const broken = handle;
    handle = null;
    isNew = false;
    await broken?.close().catch(() => undefined); // it is given up because it failed, and that was told
  };

  return {
    get handle() {
      return handle;
    },
    claim,
    async open() {
      await claim();
      if (handle !== null) return handle;
      const opened = await host.fs.openAppend(path);
      try {
        isTorn = !isNew && (await hasTornEnd(host, path));
      } catch (error) {
        await opened.close();
        throw error;
      }
      isNew = false;
      handle = opened;
      return opened;
    },
    lineStart() {
      const start = isTorn ? '\n' : '';
      isTorn = false;
      return start;
    },
    async check() {
      if (lock === null || (await lock.isHeld())) return;
      const owner = await sessionOwner(host, path);
      throw owner === null
        ? new SessionError('session_in_use', 'The session was taken by another process, which has ended. Resume it.')
        : sessionInUse(owner);
    },
    abandon,
    async close() {
      await abandon();
      // A lock that stays is taken over once this process has ended.
      await lock?.release().catch(() => undefined);
      lock = null;
    },
  };
}

async function sizeOf(host: Host, path: string): Promise<number> {
  try {
    return (await host.fs.stat(path)).size;
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return 0;
    throw error;
  }
}

/** True if a crash or a full disk left a line unfinished. */
async function hasTornEnd(host: Host, path: string): Promise<boolean> {
  const size = await sizeOf(host, path);
  if (size === 0) return false;
  const reader = await host.fs.openRead(path);
  try {
    return (await reader.read(size - 1, 1))[0] !== 0x0a;
  } finally {
    await reader.close();
  }
}
