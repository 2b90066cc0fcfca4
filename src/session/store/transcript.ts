// The transcript of a session: one JSON object a line, appended, never rewritten. Each line names the one it follows.
import path from 'node:path';
import type { MessageDraft } from '../../engine/loop-state.js';
import type { Host } from '../../host/host.js';
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
import { createLineWriter } from './line-writer.js';
import { createTranscriptFile } from './transcript-file.js';
import { createTranscriptNotices, type TranscriptNotices } from './transcript-notices.js';

/** A line about the session; the transcript adds the session's id. */
export type AnnotationLine = DistributiveOmit<MetadataEntry | StateEntry, 'sessionId'>;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export interface Transcript {
  /** Absolute path, or null where the session is not kept. */
  readonly path: string | null;
  /** Uuid of the last recorded message. */
  readonly lastUuid: string | null;
  /** Takes the session for this writer. @throws SessionError where another has it, or it exists and should not */
  open(): Promise<void>;
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
  /** Absolute. */
  readonly path: string;
  /** Where a resumed conversation goes on. */
  readonly lastUuid: string | null;
  /** False: there must be no such transcript yet. */
  readonly mayExist: boolean;
}

/** A transcript in a file. The file is created with the first record. */
export function createFileTranscript(options: TranscriptOptions): Transcript {
  const { host } = options;
  let lastUuid = options.lastUuid;
  let hasLines = lastUuid !== null;
  const notices = createTranscriptNotices(options.path);
  const writer = createLineWriter({
    file: createTranscriptFile({
      host,
      path: options.path,
      isLocked: options.agentId === undefined,
      mayExist: options.mayExist,
    }),
    clock: host.clock,
    lastUuid,
    render: (_entry, text) => text,
    watch: notices,
  });
  const write = async (given: TranscriptEntry): Promise<void> => {
    hasLines = true;
    const line = serialise(given, notices);
    if (line !== null) await writer.write(line.entry, line.text);
  };
  const now = () => new Date(host.clock.now()).toISOString();

  return {
    path: options.path,
    get lastUuid() {
      return lastUuid;
    },
    open: () => writer.open(),
    record(message) {
      const entry = toEntry(message, lastUuid, options, now());
      lastUuid = message.uuid;
      return write(entry);
    },
    async annotate(line) {
      // The type goes first: readers look for a line that starts with it.
      if (hasLines) await write({ ...line, sessionId: options.sessionId });
    },
    sync: () => writer.sync(),
    async startOver(compaction) {
      const before = lastUuid;
      lastUuid = null;
      if (compaction === undefined) return;
      const entry = toBoundaryEntry(host.ids.uuid(), before, compaction, options, now());
      lastUuid = entry.uuid;
      await write(entry);
    },
    forAgent: (agentId, folder) =>
      createFileTranscript({
        ...options,
        path: path.join(folder, `agent-${agentId}.jsonl`),
        lastUuid: null,
        mayExist: true,
        agentId,
      }),
    takeDrafts: () => notices.take(),
    close: () => writer.close(),
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
    open: async () => undefined,
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

/** A tool of the host's own may return what JSON has no form for. Null where not even the rest can be written. */
function serialise(
  entry: TranscriptEntry,
  notices: TranscriptNotices,
): { readonly entry: TranscriptEntry; readonly text: string } | null {
  try {
    return { entry, text: JSON.stringify(entry) };
  } catch (error) {
    notices.onUnwritable(error);
  }
  try {
    const rest = { ...entry, toolUseResult: null };
    return { entry: rest, text: JSON.stringify(rest) };
  } catch {
    return null; // told already
  }
}
