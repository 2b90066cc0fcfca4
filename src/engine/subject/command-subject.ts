// What a command would touch and start: every file that it names, what links, globs, copies and archives add to those,
// and the programs that version control would run for it. Loaded with the first command.
import path from 'node:path';
import { lookForRepositories } from '../../context/look.js';
import { entriesIn, type FileStat, type Host, isFileError } from '../../host/host.js';
import { protectedByFolder, protectedPart } from '../../permissions/paths.js';
import type { CommandSubject, GitStart, TouchedFile } from '../../permissions/permission-call.js';
import {
  type FileUse,
  forgottenBy,
  mentionedNames,
  type ProgramRun,
  readCommand,
  type TakenNames,
  type Unpacking,
  type WorkTreeTop,
} from '../../permissions/shell/index.js';
import type { ToolSubject } from '../../tools/tool.js';
import { mapBounded } from '../../util/map-bounded.js';
import {
  type CarryPlace,
  carriedFiles,
  carries,
  copiesFolders,
  listedCopies,
  listedNames,
  mayMatch,
  protectedBelow,
  tooMuch,
} from './copied-folders.js';
import { trackedAround, withKeptBelow } from './kept-below.js';
import { reachedStarts, VERSION_CONTROL } from './reached-repositories.js';
import { AT_ONCE, isBelow, markHooks, namesOnTheWay, realPathOrNull, type SubjectPlace } from './subject-place.js';
import { touchedByUnpacking } from './unpacked-files.js';
import { workspacePrograms } from './workspace-programs.js';

/** More files than this are not looked at: what a command does with the rest cannot be told. */
const MAX_FILES = 500;
/** Archives and patches of one command that are looked into. */
const MAX_UNPACKS = 8;

/** What a command in a part of the session's folder must know of the rest. */
async function placeInSession({ host, cwd, folder = cwd }: SubjectPlace) {
  if (folder === cwd) return {};
  const real = await host.fs.realpath(folder).catch(() => folder); // what is gone has one name
  const { folders, found } = await lookForRepositories(host, cwd);
  const isOwnRepository = found.every(
    ({ dotGit, head }, at) =>
      (dotGit === null && head === null) || !isBelow(real, folders[at] ?? '') || folders[at] === real,
  );
  return { folder: real, isOwnRepository: isOwnRepository && isBelow(real, cwd) };
}

/** Variables by which git takes another repository or work tree for its own. */
const CHOOSES_TREE = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_CEILING_DIRECTORIES'];

/** The folder that the work tree around the command begins at; null if it is none, or its configuration may say another. */
async function workTreeTop({ host, cwd, env = {} }: SubjectPlace): Promise<WorkTreeTop | null> {
  if (CHOOSES_TREE.some((name) => env[name] !== undefined)) return null;
  const { folders, found } = await lookForRepositories(host, cwd);
  const at = found.findIndex(({ dotGit, head }) => dotGit !== null || head !== null);
  const top = folders[at];
  if (top === undefined || found[at]?.dotGit?.kind !== 'directory') return null;
  try {
    const text = new TextDecoder().decode(await host.fs.readFile(path.join(top, '.git', 'config')));
    return /worktree/i.test(text) ? null : { from: cwd, path: top };
  } catch (error) {
    if (!isFileError(error)) throw error;
    return null;
  }
}

