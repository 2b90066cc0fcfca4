// Records calls that may change files: what was there before a call is on the disk when it starts. A call that names
// its file is recorded by that file; any other may change the whole workspace, so the workspace is compared.
import path from 'node:path';
import type { SideEffect } from '../../engine/state/index.js';
import { type Host, isFileError } from '../../host/host.js';
import { type Image, isImageOf, type LostReason, look } from './image.js';
import type { Change, Journal, JournalRecord, OpenPath } from './journal.js';
import type { KeptContent } from './kept-content.js';
import { type Bounds, type Gap, isVersionControl } from './not-covered.js';
import { type PromptChanges, toChanges } from './prompt-changes.js';
import { type Differences, gapOfDoubt, type WalkFailure, type Workspace } from './workspace.js';

export interface RecorderParts {
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
