// The file checkpoints of a session: around each call that may change files it records what was there before and what
// is there after. A call never fails because of them: what cannot be recorded is told, and the call runs.
import path from 'node:path';
import type { AfterSideEffect, SideEffect } from '../../engine/state/index.js';
import { type Host, type HostFs, isFileError, removeIfThere } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import type { RewindFilesOptions, RewindFilesResult } from '../../protocol/rewind.js';
import { errorText } from '../../util/text.js';
import type { PendingNotice } from '../config/index.js';
import { createBlobStore } from '../store/index.js';
import { CallRecorder, createPromptChanges, type FilesPersisted, toChanges } from './call-recorder.js';
import { type Change, checkpointIndex, createJournal, type Journal, type JournalRecord } from './journal.js';
import { createCapture, createKeptContent, type KeptContent, readLeftCapture } from './kept-content.js';
import { BOUNDS, type Bounds, type Gap, isVersionControl } from './not-covered.js';
import { cannot, rewindToCheckpoint } from './rewind-files.js';
import { createWorkspace, isInside } from './workspace.js';

/** Contract: what fails is told, or is in a result. Its methods wait for each other. */
export interface Checkpoints {
  /** From here on, changes belong to this message of the user. */
  beginPrompt(uuid: string): Promise<void>;
  /** Resolves once the call may run; what it returns is to be called when the call is over. */
  beforeCall(call: SideEffect): Promise<AfterSideEffect | null>;
  /** What changed since the last call; null if nothing did. */
  takeChanges(): FilesPersisted | null;
  /** What a rewind will not undo, each once. */
  takeNotices(): readonly PendingNotice[];
  /** Whether there is a checkpoint of that id. @throws FileError */
  has(uuid: string): Promise<boolean>;
  /**
   * Sets files back to what they were before a prompt, or before an earlier rewind.
   * @param rewindId by which the rewind can be taken back, even if it changes no file. Default: a new one if it does
   */
  rewind(uuid: string, options?: RewindFilesOptions, rewindId?: string): Promise<RewindFilesResult>;
  /** Removes what only a running session needs. All of this can still be used. */
  close(): Promise<void>;
}

export interface CheckpointsOptions {
  readonly host: Host;
  /** Of these checkpoints alone, absolute. Made when something is recorded. */
  readonly folder: string;
  /** Absolute. What a command changes is looked for below them. */
  readonly roots: readonly string[];
  /** The folder that sessions are kept in: nothing below it is looked at. */
  readonly home: string;
  readonly bounds?: Partial<Bounds>;
  readonly log?: (event: string, detail: unknown) => void;
}

/** How long the end of a session waits for the calls that it interrupted. */
const IDLE_WAIT_MS = 5_000;

/** Reads and writes nothing before the first prompt or rewind. */
export function createCheckpoints(options: CheckpointsOptions): Checkpoints {
  return new SessionCheckpoints(options);
}

/** A session goes on without checkpoints: a rewind beyond this moment says so. Only if there are some. */
export async function markPause(host: Host, folder: string): Promise<void> {
  const journal = createJournal(host, path.join(folder, 'journal.jsonl'));
  try {
    const { records } = await journal.read();
    if (records.length === 0 || records.at(-1)?.type === 'pause') return;
    await journal.append({ type: 'pause', at: new Date(host.clock.now()).toISOString() });
    await journal.close();
  } catch (error) {
    // What cannot be written now could not be read later either, which a rewind tells.
    if (!isFileError(error)) throw error;
  }
}

class SessionCheckpoints implements Checkpoints {
  readonly #host: Host;
  readonly #options: CheckpointsOptions;
  readonly #bounds: Bounds;
  readonly #journal;
  readonly #blobs;
  readonly #changes = createPromptChanges();
  #kept;
  #recorder: CallRecorder | null = null;
  #dropCapture: () => Promise<void> = async () => undefined;
  /** Told when no call runs any more. */
  #onIdle: (() => void)[] = [];
  /** Lines that wait until the journal was opened. */
  #waiting: JournalRecord[] = [];
  #tail: Promise<unknown> = Promise.resolve();

