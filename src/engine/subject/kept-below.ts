// What lies below a folder that a command copies, moves, links or removes, and is kept by a rule: found by going through the
// folder, within bounds, so that a rule about one file does not ask about each folder. Beyond them it cannot be told.
import path from 'node:path';
import { trackedPaths } from '../../context/git/index.js';
import { entriesIn, type Host, isFileError } from '../../host/host.js';
import type { TouchedFile } from '../../permissions/permission-call.js';
import type { Untracked } from '../../permissions/shell/index.js';
import { accessBelow, countsHidden, type ReachBelow, reachBelow } from '../../permissions/unseen-files.js';
import type { KeptFiles } from '../../tools/tool.js';
import { compileGlob } from '../../util/glob-pattern.js';

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
    // What the shell matches it is given by name.
    const isGiven = file.program !== 'git' || below === 'all' || below === 'direct';
    const among = isGiven ? 'all' : amongUntracked(file, files);
    const key = [below, among, accessBelow(file), file.realPath].join(' ');
    const known = looked.get(key);
    const found =
      known === undefined
        ? await keptBelow(
            file.realPath,
            { below, kept, counts: countedBy(among, file.realPath, fs), mayChange: file.access !== 'read' },
            fs,
          )
        : known;
    looked.set(key, found);
    all.push(found?.length === 0 ? { ...file, holdsNoneKept: true } : file);
    // Which of some files are touched is not known, so that it is asked about.
    for (const target of below === 'all' ? (found ?? []) : [])
      all.push({ ...file, path: target, realPath: target, isAnyWithin: false, isFile: true, reach: 'itself' });
  }
  return all;
}

/** What is ignored now need not be by then, if the line changes what says so. */
function amongUntracked(file: TouchedFile, files: readonly TouchedFile[]): Untracked | 'tracked' {
  if (file.untracked !== 'unignored') return file.untracked ?? 'tracked';
  const at = files.indexOf(file);
  const mayChange = ({ path: target, access, program, reach }: TouchedFile, place: number): boolean =>
    access !== 'read' &&
    (target === null ||
      path.basename(target) === '.gitignore' ||
      (program === 'git' && reach === 'tree' && place < at));
  return files.some(mayChange) ? 'all' : 'unignored';
}

/** Which of the files below count, by their paths. */
type Counts = (file: string) => Promise<boolean>;

/** Of git mostly what it tracks alone: it shows and overwrites nothing else. If that cannot be told, everything. */
function countedBy(among: Untracked | 'tracked', top: string, fs: Host['fs']): Counts {
  if (among === 'all') return async () => true;
  const look = async () => {
    const found = await trackedAround(top, fs);
    return found === null ? null : { ...found, set: new Set(found.paths), isIgnored: createIgnored(found.top, fs) };
  };
  let around: ReturnType<typeof look> | undefined;
  return async (file) => {
    around ??= look();
    const found = await around;
    if (found?.set.has(path.relative(found.top, file)) !== false) return true;
    return among === 'unignored' && !(await found.isIgnored(file));
  };
}

interface Looked {
  readonly below: ReachBelow;
  readonly kept: KeptFiles;
  readonly counts: Counts;
  /** What a glob matches may be a folder, which itself is changed. */
  readonly mayChange: boolean;
}

/** Null if there is too much to go through, and nothing was found so far. */
async function keptBelow(
  top: string,
  { below, kept, counts, mayChange }: Looked,
  fs: Host['fs'],
): Promise<readonly string[] | null> {
  const found: string[] = [];
  let [folders, entries] = [0, 0];
  for (let level: readonly string[] = [top]; level.length > 0; ) {
    const next: string[] = [];
    for (const folder of level) {
      if (kept.mayKeepBelow?.(folder) === false) continue;
      const inside = await entriesIn(fs, folder);
      // An empty one goes too, and holds nothing that a rule could name.
      if (below === 'all' && inside.length === 0 && folder !== top && kept(folder)) found.push(folder);
      entries += inside.length;
      if (++folders > MAX_FOLDERS || entries > MAX_ENTRIES) return found.length > 0 ? found : null;
      for (const { name, kind } of inside) {
        if (!countsHidden(below) && name.startsWith('.')) continue;
        const target = path.join(folder, name);
        const isFolder = kind === 'directory';
        if (isFolder && below !== 'direct') next.push(target);
        else if (isFolder && !mayChange) continue;
        else if (kept(target) && (await counts(target)) && found.push(target) >= MAX_FOUND) return found;
      }
    }
    level = next;
  }
  return found;
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

// Which files git passes over when it takes in what it does not track: those that a .gitignore of the repository names. One
// rule: what is not told for sure is not ignored, so that a rule about it counts.

interface Line {
  readonly isException: boolean;
  readonly onlyFolders: boolean;
  matches(below: string): boolean;
}

/**
 * Tells whether git ignores a file that it does not track.
 * Contract: never throws for what stands on the disk. What the user's own configuration ignores counts as not ignored.
 * @param top the folder that the repository begins at
 */
function createIgnored(top: string, fs: Host['fs']): (file: string) => Promise<boolean> {
  const known = new Map<string, readonly Line[]>();
  const linesIn = async (folder: string): Promise<readonly Line[]> => {
    const found = known.get(folder) ?? readLines(await textOf(path.join(folder, '.gitignore'), fs));
    known.set(folder, found);
    return found;
  };
  return async (file) => {
    const parts = path.relative(top, file).split(path.sep);
    // A folder that is ignored is not gone into, whatever is said of what lies in it.
    for (let depth = 1; depth <= parts.length; depth++) {
      let isIgnored = false;
      for (let above = 0; above < depth; above++)
        for (const line of await linesIn(path.join(top, ...parts.slice(0, above))))
          if ((depth < parts.length || !line.onlyFolders) && line.matches(parts.slice(above, depth).join('/')))
            isIgnored = !line.isException;
      if (isIgnored) return true;
    }
    return false;
  };
}

function readLines(text: string): readonly Line[] {
  return text.split(/\r?\n/).flatMap((written) => {
    const isException = written.startsWith('!');
    const pattern = written.slice(isException ? 1 : 0).replace(/\s+$/, '');
    if (pattern === '' || pattern.startsWith('#')) return [];
    const plain = pattern.replace(/\/$/, '').replace(/^\//, '');
    const isPlaced = pattern.slice(0, -1).includes('/');
    // Braces are letters to git, and a sign behind a backslash is one: who means that is not told here.
    const glob = /[\\{}]/.test(plain) ? null : compileGlob(isPlaced ? plain : `**/${plain}`);
    const matches = glob === null ? () => isException : (below: string) => glob.matches(below);
    return [{ isException, onlyFolders: pattern.endsWith('/'), matches }];
  });
}

async function textOf(file: string, fs: Host['fs']): Promise<string> {
  try {
    return new TextDecoder().decode(await fs.readFile(file));
  } catch (error) {
    if (!isFileError(error)) throw error;
    return '';
  }
}
