// Records calls that may change files: what was there before a call is on the disk when it starts; and tells what one prompt changed,
// and what of it cannot be undone. A call that names its file is recorded by that file; any other may change the whole
// workspace, so the workspace is compared.
import path from 'node:path';
import type { SideEffect } from '../../engine/state/index.js';
import { type Host, isFileError } from '../../host/host.js';
import type { SDKFilesPersistedEvent } from '../../protocol/system-messages.js';
import { mapBounded } from '../../util/map-bounded.js';
import { count } from '../../util/text.js';
import type { PendingNotice } from '../config/index.js';
import { type Image, isImageOf, type LostReason, look } from './image.js';
import type { Change, Journal, JournalRecord, OpenPath } from './journal.js';
import type { KeptContent } from './kept-content.js';
import { type Bounds, describeGap, type Gap, isVersionControl } from './not-covered.js';
import { type Difference, type Differences, gapOfDoubt, type WalkFailure, type Workspace } from './workspace.js';

export type FilesPersisted = Pick<SDKFilesPersistedEvent, 'files' | 'failed' | 'processed_at'>;

interface PromptChanges {
  add(changes: readonly Change[]): void;
  /** Something that a rewind will not undo. The same is told once a session. */
  tell(gap: Gap): void;
  takeNotices(): readonly PendingNotice[];
  /** What was added since the last call; null if nothing was. @param now ISO 8601 */
  take(now: string): FilesPersisted | null;
}

/** Notices between two prompts that are told one by one. */
const MAX_NOTICES = 10;

export function createPromptChanges(): PromptChanges {
  const files = new Map<string, string>();
  const failed = new Map<string, string>();
  const told = new Set<string>();
  let pending: Gap[] = [];

  const tell = (gap: Gap): void => {
    const key = `${gap.reason} ${gap.path ?? ''}`;
    if (told.has(key)) return;
    told.add(key);
    pending.push(gap);
  };

  return {
    tell,
    add(changes) {
      for (const { path, before, lost } of changes) {
        if (lost === undefined) {
          // What a rewind restores is what was there before the first change.
          if (!files.has(path)) files.set(path, before.kind === 'file' ? before.hash : before.kind);
          continue;
        }
        tell({ path, reason: lost });
        failed.set(path, describeGap({ path, reason: lost }).message);
      }
    },
    takeNotices() {
      const gaps = pending;
      pending = [];
      const notices = gaps.slice(0, MAX_NOTICES).map((gap) => notice(describeGap(gap).message));
      const rest = gaps.length - notices.length;
      return rest <= 0
        ? notices
        : [...notices, notice(`The same is true of ${count(rest, 'more file or folder', 'more files or folders')}.`)];
    },
    take(now) {
      if (files.size === 0 && failed.size === 0) return null;
      const taken: FilesPersisted = {
        files: [...files].flatMap(([filename, file_id]) => (failed.has(filename) ? [] : [{ filename, file_id }])),
        failed: Array.from(failed, ([filename, error]) => ({ filename, error })),
        processed_at: now,
      };
      files.clear();
      failed.clear();
      return taken;
    },
  };
}

function notice(message: string): PendingNotice {
  return { code: 'checkpoint_incomplete', message: `${message} A rewind does not undo that.` };
}

// From what is different in the workspace to what stands in the journal: the content that would be gone is kept first.

/** Files that are kept at a time; each waits for the disk. */
const KEPT_AT_ONCE = 8;

/**
 * @param withContent paths whose content before the prompt is kept already, or that had none; what is kept here is added
 */
export function toChanges(
  differences: readonly Difference[],
  kept: KeptContent,
  withContent: Set<string>,
): Promise<Change[]> {
  return mapBounded(differences, KEPT_AT_ONCE, async (difference) => {
    const { path, before, after } = difference;
    const lost = isContentGone(difference) && !withContent.has(path) ? await keep(difference, kept) : null;
    if (lost === null && isContentGone(difference)) withContent.add(path);
    return { path, before, after, ...(lost === null ? {} : { lost }) };
  });
}

/** Another mode alone leaves the content where it is. */
function isContentGone({ before, after }: Difference): boolean {
  if (before.kind !== 'file' && before.kind !== 'unread') return false;
  return !(before.kind === 'file' && after.kind === 'file' && before.hash === after.hash);
}