  constructor(options: CheckpointsOptions) {
    const { host, folder, bounds } = options;
    this.#options = options;
    this.#host = host;
    this.#bounds = { ...BOUNDS, ...bounds };
    this.#journal = createJournal(host, path.join(folder, 'journal.jsonl'));
    this.#blobs = createBlobStore(host, path.join(folder, 'blobs'));
    this.#kept = createKeptContent(host, this.#blobs, this.#bounds.keptBytes);
  }

  beginPrompt(uuid: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#recorder?.startPrompt();
      this.#waiting.push({ type: 'prompt', uuid, at: this.#now() });
      await this.#orTell(null, () => this.#ready());
    });
  }

  beforeCall(call: SideEffect): Promise<AfterSideEffect | null> {
    return this.#inTurn(async () => {
      const end = await this.#orTell(null, async () => (await this.#ready()).begin(call));
      if (end === null) return null;
      return async () => {
        await this.#inTurn(() => this.#orTell(undefined, end));
        if (this.#openCalls === 0) for (const tell of this.#onIdle.splice(0)) tell();
      };
    });
  }

  takeChanges(): FilesPersisted | null {
    return this.#changes.take(this.#now());
  }

  takeNotices(): readonly PendingNotice[] {
    return this.#changes.takeNotices();
  }

  has(uuid: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const { records } = await this.#journal.read();
      return checkpointIndex([...records, ...this.#waiting], uuid) !== -1;
    });
  }

  rewind(uuid: string, options: RewindFilesOptions = {}, rewindId?: string): Promise<RewindFilesResult> {
    return this.#inTurn(async () => {
      const { host: disk } = this.#options;
      if (this.#openCalls > 0) return cannot('A call that may change files still runs.');
      const parts = {
        disk,
        journal: this.#journal,
        kept: this.#kept,
        blobs: this.#blobs,
        fileBytes: this.#bounds.fileBytes,
        rewindId: rewindId ?? disk.ids.uuid(),
        isAlwaysRecorded: rewindId !== undefined,
        now: () => this.#now(),
      };
      try {
        // A dry run writes nothing, so it may look at a session that another process works on.
        if (options.dryRun !== true) (await this.#ready()).startPrompt();
        return await rewindToCheckpoint(parts, uuid, options);
      } catch (error) {
        if (!isFileError(error)) throw error;
        return cannot(`The checkpoints of this session cannot be used. ${errorText(error)}`);
      } finally {
        await this.#closeJournal(); // it may be the last thing that is done
      }
    });
  }

  async close(): Promise<void> {
    await this.#untilIdle();
    await this.#inTurn(async () => {
      this.#recorder = null;
      await this.#dropCapture();
      await this.#closeJournal();
    });
  }

  /** It is opened again with the next line. */
  async #closeJournal(): Promise<void> {
    try {
      await this.#journal.close();
    } catch (error) {
      // Whatever mattered was synced, and the failure told then.
      this.#options.log?.('checkpoint_failed', { error });
    }
  }

  get #openCalls(): number {
    return this.#recorder?.open ?? 0;
  }

  /** A call that was interrupted just now still changes something, and what it does is recorded at its end. */
  async #untilIdle(): Promise<void> {
    if (this.#openCalls === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#host.clock.after(IDLE_WAIT_MS, resolve);
      this.#onIdle.push(() => {
        cancel();
        resolve();
      });
    });
  }

  /** Opens the journal once, and sees to it that everything so far stands there. @throws FileError */
  async #ready(): Promise<CallRecorder> {
    this.#recorder ??= await this.#open();
    // What the journal cannot write now it writes with its next line.
    for (let record = this.#waiting.shift(); record !== undefined; record = this.#waiting.shift()) {
      await this.#journal.append(record);
    }
    return this.#recorder;
  }

  async #open(): Promise<CallRecorder> {
    const { host, folder, roots, home } = this.#options;
    const bounds = this.#bounds;
    const journal = this.#journal;
    const kept = createKeptContent(host, this.#blobs, bounds.keptBytes);
    const hidden = [await realPathOr(host.fs, home)];
    const captureFolder = path.join(folder, 'capture');
    const { records } = await journal.read();
    await kept.takeStock(records);
    await recoverCalls(records, { host, journal, kept, bounds, folder: captureFolder, hidden });
    const capture = createCapture(host, captureFolder, bounds);
    const workspace = createWorkspace({ host, roots: await realRoots(host.fs, roots), hidden, bounds, capture });
    this.#kept = kept;
    this.#dropCapture = () => capture.drop();
    return new CallRecorder({ host, bounds, journal, kept, workspace, changes: this.#changes });
  }

  /** Recording must not keep a call from running. */
  async #orTell<T>(fallback: T, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isFileError(error) && !(error instanceof ToolError)) throw error;
      this.#options.log?.('checkpoint_failed', { error });
      const gap: Gap = { path: null, reason: 'not_kept' };
      this.#changes.tell(gap);
      // A rewind says so as well.
      this.#waiting.push({ type: 'changes', changes: [], gaps: [gap] });
      return fallback;
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#tail.then(work);
    this.#tail = next.catch(() => undefined); // whoever asked gets the failure; the next one has nothing to do with it
    return next;
  }

  #now(): string {
    return new Date(this.#host.clock.now()).toISOString();
  }
}

