// What a rewind would do, worked out against what is on the disk now. Changes nothing, so a dry run is this and no more.
import path from 'node:path';
import { diffArrays } from 'diff';
import { type FileStat, type HostFs, isFileError } from '../../host/host.js';
import type { RewindConflict, RewindConflictReason, RewindFailure } from '../../protocol/rewind.js';
import { errorText } from '../../util/text.js';
import { decodeText, detectBinary } from '../../util/text-file.js';
import type { BlobStore } from '../store/index.js';
import { type Disk, type Image, isImageOf, isSameImage, look, lstatOrNull, type Seen } from './image.js';
import type { Story } from './journal.js';
import { type Gap, isVersionControl } from './not-covered.js';

/** One path to set back. */
export interface Step extends LineChanges {
  readonly path: string;
  readonly target: Image;
  /** What stands there. */
  readonly current: Image;
  readonly stat: FileStat | null;
}

export interface RewindPlan {
  readonly steps: readonly Step[];
  readonly conflicts: readonly RewindConflict[];
  readonly gaps: readonly Gap[];
  readonly failed: readonly RewindFailure[];
}

export interface PlanOptions {
  readonly disk: Disk;
  readonly blobs: BlobStore;
  readonly fileBytes: number;
  /** Paths to set back whoever changed them. */
  readonly overwrite: ReadonlySet<string>;
}

type Verdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'conflict'; readonly reason: RewindConflictReason }
  | { readonly kind: 'gap'; readonly gap: Gap }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'step'; readonly step: Step };

/** Contract: never throws a FileError; a path that cannot be looked at is in `failed`. */
export async function planRewind(stories: ReadonlyMap<string, Story>, options: PlanOptions): Promise<RewindPlan> {
  const steps = new Map<string, Step>();
  const conflicts: RewindConflict[] = [];
  const gaps: Gap[] = [];
  const failed: RewindFailure[] = [];
  for (const [file, story] of stories) {
    try {
      const verdict = await judge(file, story, options);
      if (verdict.kind === 'conflict') conflicts.push(conflict(file, verdict.reason));
      if (verdict.kind === 'gap') gaps.push(verdict.gap);
      if (verdict.kind === 'failed') failed.push({ path: file, error: verdict.error });
      if (verdict.kind === 'step') steps.set(file, verdict.step);
    } catch (error) {
      if (!isFileError(error)) throw error;
      failed.push({ path: file, error: errorText(error) });
    }
  }
  for (const file of await foldersInUse(steps, options.disk.fs)) {
    steps.delete(file);
    conflicts.push(conflict(file, 'not_empty'));
  }
  for (const { path: file, target } of [...steps.values()]) {
    if (target.kind === 'absent') continue;
    const why = await whyNoFolder(file, steps, options.disk);
    if (why === null) continue;
    steps.delete(file);
    failed.push({ path: file, error: why });
  }
  for (const step of [...steps.values()])
    if (step.target.kind !== 'absent') await addMissingFolders(step, steps, stories, options.disk);
  return { steps: [...steps.values()], conflicts, gaps, failed };
}

async function whyNoFolder(file: string, steps: ReadonlyMap<string, Step>, disk: Disk): Promise<string | null> {
  try {
    const blocker = await noFolderAbove(file, steps, disk);
    return blocker === null ? null : `${file} cannot be set back: ${blocker} is not a folder, and is left as it is.`;
  } catch (error) {
    if (!isFileError(error)) throw error;
    return errorText(error);
  }
}

/** What stands, and will stand, if a folder has to be; null if there is one or room for one. */
async function noFolderAbove(file: string, steps: ReadonlyMap<string, Step>, disk: Disk): Promise<string | null> {
  for (let folder = path.dirname(file); path.dirname(folder) !== folder; folder = path.dirname(folder)) {
    const { kind } = steps.get(folder)?.target ?? (await look(disk, folder, 0)).image;
    if (kind === 'directory') return null;
    if (kind !== 'absent') return folder;
  }
  return null;
}

const NEW_FOLDER_MODE = 0o755;

/** What comes back needs its folder, whoever removed that. It is a step too, so that taking the rewind back takes it along. */
async function addMissingFolders(
  { path: file }: Step,
  steps: Map<string, Step>,
  stories: ReadonlyMap<string, Story>,
  { fs }: Disk,
): Promise<void> {
  for (let folder = path.dirname(file); !steps.has(folder); folder = path.dirname(folder)) {
    try {
      if ((await lstatOrNull(fs, folder)) !== null) return;
    } catch (error) {
      if (isFileError(error)) return; // the step itself meets the same failure, and is told then
      throw error;
    }
    const known = stories.get(folder)?.target;
    const target = known?.kind === 'directory' ? known : ({ kind: 'directory', mode: NEW_FOLDER_MODE } as const);
    const step = {
      path: folder,
      target,
      current: { kind: 'absent' },
      stat: null,
      insertions: 0,
      deletions: 0,
    } as const;
    steps.set(folder, step);
  }
}

