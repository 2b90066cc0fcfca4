// Files that a command reads or changes without naming them one by one: those below a folder that it goes through, moves
// or removes, those of a glob, those in words that are not static, and words of programs that nobody knows. A rule that
// may speak of one of them is not got around.
import path from 'node:path';
import { patternPlace, placeRules, restrictingPlaced, restrictingRule } from './match-files.js';
import { mayRestrictBelow, restrictsPath } from './path-pattern.js';
import type { PermissionContext, TouchedFile } from './permission-call.js';
import { type PermissionRule, restrictsAccess } from './rule.js';
import type { ProgramRun } from './shell/index.js';

type Place = Pick<PermissionContext, 'roots' | 'home'>;

/** A rule about files that may speak of one which the command does not name; the path of the file, if it is known. */
export interface UnseenFile {
  readonly rule: PermissionRule;
  readonly path: string | null;
}

/** The first such rule, or null. */
export function unseenByRules(
  rules: readonly PermissionRule[],
  programs: readonly ProgramRun[],
  files: readonly TouchedFile[],
  place: Place,
): UnseenFile | null {
  const about = rules.filter(({ content }) => content?.kind === 'path');
  if (about.length === 0) return null;
  for (const file of files) {
    const rule =
      file.isMaybe === true
        ? about.find((candidate) => maySpeakOf(candidate, file, programs, place))
        : about.find(
            (candidate) => restrictsAccess(candidate, file.access) && mayTouch(candidate, file, programs, place),
          );
    if (rule !== undefined) return { rule, path: file.isMaybe === true ? file.path : null };
  }
  for (const run of programs) {
    const rule = wordRule(run, about, place) ?? searchRule(run, about, files, place);
    if (rule !== null) return { rule, path: null };
  }
  return null;
}

/** True if the rule, of whatever access, speaks of the file that a word may name. */
function speaksOf(
  rule: PermissionRule,
  { path: named, realPath }: Pick<TouchedFile, 'path' | 'realPath'>,
  place: Place,
): boolean {
  const { content } = rule;
  if (content?.kind !== 'path') return false;
  const at = patternPlace(rule, place);
  return [named, realPath].some((target) => target !== null && restrictsPath(content.pattern, { path: target }, at));
}

/** The same of what wildcards match: files of the folder in front of them. */
function maySpeakOf(rule: PermissionRule, file: TouchedFile, programs: readonly ProgramRun[], place: Place): boolean {
  return speaksOf(rule, file, place) || (file.isAnyWithin === true && mayTouch(rule, file, programs, place));
}

/** True if a file that is not named may be among those that are touched, and the rule may speak of it. */
function mayTouch(rule: PermissionRule, file: TouchedFile, programs: readonly ProgramRun[], place: Place): boolean {
  // A link that leads nowhere yet is written through all the same.
  if (file.path === null || file.realPath === null) return true;
  const below = reachBelow(file);
  if (below === 'none' || (file.holdsNoneKept === true && isAlone(file, programs))) return false;
  if (accessBelow(file) === 'change' && restrictsAccess(rule, 'read')) return false;
  return [file.path, file.realPath].some((folder) => mayMeanBelow(rule, folder, countsHidden(below), place));
}

/** Programs that take a folder with all that is in it to another place, or give it another name. */
const TAKES_ALL: ReadonlySet<string | null> = new Set(['cp', 'install', 'ln', 'mv', 'rsync', 'scp']);
/** Programs that show names, sizes and dates, and nothing that stands in the files; null: the shell, for its wildcards. */
const SHOWS_NAMES: ReadonlySet<string | null> = new Set([
  null,
  ...'dir du exa eza fd fdfind find ls lsd stat tree vdir'.split(' '),
]);

/**
 * Which files below it may be touched. `all`: each, also with what is removed, which may be a folder. `any`: which of them
 * is not known. `some`: as `any`, but none that is hidden, as formatters and their like go through a folder. `direct`: some right in it, as a glob matches. `none`: none, or what is said of a search.
 */
export type ReachBelow = 'all' | 'any' | 'some' | 'direct' | 'none';

export function reachBelow({ reach, access, isFile, program, isAnyWithin }: TouchedFile): ReachBelow {
  if (isFile === true) return 'none';
  if (access === 'remove') return 'all';
  const isTree = reach !== 'itself' && !SHOWS_NAMES.has(program) && (program === 'git' || !SEARCHES.has(program));
  if (!isTree) return isAnyWithin === true ? 'direct' : 'none';
  if (TAKES_ALL.has(program)) return 'all';
  // What another program lists for it, and what links lead to, a program takes as it comes, hidden or not.
  return reach === 'through' || access !== 'read' || !PASSES_HIDDEN.has(program) ? 'any' : 'some';
}

/** True if names with a leading dot are among them. */
export function countsHidden(below: ReachBelow): boolean {
  return below === 'all' || below === 'any';
}

/**
 * The rules that count below a folder: what may only be changed along with others is not shown, so that a rule about
 * reading one of them asks about nothing.
 */
export function accessBelow(file: TouchedFile): 'read' | 'write' | 'change' {
  if (file.access === 'read') return 'read';
  return reachBelow(file) === 'all' ? 'write' : 'change';
}

/** True if no other part of the line could put a file there before; what git tracks, only git changes. */
function isAlone({ program, access }: TouchedFile, programs: readonly ProgramRun[]): boolean {
  if (program === 'git' && access !== 'remove') return true;
  return programs.every((run) => run.readOnly || (run.name === program && run.unknown === null));
}

