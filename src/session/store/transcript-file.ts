// The file of a transcript, and the lines that go into it, one write a line. One rule: no line is lost in silence. What cannot
// be written waits in memory, is told once, and is tried again with every next line.
import { type AppendHandle, type Host, type HostClock, isFileError } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import { DOORS } from '../features.js';
import { REWOUND, type TranscriptEntry } from './entry.js';
import { type SessionLock, sessionInUse, sessionOwner, takeSessionLock } from './session-lock.js';
import { refuseLinks } from './session-places.js';

interface TranscriptFileOptions {
  readonly host: Host;
  /** Absolute. */
  readonly path: string;
  /** False: the lock of another transcript stands for this one too. */
  readonly isLocked: boolean;
  /** False: the file must not have anything in it yet. */
  readonly mayExist: boolean;
}

interface TranscriptFile {
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

interface LineWriterOptions {
  readonly file: TranscriptFile;
  readonly clock: HostClock;
  /** The line that the first one follows; null if the conversation begins here. */
  readonly lastUuid: string | null;
  /** An entry as the text of its line, without the end. Asked again if it has to be written again. */
  readonly render: (entry: TranscriptEntry, text: string) => Promise<string> | string;
  readonly watch: LineWatch;
}

/** Told of what goes wrong, and when it is well again. */
export interface LineWatch {
  /** Lines wait from now on. */
  onFailure(error: unknown): void;
  /** All that waited is written. @param lost lines that were dropped because too much waited */
  onRecovery(written: number, lost: number): void;
  /** Too much waits: the oldest lines are dropped from now on. */
  onLoss(): void;
  /** Nothing more is written: another writer has the session. */
  onRefusal(error: SessionError): void;
}

/** Contract: nothing here throws but `open`. Calls are worked on one after the other. */
export interface LineWriter {
  /** Takes the session. Called by the first line if nobody did. @throws SessionError if that cannot be had */
  open(): Promise<void>;
  /** @param text the entry as JSON. Contract: the line is written when this resolves, or waits and that was told. */
  write(entry: TranscriptEntry, text: string): Promise<void>;
  /** Contract: what was written is on the disk when this resolves, or waits and that was told. */
  sync(): Promise<void>;
  /** Lines that wait. */
  readonly waiting: number;
  /** Contract: nothing is written after this. */
  close(): Promise<void>;
}

/** Lines may wait in memory up to this many characters. */
const MAX_WAITING = 32 * 1024 * 1024;
/** Lines not known to be on the disk are kept, to be written again if the disk refuses them; so many at most. */
const MAX_UNSYNCED = 256;
/**
 * What a user said, and what the tools of a turn gave, goes to the disk by itself, if nothing went there for so long.
 * A turn with a model behind it takes longer; one without would wait for little else.
 */
const SYNC_EVERY_MS = 1_000;
/** After a pause as long as this somebody who could not see this writer may have taken the session. */
const RECHECK_MS = 5 * 60_000;

interface Waiting {
  readonly entry: TranscriptEntry;
  readonly text: string;
}

export function createLineWriter(options: LineWriterOptions): LineWriter {
  const { file, clock, watch } = options;
  let lastUuid = options.lastUuid;
  let waiting: Waiting[] = [];
  let waitingSize = 0;
  let unsynced: { readonly entry: TranscriptEntry; readonly after: string | null }[] = [];
  let lastWriteAt = clock.now();
  let lastSyncAt = lastWriteAt;
  let trouble: { written: number; lost: number } | null = null;
  let isOver = false;
  let refusal: SessionError | null = null;
  // Calls follow each other: a line must not start before the last one ended.
  let tail: Promise<void> = Promise.resolve();
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    tail = tail.then(() => (isOver ? undefined : work()));
    return tail;
  };

