// One look at the workspace: what stands where, by `lstat` alone. What it leaves out is named, and stays left out; what
// an earlier look entered is entered again, so that two looks can be compared.
import path from 'node:path';
import { type FileStat, type Host, type HostFs, isFileError } from '../../host/host.js';
import type { NotCoveredReason } from '../../protocol/rewind.js';
import { mapBounded } from '../../util/map-bounded.js';
import { type Bounds, CONCURRENCY } from './bounds.js';
import { lstatOrNull } from './image.js';
import { isGeneratedFolder, isVersionControlName, marksGenerated } from './not-covered.js';

export interface LeftOut {
  readonly reason: NotCoveredReason;
  /** Null if not even that could be seen. */
  readonly stat: FileStat | null;
}

/** Keys are absolute paths. */
export interface Walk {
  /** Everything that was seen, the roots among them. */
  readonly entries: Map<string, FileStat>;
  readonly leftOut: Map<string, LeftOut>;
}

export interface WalkPlan {
  /** Real paths, none below another. */
  readonly roots: readonly string[];
  /** Never looked at, and not named: the folder that sessions are kept in. */
  readonly hidden: readonly string[];
  readonly bounds: Bounds;
  /** What earlier walks did. */
  readonly earlier: { isEntered(folder: string): boolean; readonly leftOut: ReadonlyMap<string, LeftOut> };
}

/** The walk came to nothing. */
export interface WalkFailure {
  readonly failed: Extract<NotCoveredReason, 'too_many_files' | 'too_slow' | 'unreadable'>;
}

/** Files that are looked at before the time is. */
const AT_ONCE = 1_000;
/** A workspace may grow by this factor before looking at it ends. */
const GROWTH = 2;

/** What another call is about to write: it takes its file's place in a moment. */
const UNFINISHED = /^\.turnwright-[0-9a-f]{18}\.tmp$/;

interface Folder {
  readonly path: string;
  readonly names: readonly { readonly name: string; readonly kind: FileStat['kind'] }[];
}

/** Goes down level by level: if there is too much, what is deepest is left out. */
export async function walkWorkspace(host: Pick<Host, 'fs' | 'clock'>, plan: WalkPlan): Promise<Walk | WalkFailure> {
  const { fs, clock } = host;
  const { bounds } = plan;
  const walk: Walk = { entries: new Map(), leftOut: new Map() };
  const deadline = clock.monotonic() + bounds.scanMs;
  let level: string[] = [];
  try {
    for (const root of plan.roots) {
      const stat = await lstatOrNull(fs, root);
      if (stat === null) continue;
      walk.entries.set(root, stat);
      if (stat.kind === 'directory') level.push(root);
    }
    while (level.length > 0) {
      const folders = await mapBounded(level, CONCURRENCY, (folder) => list(fs, folder, walk));
      const accepted: string[] = [];
      for (const folder of folders) if (folder !== null) accepted.push(...accept(folder, accepted.length, walk, plan));
      if (walk.entries.size + accepted.length > bounds.entries * GROWTH) return { failed: 'too_many_files' };
      for (let from = 0; from < accepted.length; from += AT_ONCE) {
        if (clock.monotonic() > deadline) return { failed: 'too_slow' };
        await see(fs, accepted.slice(from, from + AT_ONCE), walk);
      }
      level = accepted.filter((file) => walk.entries.get(file)?.kind === 'directory');
    }
    return walk;
  } catch (error) {
    if (isFileError(error)) return { failed: 'unreadable' };
    throw error;
  }
}

/** Null if the folder cannot be listed: it is gone, or it is left out. */
async function list(fs: HostFs, folder: string, walk: Walk): Promise<Folder | null> {
  try {
    return { path: folder, names: await fs.entries(folder) };
  } catch (error) {
    if (!isFileError(error)) throw error;
    const stat = walk.entries.get(folder) ?? null;
    walk.entries.delete(folder);
    const isGone = error.code === 'ENOENT' || error.code === 'ENOTDIR';
    if (!isGone) walk.leftOut.set(folder, { reason: 'unreadable', stat });
    return null;
  }
}

/**
 * The paths in a folder that are to be looked at; none if the folder itself is left out.
 * @param pending paths of this level that were accepted already
 */
function accept(folder: Folder, pending: number, walk: Walk, { earlier, bounds, hidden }: WalkPlan): string[] {
  const reason = reasonToLeaveOut(folder, walk.entries.size + pending, earlier, bounds);
  if (reason !== null) {
    walk.leftOut.set(folder.path, { reason, stat: walk.entries.get(folder.path) ?? null });
    walk.entries.delete(folder.path);
    return [];
  }
  return folder.names
    .filter(({ name }) => !UNFINISHED.test(name))
    .map(({ name }) => path.join(folder.path, name))
    .filter((file) => !hidden.includes(file));
}

function reasonToLeaveOut(
  { path: folder, names }: Folder,
  taken: number,
  earlier: WalkPlan['earlier'],
  bounds: Bounds,
): NotCoveredReason | null {
  if (earlier.isEntered(folder)) return null;
  const before = earlier.leftOut.get(folder);
  if (before !== undefined && before.reason !== 'unreadable') return before.reason;
  if (names.some(({ name }) => marksGenerated(name))) return 'generated_folder';
  if (names.length > bounds.folderEntries || taken + names.length > bounds.entries) return 'too_many_files';
  return null;
}

async function see(fs: HostFs, files: readonly string[], walk: Walk): Promise<void> {
  const stats = await fs.lstatAll(files);
  for (const [index, file] of files.entries()) {
    const stat = stats[index] ?? null;
    if (stat === null) {
      // Gone by now, unless it cannot be looked at; or its name is no text, which can be listed and not be used.
      if (file.includes('\ufffd') || (await isThere(fs, file))) walk.leftOut.set(file, { reason: 'unreadable', stat });
      continue;
    }
    const name = path.basename(file);
    if (isVersionControlName(name)) walk.leftOut.set(file, { reason: 'version_control', stat });
    else if (stat.kind === 'directory' && isGeneratedFolder(name))
      walk.leftOut.set(file, { reason: 'generated_folder', stat });
    else walk.entries.set(file, stat);
  }
}

/** True also if only the system knows. */
async function isThere(fs: HostFs, file: string): Promise<boolean> {
  try {
    return (await lstatOrNull(fs, file)) !== null;
  } catch (error) {
    if (isFileError(error)) return true;
    throw error;
  }
}