/**
 * What rules keep from being read or changed; `change`: by those about changes alone.
 * @param start what an ask rule that speaks of it was asked about with; null: nothing was asked
 */
export function keptFiles(
  { deny, ask, ...place }: Pick<PermissionContext, 'deny' | 'ask' | 'roots' | 'home'>,
  start: string | null,
  wanted: 'read' | 'write' | 'change',
) {
  const access = wanted === 'read' ? 'read' : 'write';
  const wasAsked = (rule: PermissionRule): boolean =>
    start !== null && restrictingRule([rule], { path: start, realPath: start, access }, place) !== null;
  const rules = [...deny, ...ask.filter((rule) => !wasAsked(rule))].filter(
    (rule) =>
      rule.content?.kind === 'path' &&
      restrictsAccess(rule, access) &&
      (wanted !== 'change' || !restrictsAccess(rule, 'read')),
  );
  const placed = placeRules(rules, place);
  const keeps = (file: string): boolean =>
    restrictingPlaced(placed, { path: file, realPath: file, access, isFile: true }) !== null;
  const mayKeepBelow = (folder: string): boolean => rules.some((rule) => mayMeanBelow(rule, folder, true, place));
  return Object.assign(keeps, { mayKeepBelow });
}

/** Words of a program that nobody knows may be files: the first rule that speaks of one of them. */
function wordRule(
  { mayStart, words, startsIn }: ProgramRun,
  about: readonly PermissionRule[],
  place: Place,
): PermissionRule | null {
  if (mayStart.length === 0) return null;
  const folders = new Set([...startsIn.filter((folder) => folder !== null), place.roots[0] ?? '/']);
  for (const word of words.slice(1, MAX_WORDS + 1)) {
    const text = word === null ? '' : word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word;
    if (text === '' || text.startsWith('-')) continue;
    const home = place.home !== undefined && text.startsWith('~/') ? place.home + text.slice(1) : text;
    for (const folder of folders) {
      const target = path.resolve(folder, home);
      const rule = about.find((candidate) => speaksOf(candidate, { path: target, realPath: null }, place));
      if (rule !== undefined) return rule;
    }
  }
  return null;
}

/** Words of one program that are looked at. */
const MAX_WORDS = 20;

/** The first rule that may speak of a file in a folder that the program searches, or null. */
function searchRule(
  run: ProgramRun,
  about: readonly PermissionRule[],
  files: readonly TouchedFile[],
  place: Place,
): PermissionRule | null {
  if (!SEARCHES.has(run.name)) return null;
  const isDeep = ({ program, access, reach }: TouchedFile) =>
    program === run.name && access === 'read' && (reach !== 'itself' || ALWAYS_DEEP.has(program));
  const named = files.filter(isDeep).flatMap((file) => [file.path ?? [], file.realPath ?? []].flat());
  // What git goes through is not among its files.
  const isGrep = run.isGit && run.words.includes('grep');
  const folders = isGrep && named.length === 0 ? place.roots.slice(0, 1) : run.isGit && !isGrep ? [] : named;
  const hidden = !SKIPS_HIDDEN.has(run.name) || run.words.some((word) => word === null || TELLS_HIDDEN.test(word));
  const speaks = (rule: PermissionRule) =>
    restrictsAccess(rule, 'read') && folders.some((folder) => mayMeanBelow(rule, folder, hidden, place));
  return about.find(speaks) ?? null;
}

function mayMeanBelow(rule: PermissionRule, folder: string, hidden: boolean, place: Place): boolean {
  return (
    rule.content?.kind === 'path' && mayRestrictBelow(rule.content.pattern, folder, hidden, patternPlace(rule, place))
  );
}

/** Programs that show what stands in files below the folders they are given: asked about, whatever is there now. */
const SEARCHES: ReadonlySet<string | null> = new Set(
  'ack ag bzegrep bzfgrep bzgrep egrep fgrep git grep rg rgrep ripgrep tar xzegrep xzfgrep xzgrep zegrep zfgrep zgrep zip'.split(
    ' ',
  ),
);

/**
 * Formatters, checkers and compilers: in folders they read sources and pass over names with a leading dot. Any other program
 * reads all that lies there.
 */
const PASSES_HIDDEN: ReadonlySet<string | null> = new Set(
  (
    'biome dprint eslint eslint_d oxlint prettier prettierd standard stylelint ts-standard tsc tsgo xo ' +
    'autoflake autopep8 bandit basedpyright black blue docformatter flake8 isort mypy pycodestyle pydocstyle pylint pyright ' +
    'pyupgrade ruff ty ufmt usort vulture yapf gci go gofmt gofumpt goimports golangci-lint golines revive staticcheck ' +
    'clang-format clang-tidy ktlint php-cs-fixer phpcbf phpcs phpstan pint psalm rector rubocop rustfmt shfmt standardrb stylua ' +
    'swiftformat swiftlint'
  ).split(' '),
);

/** Those that always go through folders. */
const ALWAYS_DEEP: ReadonlySet<string | null> = new Set(['git', 'rgrep', 'tar']);

/** Those that pass over names with a leading dot unless they are told not to. */
const SKIPS_HIDDEN: ReadonlySet<string | null> = new Set(['ag', 'rg', 'ripgrep']);
const TELLS_HIDDEN = /^(?:-\w*[.u]|--hidden|--unrestricted)/;
