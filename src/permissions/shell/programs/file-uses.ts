// The files that a command names. One rule: a path that cannot be told is reported as null, never left out.
import path from 'node:path';
import type { FileUse, MadeName, NameEnds, TakenNames } from '../command-reading.js';
import type { Bases, MadePath, Reader, ShellState } from '../reader.js';
import { goesBack } from '../syntax/move-bases.js';
import { type ListedNames, literalWord, type ShellWord, tildeWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';

/** Files that are none: nothing stays in them and nothing stands in them. */
const NO_FILES = /^\/dev\/(?:null|stdin|stdout|stderr|tty|full|zero|u?random|fd\/\d+)$/;

/** Descriptors by a name: to open one for writing is to open what it was opened on, be it as input. */
const DESCRIPTORS = /^\/dev\/(?:std|fd\/)/;

const ENDS_AS_DESCRIPTOR = /(?:^|\/)(?:stdin|stdout|stderr|\d+)$/;

/** True for a descriptor by another spelling of its name: `/dev/./stdin`, or `fd/3` in `/dev`. */
function mayBeDescriptor(target: string, bases: Bases): boolean {
  return (
    ENDS_AS_DESCRIPTOR.test(target) &&
    bases.some((base) => base !== null && DESCRIPTORS.test(path.resolve(base, target)))
  );
}

/** What is done with a file, and by whom. */
export type FileUser = Pick<FileUse, 'access' | 'by' | 'program'> &
  Partial<Pick<FileUse, 'reach' | 'into' | 'why' | 'taken' | 'sweeps' | 'throughNoLink' | 'isMaybe' | 'untracked'>>;

/** Notes that a file is used, once for each folder that the shell may be in. */
export function addFile(
  place: { readonly reader: Reader; readonly state: ShellState },
  word: ShellWord,
  user: FileUser,
  bases: Bases = place.state.bases,
): void {
  const { reader } = place;
  if (word.isPipe) return;
  if (word.choices !== null) {
    for (const choice of word.choices) addFile(place, choice, user, bases);
    return;
  }
  if (word.below !== null && (word.below.areForReading !== true || user.access === 'read')) {
    // Which of them are changed is not known: protected ones count.
    const sweeps = user.access === 'read' ? {} : { sweeps: true };
    const below = { ...user, reach: 'through', taken: takenNames(word.below), ...sweeps } as const;
    for (const root of word.below.roots) addFile(place, root, below, bases);
    return;
  }
  if (word.value !== null && user.access !== 'remove' && NO_FILES.test(word.value)) {
    if (user.access !== 'read' && DESCRIPTORS.test(word.value)) reader.opensDescriptors = true;
    return;
  }
  if (word.value !== null && user.access === 'write' && mayBeDescriptor(word.value, bases))
    reader.opensDescriptors = true;
  if (user.by === 'operand' && FILE_ADDRESS.test(word.head)) {
    const addressed = word.value === null ? null : pathOfAddress(word.value);
    if (addressed === null) addUnknownFile(place, { ...user, why: `${word.text} is an address` });
    else addFile(place, literalWord(addressed), user, bases);
    // To others all behind the slashes is the path.
    const plain = /^file:\/\/(?!\/)(.+)$/i.exec(word.value ?? '')?.[1];
    if (plain !== undefined) addFile(place, literalWord(plain), user, bases);
  }
  const target = expandHome(word, word.value, reader.home);
  const isKnown = word.isGlob && !mayBeHidden(word);
  const within = target === null && isKnown ? expandHome(word, folderOf(word.head), reader.home) : null;
  const names = within === null ? null : nameEnds(word);
  const isOpen = within !== null && word.head === '' && user.taken === undefined && user.program !== null;
  const told = isOpen ? { ...user, taken: OPEN_NAMES } : user;
  for (const base of bases) reader.files.push(fileUse({ path: target, within, names, base }, told));
}

/** Many programs take it for the file, whatever else they are for. */
const FILE_ADDRESS = /^file:/i;

/** The path of such an address; null if it is spelled in a way that programs decode. */
function pathOfAddress(address: string): string | null {
  const target = address.replace(/^file:(?:\/\/[^/]*(?=\/|$))?/i, '');
  return target === '' || /[%?#]/.test(target) ? null : target;
}

/** A wildcard at the start of a word may match what begins with a dash. */
const OPEN_NAMES: TakenNames = { mayBeOptions: 'first' };

/** Files have them too, if any, but not the other way round. */
const NO_NAMES: TakenNames = {};

function takenNames(names: ListedNames): TakenNames {
  const { arePrefixed, areSplit, areRecorded, isOutput, areLastParts } = names;
  if (names.areHashes === true) return NO_NAMES;
  return {
    ...(areSplit ? { areSplit } : {}),
    ...(isOutput === true ? { areMatched: isOutput } : {}),
    ...(areRecorded === undefined ? {} : { areRecorded }),
    ...(arePrefixed ? {} : { mayBeOptions: areLastParts === true ? 'any' : 'first' }),
  };
}

/** Most uses have the same few fields, and a line has hundreds of uses: so they have one shape. */
function fileUse({ path: target, within, names, base }: UsedPath, user: FileUser): FileUse {
  const { access, by, program, reach = 'itself' } = user;
  const { into, why, taken, sweeps, throughNoLink, isMaybe, untracked } = user;
  // `into` may be null, which says something.
  const hasMore = into !== undefined || (why ?? taken ?? sweeps ?? throughNoLink ?? untracked) !== undefined;
  // Words that may be files are many, and a copy costs twice.
  if (isMaybe === true && !hasMore) return { path: target, within, names, base, reach, access, by, program, isMaybe };
  const use: FileUse = { path: target, within, names, base, reach, access, by, program };
  return hasMore ? { ...use, ...user } : use;
}

type UsedPath = Pick<FileUse, 'path' | 'within' | 'names' | 'base'>;

/** Notes a file that cannot be told. */
export function addUnknownFile({ reader }: { readonly reader: Reader }, user: FileUser): void {
  reader.files.push(fileUse({ path: null, within: null, names: null, base: null }, user));
}

/**
 * Notes a text that may name files, which count only if a rule keeps them. Names stand apart by blanks; one behind `.../` may
 * lie in any folder above too.
 */
export function noteMentions(
  { reader, name, bases, isElsewhere }: Pick<Task, 'reader' | 'name' | 'bases' | 'isElsewhere'>,
  mentions: string,
): void {
  if (isElsewhere) return;
  const user = { access: 'read', by: 'operand', program: name, reach: 'itself', isMaybe: true, mentions } as const;
  for (const base of bases) reader.files.push({ path: '.', within: null, names: null, base, ...user });
}

/** Notes the folder in which the shell looks for what wildcards match, whatever the program does with the names. */
export function noteListing(place: { readonly reader: Reader; readonly state: ShellState }, word: ShellWord): void {
  const user = { access: 'read', by: 'operand', program: null } as const;
  for (const each of word.choices ?? [word]) {
    if (each.value !== null) continue;
    const { length } = place.reader.files;
    addFile(place, each, user);
    for (let at = length; at < place.reader.files.length; at++) {
      const use = place.reader.files[at] as FileUse;
      // Of the files only the names are seen.
      place.reader.files[at] = { ...use, path: use.path ?? use.within, within: null, names: null };
    }
  }
}

/** The same of a text that a variable holds, which is a pattern once it is used without quotes. */
export function notePattern(place: { readonly reader: Reader; readonly state: ShellState }, text: string): void {
  if (!WILDCARDS.test(text)) return;
  const user = { access: 'read', by: 'operand', program: null } as const;
  // Each of its words may be a pattern, and so may all of it.
  for (const part of new Set([text, ...text.split(BETWEEN_WORDS)])) {
    const wildcard = part.search(WILDCARDS);
    if (wildcard === -1) continue;
    if (part.slice(wildcard).includes('/')) addUnknownFile(place, user);
    else {
      const folder = folderOf(part.slice(0, wildcard));
      addFile(place, literalWord(folder), user);
      // Without quotes it was the home when the variable was set.
      if (folder.startsWith('~')) addFile(place, tildeWord(folder, true), user);
    }
  }
}

const WILDCARDS = /[*?[]/;
const BETWEEN_WORDS = /[\s:;,|]+/;

/** Notes that the line makes something of the name, so that what stands there later cannot be told. */
export function addMade(
  { reader }: { readonly reader: Reader },
  word: ShellWord,
  bases: Bases,
  made: Pick<MadePath, 'kind' | 'from'>,
): void {
  if (word.choices !== null) {
    for (const choice of word.choices) addMade({ reader }, choice, bases, made);
    return;
  }
  const target = expandHome(word, word.value, reader.home);
  const entry = { ...made, upTo: Number.POSITIVE_INFINITY };
  // What `..` leads to behind a name may be elsewhere than beside it.
  if (target === null || goesBack(target)) reader.made.push({ ...entry, path: null });
  else if (path.isAbsolute(target)) reader.made.push({ ...entry, path: path.normalize(target) });
  else
    for (const base of bases) reader.made.push({ ...entry, path: base === null ? null : path.resolve(base, target) });
}

/** Notes a folder that goes elsewhere with the shell in it, so that nothing around it is where it was. */
export function addMovedAway(
  { reader, state }: { readonly reader: Reader; readonly state: ShellState },
  word: ShellWord,
  bases: Bases,
  from: number,
): void {
  for (const each of word.choices ?? [word]) {
    const target = expandHome(each, each.value ?? folderOf(each.head), reader.home);
    if (target === null) continue;
    for (const shell of state.bases) {
      if (shell === null) continue;
      const isAround = bases.some((base) => {
        // Each has its own.
        if (bases === state.bases && base !== shell) return false;
        const named = path.resolve(base ?? '/', target);
        return isBelow(named, shell) && (each.value !== null || !isBelow(shell, named));
      });
      if (isAround) reader.made.push({ path: shell, kind: 'file', from, upTo: Number.POSITIVE_INFINITY });
    }
  }
}

const MADE_BEFORE = 'an earlier part of the line makes what stands there';

/** What redirections open as input is written if anything of the line opens a descriptor by its name to write. */
export function noteWrittenInput({ files, opensDescriptors }: Reader): void {
  if (!opensDescriptors) return;
  const { length } = files;
  for (let at = 0; at < length; at++) {
    const file = files[at] as FileUse;
    if (file.by === 'redirection' && file.access === 'read') files.push({ ...file, access: 'write' });
  }
}

/** Takes back what is said of files that lie at or below what the line itself makes before. */
export function forgetMade(reader: Reader): void {
  const { files, made } = reader;
  if (made.length === 0) return;
  for (const [at, use] of files.entries()) {
    const before = madeBefore(at, use, reader);
    if (before.some((each) => mayMean(use, each))) files[at] = forgotten(use);
    else if (before.length > 0) files[at] = { ...use, madeBefore: before };
  }
}

/** What the line makes before it uses the file, or may. */
function madeBefore(at: number, use: FileUse, { made, isReordered, pipes }: Reader): readonly MadePath[] {
  if (use.throughNoLink === true) return [];
  return made.filter((each, place) => {
    const { beside } = each;
    if (beside === undefined || !isBeside(at, beside)) {
      if (at >= each.upTo) return true;
      if (at < each.from && (isReordered || areInOnePipe(pipes, at, place))) return true;
    }
    // The same again in a loop finds its own link there, and goes through it.
    return isReordered && at >= (beside?.from ?? each.from) && each.kind === 'link' && use.access === 'write';
  });
}

function isBeside(at: number, { from, own, ownUpTo, upTo }: NonNullable<MadePath['beside']>): boolean {
  return at >= from && at < upTo && (at < own || at >= ownUpTo);
}

/** Takes back what is said of a file, if one of its other names may mean what the line makes before; null if none does. */
export function forgottenBy(use: FileUse, names: readonly string[]): FileUse | null {
  const { madeBefore: made = [] } = use;
  const isMade = names.some((name) => {
    const named = use.path === null ? { path: null, within: name } : { path: name, within: null };
    return made.some((each) => mayMean({ ...use, ...named, base: null }, each));
  });
  return isMade ? forgotten(use) : null;
}

function forgotten(use: FileUse): FileUse {
  return { ...use, path: null, within: null, names: null, why: MADE_BEFORE };
}

/** True if a pipe uses the one and makes the other. */
function areInOnePipe(pipes: Reader['pipes'], use: number, made: number): boolean {
  return (
    pipes?.some((pipe) => use >= pipe.files && use < pipe.filesEnd && made >= pipe.made && made < pipe.madeEnd) === true
  );
}

function mayMean({ path: named, within, base, reach }: FileUse, { path: made, kind }: MadeName): boolean {
  const target = named ?? within;
  if (target === null || made === null) return true;
  if (base === null && !path.isAbsolute(target)) return true;
  if (goesBackThrough(target, base, { path: made, kind })) return true;
  const absolute = path.resolve(base ?? '/', target);
  const isSame = kind === 'contents' && absolute.toLowerCase() === made.toLowerCase();
  if (isSame ? within !== null : isBelow(made, absolute)) return true;
  return (within !== null || (reach !== 'itself' && kind === 'link')) && isBelow(absolute, made);
}

/**
 * True for `a/../b` where `a` is what is made, and for `../b` in it: what lies beside it depends on where it leads, or where it
 * was moved to.
 */
function goesBackThrough(
  target: string,
  base: string | null,
  { path: made, kind }: MadeName & { path: string },
): boolean {
  const whole = path.isAbsolute(target) ? target : `${base ?? ''}/${target}`;
  if (!whole.includes('..')) return false;
  const parts = whole.split('/');
  return parts.some((part, at) => {
    if (part !== '..') return false;
    const folder = path.resolve('/', parts.slice(0, at).join('/'));
    return isBelow(made, folder) && (kind !== 'contents' || !isBelow(folder, made));
  });
}

/** True if an earlier part of the line makes or moves one of the folders, or one around it. */
export function areMadeBefore({ made }: Pick<Reader, 'made'>, bases: Bases): boolean {
  return made.some(
    ({ path: at, kind }) =>
      at === null ||
      bases.some((base) => base !== null && isBelow(at, base) && (kind !== 'contents' || !isBelow(base, at))),
  );
}

/** In any case of letters, as some file systems have it. */
function isBelow(folder: string, target: string): boolean {
  const [outer, inner] = [folder.toLowerCase(), target.toLowerCase()];
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
}

/** The folder part of the known beginning of a glob; `.` if there is none. */
function folderOf(head: string): string {
  const slash = head.lastIndexOf('/');
  if (slash === -1) return '.';
  return slash === 0 ? '/' : head.slice(0, slash);
}

const BEHIND_WILDCARD = /[*?]([\w.-]*)$/;

/** Plain signs around the wildcards of the last part. What else stands there may be anything. */
function nameEnds({ text, head }: ShellWord): NameEnds {
  const start = head.slice(head.lastIndexOf('/') + 1);
  const end = BEHIND_WILDCARD.exec(text)?.[1] ?? '';
  return { start, end };
}

/** A glob matches names with a leading dot only if it spells the dot: then it may be a protected one. */
function mayBeHidden({ head, text }: ShellWord): boolean {
  const plain = text.replace(QUOTES, '');
  const glob = plain.search(WILDCARD);
  return head.startsWith('.', head.lastIndexOf('/') + 1) || SPELLED_DOT.test(plain.slice(glob));
}

const QUOTES = /["'\\]/g;
const WILDCARD = /[*?[{]/;
const SPELLED_DOT = /[/{,|(]\.|\[[^\]]*\./;

/** With `~` replaced; null if that cannot be told. */
function expandHome({ tilde }: ShellWord, target: string | null, home: string | null): string | null {
  if (target === null || !tilde) return target;
  if (!target.startsWith('~')) return target;
  if (target !== '~' && !target.startsWith('~/')) return null;
  return home === null ? null : home + target.slice(1);
}