export async function commandSubject(
  subject: Extract<ToolSubject, { kind: 'command' }>,
  place: SubjectPlace,
): Promise<CommandSubject> {
  const { host, cwd, env = {} } = place;
  const reading = readCommand(subject.command, {
    cwd,
    ...(await placeInSession(place)),
    home: env['HOME'] ?? host.platform.homedir,
    top: subject.command.includes('--show-toplevel') ? await workTreeTop(place) : null,
    looksAtGit: place.gitWatch !== undefined,
    looksElsewhere: (env['CDPATH'] ?? '') !== '',
  });
  const looked = reading.files.slice(0, MAX_FILES);
  // What is no folder now may be one by then.
  const mayBeMade = reading.programs.length > 1;
  const how = { mayBeMade, cwd, home: env['HOME'] ?? host.platform.homedir, askKept: place.askKept };
  const files = await mapBounded(looked, AT_ONCE, async (file) => {
    const found = await resolveFiles(file, how, host.fs);
    const forgotten = file.madeBefore === undefined ? null : await behindLinks(file, found, host.fs);
    if (forgotten !== null) return [unresolved(forgotten)];
    return [
      ...found,
      ...(await followedLinks(file, found, host.fs)),
      ...(await sweptFiles(file, found, reading.programs, host.fs)),
    ];
  });
  const named = await keptBelow(files.flat(), place);
  const rest = reading.files.slice(MAX_FILES).map((file) => unresolved(file));
  const copies = reading.programs.some(carries) ? await carriedAlong(reading.programs, files.flat(), place) : [];
  const touched = [
    ...(await markHooks([...named, ...copies, ...(await unpacked(reading.unpacks, host.fs))], place)),
    ...rest,
  ];
  const gitStarts = await startsOf(subject.command, reading.programs, touched, place);
  const own = await workspacePrograms(reading.programs, touched, place);
  return {
    ...subject,
    ...(env['HOME'] === undefined || env['HOME'] === host.platform.homedir ? {} : { home: env['HOME'] }),
    reading,
    files: touched,
    ...(gitStarts.length === 0 ? {} : { gitStarts }),
    ...(own.length === 0 ? {} : { workspacePrograms: own }),
  };
}

/** What version control in the command would start that nobody vouched for. */
async function startsOf(
  command: string,
  programs: readonly ProgramRun[],
  files: readonly TouchedFile[],
  { host, cwd, folder = cwd, gitWatch }: SubjectPlace,
): Promise<readonly GitStart[]> {
  const reaches = programs.some(({ name }) => VERSION_CONTROL.has(name));
  // Any other program that does more than read may change what the repository of the session starts.
  if (gitWatch === undefined || (!reaches && programs.every(({ readOnly }) => readOnly))) return [];
  const watch = await gitWatch();
  await watch.begin();
  if (!reaches) return [];
  return reachedStarts({ host, cwd: folder, command, programs, files, watch });
}

/** With what rules keep below the folders. */
async function keptBelow(
  files: readonly TouchedFile[],
  { host: { fs }, askKept }: SubjectPlace,
): Promise<readonly TouchedFile[]> {
  const mayReach = ({ reach, access, isFile, isAnyWithin }: TouchedFile) =>
    isFile !== true && (reach !== 'itself' || access === 'remove' || isAnyWithin === true);
  if (askKept === undefined || !files.some(mayReach)) return files;
  return withKeptBelow(files, askKept, fs);
}

/** The use as it can be told no more if the line makes, before it, what a link on the way to the file leads to; else null. */
async function behindLinks(file: FileUse, found: readonly TouchedFile[], fs: Host['fs']): Promise<FileUse | null> {
  const names = await mapBounded(found, 1, async ({ path: named, realPath }) =>
    named === null || named === realPath ? [] : namesOnTheWay(named, fs),
  );
  return forgottenBy(file, names.flat());
}

/** What programs that follow links would use besides what they name. */
async function followedLinks(
  file: FileUse,
  found: readonly TouchedFile[],
  fs: Host['fs'],
): Promise<readonly TouchedFile[]> {
  if (file.reach !== 'through') return [];
  const { access, by, program, taken = {} } = file;
  // What a link leads to may be a folder, which is gone through as well.
  const use = { access, by, program, reach: 'tree' } as const;
  const unknown = { path: null, realPath: null, ...use };
  const folders = [...new Set(found.flatMap(({ realPath }) => realPath ?? []))];
  const led = await mapBounded(folders, 1, async (folder) => {
    const recorded = taken.areRecorded === undefined ? [] : await recordedBelow(folder, taken, fs);
    if (recorded === null) return [unknown];
    const only = taken.areRecorded === 'all' ? placesOf(recorded) : null;
    return linksOut(folder, use, { taken, only }, fs);
  });
  return led.flat();
}

