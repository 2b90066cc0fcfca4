// The workspace around calls that may change anything in it: one look at what stands where, by `lstat` alone, and what is
// different since the last one. It only tells what changed; whose change it was is for the caller, who knows what ran.
import path from 'node:path';
import { type FileStat, type Host, type HostFs, isFileError } from '../../host/host.js';
import type { NotCoveredReason } from '../../protocol/rewind.js';
import { mapBounded } from '../../util/map-bounded.js';
import {
  ABSENT,
  type Disk,
  fileImage,
  type Image,
  isSameFingerprint,
  isSameImage,
  isSameStat,
  type LostReason,
  look,
  lstatOrNull,
  type Seen,
  unreadImage,
} from './image.js';
import type { Capture, Known, KnownPaths } from './kept-content.js';
import {
  type Bounds,
  CONCURRENCY,
  type Gap,
  isGeneratedFolder,
  isVersionControlName,
  marksGenerated,
} from './not-covered.js';

interface LeftOut {
  readonly reason: NotCoveredReason;
  /** Null if not even that could be seen. */
  readonly stat: FileStat | null;
}

/** Keys are absolute paths. */
interface Walk {
  /** Everything that was seen, the roots among them. */
  readonly entries: Map<string, FileStat>;
  readonly leftOut: Map<string, LeftOut>;
}