async function keep(difference: Difference, kept: KeptContent): Promise<LostReason | null> {
  if (difference.lost !== null) return difference.lost;
  try {
    const outcome = await kept.keep(await difference.content());
    return outcome === 'new' || outcome === 'known' ? null : outcome;
  } catch (error) {
    if (!isFileError(error)) throw error;
    return 'not_kept';
  }
}

interface RecorderParts {
  readonly host: Pick<Host, 'fs' | 'sha256' | 'ids'>;
  readonly bounds: Bounds;
  readonly journal: Journal;
  readonly kept: KeptContent;
  readonly workspace: Workspace;
  readonly changes: PromptChanges;
}

interface OpenCall {
  /** Its own, for a model may use an id twice. */
  readonly id: string;
  /** Null: it may change anything. */
  readonly paths: Watched[] | null;
  /** Why the workspace is not compared for it. */
  readonly blind: WalkFailure['failed'] | null;
  /** The command goes on after the call. */
  readonly outlives: boolean;
  /** No other call ran so far while this one does. */
  isAlone: boolean;
}

/** A path that a call names. */
interface Watched {
  readonly path: string;
  before: Image;
  readonly lost: LostReason | null;
  /** Its content was kept for this call, and for nothing before. */
  readonly isNew: boolean;
}

interface Found {
  readonly changes: readonly Change[];
  readonly gaps: readonly Gap[];
}

/** Contract: one of its methods at a time. */
export class CallRecorder {
  readonly #parts: RecorderParts;
  readonly #open = new Set<OpenCall>();
  /** Paths whose content before the prompt is kept. */
  readonly #withContent = new Set<string>();
  /** Why the last look at the workspace came to nothing. What is too much stays too much. */
  #blind: WalkFailure['failed'] | null = null;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  /** Calls that were begun and have not ended. */
  get open(): number {
    return this.#open.size;
  }

  /** The next changes are the first of a prompt. */
  startPrompt(): void {
    this.#withContent.clear();
  }

