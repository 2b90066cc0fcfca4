// Sets files back to a checkpoint. What is replaced is kept first, so a rewind can be taken back like a prompt, and one
// that ended half way can be repeated.
import { isFileError } from '../../host/host.js';
import type {
  NotCovered,
  RewindConflict,
  RewindFailure,
  RewindFilesOptions,
  RewindFilesResult,
} from '../../protocol/rewind.js';
import { errorText } from '../../util/text.js';
import type { BlobStore } from '../store/index.js';
import { type Applied, applySteps } from './apply-rewind.js';
import { type Disk, type Image, isSameImage, type LostReason, look } from './image.js';
import type { Journal } from './journal.js';
import type { Change, OpenPath } from './journal-record.js';
import type { KeptContent } from './kept-content.js';
import { describeGap, type Gap } from './not-covered.js';
import { conflict, planRewind, type RewindPlan, type Step } from './plan.js';
import { type Stories, storiesSince } from './story.js';

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