interface WalkPlan {
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
async function walkWorkspace(host: Pick<Host, 'fs' | 'clock'>, plan: WalkPlan): Promise<Walk | WalkFailure> {
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

/** A path that is not what it was. */
export interface Difference {
  readonly path: string;
  readonly before: Image;
  readonly after: Image;
  /** Why the content of `before` is not there. */
  readonly lost: LostReason | null;
  /** Why it is not known what `after` holds. */
  readonly unsure: LostReason | null;
  /** The content of `before`, if that is a file. @throws FileError */
  content(): Promise<Uint8Array>;
}

export interface Differences {
  readonly changed: readonly Difference[];
  readonly gaps: readonly Gap[];
}

/** Contract: one of its calls at a time. All throw `FileError` if a path can be neither read nor told apart. */
export interface Workspace {
  /** Looks at everything, because somebody else may have changed it. */
  refresh(): Promise<WalkFailure | null>;
  /** Looks at everything, and tells what became different since the last look. */
  compare(): Promise<Differences | WalkFailure>;
  /** As `compare`, for one path. Null if it is the same, or no part of what is looked at. */
  compareOne(file: string): Promise<Difference | null>;
  /** Reads what is not held yet, so that whatever changes from now on can be put back. Contract: never throws. */
  hold(): Promise<void>;
}

interface WorkspaceOptions {
  readonly host: Pick<Host, 'fs' | 'sha256' | 'clock'>;
  /** Real paths, none below another. */
  readonly roots: readonly string[];
  /** Never looked at. */
  readonly hidden: readonly string[];
  readonly bounds: Bounds;
  readonly capture: Capture;
  /** What an earlier process saw. Default: nothing. */
  readonly known?: KnownPaths;
}

/**
 * A file that was changed this short a time before it was looked at may be changed again without a trace in its times,
 * milliseconds: with times that tick, and with such as know whole seconds only.
 */
const TICK_MS = 100;
const COARSE_TICK_MS = 2_500;

export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { host, roots, hidden, bounds, capture } = options;
  const { fs, clock } = host;
  const known: KnownPaths = options.known ?? new Map();
  let leftOut = new Map<string, LeftOut>();
  /** Since what is known was last written down. */
  let changed = new Set<string>();
  let isKnown = known.size > 0;

  const walk = () =>
    walkWorkspace(host, { roots, hidden, bounds, earlier: { isEntered: (folder) => known.has(folder), leftOut } });

  const remember = (file: string, entry: Known | null): void => {
    if (entry === null) known.delete(file);
    else known.set(file, entry);
    changed.add(file);
  };

  /** Nothing could have changed there. */
  const isSettled = (file: string, stat: FileStat): boolean => {
    const entry = known.get(file);
    return entry !== undefined && isSameStat(entry.stat, stat) && !mayHideChange(entry);
  };

  /** What is known of a path is what is there, as of `seenAt`; its content is not read. */
  const note = async (file: string, stat: FileStat | null, seenAt: number): Promise<void> => {
    const target = stat?.kind === 'symlink' ? await targetOf(host, file) : null;
    remember(file, stat === null ? null : { stat, target, content: null, seenAt });
  };

  const compareEntry = async (file: string, stat: FileStat | null, seenAt: number): Promise<Difference | null> => {
    if (stat !== null && isSettled(file, stat)) return null;
    const entry = known.get(file);
    const seen = await look(host, file, bounds.fileBytes);
    const before = await imageBefore(host, entry, capture);
    const isSame = isUnchanged(entry, before.image, seen);
    remember(file, knownOf(seen, isSame ? (entry?.content ?? null) : null, seenAt));
    if (isSame) return null;
    const held = entry?.content;
    return {
      path: file,
      before: before.image,
      after: seen.image,
      lost: before.lost,
      unsure: seen.lost,
      content: async () => capture.read(held as Exclude<typeof held, string | null | undefined>),
    };
  };

  const takeLeftOut = (now: Walk): Gap[] => {
    const gaps = leftOutGaps(leftOut, now);
    // Whatever was left out once stays left out, so that nothing in it looks as if it was made just now.
    const gone = [...leftOut].filter(
      ([file, { reason }]) => reason !== 'unreadable' && !now.leftOut.has(file) && !now.entries.has(file),
    );
    leftOut = new Map([...gone.map(([file, { reason }]) => [file, { reason, stat: null }] as const), ...now.leftOut]);
    return gaps;
  };

  /** Paths that were known and are not seen any more. */
  const missing = (now: Walk): string[] =>
    [...known.keys()].filter((file) => !now.entries.has(file) && !isBelow(file, now.leftOut));

  return {
    async refresh() {
      const seenAt = clock.now();
      const now = await walk();
      if ('failed' in now) return now;
      takeLeftOut(now);
      const gone = missing(now).map((file) => [file, null] as const);
      const unsettled = [...now.entries].filter(([file, stat]) => !isSettled(file, stat));
      await mapBounded([...gone, ...unsettled], CONCURRENCY, ([file, stat]) => note(file, stat, seenAt));
      isKnown = true;
      return null;
    },
    async compare() {
      const seenAt = clock.now();
      const now = await walk();
      if ('failed' in now) return now;
      const dark = new Map([...leftOut].filter(([, { reason }]) => reason === 'unreadable'));
      const gaps = takeLeftOut(now);
      const gone = missing(now).map((file) => [file, null] as const);
      const unsettled = [...now.entries].filter(([file, stat]) => !isSettled(file, stat));
      const paths: readonly (readonly [string, FileStat | null])[] = [...gone, ...unsettled];
      const found = await mapBounded(paths, CONCURRENCY, async ([file, stat]) => {
        try {
          // What could not be seen before is not new because it can be seen now.
          if (!isBelow(file, dark)) return await compareEntry(file, stat, seenAt);
          await note(file, stat, seenAt);
        } catch (error) {
          if (!isFileError(error)) throw error;
          gaps.push({ path: file, reason: 'unreadable' });
        }
        return null;
      });
      const changed = found.filter((difference) => difference !== null);
      gaps.push(...changed.flatMap(({ path: file, unsure }) => gapOfDoubt(file, unsure)));
      return { changed, gaps };
    },
    async compareOne(file) {
      if (!isKnown || !roots.some((root) => isInside(file, root)) || isBelow(file, leftOut) || hidden.includes(file))
        return null;
      return compareEntry(file, await lstatOrNull(fs, file), clock.now());
    },
    async hold() {
      const written = changed;
      changed = new Set();
      await capture.hold(known, written, roots);
    },
  };
}

/** True for the folder itself too. */
export function isInside(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

/** Its times could not show another change. */
function mayHideChange({ stat, seenAt }: Known): boolean {
  if (stat.kind !== 'file') return false;
  const tick = stat.ctimeMs % 1_000 === 0 ? COARSE_TICK_MS : TICK_MS;
  return stat.ctimeMs > seenAt - tick;
}

async function targetOf({ fs }: Pick<Host, 'fs'>, file: string): Promise<string | null> {
  try {
    return await fs.readlink(file);
  } catch (error) {
    if (isFileError(error)) return null; // no link any more: the next look sees what it is
    throw error;
  }
}

async function imageBefore(
  disk: Disk,
  entry: Known | undefined,
  capture: Capture,
): Promise<{ readonly image: Image; readonly lost: LostReason | null }> {
  if (entry === undefined) return { image: ABSENT, lost: null };
  const { stat, target, content } = entry;
  if (stat.kind === 'directory') return { image: { kind: 'directory', mode: stat.mode }, lost: null };
  if (stat.kind === 'symlink') return { image: { kind: 'symlink', target: target ?? '' }, lost: null };
  if (stat.kind === 'other') return { image: { kind: 'other' }, lost: null };
  if (content === null || typeof content === 'string') return { image: unreadImage(stat), lost: content ?? 'changing' };
  try {
    return { image: await fileImage(disk, await capture.read(content), stat.mode), lost: null };
  } catch (error) {
    if (!isFileError(error)) throw error;
    return { image: unreadImage(stat), lost: 'not_kept' };
  }
}

function isUnchanged(entry: Known | undefined, before: Image, seen: Seen): boolean {
  if (before.kind !== 'unread') return isSameImage(before, seen.image);
  // Its content is not known, so its times have to do.
  return entry !== undefined && seen.stat !== null && isSameStat(entry.stat, seen.stat);
}

function knownOf(seen: Seen, content: Known['content'], seenAt: number): Known | null {
  if (seen.stat === null) return null;
  const target = seen.image.kind === 'symlink' ? seen.image.target : null;
  return { stat: seen.stat, target, content, seenAt };
}

function leftOutGaps(before: ReadonlyMap<string, LeftOut>, now: Walk): Gap[] {
  const gaps: Gap[] = [];
  for (const [file, { reason, stat }] of now.leftOut) {
    const earlier = before.get(file);
    const isSame = stat !== null && earlier?.stat != null && isSameFingerprint(earlier.stat, stat);
    // What is in a folder that cannot be read may change without a trace in the folder.
    if (reason === 'unreadable' || !isSame) gaps.push({ path: file, reason });
  }
  for (const [file, { reason, stat }] of before) {
    if (now.leftOut.has(file)) continue;
    if (reason === 'unreadable' || (stat !== null && !now.entries.has(file))) gaps.push({ path: file, reason });
  }
  return gaps;
}

/** A file that could not be read is told from the next by its times, so a rewind may leave it alone. */
export function gapOfDoubt(file: string, unsure: LostReason | null): Gap[] {
  return unsure === null || unsure === 'too_large' ? [] : [{ path: file, reason: unsure }];
}

/** True for a path that was left out, and for all below it. */
function isBelow(file: string, leftOut: ReadonlyMap<string, unknown>): boolean {
  if (leftOut.size === 0) return false;
  for (let current = file; ; current = path.dirname(current)) {
    if (leftOut.has(current)) return true;
    if (path.dirname(current) === current) return false;
  }
}
