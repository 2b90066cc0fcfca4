// Sets files back to a checkpoint. What is replaced is kept first, so a rewind can be taken back like a prompt, and one
// that ended half way can be repeated.
import path from 'node:path';
import { FileError, type HostFs, isFileError } from '../../host/host.js';
import type {
  NotCovered,
  RewindConflict,
  RewindFailure,
  RewindFilesOptions,
  RewindFilesResult,
} from '../../protocol/rewind.js';
import { errorText } from '../../util/text.js';
import type { BlobStore } from '../store/index.js';
import { type Disk, type Image, isSameImage, isSameStat, type LostReason, look, lstatOrNull } from './image.js';
import { type Change, type Journal, type OpenPath, type Stories, storiesSince } from './journal.js';
import type { KeptContent } from './kept-content.js';
import { describeGap, type Gap } from './not-covered.js';
import { conflict, depth, isReachedPlainly, planRewind, type RewindPlan, type Step } from './plan.js';

export interface RewindParts {
  readonly disk: Disk;
  readonly journal: Journal;
  readonly kept: KeptContent;
  readonly blobs: BlobStore;
  readonly fileBytes: number;
  /** Of the rewind itself. */
  readonly rewindId: string;
  /** True: it is a checkpoint too if no file has to be changed. */
  readonly isAlwaysRecorded: boolean;
  /** ISO 8601. */
  readonly now: () => string;
}

/**
 * @param uuid of a prompt or of an earlier rewind
 * @throws FileError if the journal cannot be read
 */
export async function rewindToCheckpoint(
  parts: RewindParts,
  uuid: string,
  options: RewindFilesOptions,
): Promise<RewindFilesResult> {
  const { records, damaged } = await parts.journal.read();
  const stories = storiesSince(records, uuid);
  if (stories === null) return cannot(`There is no checkpoint for message ${uuid}.`);
  const { disk, blobs, fileBytes } = parts;
  const overwrite = new Set(options.overwrite ?? []);
  const plan = await planRewind(stories.paths, { disk, blobs, fileBytes, overwrite });
  const notCovered = gapsOf(stories, plan, damaged);
  if (options.dryRun === true) return resultOf(plan, plan.steps, { conflicts: [], failed: [] }, notCovered);
  if (plan.steps.length === 0 && !parts.isAlwaysRecorded) {
    return {
      ...resultOf(plan, [], { conflicts: [], failed: [] }, notCovered),
      skippedLinks: countLinks(plan.conflicts),
    };
  }
  return carryOut(parts, uuid, plan, notCovered);
}

export function cannot(error: string): RewindFilesResult {
  return { canRewind: false, error };
}

async function carryOut(
  parts: RewindParts,
  target: string,
  plan: RewindPlan,
  notCovered: readonly NotCovered[],
): Promise<RewindFilesResult> {
  const { journal, disk, blobs, rewindId, now } = parts;
  const ready = await keepAll(plan.steps, parts);
  const { steps } = ready;
  try {
    await journal.append({ type: 'rewind', uuid: rewindId, target, at: now() });
    const paths = steps.map(({ path, current, target: planned, lost }): OpenPath => {
      return { path, before: current, planned, ...(lost === null ? {} : { lost }) };
    });
    await journal.append({ type: 'open', call: rewindId, tool: 'rewind', paths });
    await journal.sync();
  } catch (error) {
    if (!isFileError(error)) throw error;
    await close(journal, rewindId, []);
    return cannot(`The rewind cannot be recorded, so nothing was changed. ${errorText(error)}`);
  }
  const applied = await applySteps(steps, { disk, blobs });
  const whole = {
    conflicts: [...ready.conflicts, ...applied.conflicts],
    failed: [...ready.failed, ...applied.failed],
  };
  await close(journal, rewindId, await changesOf(steps, applied, parts));
  const result = resultOf(plan, applied.done, whole, notCovered);
  const links = countLinks(result.conflicts ?? []);
  if (applied.done.length === 0 && whole.failed.length > 0) {
    return { ...result, ...cannot(`Nothing could be set back. ${whole.failed[0]?.error ?? ''}`), skippedLinks: links };
  }
  return { ...result, skippedLinks: links, ...(applied.done.length === 0 ? {} : { rewindId }) };
}

type KeptStep = Step & { readonly lost: LostReason | null };

interface Ready {
  readonly steps: readonly KeptStep[];
  readonly conflicts: readonly RewindConflict[];
  readonly failed: readonly RewindFailure[];
}

/** What a step replaces must be there again if the rewind is taken back. A file too large for that goes without. */
async function keepAll(planned: readonly Step[], parts: RewindParts): Promise<Ready> {
  const steps: KeptStep[] = [];
  const conflicts: RewindConflict[] = [];
  const failed: RewindFailure[] = [];
  for (const step of planned) {
    try {
      const outcome = await keepCurrent(step, parts);
      if (outcome === 'changed') conflicts.push(conflict(step.path, 'changed_since'));
      else if (outcome === 'refused') {
        failed.push({ path: step.path, error: `What ${step.path} holds could not be kept, so it was not replaced.` });
      } else steps.push({ ...step, lost: outcome === 'kept' ? null : 'too_large' });
    } catch (error) {
      if (!isFileError(error)) throw error;
      failed.push({ path: step.path, error: errorText(error) });
    }
  }
  return { steps, conflicts, failed };
}

