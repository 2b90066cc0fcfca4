// Looks at files before each prompt: which folders a working directory lies in and where its repository begins; the same paths
// again and again, most of which are not there; what is kept for as long as its files are the same. Nothing that a folder says
// about itself is read; whatever is called `.git` ends a repository, but a folder without a `HEAD`, which git passes by too.
import path from 'node:path';
import { type FileStat, type Host, type HostFs, isFileError } from '../host/host.js';

export interface FoldersAbove {
  /** The working directory and all above it, with links resolved, the nearest first. */
  readonly folders: readonly string[];
  /** Of each of them its `.git`, if that may be one. */
  readonly found: readonly { readonly dotGit: FileStat | null }[];
}

/** The same, with what a repository without a `.git` is known by. */
export interface RepositoriesAbove extends FoldersAbove {
  /** Of each of the folders its `.git`, and its own `HEAD`. */
  readonly found: readonly { readonly dotGit: FileStat | null; readonly head: FileStat | null }[];
}

type UpwardsFs = Pick<LookingFs, 'lstatAll' | 'realpath'>;

/** Contract: never throws. Nothing is opened. */
export async function lookUpwards({ fs }: { readonly fs: UpwardsFs }, cwd: string): Promise<FoldersAbove> {
  const folders = await foldersAbove(fs, cwd);
  const stats = await fs.lstatAll(folders.map((folder) => path.join(folder, '.git')));
  return {
    folders,
    found: await withoutEmpty(
      fs,
      folders,
      stats.map((dotGit) => ({ dotGit })),
    ),
  };
}

/** Contract: as `lookUpwards`. */
export async function lookForRepositories({ fs }: Pick<Host, 'fs'>, cwd: string): Promise<RepositoriesAbove> {
  const folders = await foldersAbove(fs, cwd);
  const stats = await fs.lstatAll(folders.flatMap((folder) => [path.join(folder, '.git'), path.join(folder, 'HEAD')]));
  const found = folders.map((_, at) => ({ dotGit: stats[2 * at] ?? null, head: stats[2 * at + 1] ?? null }));
  return { folders, found: await withoutEmpty(fs, folders, found) };
}

async function foldersAbove(fs: UpwardsFs, cwd: string): Promise<readonly string[]> {
  return foldersUpFrom(await fs.realpath(cwd).catch(() => cwd)); // a folder that is not there is refused later
}

/** A `.git` that is an empty folder is none. */
async function withoutEmpty<T extends { readonly dotGit: FileStat | null }>(
  fs: UpwardsFs,
  folders: readonly string[],
  found: readonly T[],
): Promise<readonly T[]> {
  // Most folders have none.
  const inner = folders.filter((_, at) => found[at]?.dotGit?.kind === 'directory');
  if (inner.length === 0) return found;
  const heads = await fs.lstatAll(inner.map((folder) => path.join(folder, '.git', 'HEAD')));
  const empty = new Set(inner.filter((_, at) => heads[at] === null));
  return found.map((each, at) => (empty.has(folders[at] ?? '') ? { ...each, dotGit: null } : each));
}

/** Folders above the working directory that belong to its repository, the nearest first; none if it is in none. */
export function repositoryAbove({ folders, found }: FoldersAbove): readonly string[] {
  return folders.slice(1, found.findIndex(({ dotGit }) => dotGit !== null) + 1);
}

/** An absolute folder and all above it, the nearest first. */
export function foldersUpFrom(folder: string): readonly string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUpFrom(above)];
}

/** What a look may ask. */
export type LookingFs = Pick<HostFs, 'lstatAll' | 'stat' | 'realpath'>;

export interface LookingHost extends Pick<Host, 'clock'> {
  readonly fs: LookingFs;
}

/** A change may bear the time of this long before it, milliseconds: the system's times tick. */
const TICK_MS = 50;
/** The same, if a file system keeps whole seconds, or two of them. */
const COARSE_TICK_MS = 3_000;

/** What a look went by: it gives the same again as long as all of this is so. */
interface Evidence {
  readonly paths: readonly string[];
  readonly stats: readonly (FileStat | null)[];
  readonly links: readonly (readonly [path: string, real: string])[];
  /** When more folders may answer for their missing names, by the clock. */
  readonly betterFrom: number;
}

/**
 * `look` as a function that gives what it gave before if nothing that it asked for changed, came or went since; else it
 * looks again. What it asks for must follow from the answers alone.
 *
 * Contract: a change is seen by the first call that begins after it, except one that leaves the times of its folder as they
 * are: two changes in one tick of a file server whose clock is late, with a look between them.
 */
export function repeatLook<T>({ fs, clock }: LookingHost, look: (fs: LookingFs) => Promise<T>): () => Promise<T> {
  let last: { readonly value: T; readonly evidence: Evidence } | null = null;
  return async () => {
    const begun = clock.now();
    if (last !== null && begun < last.evidence.betterFrom && (await isSo(fs, last.evidence))) return last.value;
    last = null;
    const asked = recordLooks(fs);
    const value = await look(asked.fs);
    if (asked.isAll) last = { value, evidence: await findEvidence(fs, asked, begun) };
    return value;
  };
}