async function judge(file: string, story: Story, options: PlanOptions): Promise<Verdict> {
  const { disk, blobs, fileBytes, overwrite } = options;
  // The journal never holds such a path; a journal that was tampered with might.
  if (isVersionControl(file)) return { kind: 'gap', gap: { path: file, reason: 'version_control' } };
  if (!(await isReachedPlainly(disk, file))) return { kind: 'conflict', reason: 'link' };
  const seen = await look(disk, file, fileBytes);
  const { target } = story;
  if (isImageOf(target, seen)) return { kind: 'same' };
  if (!overwrite.has(file)) {
    const reason = whoseChange(story, seen);
    if (reason !== null) return { kind: 'conflict', reason };
  }
  if (target.kind === 'unread' || target.kind === 'other') {
    return { kind: 'gap', gap: { path: file, reason: story.lost ?? 'unreadable' } };
  }
  const step = { path: file, target, current: seen.image, stat: seen.stat };
  if (target.kind !== 'file') return { kind: 'step', step: { ...step, ...countLineChanges(seen.bytes, null) } };
  const isContentSame = seen.image.kind === 'file' && seen.image.hash === target.hash;
  if (isContentSame) return { kind: 'step', step: { ...step, insertions: 0, deletions: 0 } };
  const content = await blobs.get(target.hash);
  if (content === null) {
    if (story.lost !== null) return { kind: 'gap', gap: { path: file, reason: story.lost } };
    const error = `${file} cannot be set back: its former content is gone from the session's folder, or damaged there.`;
    return { kind: 'failed', error };
  }
  return { kind: 'step', step: { ...step, ...countLineChanges(seen.bytes, content) } };
}

/** Null if it is as the agent left it. */
function whoseChange({ expected, isBroken, isInterrupted }: Story, seen: Seen): RewindConflictReason | null {
  if (expected.some((image) => isImageOf(image, seen))) return isBroken ? 'changed_between' : null;
  if (isInterrupted) return 'interrupted';
  const wantedLink = expected.some(({ kind }) => kind === 'symlink');
  return seen.image.kind === 'symlink' && !wantedLink ? 'link' : 'changed_since';
}

/** False if a folder on the way is a link: by now, for the journal holds paths without any. */
export async function isReachedPlainly(disk: Disk, file: string): Promise<boolean> {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    try {
      return (await disk.fs.realpath(folder)) === folder;
    } catch (error) {
      if (!isFileError(error, 'ENOENT') && !isFileError(error, 'ENOTDIR')) throw error;
      // A link that leads nowhere is in the way as well.
      if ((await look(disk, folder, 0)).image.kind === 'symlink') return false;
      if (path.dirname(folder) === folder) return true;
    }
  }
}

/** Folders that would have to go and hold something that stays, deepest first. */
async function foldersInUse(steps: ReadonlyMap<string, Step>, fs: HostFs): Promise<string[]> {
  const inUse = new Set<string>();
  const folders = [...steps.values()].filter(
    ({ current, target }) => current.kind === 'directory' && target.kind !== 'directory',
  );
  for (const { path: folder } of folders.sort((a, b) => depth(b.path) - depth(a.path))) {
    const names = await namesIn(fs, folder);
    const stays = (name: string): boolean => {
      const step = steps.get(path.join(folder, name));
      return step === undefined || inUse.has(step.path) || !isSameImage(step.target, { kind: 'absent' });
    };
    if (names.some(stays)) inUse.add(folder);
  }
  return [...inUse];
}

async function namesIn(fs: HostFs, folder: string): Promise<readonly string[]> {
  try {
    return await fs.readdir(folder);
  } catch (error) {
    if (isFileError(error)) return []; // the step itself meets the same failure, and is told then
    throw error;
  }
}

export function depth(file: string): number {
  return file.split(path.sep).length;
}

const WHY: Readonly<Record<RewindConflictReason, string>> = {
  changed_since: 'was changed by somebody else after the agent changed it',
  changed_between: 'was changed by somebody else between two changes of the agent, which would be undone as well',
  interrupted: 'could be changed by a call whose end is not known, so nobody knows whose content it has',
  link: 'is a symbolic link by now, or is reached through one',
  not_empty: 'is a folder that holds something else by now',
};

export function conflict(file: string, reason: RewindConflictReason): RewindConflict {
  return { path: file, reason, message: `${file} ${WHY[reason]}. It is left as it is.` };
}

// How many lines a change adds and takes out. Only for texts: of anything else nothing is counted.

interface LineChanges {
  readonly insertions: number;
  readonly deletions: number;
}

/** It blocks everything else in the process meanwhile. */
const TIMEOUT_MS = 100;
/** Bytes of one side that are compared line by line. */
const MAX_COMPARED = 2_000_000;
const NONE: LineChanges = { insertions: 0, deletions: 0 };

/** @param before,after null if there is no file */
function countLineChanges(before: Uint8Array | null, after: Uint8Array | null): LineChanges {
  const old = linesOf(before);
  const now = linesOf(after);
  if (old === null || now === null) return NONE;
  const { start, end } = commonEnds(old, now);
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const whole = { insertions: added.length, deletions: removed.length };
  if (removed.length === 0 || added.length === 0) return whole;
  const parts = diffArrays(removed, added, { timeout: TIMEOUT_MS });
  if (parts === undefined) return whole;
  return {
    insertions: parts.reduce((sum, part) => sum + (part.added ? part.value.length : 0), 0),
    deletions: parts.reduce((sum, part) => sum + (part.removed ? part.value.length : 0), 0),
  };
}

/** Null for what is no text, or too much of it. */
function linesOf(bytes: Uint8Array | null): string[] | null {
  if (bytes === null || bytes.length === 0) return [];
  if (bytes.length > MAX_COMPARED || detectBinary(bytes) !== null) return null;
  const lines = decodeText(bytes).text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function commonEnds(a: readonly string[], b: readonly string[]): { readonly start: number; readonly end: number } {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return { start, end };
}