async function keepCurrent(
  { path, current, target }: Step,
  { disk, kept, fileBytes }: RewindParts,
): Promise<'kept' | 'too_large' | 'changed' | 'refused'> {
  if (current.kind === 'unread') return 'too_large';
  if (current.kind !== 'file' || (target.kind === 'file' && target.hash === current.hash)) return 'kept';
  const seen = await look(disk, path, fileBytes);
  if (seen.bytes === null || !isSameImage(seen.image, current)) return 'changed';
  const outcome = await kept.keep(seen.bytes);
  return outcome === 'new' || outcome === 'known' ? 'kept' : 'refused';
}

/** What became of each path, also of those that stopped half way. */
async function changesOf(
  steps: readonly KeptStep[],
  applied: Applied,
  { disk, fileBytes }: RewindParts,
): Promise<Change[]> {
  const done = new Set(applied.done.map(({ path }) => path));
  const changes: Change[] = [];
  for (const { path, current, target, lost } of steps) {
    const after = done.has(path) ? target : await imageOrNull(disk, path, fileBytes);
    if (after !== null && isSameImage(after, current)) continue;
    changes.push({ path, before: current, after, ...(lost === null ? {} : { lost }) });
  }
  return changes;
}

async function imageOrNull(disk: Disk, path: string, fileBytes: number): Promise<Image | null> {
  try {
    return (await look(disk, path, fileBytes)).image;
  } catch (error) {
    if (isFileError(error)) return null;
    throw error;
  }
}

