// Path patterns of rules, written as in .gitignore: `//abs`, `~/home`, `/project`, `./here`, `name` at any depth.
// Rule: what is allowed must match as a whole; what is denied also when it lies below a match, in any case and form, and
// a pattern of one folder denies that folder at any depth.
import path from 'node:path';
import { ConfigError } from '../protocol/errors.js';
import { compileGlob, type GlobPattern } from '../util/glob-pattern.js';
import { isMagic, splitGlobRoot } from '../util/posix-path.js';
import { SAYS_NOTHING } from './paths.js';

export interface PathPattern {
  /** As written. */
  readonly source: string;
  /** Where it starts: the root of the machine, the home folder, the folder of the rule, or anywhere. */
  readonly anchor: 'root' | 'home' | 'base' | 'anywhere';
  readonly glob: GlobPattern;
  /** The same in one case and one Unicode form. */
  readonly folded: GlobPattern;
  /** The folders that it spells out before anything is left open. */
  readonly spelled: string;
  /** What all that `folded` matches, or that lies below it, begins with. */
  readonly foldedStart: string;
  /** True if all below a match is meant too: the last part is plain text. */
  readonly coversBelow: boolean;
  /** True if what it spells out is a folder, written with a slash at the end: a file of that name is not meant. */
  readonly endsAtFolder: boolean;
  /** A name, folded, that rules which deny or ask mean at any depth; null if it is more than a name. */
  readonly name: GlobPattern | null;
  /** The name, folded, if it has no wildcards; else ''. */
  readonly foldedName: string;
  /** True if the name is that of folders only. */
  readonly isFolderName: boolean;
}

/** Where the patterns of a rule start. All absolute. */
export interface PatternPlace {
  readonly base: string;
  /** Null: not known, so that patterns below `~` match nothing. */
  readonly home: string | null;
  /** Workspace folders. */
  readonly roots: readonly string[];
}

/** What a rule is held against. */
export interface PathTarget {
  /** Absolute. */
  readonly path: string;
  /** True if a regular file stands there, or comes to stand there: what is written for folders does not mean it. */
  readonly isFile?: boolean;
}

const MAX_LENGTH = 4_096;