async function isSo(fs: LookingFs, { paths, stats, links }: Evidence): Promise<boolean> {
  const now = await fs.lstatAll(paths);
  for (let at = 0; at < paths.length; at++) if (!isSame(now[at] ?? null, stats[at] ?? null)) return false;
  for (const [link, real] of links) if ((await fs.realpath(link).catch(() => null)) !== real) return false;
  return true;
}

function isSame(one: FileStat | null, other: FileStat | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.ctimeMs === other.ctimeMs &&
    one.mtimeMs === other.mtimeMs &&
    one.inode === other.inode &&
    one.device === other.device &&
    one.size === other.size &&
    one.kind === other.kind
  );
}

interface RecordedLooks {
  readonly fs: LookingFs;
  readonly seen: ReadonlyMap<string, FileStat | null>;
  readonly links: readonly (readonly [path: string, real: string])[];
  /** False once something was asked that may change although all of this stays so: what a link leads to. */
  readonly isAll: boolean;
}

function recordLooks(fs: LookingFs): RecordedLooks {
  const seen = new Map<string, FileStat | null>();
  const links: (readonly [string, string])[] = [];
  let isAll = true;
  return {
    fs: {
      async lstatAll(paths) {
        const stats = await fs.lstatAll(paths);
        for (const [at, each] of paths.entries()) seen.set(each, stats[at] ?? null);
        return stats;
      },
      stat(each) {
        isAll = false;
        return fs.stat(each);
      },
      async realpath(each) {
        try {
          const real = await fs.realpath(each);
          links.push([each, real]);
          return real;
        } catch (error) {
          isAll = false;
          throw error;
        }
      },
    },
    seen,
    links,
    get isAll() {
      return isAll;
    },
  };
}

/** @param begun when the look began: a folder that last changed before has been as it is since then */
async function findEvidence(fs: LookingFs, { seen, links }: RecordedLooks, begun: number): Promise<Evidence> {
  const known = new Map(seen);
  let absent = absentNames(known);
  for (;;) {
    const folders = [...absent]
      .filter(([folder, names]) => names.length > 1 && !known.has(folder))
      .map(([each]) => each);
    if (folders.length === 0) break;
    const found = await fs.lstatAll(folders);
    for (const [at, folder] of folders.entries()) known.set(folder, found[at] ?? null);
    absent = absentNames(known);
  }
  const stats = new Map<string, FileStat | null>();
  for (const [each, stat] of seen) if (stat !== null) stats.set(each, stat);
  let betterFrom = Number.POSITIVE_INFINITY;
  for (const [folder, names] of absent) {
    const stat = known.get(folder) ?? null;
    // Of a link the times are its own.
    const settled = stat?.kind === 'directory' ? settledAt(stat) : Number.POSITIVE_INFINITY;
    if (stat !== null && settled < begun) stats.set(folder, stat);
    else for (const name of names) stats.set(name, null);
    if (settled >= begun) betterFrom = Math.min(betterFrom, settled + 1);
  }
  return { paths: [...stats.keys()], stats: [...stats.values()], links, betterFrom };
}

/** What was missing, by the nearest folder that is not known to be missing itself. */
function absentNames(known: ReadonlyMap<string, FileStat | null>): Map<string, string[]> {
  const byFolder = new Map<string, string[]>();
  for (const [each, stat] of known) {
    if (stat !== null) continue;
    const folder = path.dirname(each);
    if (known.get(folder) === null && folder !== each) continue;
    const names = byFolder.get(folder);
    if (names === undefined) byFolder.set(folder, [each]);
    else names.push(each);
  }
  return byFolder;
}

/** From then on no change can leave the times as they are. */
function settledAt({ ctimeMs }: FileStat): number {
  return ctimeMs + (ctimeMs % 1_000 === 0 ? COARSE_TICK_MS : TICK_MS);
}

/** What was found, and the files that it comes from; with `files: null` it is not kept. */
interface Found<T> {
  readonly files: readonly string[] | null;
  readonly value: T;
}

export function lookAgainIfChanged<T>({ fs }: Pick<Host, 'fs'>, look: () => Promise<Found<T>>): () => Promise<T> {
  const stampOf = async (files: readonly string[]): Promise<string> => {
    const stats = await fs.lstatAll(files);
    // Of a link, also what it leads to.
    const led = files.map((file, at) => (stats[at]?.kind === 'symlink' ? statOf(fs, file) : null));
    return JSON.stringify([stats.map(partsOf), (await Promise.all(led)).map(partsOf)]);
  };
  let kept: { readonly files: readonly string[]; readonly stamp: string; readonly value: T } | null = null;
  return async () => {
    if (kept !== null && kept.stamp === (await stampOf(kept.files))) return kept.value;
    const { files, value } = await look();
    kept = files === null ? null : { files, stamp: await stampOf(files), value };
    return value;
  };
}

function partsOf(stat: FileStat | null) {
  return stat && [stat.ctimeMs, stat.mtimeMs, stat.size, stat.inode, stat.kind];
}

async function statOf(fs: Host['fs'], file: string): Promise<FileStat | null> {
  try {
    return await fs.stat(file);
  } catch (error) {
    if (isFileError(error)) return null; // it leads nowhere
    throw error;
  }
}
