// The transcript of a session: one JSON object a line, appended, never rewritten. Each line names the one it follows.
import path from 'node:path';
import type { MessageDraft } from '../../engine/state/index.js';
import { type Host, isFileError } from '../../host/host.js';
import type { SessionKey } from '../../protocol/session-store.js';
import type { NoticeCode } from '../../protocol/system-messages.js';
import { isNestedDeeper, MAX_NESTING, withoutDeeper } from '../../util/json.js';
import { count, errorText } from '../../util/text.js';
import type { Message } from '../messages/index.js';
import {
  type CompactMetadata,
  type DeferralEntry,
  type EntryContext,
  type MetadataEntry,
  type RewindFacts,
  type SettingsEntry,
  type StateEntry,
  type TranscriptEntry,
  toBoundaryEntry,
  toEntry,
  toRewindEntry,
} from './entry.js';
import type { EntryContent } from './entry-content.js';
import type { StoreMirror, StoreMirrorOptions } from './store-mirror.js';
import { createLineWriter, createTranscriptFile, type LineWatch, type LineWriter } from './transcript-file.js';

/** A line about the session; the transcript adds the session's id. */
export type AnnotationLine = DistributiveOmit<MetadataEntry | StateEntry | DeferralEntry | SettingsEntry, 'sessionId'>;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export interface Transcript {
  /** Absolute path, or null if the session is not kept. */
  readonly path: string | null;
  /** Uuid of the last recorded message. */
  readonly lastUuid: string | null;
  /** Takes the session for this writer. @throws SessionError if another has it, or it exists and should not */
  open(): Promise<void>;
  /** Contract: the line is written when this resolves. A failure is kept for `takeDrafts`, not thrown. */
  record(message: Message): Promise<void>;
  /** A line about the session, as `record`. Contract: alone it makes no file, so a session without a message leaves none. */
  annotate(line: AnnotationLine): Promise<void>;
  /** Contract: everything recorded is on the disk when this resolves. */
  sync(): Promise<void>;
  /**
   * As `sync`, and everything is with the store; what was taken out of it is told.
   * @param isHurried true after an abort: the store is not waited for
   */
  endPrompt(isHurried: boolean): Promise<void>;
  /** The next message starts a conversation of its own, behind a line that says so. Contract: as `record`. */
  startOver(compaction?: CompactMetadata): Promise<void>;
  /** The next message goes on behind an earlier line, or begins anew. Contract: a line says so, as `record`. */
  rewind(to: RewindLine): Promise<void>;
  /** A text for a file beside the transcript, as it would stand in it: without secrets. */
  withoutSecrets(text: string): Promise<string>;
  /** The transcript of a subagent, in a file of its own in `folder`. */
  /** @param lastUuid the last entry of one that goes on */
  forAgent(agentId: string, folder: string, lastUuid?: string | null): Transcript;
  /** What the caller must be told since the last call. */
  takeDrafts(): readonly MessageDraft[];
  /** Contract: nothing is written after this. */
  close(): Promise<void>;
}

export interface RewindLine extends Omit<RewindFacts, 'fromUuid'> {
  /** Of the line itself. */
  readonly uuid: string;
  /** The line to go on behind; null for a conversation without messages. */
  readonly leafUuid: string | null;
}

export interface TranscriptOptions extends EntryContext {
  readonly host: Host;
  /** Its file; null if the session is kept in a store only. */
  readonly file: {
    /** Absolute. */
    readonly path: string;
    /** False: there must be no such transcript yet. */
    readonly mayExist: boolean;
  } | null;
  /** The entry after which a resumed conversation goes on. */
  readonly lastUuid: string | null;
  readonly content: EntryContent;
  /** Makes what gives the lines to the host's own store as well. */
  readonly mirror: ((subpath: string | undefined, onError: StoreMirrorOptions['onError']) => StoreMirror) | null;
}

