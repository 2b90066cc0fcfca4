// What lies below a folder that a command copies, moves, links or removes, and is kept by a rule: found by going through the
// folder, within bounds, so that a rule about one file does not ask about each folder. Beyond them it cannot be told.
import path from 'node:path';
import { trackedPaths } from '../../context/git/index.js';
import { entriesIn, type Host, isFileError } from '../../host/host.js';
import type { TouchedFile } from '../../permissions/permission-call.js';
import { accessBelow, countsHidden, type ReachBelow, reachBelow } from '../../permissions/unseen-files.js';
import type { KeptFiles } from '../../tools/tool.js';

const MAX_FOLDERS = 6_000;
const MAX_ENTRIES = 80_000;
/** Kept files of one folder that are named. */
const MAX_FOUND = 10;

/** Asks for what rules keep from being read, or changed; null if no rule speaks of files. */
export type KeptAsked = (access: 'read' | 'write' | 'change') => Promise<KeptFiles | null>;

/**
 * The files, with what is kept below those that reach further; those below which nothing is kept are marked.
 * Contract: never throws for what stands on the disk.
 */
export async function withKeptBelow(
  files: readonly TouchedFile[],
  askKept: KeptAsked,
  fs: Host['fs'],
): Promise<readonly TouchedFile[]> {
  const looked = new Map<string, readonly string[] | null>();
  const all: TouchedFile[] = [];
  for (const file of files) {
    const below = file.realPath === null ? 'none' : reachBelow(file);
    const kept = below === 'none' ? null : await askKept(accessBelow(file));
    if (kept === null || file.realPath === null) {
      all.push(file);
      continue;
    }
    const key = [below, accessBelow(file), file.realPath].join(' ');
    const known = looked.get(key);
    const found = known === undefined ? await touched(file.realPath, below, file.program, kept, fs) : known;
    looked.set(key, found);
    all.push(found?.length === 0 ? { ...file, holdsNoneKept: true } : file);
    // Which of some files are touched is not known, so that it is asked about.
    for (const target of below === 'all' ? (found ?? []) : [])
      all.push({ ...file, path: target, realPath: target, isAnyWithin: false, isFile: true, reach: 'itself' });
  }
  return all;
}

/** Of git only what it tracks: it shows and overwrites nothing else. Null as below. */
async function touched(
  top: string,
  below: ReachBelow,
  program: string | null,
  kept: KeptFiles,
  fs: Host['fs'],
): Promise<readonly string[] | null> {
  const found = await keptBelow(top, below, kept, fs);
  if (program !== 'git' || below === 'all' || found === null || found.length === 0) return found;
  const isTracked = await trackedIn(top, fs);
  return found.filter((file) => isTracked(file));
}

/** Null if there is too much to go through, and nothing was found so far. */
async function keptBelow(
  top: string,
  below: ReachBelow,
  kept: KeptFiles,
  fs: Host['fs'],
): Promise<readonly string[] | null> {
  const found: string[] = [];
  let [folders, entries] = [0, 0];
  for (let level: readonly string[] = [top]; level.length > 0; ) {
    const next: string[] = [];
    for (const folder of level) {
      if (kept.mayKeepBelow?.(folder) === false) continue;
      const inside = await entriesIn(fs, folder);
      entries += inside.length;
      if (++folders > MAX_FOLDERS || entries > MAX_ENTRIES) return found.length > 0 ? found : null;
      for (const { name, kind } of inside) {
        if (!countsHidden(below) && name.startsWith('.')) continue;
        const target = path.join(folder, name);
        if (kind === 'directory') next.push(...(below === 'direct' ? [] : [target]));
        else if (kept(target) && found.push(target) >= MAX_FOUND) return found;
      }
    }
    level = next;
  }
  return found;
}

/** Tells what the repository around the folder tracks; if that cannot be told, everything. */
async function trackedIn(top: string, fs: Host['fs']): Promise<(file: string) => boolean> {
  const found = await trackedAround(top, fs);
  if (found === null) return () => true;
  const tracked = new Set(found.paths);
  return (file) => tracked.has(path.relative(found.top, file));
}

const RECORDED = /^gitdir: (.+?)\n*$/s;

/** The folder of the repository that a `.git` file names. */
async function recordedFolder(git: string, fs: Host['fs']): Promise<string> {
  const [, folder = ''] = RECORDED.exec(new TextDecoder().decode(await fs.readFile(git))) ?? [];
  return path.resolve(path.dirname(git), folder);
}

/** What the repository around the folder tracks, from its top; null if that cannot be told. */
export async function trackedAround(
  inside: string,
  fs: Host['fs'],
): Promise<{ readonly top: string; readonly paths: readonly string[] } | null> {
  for (let top = inside; ; top = path.dirname(top)) {
    try {
      const git = path.join(top, '.git');
      const folder = (await fs.lstat(git)).kind === 'directory' ? git : await recordedFolder(git, fs);
      const paths = trackedPaths(await fs.readFile(path.join(folder, 'index')));
      return paths === null ? null : { top, paths };
    } catch (error) {
      if (!isFileError(error)) throw error;
      const isRepository = path.basename(error.path) === 'index';
      // A repository in which nothing was added yet has none.
      if (isRepository) return error.code === 'ENOENT' ? { top, paths: [] } : null;
      if (error.code !== 'ENOENT' || path.dirname(top) === top) return null;
    }
  }
}
