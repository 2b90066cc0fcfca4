// What comes to a new place along with a folder that is copied, moved or linked, and what of a folder goes without it:
// protected files, those that rules keep, programs of git. Found by going through the folder from its top on, within
// bounds. One rule: what lies beyond them cannot be told, and that is said.
import path from 'node:path';
import { entriesIn, type Host } from '../../host/host.js';
import { protectedPart } from '../../permissions/paths.js';
import type { TouchedFile } from '../../permissions/permission-call.js';
import type { NameEnds, ProgramRun } from '../../permissions/shell/index.js';
import { compileGlob, type GlobPattern } from '../../util/glob-pattern.js';
import { mapBounded } from '../../util/map-bounded.js';
import { AT_ONCE, realPathOrNull } from './subject-place.js';

const MAX_FOLDERS = 10_000;
const MAX_ENTRIES = 150_000;
/** Paths that are held against rules. */
const MAX_HELD = 30_000;
/** One of them is enough for a question; it names the first. */
const MAX_FOUND = 20;

const RECURSIVE: ReadonlyMap<string, RegExp> = new Map([
  // Whatever is short for `--recursive` and `--archive`.
  ['cp', /^(?:-[a-zA-Z]*[rRa]|--rec|--ar)/],
  ['rsync', /^(?:-[a-zA-Z]*[rad]|--recursive|--archive|--dirs|--old-d)/],
  ['scp', /^-[a-zA-Z0-9]*r/],
]);

/** Programs that put files of a listing into a folder, each by its own name. */
const PUTS: ReadonlySet<string> = new Set(['cp', 'install', 'rsync']);
/** Programs that put files and folders to another place, or give them another name. */
const CARRIES: ReadonlySet<string | null> = new Set('cp gio gsutil install ln mv rclone rsync scp'.split(' '));

/** True if the program takes files to another place. Of version control only a move does, of files that lie there. */
export function carries({ name, words }: Pick<ProgramRun, 'name' | 'words'>): boolean {
  return CARRIES.has(name) || (name === 'git' && words.includes('mv'));
}

/** True if the program copies folders with all that is in them. */
export function copiesFolders({ name, words }: ProgramRun): boolean {
  const flag = RECURSIVE.get(name ?? '');
  return flag !== undefined && words.slice(1).some((word) => word !== null && flag.test(word));
}

export interface CarryPlace {
  readonly fs: Host['fs'];
  /** True for an absolute path at which a file matters for another reason than its name. */
  matters(target: string): boolean;
  /** Whether rules are among those reasons, which takes its time for each path. */
  readonly asksRules: boolean;
}

/**
 * Files that matter at their new place among those that another program lists for a copy.
 * @param own the files of the program
 * Contract: never throws for what stands on the disk.
 */
export async function listedCopies(
  run: ProgramRun,
  own: readonly TouchedFile[],
  { fs, matters }: CarryPlace,
  isListed: (name: string) => boolean,
): Promise<readonly TouchedFile[]> {
  const found = new Set<string>();
  const beyond: string[] = [];
  const folders = targetsOf(run, own).flatMap(({ path: target }) => target ?? []);
  for (const { realPath, reach, access } of PUTS.has(run.name ?? '') ? own : []) {
    if (realPath === null || reach !== 'through' || access !== 'read') continue;
    const visit = (part: string, isFolder: boolean): boolean => {
      const name = path.basename(part);
      // Folders are passed over.
      for (const folder of isFolder || !isListed(name) ? [] : folders)
        if (isNewlyProtected(folder, name, false) || matters(path.join(folder, name)))
          found.add(path.join(folder, name));
      return found.size < MAX_FOUND;
    };
    if (!(await goThrough(realPath, { ...EVERYTHING, visit }, fs))) beyond.push(realPath);
  }
  return carried(run, found, beyond);
}

/**
 * What the names are that programs list for a run: those that each `find` asks for, if no other test widens it and nothing
 * else in the line could list some.
 */
export function listedNames(user: string | null, programs: readonly ProgramRun[]): (name: string) => boolean {
  const globs: GlobPattern[] = [];
  if (programs.some(({ name }) => name !== 'find' && name !== 'xargs' && name !== user)) return () => true;
  for (const { name, words } of programs) {
    if (name !== 'find') continue;
    const at = words.indexOf('-name');
    const pattern = at === -1 ? null : (words[at + 1] ?? null);
    if (pattern === null || words.some((word) => word === null || /^(?:!|-not|-o|-or|,)$/.test(word)))
      return () => true;
    globs.push(compileGlob(pattern));
  }
  return (name) => globs.length === 0 || globs.some((glob) => glob.matches(name));
}

/**
 * Paths at which a program that carries files would put some that matter, links that it would write through there, and how
 * far it could not be looked.
 * @param own the files of the program
 * Contract: never throws for what stands on the disk.
 */