/** A transcript in a file, in a store, or in both. A file is created with the first record. */
export function createTranscript(options: TranscriptOptions): Transcript {
  const { host, file, content, agentId } = options;
  let lastUuid = options.lastUuid;
  let hasLines = lastUuid !== null;
  const notices = createTranscriptNotices(file?.path ?? '');
  const writer = file === null ? null : openWriter(options, file, notices);
  const mirror =
    options.mirror?.(agentId === undefined ? undefined : `subagents/agent-${agentId}`, notices.onMirrorError) ?? null;
  // Entries follow each other, whatever has to be done with one of them first.
  let turn: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = turn.then(work);
    // What went wrong with one is told to who waits for it, and holds up no other.
    turn = done.catch(() => undefined);
    return done;
  };

  const write = (entry: TranscriptEntry): Promise<void> => {
    hasLines = true;
    return inTurn(async () => {
      const line = await toLine(entry, content, notices);
      if (line === null) return;
      mirror?.add(line.text);
      await writer?.write(line.entry, line.text);
    });
  };
  const now = () => new Date(host.clock.now()).toISOString();

  return {
    path: file?.path ?? null,
    get lastUuid() {
      return lastUuid;
    },
    open: async () => writer?.open(),
    record(message) {
      const entry = toEntry(message, lastUuid, options, now);
      lastUuid = message.uuid;
      return write(entry);
    },
    async annotate(line) {
      // The type goes first: readers look for a line that starts with it.
      if (hasLines) await write({ ...line, sessionId: options.sessionId });
    },
    sync: () => inTurn(async () => writer?.sync()),
    async endPrompt(isHurried) {
      await inTurn(async () => writer?.sync());
      if (!isHurried) await mirror?.flush();
      notices.add(content.takeDrafts());
    },
    async startOver(compaction) {
      const before = lastUuid;
      if (compaction === undefined && before === null) return;
      const uuid = host.ids.uuid();
      const cleared = { targetUuid: null, fromUuid: before, scope: 'conversation' } as const;
      const entry =
        compaction === undefined
          ? toRewindEntry(uuid, null, cleared, options, now())
          : toBoundaryEntry(uuid, before, compaction, options, now());
      lastUuid = entry.uuid;
      await write(entry);
    },
    rewind({ uuid, leafUuid, ...facts }) {
      const entry = toRewindEntry(uuid, leafUuid, { ...facts, fromUuid: lastUuid }, options, now());
      lastUuid = uuid;
      return write(entry);
    },
    async withoutSecrets(text) {
      const line = { type: 'last-prompt', lastPrompt: text, sessionId: options.sessionId } as const;
      const cleaned = await content.clean(line);
      return cleaned.type === 'last-prompt' ? cleaned.lastPrompt : text;
    },
    forAgent: (id, folder, lastUuid = null) =>
      createTranscript({
        ...options,
        file: file === null ? null : { path: path.join(folder, `agent-${id}.jsonl`), mayExist: true },
        lastUuid,
        agentId: id,
      }),
    takeDrafts: () => notices.take(),
    async close() {
      await inTurn(async () => writer?.close()).finally(() => mirror?.close());
    },
  };
}

function openWriter(
  { host, lastUuid, content, agentId }: TranscriptOptions,
  { path: file, mayExist }: { readonly path: string; readonly mayExist: boolean },
  watch: LineWatch,
): LineWriter {
  return createLineWriter({
    // The transcripts of subagents are written under the session's lock.
    file: createTranscriptFile({ host, path: file, isLocked: agentId === undefined, mayExist }),
    clock: host.clock,
    lastUuid,
    render: (entry, text) => content.render(entry, text),
    watch,
  });
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
    endPrompt: async () => undefined,
    startOver: async () => {
      lastUuid = null;
    },
    rewind: async ({ uuid }) => {
      lastUuid = uuid;
    },
    withoutSecrets: async (text) => text,
    forAgent: () => createNullTranscript(),
    takeDrafts: () => [],
    close: async () => undefined,
  };
}