/** Protected files below a folder that is changed with all that is in it, or that are none without the folder. */
async function sweptFiles(
  file: FileUse,
  found: readonly TouchedFile[],
  programs: readonly ProgramRun[],
  fs: Host['fs'],
): Promise<readonly TouchedFile[]> {
  const { access, by, program, reach, sweeps } = file;
  const use = { access, by, program, reach } as const;
  const folders = found.flatMap(({ realPath, isFile }) => (realPath === null || isFile === true ? [] : realPath));
  const named = (names: readonly string[]) => names.map((target) => ({ path: target, realPath: target, ...use }));
  if (sweeps !== true) {
    if (access !== 'remove' || reach === 'itself') return [];
    const held = [...new Set([...folders, ...found.flatMap(({ path: target }) => target ?? [])])].flatMap(
      protectedByFolder,
    );
    const stats = await fs.lstatAll(held);
    return named(held.filter((_, at) => stats[at] != null));
  }
  const below = await mapBounded(folders, 1, async (folder) => {
    const { names, isWhole } = await protectedBelow(folder, fs);
    const isMeant = program === 'find' ? listedNames(program, programs) : () => true;
    return [...named(names.filter((name) => isMeant(path.basename(name)))), ...(isWhole ? [] : [tooMuch(folder, use)])];
  });
  return below.flat();
}

/** What comes along with the files that programs carry to another place. */
async function carriedAlong(
  programs: readonly ProgramRun[],
  files: readonly TouchedFile[],
  { host: { fs }, askKept, gitWatch }: SubjectPlace,
): Promise<readonly TouchedFile[]> {
  const asked = (await askKept?.('write')) ?? null;
  const kept = asked?.mayKeepBelow?.(path.sep) === false ? null : asked;
  const hooks = (await (await gitWatch?.())?.guardedPaths()) ?? [];
  const matters = (target: string): boolean =>
    kept?.(target) === true || hooks.some((hook) => isBelow(hook, target) || isBelow(target, hook));
  const carried = await mapBounded(programs.filter(carries), 1, (run) =>
    carriedBy(run, programs, files, { fs, matters, asksRules: kept !== null }),
  );
  return carried.flat();
}

async function carriedBy(
  run: ProgramRun,
  programs: readonly ProgramRun[],
  files: readonly TouchedFile[],
  place: CarryPlace,
): Promise<readonly TouchedFile[]> {
  const own = files.filter(({ program }) => program === run.name);
  const carried = await carriedFiles(run, own, place);
  const isListed = own.some(({ reach, access }) => reach === 'through' && access === 'read');
  if (!isListed || carried.length > 0 || copiesFolders(run)) return carried;
  return listedCopies(run, own, place, listedNames(run.name, programs));
}

/** What comes out of archives and patches. */
async function unpacked(unpacks: readonly Unpacking[] | undefined, fs: Host['fs']): Promise<readonly TouchedFile[]> {
  if (unpacks === undefined) return [];
  const found = await mapBounded(unpacks.slice(0, MAX_UNPACKS), 1, (each) =>
    touchedByUnpacking(each, fs, (folder) => realPathOrNull(folder, fs)),
  );
  const rest = unpacks.slice(MAX_UNPACKS).map(
    ({ program, text }): TouchedFile => ({
      path: null,
      realPath: null,
      access: 'write',
      reach: 'itself',
      by: 'operand',
      program,
      isUnpacked: true,
      part: text,
    }),
  );
  return [...found.flat(), ...rest];
}

interface Resolving {
  readonly mayBeMade: boolean;
  readonly cwd: string;
  readonly home: string;
  readonly askKept: SubjectPlace['askKept'] | undefined;
}

/** The file; of a glob the folder, and each link in it that the glob may match; of a target that is a folder what it gets. */
async function resolveFiles(file: FileUse, place: Resolving, fs: Host['fs']): Promise<readonly TouchedFile[]> {
  const { mayBeMade } = place;
  if (file.mentions !== undefined) return keptMentions(file, file.mentions, place, fs);
  if (file.isMaybe === true && file.path !== null) return resolveMaybe(file, file.path, place, fs);
  const named = file.path ?? file.within;
  if (named === null || (file.base === null && !path.isAbsolute(named))) return [unresolved(file)];
  const target = path.resolve(file.base ?? '/', named);
  const { access, by, program, reach, names, into, untracked } = file;
  const use = { access, by, program, reach, ...(untracked === undefined ? {} : { untracked }) };
  const realPath = await physicalPath(file.base, named, fs);
  if (file.path === null) return [...(await resolveWithin(file, target, realPath, names, fs))];
  const kind = realPath === null ? null : await kindAt(realPath, fs);
  // The shell makes a file if there is nothing; what a program makes may be a folder.
  const isFile = kind === 'file' || (kind === null && realPath !== null && by === 'redirection');
  const itself = { path: target, realPath, ...(isFile ? { isFile } : {}), ...use };
  if (into === undefined || realPath === null) return [itself];
  if (kind === null ? !mayBeMade : kind !== 'directory') return [itself];
  if (into === null) return [itself, ...(await resolveWithin(file, target, realPath, null, fs))];
  const inside = await mapBounded(into, AT_ONCE, async (name) => {
    const put = path.join(target, name);
    return { path: put, realPath: await realPathOrNull(path.join(realPath, name), fs), ...use };
  });
  return [itself, ...inside];
}