export async function carriedFiles(
  run: ProgramRun,
  own: readonly TouchedFile[],
  { fs, matters, asksRules }: CarryPlace,
): Promise<readonly TouchedFile[]> {
  const found = new Set<string>();
  const links = new Set<string>();
  const beyond: string[] = [];
  let held = 0;
  const targets = targetsOf(run, own);
  const places = await placesOf(targets, fs);
  for (const source of sourcesOf(run, own)) {
    const { path: named, realPath, isAnyWithin = false, isFile = false, reach, names = null } = source;
    if (realPath === null || named === null || targets.length === 0) continue;
    // Of a listing only what is listed is taken.
    if (reach === 'through' && !copiesFolders(run)) continue;
    const finals = places(isAnyWithin ? null : path.basename(named));
    // Of what wildcards match, names that are protected anywhere are sources of their own.
    const isByFolder = run.name === 'ln' || (isAnyWithin && reach === 'itself');
    const visit = (part: string): boolean => {
      if (asksRules) held += finals.length;
      for (const folder of finals) {
        const target = path.join(folder, part);
        if (isNewlyProtected(folder, part, isByFolder) || matters(target)) found.add(target);
      }
      return found.size < MAX_FOUND && held <= MAX_HELD;
    };
    if (!isAnyWithin) visit('');
    if (isFile || (reach === 'itself' && !isAnyWithin)) continue;
    const enter = async (folder: string, names: ReadonlySet<string>) => {
      for (const at of finals.map((final) => path.join(final, folder)))
        for (const { name, kind } of await entriesIn(fs, at))
          if (kind === 'symlink' && names.has(name) && links.size < MAX_FOUND) links.add(path.join(at, name));
    };
    // Behind a link what is protected by its own name is where it was.
    const depth = reach === 'itself' ? 1 : run.name === 'ln' ? 2 : Number.POSITIVE_INFINITY;
    const isMeant = isAnyWithin ? (name: string) => mayMatch(name, names) && !name.startsWith('.') : null;
    const walk = { isMeant, depth, isDeep: false, visit, ...(WRITES_THROUGH.has(run.name) ? { enter } : {}) };
    if (!(await goThrough(realPath, walk, fs)) || held > MAX_HELD) beyond.push(named);
  }
  return [...carried(run, found, beyond), ...(await ledTo(run, [...links], fs))];
}

/** Programs that write what a link leads to if one stands in the place of a file that they bring. */
const WRITES_THROUGH: ReadonlySet<string | null> = new Set(['cp', 'rsync', 'scp']);

function ledTo(run: ProgramRun, links: readonly string[], fs: Host['fs']): Promise<readonly TouchedFile[]> {
  const use = { access: 'write', reach: 'itself', by: 'operand', program: run.name } as const;
  return mapBounded(links, AT_ONCE, async (link): Promise<TouchedFile> => {
    return { path: link, realPath: await realPathOrNull(link, fs), ...use };
  });
}

/** What is taken; of a listing what is listed. */
function sourcesOf(run: ProgramRun, own: readonly TouchedFile[]): readonly TouchedFile[] {
  // What is moved is read and removed.
  if (run.name === 'mv' || run.name === 'git' || run.name === 'gio')
    return own.filter(({ access }) => access === 'remove');
  // A second name of a file, of each in the folder with `cp -l`, is a way to write it.
  const isLinked = ({ access, reach }: TouchedFile) => access === 'write' && reach !== 'itself';
  const takesLinks = run.name === 'cp' || run.name === 'ln';
  return own.filter((file) => file.access === 'read' || (takesLinks && isLinked(file)));
}

function targetsOf(run: ProgramRun, own: readonly TouchedFile[]): readonly TouchedFile[] {
  const sources = new Set(run.name === 'cp' || run.name === 'ln' ? sourcesOf(run, own) : []);
  return own.filter((file) => file.access === 'write' && file.path !== null && !sources.has(file));
}

/** Where a source of that name comes to stand: in a target that is a folder, or in its place. Null: what is in a folder. */
async function placesOf(
  targets: readonly TouchedFile[],
  fs: Host['fs'],
): Promise<(name: string | null) => readonly string[]> {
  const paths = [...new Set(targets.flatMap(({ path: target, realPath }) => [target ?? [], realPath ?? []].flat()))];
  const stats = await fs.lstatAll(targets.map(({ realPath, path: target }) => realPath ?? target ?? ''));
  const folders = new Set(
    targets.flatMap(({ path: target, realPath }, at) => (stats[at]?.kind === 'directory' ? [target, realPath] : [])),
  );
  return (name) => {
    if (name === null) return paths;
    return paths.flatMap((target) => {
      const inside = path.join(target, name);
      // It is told what stands in the folder then.
      if (paths.includes(inside)) return folders.has(target) ? [] : [target];
      return path.basename(target) === name ? [target] : [target, inside];
    });
  };
}