interface Line {
  readonly entry: TranscriptEntry;
  readonly text: string;
}

/** Levels of an entry: those of a value that a message holds, and what stands around it. */
const MAX_LEVELS = MAX_NESTING + 10;

/**
 * A tool of the host's own may return what JSON has no form for. Then the entry goes without it, or with as much of it
 * as can be written; null if there is nothing that can.
 */
async function toLine(entry: TranscriptEntry, content: EntryContent, notices: TranscriptNotices): Promise<Line | null> {
  const forms = [
    () => entry,
    () => ({ ...entry, toolUseResult: null }),
    () => withoutDeeper(entry, MAX_LEVELS) as TranscriptEntry,
  ];
  let isTold = false;
  for (const form of forms) {
    try {
      const made = form();
      if (isNestedDeeper(made, MAX_LEVELS)) throw new Error('it is nested too deep, or holds itself');
      const cleaned = content.clean(made);
      const written = cleaned instanceof Promise ? await cleaned : cleaned;
      return { entry: written, text: JSON.stringify(written) };
    } catch (error) {
      if (!isTold) notices.onUnwritable(error);
      isTold = true;
    }
  }
  return null;
}

// What a transcript has to say of itself: what could not be written, and that it is whole again.

interface TranscriptNotices extends LineWatch {
  /** A message has something in it that JSON has no form for. */
  onUnwritable(error: unknown): void;
  /** What the host's own store did not take. */
  onMirrorError(error: string, key: SessionKey): void;
  add(drafts: readonly MessageDraft[]): void;
  /** What came up since the last call. */
  take(): readonly MessageDraft[];
}

/** @param path of the transcript */
function createTranscriptNotices(path: string): TranscriptNotices {
  let drafts: MessageDraft[] = [];
  /** What the disk said last. */
  let lastCode: string | null = null;
  const tell = (code: NoticeCode, level: 'info' | 'warning', message: string, remedy?: string): void => {
    drafts.push({
      type: 'system',
      subtype: 'notice',
      code,
      level,
      message,
      ...(remedy === undefined ? {} : { remedy }),
    });
  };
  return {
    onFailure(error) {
      lastCode = isFileError(error) ? error.code : null;
      tell(
        'transcript_unavailable',
        'warning',
        `The session cannot be written to disk: ${reason(error)}. It goes on in memory, and is written as soon as that works; a notice will say so. If the process ends before, what happened since is lost.`,
        `Make room for ${path} or make it writable, or set TURNWRIGHT_HOME to another folder.`,
      );
    },
    onLoss() {
      tell(
        'transcript_entries_lost',
        'warning',
        'The session cannot be written for so long that memory does not hold it any more. Its oldest unwritten messages are being dropped.',
      );
      if (lastCode === 'ENOSPC' || lastCode === 'EDQUOT')
        drafts.push({ type: 'system', subtype: 'session_writes_lost', error_code: lastCode, lost: ['transcript'] });
    },
    onRecovery(written, lost) {
      const gone = lost === 0 ? '' : ` ${count(lost, 'message')} could not be kept.`;
      tell(
        'transcript_recovered',
        'info',
        `The session is written again, with ${count(written, 'line')} that waited.${gone}`,
      );
    },
    onRefusal(error) {
      tell('transcript_unavailable', 'warning', `The session is not kept any more. ${error.message}`);
    },
    onUnwritable(error) {
      tell(
        'transcript_entries_lost',
        'warning',
        `A message has something that cannot be written as JSON, and is kept without it: ${reason(error)}.`,
      );
    },
    onMirrorError(error, key) {
      drafts.push({ type: 'system', subtype: 'mirror_error', error, key });
    },
    add: (more) => void drafts.push(...more),
    take() {
      const told = drafts;
      drafts = [];
      return told;
    },
  };
}

function reason(error: unknown): string {
  return errorText(error).replace(/\.$/, '');
}
