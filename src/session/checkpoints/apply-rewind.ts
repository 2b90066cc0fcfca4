// Carries a rewind out, path by path. Each path changes in one step or not at all, never through a link, and only while
// it still is what the plan saw.
import path from 'node:path';
import { FileError, type HostFs, isFileError } from '../../host/host.js';
import type { RewindConflict, RewindFailure } from '../../protocol/rewind.js';
import { errorText } from '../../util/text.js';
import type { BlobStore } from '../store/index.js';
import { type Disk, type Image, isSameStat, lstatOrNull } from './image.js';
import { conflict, depth, isReachedPlainly, type Step } from './plan.js';

export interface Applied {
  readonly done: readonly Step[];
  readonly conflicts: readonly RewindConflict[];
  readonly failed: readonly RewindFailure[];
}

export interface ApplyOptions {
  readonly disk: Disk;
  readonly blobs: BlobStore;
}

const OWNER_MAY_CHANGE = 0o300;

/** What must be done before what: a folder can go once it is empty, and must be there before what is in it. */
export async function applySteps(steps: readonly Step[], options: ApplyOptions): Promise<Applied> {
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