  /**
   * Resolves once the call may run. Null if there is nothing to record of it, else what records its end, which
   * throws no FileError.
   * @throws FileError or ToolError if a path that the call names cannot be looked at
   */
  async begin(call: SideEffect): Promise<(() => Promise<void>) | null> {
    const { host, changes } = this.#parts;
    const files = filesOf(call);
    for (const file of files ?? []) if (isVersionControl(file)) changes.tell({ path: file, reason: 'version_control' });
    const own = files?.filter((file) => !isVersionControl(file)) ?? null;
    if (own?.length === 0) return null;
    const paths = own === null ? null : await this.#watchAll(own);
    const blind = paths === null ? await this.#lookAtWorkspace() : null;
    for (const other of this.#open) other.isAlone = false;
    const begun: OpenCall = {
      id: host.ids.uuid(),
      paths,
      blind,
      outlives: goesOn(call),
      isAlone: this.#open.size === 0,
    };
    this.#open.add(begun);
    await this.#write({
      type: 'open',
      call: begun.id,
      tool: call.toolName,
      paths: paths?.map(toOpenPath) ?? null,
    });
    return () => this.#end(begun);
  }

  async #end(call: OpenCall): Promise<void> {
    const { workspace } = this.#parts;
    const { paths, blind, outlives } = call;
    const seen = paths === null ? await this.#compareAll(blind) : await this.#changesOf(paths, call);
    const found: Found = outlives ? { ...seen, gaps: [...seen.gaps, { path: null, reason: 'in_background' }] } : seen;
    this.#open.delete(call);
    this.#take(found);
    await this.#write({ type: 'close', call: call.id, ...found });
    for (const { path: file } of paths ?? []) await orElse(null, () => workspace.compareOne(file));
    if (this.#mayAnythingChange()) await workspace.hold();
  }

  #mayAnythingChange(): boolean {
    return [...this.#open].some(({ paths }) => paths === null);
  }

  /**
   * Before a call that may change anything. What changed until now was somebody else, or calls that still run.
   * @returns why it cannot be compared afterwards; null if it can
   */
  async #lookAtWorkspace(): Promise<WalkFailure['failed'] | null> {
    const { workspace } = this.#parts;
    if (this.#blind !== null && this.#blind !== 'unreadable') return this.#blind;
    if (this.#mayAnythingChange()) await this.#recordSoFar(await this.#compareAll(null));
    else {
      const failure = await orElse<WalkFailure | null>({ failed: 'unreadable' }, () => workspace.refresh());
      this.#blind = failure?.failed ?? null;
    }
    if (this.#blind === null) await workspace.hold();
    return this.#blind;
  }

  async #compareAll(blind: WalkFailure['failed'] | null): Promise<Found> {
    const { workspace, kept } = this.#parts;
    if (blind !== null) return { changes: [], gaps: [{ path: null, reason: blind }] };
    const found = await orElse<Differences | WalkFailure>({ failed: 'unreadable' }, () => workspace.compare());
    if ('failed' in found) {
      this.#blind = found.failed;
      return { changes: [], gaps: [{ path: null, reason: found.failed }] };
    }
    return { changes: await toChanges(found.changed, kept, this.#withContent), gaps: found.gaps };
  }

  async #watchAll(files: readonly string[]): Promise<Watched[]> {
    const { workspace, kept } = this.#parts;
    const paths: Watched[] = [];
    for (const file of files) {
      if (this.#mayAnythingChange()) {
        const difference = await orElse(null, () => workspace.compareOne(file));
        const changed = difference === null ? [] : [difference];
        await this.#recordSoFar({ changes: await toChanges(changed, kept, this.#withContent), gaps: [] });
      }
      paths.push(await this.#watch(file));
    }
    return paths;
  }

  async #watch(file: string): Promise<Watched> {
    const { host, bounds, kept } = this.#parts;
    const seen = await look(host, file, bounds.fileBytes);
    const { image: before, bytes } = seen;
    if (bytes === null || this.#withContent.has(file)) return { path: file, before, lost: seen.lost, isNew: false };
    const outcome = await kept.keep(bytes);
    const isKept = outcome === 'new' || outcome === 'known';
    return { path: file, before, lost: isKept ? null : outcome, isNew: outcome === 'new' };
  }

  async #changesOf(paths: readonly Watched[], call: OpenCall): Promise<Found> {
    const { host, bounds, kept } = this.#parts;
    const changes: Change[] = [];
    const gaps: Gap[] = [];
    for (const { path: file, before, lost, isNew } of paths) {
      const seen = await orElse(null, () => look(host, file, bounds.fileBytes));
      gaps.push(...gapOfDoubt(file, seen === null ? 'unreadable' : seen.lost));
      if (seen === null || !isImageOf(before, seen)) {
        changes.push({ path: file, before, after: seen?.image ?? null, ...(lost === null ? {} : { lost }) });
        if (lost === null) this.#withContent.add(file);
      } else if (isNew && before.kind === 'file' && call.isAlone) {
        await kept.letGo(before.hash);
      }
    }
    return { changes, gaps };
  }

  /** What calls that still run have changed. */
  async #recordSoFar(found: Found): Promise<void> {
    if (found.changes.length + found.gaps.length === 0) return;
    this.#take(found);
    await this.#write({ type: 'changes', ...found });
  }

  /** What is recorded now must not be recorded once more by a call that still runs. */
  #take({ changes: found, gaps }: Found): void {
    const { changes } = this.#parts;
    changes.add(found);
    for (const gap of gaps) changes.tell(gap);
    for (const { path: file, after } of found) {
      for (const { paths } of this.#open) {
        for (const watched of paths ?? []) if (watched.path === file && after !== null) watched.before = after;
      }
    }
  }

  /** The line of a call that begins is on the disk before the call runs. */
  async #write(record: JournalRecord): Promise<void> {
    const { journal, changes } = this.#parts;
    try {
      await journal.append(record);
      if (record.type === 'open') await journal.sync();
    } catch (error) {
      // It is written later, if that is possible. Until then only this process knows what was there.
      if (!isFileError(error)) throw error;
      changes.tell({ path: null, reason: 'not_kept' });
    }
  }
}

function toOpenPath({ path: file, before, lost }: Watched): OpenPath {
  return { path: file, before, ...(lost === null ? {} : { lost }) };
}

/** What `work` gives; `fallback` if the system refuses. */
async function orElse<T>(fallback: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isFileError(error)) return fallback;
    throw error;
  }
}

function goesOn(call: SideEffect): boolean {
  const subject = call.subject();
  return subject.kind === 'command' && subject.outlives === true;
}

/** The file that a call names, behind the folders it would make, as the disk knows them; null if it names none. */
function filesOf(call: SideEffect): string[] | null {
  const { located = null } = call;
  const subject = call.subject();
  if (located === null || subject.kind !== 'path' || subject.access !== 'write') return null;
  const files = [located.realPath];
  if (located.above === null) return files;
  for (let folder = path.dirname(located.realPath); folder !== located.above.path; folder = path.dirname(folder))
    files.unshift(folder);
  return files;
}