/** The line stays with the journal if it cannot be written now. */
async function close(journal: Journal, call: string, changes: readonly Change[]): Promise<void> {
  try {
    await journal.append({ type: 'close', call, changes, gaps: [] });
    await journal.sync();
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
}

function gapsOf(stories: Stories, plan: RewindPlan, damaged: number): readonly NotCovered[] {
  const gaps: Gap[] = [...plan.gaps, ...stories.gaps];
  if (damaged > 0) gaps.push({ path: null, reason: 'journal_damaged' });
  if (stories.commands > 0) gaps.push({ path: null, reason: 'outside_workspace' });
  const seen = new Set<string>();
  return gaps
    .filter(({ path, reason }) => {
      const key = `${reason} ${path ?? ''}`;
      return seen.has(key) ? false : seen.add(key);
    })
    .map(describeGap);
}

function resultOf(
  plan: RewindPlan,
  done: readonly Step[],
  { conflicts, failed }: Pick<Applied, 'conflicts' | 'failed'>,
  notCovered: readonly NotCovered[],
): RewindFilesResult {
  return {
    canRewind: true,
    filesChanged: done.map(({ path }) => path),
    insertions: done.reduce((sum, step) => sum + step.insertions, 0),
    deletions: done.reduce((sum, step) => sum + step.deletions, 0),
    conflicts: [...plan.conflicts, ...conflicts],
    notCovered,
    failed: [...plan.failed, ...failed],
  };
}

function countLinks(conflicts: NonNullable<RewindFilesResult['conflicts']>): number {
  return conflicts.filter(({ reason }) => reason === 'link').length;
}

// Carries a rewind out, path by path. Each path changes in one step or not at all, never through a link, and only while
// it still is what the plan saw.

interface Applied {
  readonly done: readonly Step[];
  readonly conflicts: readonly RewindConflict[];
  readonly failed: readonly RewindFailure[];
}

interface ApplyOptions {
  readonly disk: Disk;
  readonly blobs: BlobStore;
}

const OWNER_MAY_CHANGE = 0o300;

/** What must be done before what: a folder can go once it is empty, and must be there before what is in it. */
async function applySteps(steps: readonly Step[], options: ApplyOptions): Promise<Applied> {
  const done: Step[] = [];
  const conflicts: RewindConflict[] = [];
  const failed: RewindFailure[] = [];
  const stopped = new Set<string>();
  const { disk } = options;
  const inTurn = async (of: readonly Step[], work: (step: Step) => Promise<void>): Promise<void> => {
    for (const step of of) {
      if (stopped.has(step.path)) continue;
      try {
        await work(step);
      } catch (error) {
        stopped.add(step.path);
        if (error instanceof ChangedMeanwhile) conflicts.push(conflict(step.path, error.reason));
        else if (isFileError(error, 'ENOTEMPTY')) conflicts.push(conflict(step.path, 'not_empty'));
        else if (isFileError(error)) failed.push({ path: step.path, error: errorText(error) });
        else throw error;
      }
    }
  };
  const shallowFirst = [...steps].sort((a, b) => depth(a.path) - depth(b.path));
  const deepestFirst = [...shallowFirst].reverse();

  await inTurn(shallowFirst.filter(isModeOfFolder), (step) => openFolder(step, disk));
  await inTurn(
    deepestFirst.filter(({ current, target }) => goesFirst(current, target)),
    (step) => removeOld(step, disk),
  );
  await inTurn(
    shallowFirst.filter(({ target }) => target.kind === 'directory'),
    (step) => makeFolder(step, disk),
  );
  await inTurn(
    shallowFirst.filter(({ target }) => target.kind === 'file' || target.kind === 'symlink'),
    (step) => putBack(step, options),
  );
  await inTurn(
    deepestFirst.filter(({ target }) => target.kind === 'directory'),
    (step) => setMode(step, disk),
  );

  for (const step of steps) if (!stopped.has(step.path)) done.push(step);
  return { done, conflicts, failed };
}

class ChangedMeanwhile extends Error {
  readonly reason: 'changed_since' | 'link';

  constructor(reason: 'changed_since' | 'link') {
    super(reason);
    this.reason = reason;
  }
}

function isModeOfFolder({ current, target }: Step): boolean {
  return current.kind === 'directory' && target.kind === 'directory';
}

/** Nothing can take its place in one step: a folder for a file, a file for a folder, or nothing at all. */
function goesFirst(current: Image, target: Image): boolean {
  if (current.kind === 'absent') return false;
  if (target.kind === 'absent') return true;
  return (current.kind === 'directory') !== (target.kind === 'directory');
}

/** @throws ChangedMeanwhile */
async function requireAsPlanned({ path: file, stat }: Step, disk: Disk): Promise<void> {
  if (!(await isReachedPlainly(disk, file))) throw new ChangedMeanwhile('link');
  const now = await lstatOrNull(disk.fs, file);
  const isSame = stat === null ? now === null : now !== null && isSameStat(stat, now);
  if (!isSame) throw new ChangedMeanwhile('changed_since');
}

/** A folder that nobody may write in is opened, so that what is in it can be set back. Its mode follows last. */
async function openFolder(step: Step, disk: Disk): Promise<void> {
  await requireAsPlanned(step, disk);
  const mode = step.stat?.mode ?? 0;
  if ((mode & OWNER_MAY_CHANGE) !== OWNER_MAY_CHANGE) await disk.fs.chmod(step.path, mode | 0o700);
}

async function removeOld(step: Step, disk: Disk): Promise<void> {
  await requireAsPlanned(step, disk);
  await disk.fs.removeEntry(step.path);
}

async function makeFolder(step: Step, disk: Disk): Promise<void> {
  if (step.current.kind === 'directory') return;
  if (!(await isReachedPlainly(disk, step.path))) throw new ChangedMeanwhile('link');
  if ((await lstatOrNull(disk.fs, step.path)) !== null) throw new ChangedMeanwhile('changed_since');
  await disk.fs.mkdir(step.path, { mode: 0o700 });
}

async function setMode({ path: folder, target }: Step, { fs }: Disk): Promise<void> {
  if (target.kind === 'directory') await fs.chmod(folder, target.mode);
}

/** A file or a link gets its place by a rename, which replaces what stands there and follows no link. */
async function putBack(step: Step, { disk, blobs }: ApplyOptions): Promise<void> {
  const { fs } = disk;
  const { path: file, target, current } = step;
  const wasRemoved = goesFirst(current, target);
  const expected: Step = wasRemoved ? { ...step, current: { kind: 'absent' }, stat: null } : step;
  await requireAsPlanned(expected, disk);
  if (target.kind === 'file' && current.kind === 'file' && current.hash === target.hash) {
    await fs.chmod(file, target.mode);
    return;
  }
  const aside = await asideOf(file, disk);
  // Its folder may have gone with what the agent made of it.
  await fs.mkdir(path.dirname(file));
  await removeLeftover(aside, fs);
  try {
    if (target.kind === 'symlink') await fs.symlink(target.target, aside);
    if (target.kind === 'file') await writeAside(aside, target.hash, target.mode, fs, blobs);
    await requireAsPlanned(expected, disk);
    await fs.rename(aside, file);
  } catch (error) {
    await fs.removeEntry(aside).catch(() => undefined); // it may not be there; the first failure is the one to tell
    throw error;
  }
}

/** The same each time, so that a rewind that is repeated finds what a crash left behind. */
async function asideOf(file: string, disk: Disk): Promise<string> {
  const hash = await disk.sha256(new TextEncoder().encode(file));
  return path.join(path.dirname(file), `.turnwright-rewind-${hash.slice(0, 16)}.tmp`);
}

async function removeLeftover(aside: string, fs: HostFs): Promise<void> {
  try {
    await fs.removeEntry(aside);
  } catch (error) {
    if (!isFileError(error, 'ENOENT')) throw error;
  }
}

async function writeAside(aside: string, hash: string, mode: number, fs: HostFs, blobs: BlobStore): Promise<void> {
  const content = await blobs.get(hash);
  if (content === null) throw new FileError('ENOENT', aside, 'The former content is not there any more.');
  await fs.createFile(aside, content, { mode });
  await fs.chmod(aside, mode);
}