/** Files of a folder that are not told one by one: the folder, and what the links in it lead to. */
async function resolveWithin(
  file: FileUse,
  target: string,
  realPath: string | null,
  names: FileUse['names'],
  fs: Host['fs'],
): Promise<readonly TouchedFile[]> {
  const { access, by, program, reach, untracked } = file;
  const use = { access, by, program, reach, ...(untracked === undefined ? {} : { untracked }) };
  const isSome = names !== null && names.start + names.end !== '';
  const folder = { path: target, realPath, isAnyWithin: true, ...(isSome ? { isSome, names } : {}), ...use };
  const matched = await matchedIn(realPath ?? target, names, fs);
  const links = matched?.filter(({ kind }) => kind === 'symlink');
  const isOption = ({ name }: { readonly name: string }) =>
    file.taken?.mayBeOptions !== undefined && name.startsWith('-');
  if (matched === null || links === undefined || links.length > MAX_LINKS || matched.some(isOption))
    return [folder, unresolved(file)];
  const at = (name: string): string => path.join(target, name);
  const led = await mapBounded(links, AT_ONCE, ({ name }) => realPathOrNull(path.join(realPath ?? target, name), fs));
  // What configures is asked about by its own name, and a glob has none.
  const isTold = access !== 'read' || carries({ name: program, words: [] });
  const guarded = (names === null || !isTold ? [] : matched).filter(
    ({ name, kind }) => kind !== 'symlink' && isGuardedIn(realPath ?? target, name),
  );
  return [
    folder,
    ...links.map(({ name }, place) => ({ path: at(name), realPath: led[place] ?? null, ...use })),
    ...guarded.map(({ name }) => ({ path: at(name), realPath: path.join(realPath ?? target, name), ...use })),
  ];
}

/** A word that may be a file: none if it is not, and none can be made there. */
async function resolveMaybe(
  file: FileUse,
  named: string,
  { cwd, askKept }: Resolving,
  fs: Host['fs'],
): Promise<readonly TouchedFile[]> {
  const { base, access, by, program, reach } = file;
  if (named.includes('\0')) return [];
  if (base === null && !path.isAbsolute(named)) return [unresolved(file)];
  const use = { path: path.resolve(base ?? '/', named), by, program, reach, isMaybe: true };
  const realPath = await physicalPath(base, named, fs);
  if (realPath === null) return (await isLink(use.path, fs)) ? [{ ...use, realPath, access }] : [];
  const kind = await kindAt(realPath, fs);
  if (kind !== null) return [{ ...use, realPath, access, ...(kind === 'file' ? { isFile: true } : {}) }];
  const folder = path.dirname(realPath);
  // Most words are no names. So a new one in the folder of the command counts only if a rule speaks of it.
  const isTold = isBelow(cwd, realPath)
    ? (await askKept?.('write'))?.(realPath) === true
    : folder !== '/' && (await kindAt(folder, fs)) === 'directory';
  return isTold ? [{ ...use, realPath, access: 'write' }] : [];
}

/** Folders above that are looked at for a name which may lie in any of them. */
const MAX_ABOVE = 20;
const ANY_ABOVE = '.../';

