// The transcript of a session: one JSON object a line, appended, never rewritten. Each line names the one it follows.
import type { AppendHandle, Host } from '../../host/host.js';
import type { NoticeCode } from '../../protocol/system-messages.js';
import { errorText } from '../../util/text.js';
import { VERSION } from '../../util/version.js';
import type { Message } from '../message.js';

/** One line. Facts of the layout: the published SDKs' session files. */
export interface TranscriptEntry {
  readonly parentUuid: string | null;
  readonly isSidechain: boolean;
  readonly userType: 'external';
  readonly cwd: string;
  readonly sessionId: string;
  readonly version: string;
  readonly gitBranch: string;
  readonly type: 'user' | 'assistant';
  readonly message: unknown;
  readonly uuid: string;
  readonly timestamp: string;
  readonly isMeta?: true;
  readonly toolUseResult?: unknown;
}

export interface TranscriptFailure {
  readonly code: Extract<NoticeCode, 'transcript_unavailable'>;
  readonly message: string;
}

export interface Transcript {
  /** Absolute path, or null where the session is not kept. */
  readonly path: string | null;
  /** Uuid of the last recorded message. */
  readonly lastUuid: string | null;
  /** Contract: the line is written when this resolves. A failure is kept for `takeFailure`, not thrown. */
  record(message: Message): Promise<void>;
  /** Contract: everything recorded is on the disk when this resolves. */
  sync(): Promise<void>;
  /** The next message starts a conversation of its own. */
  startOver(): void;
  /** A failure not yet told, once. After a failure nothing more is written. */
  takeFailure(): TranscriptFailure | null;
  /** Contract: nothing is written after this. */
  close(): Promise<void>;
}

export interface TranscriptOptions {
  readonly host: Host;
  readonly path: string;
  readonly sessionId: string;
  readonly cwd: string;
  readonly gitBranch: string;
  /** Where a resumed conversation goes on. */
  readonly lastUuid: string | null;
}

/** A transcript in a file. The file is created with the first record. */
export function createFileTranscript(options: TranscriptOptions): Transcript {
  const { host } = options;
  let lastUuid = options.lastUuid;
  let handle: AppendHandle | null = null;
  let failure: TranscriptFailure | null = null;
  let broken = false;
  let isClosed = false;
  let isDirty = false;
  // Writes follow each other: a line must not start before the last one ended.
  let tail: Promise<void> = Promise.resolve();

  const attempt = (work: () => Promise<void>): Promise<void> => {
    tail = tail.then(async () => {
      if (broken || isClosed) return;
      try {
        await work();
      } catch (error) {
        broken = true;
        failure = {
          code: 'transcript_unavailable',
          message: `The session cannot be kept (${errorText(error).replace(/\.$/, '')}). It goes on without a transcript and cannot be resumed past this point.`,
        };
      }
    });
    return tail;
  };

  return {
    path: options.path,
    get lastUuid() {
      return lastUuid;
    },
    record(message) {
      const entry = toEntry(message, lastUuid, options);
      lastUuid = message.uuid;
      return attempt(async () => {
        handle ??= await openWithWholeTail(host, options.path);
        await handle.append(`${JSON.stringify(entry)}\n`);
        isDirty = true;
      });
    },
    sync: () =>
      attempt(async () => {
        if (!isDirty) return;
        await handle?.sync();
        isDirty = false;
      }),
    startOver() {
      lastUuid = null;
    },
    takeFailure() {
      const told = failure;
      failure = null;
      return told;
    },
    async close() {
      await attempt(async () => {
        if (isDirty) await handle?.sync();
      });
      isClosed = true;
      await handle?.close();
      handle = null;
    },
  };
}

/** A session that is not kept. */
export function createNullTranscript(): Transcript {
  let lastUuid: string | null = null;
  return {
    path: null,
    get lastUuid() {
      return lastUuid;
    },
    record: async (message) => {
      lastUuid = message.uuid;
    },
    sync: async () => undefined,
    startOver: () => {
      lastUuid = null;
    },
    takeFailure: () => null,
    close: async () => undefined,
  };
}

function toEntry(message: Message, parentUuid: string | null, options: TranscriptOptions): TranscriptEntry {
  return {
    parentUuid,
    isSidechain: false,
    userType: 'external',
    cwd: options.cwd,
    sessionId: options.sessionId,
    version: VERSION,
    gitBranch: options.gitBranch,
    type: message.type,
    message: message.message,
    uuid: message.uuid,
    timestamp: message.timestamp ?? new Date(options.host.clock.now()).toISOString(),
    ...(message.isMeta ? { isMeta: true } : {}),
    ...(message.type === 'user' && message.toolUseResult !== undefined ? { toolUseResult: message.toolUseResult } : {}),
  };
}

/** Ends a line that a crash left unfinished, so that the next one starts on its own. */
async function openWithWholeTail(host: Host, path: string): Promise<AppendHandle> {
  const handle = await host.fs.openAppend(path);
  const { size } = await host.fs.stat(path);
  if (size === 0) return handle;
  const reader = await host.fs.openRead(path);
  try {
    const last = await reader.read(size - 1, 1);
    if (last[0] !== 0x0a) await handle.append('\n');
  } finally {
    await reader.close();
  }
  return handle;
}
