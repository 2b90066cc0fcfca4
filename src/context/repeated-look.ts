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