  const fail = async (error: unknown): Promise<void> => {
    await file.abandon();
    if (error instanceof SessionError) {
      isOver = true;
      refusal = error;
      waiting = [];
      return watch.onRefusal(error);
    }
    if (trouble === null) watch.onFailure(error);
    trouble ??= { written: 0, lost: 0 };
    while (waitingSize > MAX_WAITING && waiting.length > 1) {
      if (trouble.lost === 0) watch.onLoss();
      waitingSize -= waiting.shift()?.text.length ?? 0;
      trouble.lost += 1;
    }
  };

  const append = async (line: Waiting): Promise<void> => {
    const handle = file.handle ?? (await file.open());
    if (clock.now() - lastWriteAt > RECHECK_MS) await file.check();
    const entry = following(line.entry, lastUuid);
    const rendered = options.render(entry, entry === line.entry ? line.text : JSON.stringify(entry));
    const text = typeof rendered === 'string' ? rendered : await rendered;
    await handle.append(`${file.lineStart()}${text}\n`);
    lastWriteAt = clock.now();
    unsynced.push({ entry: line.entry, after: lastUuid });
    if ('uuid' in entry) lastUuid = entry.uuid;
  };

  /** True if nothing waits any more. */
  const flush = async (): Promise<boolean> => {
    for (let line = waiting[0]; line !== undefined; line = waiting[0]) {
      try {
        await append(line);
      } catch (error) {
        await fail(error);
        return false;
      }
      waiting.shift();
      waitingSize -= line.text.length;
      if (trouble !== null) trouble.written += 1;
    }
    return true;
  };

  const syncNow = async (): Promise<boolean> => {
    if (unsynced.length === 0) return true;
    try {
      await (await file.open()).sync();
      unsynced = [];
      lastSyncAt = clock.now();
      return true;
    } catch (error) {
      // A disk that refused once may say yes the next time to what it has lost by then: so it is all written again.
      waiting = [...unsynced.map(({ entry }) => ({ entry, text: JSON.stringify(entry) })), ...waiting];
      waitingSize = waiting.reduce((size, { text }) => size + text.length, 0);
      lastUuid = unsynced[0]?.after ?? null;
      unsynced = [];
      await fail(error);
      return false;
    }
  };

  const settle = async (): Promise<void> => {
    const isWhole = (await flush()) && (await syncNow());
    // Once more at once: what failed by chance is not carried into the next prompt.
    if (!isWhole && !((await flush()) && (await syncNow()))) return;
    if (trouble === null || isOver) return;
    watch.onRecovery(trouble.written, trouble.lost);
    trouble = null;
  };

  return {
    get waiting() {
      return waiting.length;
    },
    async open() {
      let refused: unknown = null;
      await inOrder(async () => {
        try {
          await file.claim();
        } catch (error) {
          // The session of somebody else may be free with the next prompt: nothing is over.
          if (error instanceof SessionError) refused = error;
          else await fail(error);
        }
      });
      refused ??= refusal;
      if (refused !== null) throw refused;
    },
    async write(entry, text) {
      await inOrder(async () => {
        waiting.push({ entry, text });
        waitingSize += text.length;
        const isWhole = await flush();
        if (isWhole && (trouble !== null || unsynced.length >= MAX_UNSYNCED)) await settle();
      });
      // Nobody waits for it but the next line, which comes when the model has answered.
      const isDue = entry.type === 'user' && unsynced.length > 0 && clock.now() - lastSyncAt >= SYNC_EVERY_MS;
      if (isDue && trouble === null) void inOrder(settle);
    },
    sync: () => inOrder(settle),
    async close() {
      await inOrder(async () => {
        await settle();
        isOver = true;
      });
      isOver = true;
      await file.close();
    },
  };
}

/** The entry behind the line that really stands before it: a line may have been lost. */
function following(entry: TranscriptEntry, lastUuid: string | null): TranscriptEntry {
  if (!('parentUuid' in entry) || entry.parentUuid === null || entry.parentUuid === lastUuid) return entry;
  // It names an older line on purpose.
  if (entry.type === 'system' && entry.subtype === REWOUND) return entry;
  return { ...entry, parentUuid: lastUuid };
}