/** The files of a text that are there and that a rule keeps from being read. */
async function keptMentions(
  { base, program }: FileUse,
  mentions: string,
  { cwd, home, askKept }: Resolving,
  fs: Host['fs'],
): Promise<readonly TouchedFile[]> {
  const kept = (await askKept?.('read')) ?? null;
  if (kept === null) return [];
  const use = { access: 'read', by: 'operand', program, reach: 'itself', isMaybe: true, isFile: true } as const;
  const targets = mentionedNames(mentions).flatMap((name) => namedPlaces(name, base ?? cwd, home));
  const stats = await fs.lstatAll(targets);
  const found = await mapBounded(targets, AT_ONCE, async (target, at): Promise<readonly TouchedFile[]> => {
    // Of what lies in a folder that is not known the name alone counts.
    if (base === null && kept(target)) return [{ ...use, path: target, realPath: target }];
    if (stats[at] == null || stats[at]?.kind === 'directory') return [];
    const realPath = await realPathOrNull(target, fs);
    if (realPath === null || !(kept(target) || kept(realPath))) return [];
    return [{ ...use, path: target, realPath }];
  });
  return found.flat();
}

/** Where a name that stands in a text may lie. */
function namedPlaces(name: string, base: string, home: string): readonly string[] {
  if (name.includes('\0')) return [];
  if (name.startsWith('~/')) return [path.join(home, name.slice(2))];
  if (!name.startsWith(ANY_ABOVE)) return [path.resolve(base, name)];
  const places: string[] = [];
  for (let folder = base; places.length < MAX_ABOVE; folder = path.dirname(folder)) {
    places.push(path.join(folder, name.slice(ANY_ABOVE.length)));
    if (folder === path.dirname(folder)) break;
  }
  return places;
}

async function isLink(target: string, fs: Host['fs']): Promise<boolean> {
  return (await fs.lstatAll([target]))[0]?.kind === 'symlink';
}

function isGuardedIn(folder: string, name: string): boolean {
  return protectedPart([path.dirname(folder)], path.join(folder, name)) !== null;
}

/**
 * What the system makes of a name: `..` behind a link leads to where the link's target lies, not to where the link
 * stands. Null if that cannot be told.
 */
async function physicalPath(base: string | null, named: string, fs: Host['fs']): Promise<string | null> {
  const isBelowBase = base !== null && !path.isAbsolute(named);
  const whole = isBelowBase ? `${base}/${named}` : named;
  if (!/(?:^|\/)\.\.(?:\/|$)/.test(whole)) return realPathOrNull(path.resolve('/', whole), fs);
  let current: string | null = path.isAbsolute(whole) ? '/' : null;
  let pending: string[] = [];
  for (const part of [...whole.split('/'), null]) {
    if (part === '' || part === '.') continue;
    if (part !== null && part !== '..') {
      pending.push(part);
      continue;
    }
    if (current !== null) current = await realPathOrNull(path.join(current, ...pending), fs);
    pending = [];
    if (current !== null && part === '..') current = path.dirname(current);
  }
  return current;
}

/** What stands at a path without links; null if that is nothing, or cannot be looked at. */
async function kindAt(realPath: string, fs: Host['fs']): Promise<FileStat['kind'] | null> {
  try {
    return (await fs.lstat(realPath)).kind;
  } catch (error) {
    if (!isFileError(error)) throw error;
    return null;
  }
}

/** More links than this in one folder are not followed. */
const MAX_LINKS = 200;

/** What stands in a folder by a name that a glob may match; null if that cannot be told. */
async function matchedIn(
  folder: string,
  names: FileUse['names'],
  fs: Host['fs'],
): Promise<Awaited<ReturnType<Host['fs']['entries']>> | null> {
  try {
    return (await fs.entries(folder)).filter(({ name }) => mayMatch(name, names));
  } catch (error) {
    if (!isFileError(error)) throw error;
    // Nothing is matched in what is not there, or is no folder.
    return error.code === 'ENOENT' || error.code === 'ENOTDIR' ? [] : null;
  }
}

function unresolved({ access, by, program, reach, why }: FileUse): TouchedFile {
  return { path: null, realPath: null, access, by, program, reach, ...(why === undefined ? {} : { why }) };
}

// Links that a search follows although nobody named them: `grep -R` reads what a link in the folder leads to. Found by
// going through the folder, within bounds; beyond them it cannot be told what is read.

const MAX_FOLDERS = 4_000;
const MAX_ENTRIES = 60_000;
/** Links that lead out. */
const MAX_STEPS = 100;