/** What means something elsewhere: as the name of a file it would keep nothing, without a word. */
const HABITS: readonly (readonly [looks: RegExp, why: string])[] = [
  [/^(["'`]).*\1$/s, 'quotes around it would be part of the name; write it without them'],
  [
    /^(?:\$(?:[A-Z][A-Z_]*(?:\/|$)|\{)|%[A-Za-z_]+%)/,
    'variables mean nothing here; write ~/ for the home folder, or the path itself',
  ],
  [/^file:/i, 'it is an address; write the path: //x for that of the machine'],
  [/^(?:[A-Za-z]:)?\.{0,2}\\/, 'parts of a path have a slash between them: ./x, //c/x'],
  [/[@+*?]\([^()/]*\)/, 'such groups mean nothing here; write {a,b}'],
  [/:\*$/, '":*" is for commands; a pattern of paths has * for a name and ** for any number of folders'],
];

/** @throws ConfigError (`rule_invalid`) for a pattern that can match nothing, or that means something else than it says */
export function parsePathPattern(source: string): PathPattern {
  const written = source.trim();
  if (written === '' || written.length > MAX_LENGTH) throw unusable(source, 'it is empty, or far too long');
  if (written.includes('\0')) throw unusable(source, 'it holds a NUL character');
  if (written.startsWith('!')) throw unusable(source, 'exceptions (!) are not part of rules; write a narrower pattern');
  const habit = HABITS.find(([looks]) => looks.test(written));
  if (habit !== undefined) throw unusable(source, habit[1]);
  const { anchor, rest } = anchorOf(written);
  // Any number of folders with nothing behind them are all that lies there, as any name is.
  const parts = rest === '**' && anchor === 'anywhere' ? ['*'] : rest.split('/').filter(isPart);
  if (parts.includes('..')) throw unusable(source, '".." has no fixed meaning in a pattern; write the path itself');
  if (parts.length === 0 && anchor === 'anywhere') throw unusable(source, 'it names nothing');
  const text = parts.join('/') || '**';
  const named = oneName(written, anchor, parts);
  const spelled = splitGlobRoot(text).root;
  try {
    return {
      source: written,
      anchor,
      glob: compileGlob(text),
      folded: compileGlob(fold(text)),
      spelled,
      foldedStart: fold(isMagic(text) ? spelled : text),
      coversBelow: !isMagic(parts.at(-1) ?? '**'),
      endsAtFolder: written.endsWith('/') && parts.length > 0 && parts.at(-1) !== '**',
      name: named === null ? null : compileGlob(fold(named)),
      foldedName: named === null || isMagic(named) ? '' : fold(named),
      isFolderName: written.endsWith('/') || parts.at(-1) === '**',
    };
  } catch (error) {
    throw unusable(source, error instanceof Error ? error.message : 'it cannot be read');
  }
}

function anchorOf(written: string): { readonly anchor: PathPattern['anchor']; readonly rest: string } {
  if (written.startsWith('//')) return { anchor: 'root', rest: written.slice(2) };
  if (written === '~' || written.startsWith('~/')) return { anchor: 'home', rest: written.slice(1) };
  if (written.startsWith('/')) return { anchor: 'base', rest: written.slice(1) };
  if (written.startsWith('./')) return { anchor: 'base', rest: written.slice(2) };
  // As in .gitignore: a slash within ties the pattern to its folder, without one it is a name at any depth. What allows
  // a folder (`x/`) allows the one in the folder of the rule.
  return { anchor: written.includes('/') ? 'base' : 'anywhere', rest: written };
}

/** The name in `x`, `x/`, `x/**`, with `**` and a slash before it or not; null for all other patterns. */
function oneName(written: string, anchor: PathPattern['anchor'], parts: readonly string[]): string | null {
  if (anchor !== 'anywhere' && (anchor !== 'base' || /^\.?\//.test(written))) return null;
  const [name, rest, ...more] = parts[0] === '**' ? parts.slice(1) : parts;
  if (name === undefined || more.length > 0 || (rest !== undefined && rest !== '**')) return null;
  // A name that is any name ties nothing to it.
  return anchor === 'anywhere' || /[^*?]/.test(name) ? name : null;
}

/** True if an allow rule of this pattern means the target. */
export function allowsPath(pattern: PathPattern, { path: target, isFile }: PathTarget, place: PatternPlace): boolean {
  const start = startOf(pattern, place);
  const below = start === null ? null : textBelow(start, target);
  if (below === null) return false;
  if (pattern.anchor !== 'anywhere') {
    const isWhole = isFile !== true || !pattern.endsAtFolder;
    return (isWhole && pattern.glob.matches(below)) || (pattern.coversBelow && matchesAbove(pattern.glob, below));
  }
  const names = below === '' ? [] : below.split('/');
  return names.some((name, at) => (at === names.length - 1 || pattern.coversBelow) && pattern.glob.matches(name));
}

/** True if a deny or ask rule of this pattern means the target, or a folder it lies in, or what it is a checkout of. */
export function restrictsPath(pattern: PathPattern, target: PathTarget, place: PatternPlace): boolean {
  if (restrictsName(pattern, target, place)) return true;
  // Nearly no file lies in a worktree.
  if (!target.path.includes(WORKTREES)) return false;
  return twinsOf(target.path, pattern).some((twin) => restrictsName(pattern, { ...target, path: twin }, place));
}

/** The folder that holds the worktrees of a session. */
const WORKTREES = `${path.sep}.worktrees`;

/**
 * What a file of a worktree is called in the folder that the worktree is of: its content is the same, so what a rule says of
 * the one holds for the other. The worktree may be of a folder further up; a rule that begins in one can tell which.
 */
function twinsOf(target: string, { anchor }: PathPattern): readonly string[] {
  const at = target.indexOf(WORKTREES);
  const folder = target.slice(0, at);
  const parts = target.slice(at + 1).split(path.sep);
  const below = parts.filter((part, index) => part !== '.worktrees' && parts[index - 1] !== '.worktrees');
  const names: string[] = [];
  for (let up = folder; ; up = path.dirname(up)) {
    const left = folder.slice(up.length).split(path.sep).filter(isPart);
    if (anchor === 'base' || left.every((part, index) => part === below[index])) names.push(path.join(up, ...below));
    if (up === path.dirname(up)) return names;
  }
}

function restrictsName(pattern: PathPattern, target: PathTarget, place: PatternPlace): boolean {
  if (pattern.name !== null && namesPart(pattern, pattern.name, target, place)) return true;
  if (pattern.anchor === 'anywhere') return false;
  const start = startOf(pattern, place);
  const folded = fold(target.path);
  // Nearly all files lie elsewhere.
  if (start === null || (isAsPatternsHaveIt(folded) && !folded.includes(pattern.foldedStart))) return false;
  const below = textBelow(fold(start), folded);
  if (below === null || !below.startsWith(pattern.foldedStart)) return false;
  if (matchesAbove(pattern.folded, below)) return true;
  if (target.isFile === true) return !pattern.endsAtFolder && pattern.folded.matches(below);
  // A folder all of whose files are meant is meant too: its listing is of them.
  return pattern.folded.matches(below) || pattern.folded.matches(below === '' ? ANY_NAME : `${below}/${ANY_NAME}`);
}

/** True if nothing of the path is written in another way than in a pattern: other separators, parts that say nothing or lead back. */
function isAsPatternsHaveIt(target: string): boolean {
  return path.sep === '/' && !SAYS_NOTHING.test(target);
}

/** Of no file: what matches it matches any name. */
const ANY_NAME = '\0';

/** True if a part of the path has the name: of any file on the machine, or of a folder of the workspace. */
function namesPart(pattern: PathPattern, name: GlobPattern, target: PathTarget, place: PatternPlace): boolean {
  const { isFolderName, foldedName } = pattern;
  const folded = fold(target.path);
  if (!folded.includes(foldedName)) return false;
  // A name that is kept out is kept out everywhere, not only below the folder of the rule.
  if (!isFolderName) return somePart(folded, name);
  for (const start of foldersOf(target.path, place)) {
    const below = textBelow(fold(start), folded) ?? '';
    if (somePart(target.isFile === true ? below.slice(0, Math.max(below.lastIndexOf('/'), 0)) : below, name, '/'))
      return true;
  }
  return false;
}

/** True if a part of the path has the name. */
function somePart(target: string, name: GlobPattern, separator: string = path.sep): boolean {
  for (let at = 0; at < target.length; ) {
    const slash = target.indexOf(separator, at);
    const end = slash === -1 ? target.length : slash;
    const part = target.slice(at, end);
    if (isPart(part) && name.matches(part)) return true;
    at = end + 1;
  }
  return false;
}

/** The folders in which the name of a folder counts: those of the workspace; for what lies elsewhere that of the rule. */
function foldersOf(target: string, { base, roots }: PatternPlace): readonly string[] {
  const inside = roots.filter((root) => isBelow(root, target));
  return inside.length > 0 ? inside : isBelow(base, target) ? [base] : [];
}

/**
 * True if a deny or ask rule of this pattern may mean a file below `folder` that nobody named. `hidden`: whether names
 * with a leading dot are among them.
 */
export function mayRestrictBelow(pattern: PathPattern, folder: string, hidden: boolean, place: PatternPlace): boolean {
  if (mayNameBelow(pattern, folder, hidden, place)) return true;
  if (!folder.includes(WORKTREES)) return false;
  return twinsOf(folder, pattern).some((twin) => mayNameBelow(pattern, twin, hidden, place));
}

function mayNameBelow(pattern: PathPattern, folder: string, hidden: boolean, place: PatternPlace): boolean {
  const last = pattern.source.slice(pattern.source.lastIndexOf('/') + 1);
  if (!hidden && last.startsWith('.')) return false;
  if (pattern.name !== null) {
    if (!hidden && /^(?:\*\*\/)?\./.test(pattern.source)) return false;
    if (!pattern.isFolderName) return true;
    if ([...place.roots, place.base].some((start) => isBelow(start, folder) || isBelow(folder, start))) return true;
  }
  const start = startOf(pattern, place);
  if (start === null) return false;
  const spelled = path.join(start, pattern.spelled);
  return isBelow(folder, spelled) || isBelow(spelled, folder);
}

function isBelow(folder: string, target: string): boolean {
  if (target.startsWith(folder) && (target.length === folder.length || folder === path.sep)) return true;
  const relative = path.relative(fold(folder), fold(target));
  return relative !== '..' && !relative.startsWith(`..${path.sep}`);
}

/** The folder that the pattern starts in; null if that is the home folder and it is not known. */
function startOf({ anchor }: PathPattern, { base, home }: PatternPlace): string | null {
  return anchor === 'root' ? path.sep : anchor === 'home' ? home : base;
}

/** The path below the folder, with `/` between its parts, as patterns have it; null if it lies elsewhere. */
function textBelow(start: string, target: string): string | null {
  const at = start === path.sep ? 1 : start.length + 1;
  const isBehind = target.charAt(at - 1) === path.sep && target.startsWith(start);
  if (!isBehind || target.includes('..')) {
    const relative = path.relative(start, target);
    const isElsewhere = relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
    return isElsewhere ? null : tidy(relative);
  }
  const below = target.slice(at);
  return path.sep === '/' && !UNTIDY.test(below) ? below : tidy(below);
}

/** Has parts that say nothing. */
const UNTIDY = /(?:^|\/)\.?(?:\/|$)/;

function tidy(relative: string): string {
  return relative.split(path.sep).filter(isPart).join('/');
}

function isPart(part: string): boolean {
  return part !== '' && part !== '.';
}

/** True if it matches a folder that the path lies in. */
function matchesAbove(glob: GlobPattern, below: string): boolean {
  for (let at = below.indexOf('/'); at !== -1; at = below.indexOf('/', at + 1))
    if (glob.matches(below.slice(0, at))) return true;
  return false;
}

/** Small letters and signs of ASCII stay as they are. */
const IS_FOLDED = /^[\0-@[-\x7f]*$/;

/** File systems may take names of other case and Unicode form for the same. */
function fold(text: string): string {
  return IS_FOLDED.test(text) ? text : text.normalize('NFKC').toLowerCase();
}

function unusable(source: string, why: string): ConfigError {
  return new ConfigError(`The path pattern "${source}" cannot be used: ${why}.`, { code: 'rule_invalid' });
}
