// A look at the same paths again and again, before each prompt for instance. Most of what is asked for is not there, and
// nothing comes or goes in a folder whose own times stay as they were: one look at it answers for all its missing names.
import path from 'node:path';
import type { FileStat, Host, HostFs } from '../host/host.js';

/** What a look may ask. */
export type LookingFs = Pick<HostFs, 'lstatAll' | 'stat' | 'realpath'>;

export interface LookingHost extends Pick<Host, 'clock'> {
  readonly fs: LookingFs;
}

/** A change may bear the time of this long before it, milliseconds: the system's times tick. */
const TICK_MS = 100;
/** The same, if a file system keeps whole seconds, or two of them. */
const COARSE_TICK_MS = 3_000;

/** What a look went by: it gives the same again as long as all of this is so. */
interface Evidence {
  readonly paths: readonly string[];
  readonly stats: readonly (FileStat | null)[];
  readonly links: readonly (readonly [path: string, real: string])[];
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
  /** Folders that may answer for names in them, or are known to be missing themselves, by the last look. */
  let folders: readonly string[] = [];
  return async () => {
    if (last !== null && (await isSo(fs, last.evidence))) return last.value;
    last = null;
    const begun = clock.now();
    // Before the look: what comes meanwhile changes them for the next.
    const before = new Map<string, FileStat | null>();
    const stats = await fs.lstatAll(folders);
    for (const [at, folder] of folders.entries()) before.set(folder, stats[at] ?? null);
    const asked = recordLooks(fs);
    const value = await look(asked.fs);
    const absent = absentNames(asked.seen, before);
    const vouching = [...absent.keys()].filter((folder) => isWorthIt(folder, absent, asked.seen));
    const missing = folders.filter((folder) => before.get(folder) === null && !asked.seen.has(folder));
    folders = vouching.concat(missing);
    // A folder that cannot vouch yet will soon: until then each look is a whole one.
    if (asked.isAll && folders.every((folder) => isSettled(before.get(folder), begun)))
      last = { value, evidence: evidenceOf(asked, absent, new Set(vouching), before) };
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

/** What was missing, by the nearest folder that is not known to be missing itself. */
function absentNames(
  seen: ReadonlyMap<string, FileStat | null>,
  before: ReadonlyMap<string, FileStat | null>,
): Map<string, string[]> {
  const absent = new Set<string>();
  for (const [each, stat] of seen) if (stat === null) absent.add(each);
  for (const [each, stat] of before) if (stat === null && !seen.has(each)) absent.add(each);
  const byFolder = new Map<string, string[]>();
  for (const each of absent) {
    const folder = path.dirname(each);
    if (absent.has(folder) && folder !== each) continue;
    const names = byFolder.get(folder);
    if (names === undefined) byFolder.set(folder, [each]);
    else names.push(each);
  }
  return byFolder;
}

/** A look at a folder spares one at each of its missing names, and is made anyway if the folder itself was asked for. */
function isWorthIt(
  folder: string,
  absent: ReadonlyMap<string, readonly string[]>,
  seen: ReadonlyMap<string, FileStat | null>,
): boolean {
  return (absent.get(folder)?.length ?? 0) > 1 || seen.has(folder);
}

function evidenceOf(
  { seen, links }: RecordedLooks,
  absent: ReadonlyMap<string, readonly string[]>,
  vouching: ReadonlySet<string>,
  before: ReadonlyMap<string, FileStat | null>,
): Evidence {
  const stats = new Map<string, FileStat | null>();
  for (const [each, stat] of seen) if (stat !== null) stats.set(each, stat);
  for (const [folder, names] of absent) {
    const stat = vouching.has(folder) ? before.get(folder) : null;
    // Of a link the times are its own.
    if (stat?.kind === 'directory') stats.set(folder, stat);
    else for (const name of names) stats.set(name, null);
  }
  return { paths: [...stats.keys()], stats: [...stats.values()], links };
}

/** Of two changes within a tick the second may leave the times as they are. Undefined: not looked at before the rest. */
function isSettled(folder: FileStat | null | undefined, now: number): boolean {
  if (folder == null) return folder === null;
  return folder.ctimeMs < now - (folder.ctimeMs % 1_000 === 0 ? COARSE_TICK_MS : TICK_MS);
}
