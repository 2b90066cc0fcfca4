// A held folder for those who search in it: what stands below it, found by its descriptor and through no link.
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, statfsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileFailure } from './file-failure.js';
import type { HeldFolder } from './held-folder.js';
import type { FileStat, FolderHandle, LentFiles } from './host.js';
import { monotonicMs } from './monotonic.js';
import { guarded, toFileStat } from './node-guard.js';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Longest run of looks before other work has its turn, milliseconds. */
const SLICE_MS = 4;
/** The system's times tick: a change may bear the time of this long before it, milliseconds. */
const TICK_MS = 100;
/** The clock was set where it went otherwise than time by more than this, milliseconds. */
const CLOCK_STEP_MS = 20;
/** File systems whose times are those of this machine's clock: ext, XFS, Btrfs, F2FS, ZFS, overlay, tmpfs. */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x794c7630, 0x01021994,
]);

/** Takes the folder over. Contract: as `FolderHandle`. */
export function folderHandle(folder: HeldFolder): FolderHandle {
  const opened = { wall: Date.now(), monotonic: monotonicMs() };
  const turns = takeTurns();
  let isOpen = true;
  const open = <T>(work: () => Promise<T>): Promise<T> =>
    guarded('look into', folder.self, async () => {
      if (!isOpen) throw fileFailure('EBADF', folder.self, 'look into');
      folder.check();
      return work();
    });
  /** Goes through paths in an order in which each folder is entered once. */
  const visit = async <T>(paths: readonly string[], work: (at: Found) => T): Promise<(T | null)[]> => {
    const results: (T | null)[] = paths.map(() => null);
    const order = paths
      .map((path, index) => ({ parts: partsOf(path), index }))
      .filter(({ parts }) => parts.length > 0)
      .sort((a, b) => compare(a.parts, b.parts));
    const way = openWay(folder);
    try {
      for (const { parts, index } of order) {
        await turns();
        results[index] = orNull(() => way.find(parts, work));
      }
      return results;
    } finally {
      way.close();
    }
  };
  return {
    cwd: folder.self,
    names: () => open(async () => readdirSync(folder.self).sort()),
    lstatAll: (paths) => open(() => visit(paths, ({ at }) => toFileStat(lstatSync(at)))),
    lend: (paths) =>
      open(async () => {
        const lent: number[] = [];
        const files = await visit(paths, (found) => lendFile(found, lent));
        return lentFiles(files, lent);
      }),
    wasQuiet: (folders) =>
      open(async () => {
        const drift = Date.now() - opened.wall - (monotonicMs() - opened.monotonic);
        if (Math.abs(drift) > CLOCK_STEP_MS || (folder.isHeld && !LOCAL.has(statfsSync(folder.self).type)))
          return false;
        const own = folder.stat();
        const isQuiet = (stat: FileStat) =>
          stat.kind === 'directory' && stat.device === own.device && stat.ctimeMs < opened.wall - TICK_MS;
        if (!isQuiet(own)) return false;
        const below = await visit(withFoldersAbove(folders), ({ at }) => isQuiet(toFileStat(lstatSync(at))));
        return below.every((quiet) => quiet === true);
      }),
    async close() {
      if (isOpen) folder.close();
      isOpen = false;
    },
  };
}

interface Found {
  /** For one call of the file system. */
  readonly at: string | Buffer;
  /** True where `at` is no more than the name. */
  readonly isNamed: boolean;
}

/** Contract: no number of them is given away twice. */
function lentFiles(files: LentFiles['files'], lent: readonly number[]): LentFiles {
  let isLent = true;
  return {
    files,
    async giveBack() {
      if (isLent) for (const file of lent) closeSync(file);
      isLent = false;
    },
  };
}

function lendFile({ at, isNamed }: Found, lent: number[]): { readonly path: string; readonly stat: FileStat } | null {
  const file = openSync(at, READ);
  const stat = toFileStat(fstatSync(file));
  if (stat.kind !== 'file' || isNamed) closeSync(file);
  else lent.push(file);
  if (stat.kind !== 'file') return null;
  return { path: isNamed ? at.toString() : `/proc/${process.pid}/fd/${file}`, stat };
}

/** The folders between the held one and what was found last, open as long as the next may lie in them. */
function openWay(top: HeldFolder) {
  const entered: { readonly name: string; readonly folder: HeldFolder }[] = [];
  const leaveTo = (depth: number): void => {
    while (entered.length > depth) entered.pop()?.folder.close();
  };
  const here = (): HeldFolder => entered.at(-1)?.folder ?? top;
  return {
    /** @throws where a part is missing, or a link is on the way */
    find<T>(parts: readonly string[], work: (found: Found) => T): T {
      const folders = parts.slice(0, -1);
      const same = folders.findIndex((name, depth) => entered[depth]?.name !== name);
      leaveTo(same === -1 ? folders.length : same);
      for (const name of folders.slice(entered.length)) {
        const folder = here();
        entered.push({ name, folder: folder.enter(rawName(folder, name)) });
      }
      const folder = here();
      const found = work({ at: folder.at(rawName(folder, parts.at(-1) ?? '')), isNamed: !folder.isHeld });
      folder.check();
      return found;
    },
    close: () => leaveTo(0),
  };
}

/** A name that is no text has lost bytes on its way to here: the folder knows which one it is. */
function rawName(folder: HeldFolder, name: string): string | Buffer {
  if (!name.includes('\ufffd')) return name;
  return readdirSync(folder.self, { encoding: 'buffer' }).find((raw) => raw.toString('utf8') === name) ?? name;
}

/** Empty for a path that does not lie below. */
function partsOf(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return isAbsolute(path) || parts.includes('..') || path.includes('\0') ? [] : parts;
}

function compare(a: readonly string[], b: readonly string[]): number {
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (part !== other) return part < other ? -1 : 1;
  }
  return a.length - b.length;
}

function withFoldersAbove(folders: readonly string[]): readonly string[] {
  const all = new Set<string>();
  for (const folder of folders) {
    const parts = folder.split('/').filter((part) => part !== '' && part !== '.');
    for (let depth = parts.length; depth > 0 && !all.has(parts.slice(0, depth).join('/')); depth--)
      all.add(parts.slice(0, depth).join('/'));
  }
  return [...all];
}

/** What is not there, or is reached through a link, is said by null. */
function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

function takeTurns(): () => Promise<void> {
  let began = monotonicMs();
  return async () => {
    if (monotonicMs() - began < SLICE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    began = monotonicMs();
  };
}
