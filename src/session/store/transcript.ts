// The transcript of a session: one JSON object a line, appended, never rewritten. Each line names the one it follows.
import path from 'node:path';
import type { MessageDraft } from '../../engine/loop-state.js';
import type { AppendHandle, Host } from '../../host/host.js';
import { errorText } from '../../util/text.js';
import type { Message } from '../message.js';
import {
  type CompactMetadata,
  type EntryContext,
  type MetadataEntry,
  type StateEntry,
  type TranscriptEntry,
  toBoundaryEntry,
  toEntry,
} from './entry.js';

/** A line about the session; the transcript adds the session's id. */
export type AnnotationLine = DistributiveOmit<MetadataEntry | StateEntry, 'sessionId'>;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export interface Transcript {
  /** Absolute path, or null where the session is not kept. */
  readonly path: string | null;
  /** Uuid of the last recorded message. */
  readonly lastUuid: string | null;
  /** Contract: the line is written when this resolves. A failure is kept for `takeDrafts`, not thrown. */
  record(message: Message): Promise<void>;
  /** A line about the session, as `record`. Contract: alone it makes no file, so a session without a message leaves none. */
  annotate(line: AnnotationLine): Promise<void>;
  /** Contract: everything recorded is on the disk when this resolves. */
  sync(): Promise<void>;
  /** The next message starts a conversation of its own; after a compaction, behind a line that says so. */
  startOver(compaction?: CompactMetadata): Promise<void>;
  /** The transcript of a subagent, in a file of its own in `folder`. */
  forAgent(agentId: string, folder: string): Transcript;
  /** What the caller must be told since the last call. */
  takeDrafts(): readonly MessageDraft[];
  /** Contract: nothing is written after this. */
  close(): Promise<void>;
}

export interface TranscriptOptions extends EntryContext {
  readonly host: Host;
  readonly path: string;
  /** Where a resumed conversation goes on. */
  readonly lastUuid: string | null;
}

/** A transcript in a file. The file is created with the first record. */
export function createFileTranscript(options: TranscriptOptions): Transcript {
  const { host } = options;
  let lastUuid = options.lastUuid;
  let hasLines = lastUuid !== null;
  let handle: AppendHandle | null = null;
  let drafts: MessageDraft[] = [];
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
        drafts.push({
          type: 'system',
          subtype: 'notice',
          level: 'warning',
          code: 'transcript_unavailable',
          message: `The session cannot be kept (${errorText(error).replace(/\.$/, '')}). It goes on without a transcript and cannot be resumed past this point.`,
          remedy: 'Set TURNWRIGHT_HOME to a folder that can be written.',
        });
      }
    });
    return tail;
  };

  const write = (entry: TranscriptEntry): Promise<void> =>
    attempt(async () => {
      handle ??= await openWithWholeTail(host, options.path);
      await handle.append(`${JSON.stringify(entry)}\n`);
      isDirty = true;
    });
  const now = () => new Date(host.clock.now()).toISOString();

  return {
    path: options.path,
    get lastUuid() {
      return lastUuid;
    },
    record(message) {
      const entry = toEntry(message, lastUuid, options, now());
      lastUuid = message.uuid;
      hasLines = true;
      return write(entry);
    },
    async annotate(line) {
      if (!hasLines) return;
      // The type goes first: readers look for a line that starts with it.
      await write({ ...line, sessionId: options.sessionId });
    },
    sync: () =>
      attempt(async () => {
        if (!isDirty) return;
        await handle?.sync();
        isDirty = false;
      }),
    async startOver(compaction) {
      const before = lastUuid;
      lastUuid = null;
      if (compaction === undefined) return;
      const entry = toBoundaryEntry(host.ids.uuid(), before, compaction, options, now());
      lastUuid = entry.uuid;
      await write(entry);
    },
    forAgent: (agentId, folder) =>
      createFileTranscript({ ...options, path: path.join(folder, `agent-${agentId}.jsonl`), lastUuid: null, agentId }),
    takeDrafts() {
      const told = drafts;
      drafts = [];
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
    annotate: async () => undefined,
    sync: async () => undefined,
    startOver: async () => {
      lastUuid = null;
    },
    forAgent: () => createNullTranscript(),
    takeDrafts: () => [],
    close: async () => undefined,
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