async function realPathOr(fs: HostFs, folder: string): Promise<string> {
  try {
    return await fs.realpath(folder);
  } catch (error) {
    if (isFileError(error)) return folder; // not there yet: then nothing is below it
    throw error;
  }
}

/** Without those that are not there, that version control owns, or that another one holds. */
async function realRoots(fs: HostFs, folders: readonly string[]): Promise<string[]> {
  const real = new Set<string>();
  for (const folder of folders) real.add(await realPathOr(fs, folder));
  const roots = [...real].filter((folder) => !isVersionControl(folder));
  return roots.filter((root) => !roots.some((other) => other !== root && isInside(root, other)));
}

// After a process that ended while a call could change the workspace: what is different from what that process saw is
// recorded, and whose change it was stays open.

interface RecoverParts {
  readonly host: Pick<Host, 'fs' | 'sha256' | 'clock'>;
  readonly journal: Journal;
  readonly kept: KeptContent;
  readonly bounds: Bounds;
  /** Where the content of the workspace was held. */
  readonly folder: string;
  readonly hidden: readonly string[];
}

/** Removes what the process left, too. @throws FileError if the journal cannot be written */
async function recoverCalls(records: readonly JournalRecord[], parts: RecoverParts): Promise<void> {
  const closed = new Set(records.flatMap((record) => (record.type === 'close' ? [record.call] : [])));
  const open = records.flatMap((record) =>
    record.type === 'open' && record.paths === null && !closed.has(record.call) ? [record.call] : [],
  );
  if (open.length > 0) {
    const changes = await changesSince(parts);
    // One line has all of it: the calls ran at the same time.
    for (const [index, call] of open.entries()) {
      const own = index === open.length - 1 ? changes : [];
      await parts.journal.append({ type: 'close', call, changes: own, gaps: [{ path: null, reason: 'interrupted' }] });
    }
    await parts.journal.sync();
  }
  await removeIfThere(parts.host, path.normalize(parts.folder));
}

async function changesSince({ host, kept, bounds, folder, hidden }: RecoverParts): Promise<Change[]> {
  const left = await readLeftCapture(host.fs, folder);
  if (left === null) return [];
  const capture = createCapture(host, folder, bounds);
  const workspace = createWorkspace({ host, roots: left.roots, hidden, bounds, capture, known: left.known });
  const found = await workspace.compare();
  if ('failed' in found) return [];
  const changes = await toChanges(found.changed, kept, new Set());
  return changes.map((change) => ({ ...change, after: null }));
}
