// The workspace around calls that may change anything in it: what it was at the last look, and what is different now.
// It only tells what changed; whose change it was is for the caller, who knows what ran in between.
import path from 'node:path';
import { type FileStat, type Host, isFileError } from '../../host/host.js';
import { mapBounded } from '../../util/map-bounded.js';
import { type Bounds, CONCURRENCY } from './bounds.js';
import type { Capture, Known, KnownPaths } from './capture.js';
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
import type { Gap } from './not-covered.js';
import { type LeftOut, type Walk, type WalkFailure, walkWorkspace } from './walk.js';

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

export interface WorkspaceOptions {
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