/** Blanks and quotes, at which names are split on their way from one program to another. */
const SPLITS = /[\s'"\\]/;
/** Wildcards that may match anything else than the name itself, `..` among it: the brackets of `[id].ts` do not. */
const MATCHES = /[*?]|[+@!]\(|(?:^|\/)\.[^/]*\[/;
/** Names that git itself never records, which somebody made up, and folders that stand for all that is in them. */
const LEADS_AWAY = /^\/|(?:^|\/)\.\.(?:\/|$)|\/$/;

/** True for a name that does not reach the program as it is. */
function isChanged(name: string, { areSplit, areMatched }: TakenNames): boolean {
  return (areSplit === true && SPLITS.test(name)) || (areMatched === true && MATCHES.test(name));
}

/** What git tracks below the folder, relative to it. Null: not all of it reaches a program as it is, whether it is there or not. */
async function recordedBelow(folder: string, taken: TakenNames, fs: Host['fs']): Promise<readonly string[] | null> {
  const tracked = await trackedAround(folder, fs);
  if (tracked === null) return null;
  // Some tell names from the top of the repository, wherever they are.
  const isOption = (name: string) => taken.mayBeOptions !== undefined && name.startsWith('-');
  if (tracked.paths.some((name) => isChanged(name, taken) || isOption(name) || LEADS_AWAY.test(name))) return null;
  const start = `${path.relative(tracked.top, folder)}/`.replace(/^\/$/, '');
  const below = tracked.paths.filter((name) => name.startsWith(start)).map((name) => name.slice(start.length));
  return below.some(isOption) ? null : start === '' ? below : [...below, ...tracked.paths];
}

/** What is gone into for these names: they themselves, with all in them if they are folders, and the folders that they are in. */
type Places = ReadonlyMap<string, 'whole' | 'part'>;

function placesOf(names: readonly string[]): Places {
  const places = new Map<string, 'whole' | 'part'>();
  for (const name of names) {
    places.set(name, 'whole');
    for (let at = name.lastIndexOf('/'); at !== -1; at = name.lastIndexOf('/', at - 1)) {
      const folder = name.slice(0, at);
      if (places.has(folder)) break;
      places.set(folder, 'part');
    }
  }
  return places;
}

/**
 * The links that lead out of `folder`, as files that are used like it.
 * Contract: never throws for what stands on the disk. With a name that does not reach the program as it is (`taken`), what is
 * used is not known. `only`: what is gone into, with all that a link leads to; null: each folder.
 */
async function linksOut(
  folder: string,
  use: Pick<TouchedFile, 'access' | 'reach' | 'by' | 'program'>,
  { taken, only }: { readonly taken: TakenNames; readonly only: Places | null },
  fs: Host['fs'],
): Promise<readonly TouchedFile[]> {
  const found: TouchedFile[] = [];
  let [folders, entries] = [0, 0];
  const top = await fs.realpath(folder).catch(() => folder); // nothing is read of what is not there
  // Behind a link, and in a folder that is named, each folder is meant.
  const behind = new Set<string>();
  for (let level: readonly string[] = [top]; level.length > 0; ) {
    const next: string[] = [];
    for (const each of level) {
      const inside = await entriesIn(fs, each);
      entries += inside.length;
      if (++folders > MAX_FOLDERS || entries > MAX_ENTRIES || found.length > MAX_STEPS)
        return [...found, { path: null, realPath: null, ...use }];
      for (const { name, kind } of inside) {
        const target = path.join(each, name);
        const isOption =
          name.startsWith('-') && (taken.mayBeOptions === 'any' || (taken.mayBeOptions === 'first' && each === top));
        if (only === null && (isOption || isChanged(name, taken)))
          return [...found, { path: null, realPath: null, ...use }];
        const isBehind = behind.has(each);
        const place = only === null || isBehind ? 'whole' : only.get(path.relative(top, target));
        if (kind === 'directory' && place !== undefined) next.push(target);
        if (kind === 'directory' && place === 'whole' && only !== null) behind.add(target);
        if (kind !== 'symlink') continue;
        const real = await fs.realpath(target).catch(() => null); // one that leads nowhere is not read
        if (real === null || real === top) continue;
        if (!real.startsWith(`${top}/`)) found.push({ path: target, realPath: real, ...use });
        else if (only !== null && !behind.has(real)) {
          behind.add(real);
          next.push(real);
        }
      }
    }
    level = next;
  }
  return found;
}