/** Parts of a path in front of a name that may make it a protected one: of `.local/share/applications` two. */
const PARTS_IN_FRONT = 2;

/** True if the part is protected in this folder. `isByFolder`: and is not by its own name. */
function isNewlyProtected(folder: string, part: string, isByFolder: boolean): boolean {
  if (part === '') return false; // the target is looked at as what it is
  if (protectedPart([], part) !== null) return !isByFolder;
  const front = folder.split(path.sep).slice(-PARTS_IN_FRONT).join(path.sep);
  return protectedPart([], path.join(front, part)) !== null && protectedPart([], front) === null;
}

function carried(run: ProgramRun, found: ReadonlySet<string>, beyond: readonly string[]): readonly TouchedFile[] {
  const use = { access: 'write', reach: 'itself', by: 'operand', program: run.name } as const;
  const named = [...found].map((file): TouchedFile => {
    return { path: file, realPath: file, ...use, isUnpacked: true, part: run.text };
  });
  return [...named, ...beyond.map((folder) => tooMuch(folder, use))];
}

/** All that may lie in a folder that was not gone through to its end. */
export function tooMuch(
  folder: string,
  { access, reach, by, program }: Pick<TouchedFile, 'access' | 'reach' | 'by' | 'program'>,
): TouchedFile {
  const why = `${folder} holds too much to look through; name a folder in it`;
  return { path: null, realPath: null, access, reach, by, program, why };
}

/** Absolute paths of protected names below a folder. `isWhole`: it was gone through to its end, or enough was found. */
export async function protectedBelow(
  folder: string,
  fs: Host['fs'],
): Promise<{ readonly names: readonly string[]; readonly isWhole: boolean }> {
  const names: string[] = [];
  const visit = (part: string): boolean => {
    if (protectedPart([], part) !== null) names.push(path.join(folder, part));
    return names.length < MAX_LISTED;
  };
  const isWhole = await goThrough(folder, { ...EVERYTHING, isDeep: false, visit }, fs);
  return { names, isWhole };
}

/** Names of one folder, of which some may not be meant. */
const MAX_LISTED = 200;

/** In any case: the shell may have been told to match so. Null: any name, also one with a leading dot. */
export function mayMatch(name: string, names: NameEnds | null): boolean {
  if (names === null) return true;
  const { start, end } = names;
  const [folded, first, last] = [name, start, end].map((text) => text.normalize('NFC').toLowerCase());
  return !name.startsWith('.') && (folded ?? '').startsWith(first ?? '') && (folded ?? '').endsWith(last ?? '');
}

interface Walk {
  /** Tells which names right in the folder are meant; null: all. */
  readonly isMeant: ((name: string) => boolean) | null;
  /** Levels: 1 is what lies right in the folder. */
  readonly depth: number;
  /** What lies in protected folders is told too. */
  readonly isDeep: boolean;
  /** Told the relative path of each entry. False: it was enough. */
  visit(part: string, isFolder: boolean): boolean;
  /** Told each folder that is gone through, by its relative path, with the names in it. */
  enter?(part: string, names: ReadonlySet<string>): Promise<void>;
}

const EVERYTHING = { isMeant: null, depth: Number.POSITIVE_INFINITY, isDeep: true } as const;

/** False if there is more than was gone through. */
async function goThrough(
  top: string,
  { isMeant, depth, isDeep, visit, enter }: Walk,
  fs: Host['fs'],
): Promise<boolean> {
  let [folders, entries] = [0, 0];
  let level: readonly string[] = [''];
  for (let down = 0; level.length > 0 && down < depth; down++) {
    const next: string[] = [];
    for (let at = 0; at < level.length; at += AT_ONCE) {
      const some = level.slice(at, at + AT_ONCE);
      folders += some.length;
      if (folders > MAX_FOLDERS || entries > MAX_ENTRIES) return false;
      const inside = await mapBounded(some, AT_ONCE, (folder) => entriesIn(fs, path.join(top, folder)));
      for (const [place, listed] of inside.entries()) {
        entries += listed.length;
        const folder = some[place] ?? '';
        if (enter !== undefined && listed.length > 0) await enter(folder, new Set(listed.map(({ name }) => name)));
        for (const { name, kind } of listed) {
          if (folder === '' && isMeant?.(name) === false) continue;
          const part = folder === '' ? name : `${folder}${path.sep}${name}`;
          const isFolder = kind === 'directory';
          if (!visit(part, isFolder)) return true;
          if (isFolder && (isDeep || protectedPart([], part) === null)) next.push(part);
        }
      }
    }
    level = next;
  }
  return true;
}
