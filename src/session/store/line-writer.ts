// Appends the lines of one transcript, one write a line, and loses none in silence: what cannot be written waits in
// memory, is told once, and is tried again with every next line.
import type { HostClock } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import { REWOUND, type TranscriptEntry } from './entry.js';
import type { TranscriptFile } from './transcript-file.js';

export interface LineWriterOptions {
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
