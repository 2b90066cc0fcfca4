// Which repositories the version control of a command line reaches, and what it would start there. Loaded with the first
// command that has some. One rule: if the folder cannot be told, that is said; nobody guesses.

import path from 'node:path';
import { type GitWatch, pathOf, type Reach } from '../../context/git/index.js';
import type { Host } from '../../host/host.js';
import { isWithin } from '../../host/is-inside.js';
import type { GitStart, TouchedFile } from '../../permissions/permission-call.js';
import type { ProgramRun } from '../../permissions/shell/index.js';

/** Programs of version control, and those that start one in the folder they are in, with whose configuration they obey. */
export const VERSION_CONTROL: ReadonlyMap<string | null, readonly Reach['system'][]> = new Map([
  ['git', ['git']],
  ['gh', ['git']],
  ['glab', ['git']],
  ['hub', ['git']],
  ['tig', ['git']],
  ['git-lfs', ['git']],
  ['hg', ['hg']],
  ['chg', ['hg']],
  ['jj', ['jj', 'git']],
]);

export interface ReachPlace {
  readonly host: Pick<Host, 'fs' | 'platform'>;
  /** Absolute: of the session. */
  readonly cwd: string;
  readonly command: string;
  readonly programs: readonly ProgramRun[];
  /** What the command touches. */
  readonly files: readonly TouchedFile[];
  readonly watch: Pick<GitWatch, 'foreignStart'>;
}

/** What nobody vouched for, of each run; and runs whose folder cannot be told. */
export async function reachedStarts(place: ReachPlace): Promise<readonly GitStart[]> {
  const runs = place.programs.filter((run) => VERSION_CONTROL.has(run.name) && run.startsIn.length > 0);
  const hidden = hiddenChoice(place.command, runs);
  const starts: GitStart[] = [];
  for (const run of runs) {
    const reaches = hidden === null ? reachesOf(run, place.host.platform.homedir) : hidden;
    const found = typeof reaches === 'string' ? { why: reaches, seen: null } : await firstStart(place, run, reaches);
    if (found !== null) starts.push({ run, ...found });
  }
  return starts;
}

async function firstStart(place: ReachPlace, run: ProgramRun, reaches: readonly Reach[]) {
  for (const reach of reaches) {
    const made = await madeInLine(place, run, reach.gitFolder ?? reach.folder);
    if (made !== null) return { why: made, seen: null };
    const start = await place.watch.foreignStart(reach);
    if (start !== null) return start;
  }
  return null;
}

/** Variables that choose a repository, or the configuration that counts in it. */
const CHOOSING =
  /(?<![A-Za-z0-9_])(GIT_DIR|GIT_WORK_TREE|GIT_COMMON_DIR|GIT_CONFIG\w*|GIT_INDEX_FILE|GIT_OBJECT_DIRECTORY|GIT_TEMPLATE_DIR|HGRCPATH|JJ_CONFIG|HOME|XDG_CONFIG_HOME)(?![A-Za-z0-9_])\+?=/g;
/** One that stands in front of a run, with a plain value. */
const IN_FRONT = /(?:^|\s)(GIT_DIR|GIT_WORK_TREE)=([\w./-]+)(?=\s)/g;

function chosenInFront({ text, words }: ProgramRun): readonly (readonly [name: string, value: string])[] {
  const assignments = text.slice(0, text.indexOf(words[0] ?? '\0') + 1);
  return [...`${assignments} `.matchAll(IN_FRONT)].map(([, name = '', value = '']) => [name, value]);
}

/** Why a choice that the line makes cannot be followed; null if it makes none, or only plain ones. */
function hiddenChoice(command: string, runs: readonly ProgramRun[]): string | null {
  const named = [...command.matchAll(CHOOSING)];
  const plain = runs.flatMap(chosenInFront);
  if (named.length <= plain.length) return null;
  return `${named[0]?.[1]} is set, so it cannot be told which repository or configuration counts`;
}

const NOT_TOLD = 'it cannot be told in which folder version control would work, so write it out';

function reachesOf(run: ProgramRun, home: string): readonly Reach[] | string {
  const systems = VERSION_CONTROL.get(run.name) ?? [];
  const { words, startsIn } = run;
  const options = globalOptions(words, run.name === 'git');
  if (options === null || startsIn.includes(null)) return NOT_TOLD;
  const [subcommand = null, ...rest] = words.slice(options.end);
  const transfer = transferOf(subcommand, rest);
  if (transfer === 'hidden') return 'it cannot be told which repository it pushes to, so write it out';
  const inFront = new Map(chosenInFront(run));
  const reaches: Reach[] = [];
  for (const start of startsIn as readonly string[]) {
    for (const folder of foldersFrom(start, options.moves, home)) {
      const named = (value: string | null) => (value === null ? null : (foldersFrom(folder, [value], home)[0] ?? null));
      const gitFolder = options.isBare ? folder : named(options.gitFolder ?? inFront.get('GIT_DIR') ?? null);
      const workTree = named(options.workTree ?? inFront.get('GIT_WORK_TREE') ?? null);
      const peers = transfer === null ? [] : peersIn(rest, folder, home);
      const isReading = run.readOnly || onlyReads(run, subcommand);
      for (const system of systems) {
        const templates = transfer === null ? [] : templatesIn(rest, folder, home);
        const reach = { system, folder, gitFolder, workTree, isReading, peers, templates, transfer } as const;
        // What git is told to work on does not count for the others.
        reaches.push(
          system === 'git' ? reach : { ...reach, gitFolder: null, workTree: null, peers: [], templates: [] },
        );
      }
    }
  }
  return reaches;
}

/** They read wherever they work, but for the words of `SHOWING`. */
const READING = new Set(
  'blame cat-file count-objects describe diff diff-files diff-index diff-tree for-each-ref log ls-files ls-tree merge-base name-rev rev-list rev-parse shortlog show show-ref status'.split(
    ' ',
  ),
);
/** What shows something starts a viewer that the configuration names. */
const SHOWING = new Set(['-p', '--paginate', '--help', '-h']);

function onlyReads({ name, words }: ProgramRun, subcommand: string | null): boolean {
  if (name !== 'git' || subcommand === null || !READING.has(subcommand) || words.includes(null)) return false;
  const global = words.slice(0, words.indexOf(subcommand));
  return (
    !words.includes('--help') && !global.some((word) => SHOWING.has(word ?? '') || word?.startsWith('--exec-path'))
  );
}

interface GlobalOptions {
  /** Changes of the folder, in their order. */
  readonly moves: readonly string[];
  readonly gitFolder: string | null;
  readonly workTree: string | null;
  readonly isBare: boolean;
  /** Place of the subcommand. */
  readonly end: number;
}

const WITH_VALUE = new Set(['-c', '--namespace', '--super-prefix', '--config-env', '--attr-source', '--config']);
const MOVES = new Set(['-C', '--cwd', '-R', '--repository']);

/** Null if a word in front of the subcommand is not known. */
function globalOptions(words: ProgramRun['words'], isGit: boolean): GlobalOptions | null {
  const moves: string[] = [];
  let [gitFolder, workTree, isBare]: [string | null, string | null, boolean] = [null, null, false];
  // Other programs take such options behind the subcommand too.
  const end = isGit ? words.length : Number.POSITIVE_INFINITY;
  for (let at = 1; at < Math.min(end, words.length); at++) {
    const word = words[at];
    if (word === null || word === undefined) {
      if (isGit) return null;
      continue;
    }
    if (isGit && !word.startsWith('-')) return { moves, gitFolder, workTree, isBare, end: at };
    const [name = '', attached] = splitOption(word);
    const takesWord = MOVES.has(name) || WITH_VALUE.has(name) || name === '--git-dir' || name === '--work-tree';
    if (!takesWord) {
      isBare ||= isGit && word === '--bare';
      continue;
    }
    const value = attached ?? words[++at];
    if (WITH_VALUE.has(name)) continue;
    if (value === null || value === undefined) return null;
    if (MOVES.has(name)) moves.push(value);
    else if (name === '--git-dir') gitFolder = value;
    else workTree = value;
  }
  return { moves, gitFolder, workTree, isBare, end: isGit ? words.length : 1 };
}

function splitOption(word: string): readonly [name: string, attached?: string] {
  const equals = word.startsWith('--') ? word.indexOf('=') : -1;
  if (equals !== -1) return [word.slice(0, equals), word.slice(equals + 1)];
  // Mercurial takes them so; git does not.
  return /^-R./.test(word) ? ['-R', word.slice(2)] : [word];
}

/** The folder after all moves. A tilde may be one of the shell's or a name: then both. */
function foldersFrom(start: string, moves: readonly string[], home: string): readonly string[] {
  let folders = [start];
  for (const move of moves) {
    const tilde = /^~(?=\/|$)/.test(move);
    folders = folders.flatMap((folder) =>
      tilde ? [path.join(home, move.slice(1)), path.resolve(folder, move)] : [path.resolve(folder, move)],
    );
  }
  return folders;
}

const PUSHING = new Set(['push', 'send-pack', 'http-push']);
const FETCHING = new Set([
  'archive',
  'clone',
  'fetch',
  'fetch-pack',
  'init',
  'ls-remote',
  'pull',
  'remote',
  'submodule',
  'subtree',
  'worktree',
]);

function transferOf(subcommand: string | null, rest: ProgramRun['words']): Reach['transfer'] | 'hidden' {
  if (subcommand !== null && PUSHING.has(subcommand)) {
    const first = rest.find((word) => word === null || !word.startsWith('-'));
    return first === null ? 'hidden' : 'push';
  }
  if (subcommand === 'subtree' && rest[0] === 'push') return 'push';
  return subcommand !== null && FETCHING.has(subcommand) ? 'fetch' : null;
}

/** Words that may be repositories of this machine. */
function peersIn(rest: ProgramRun['words'], folder: string, home: string): readonly string[] {
  const peers = rest.flatMap((word) => {
    if (word === null || word === '') return [];
    const value = word.startsWith('-') ? splitOption(word)[1] : word;
    if (value === undefined || value === '') return [];
    const named = pathOf(value, folder);
    return named === null ? [] : value.startsWith('~') ? foldersFrom(folder, [value], home) : [named];
  });
  return [...new Set(peers)];
}

/** Values of the option that names a template, which may be abbreviated. */
function templatesIn(rest: ProgramRun['words'], folder: string, home: string): readonly string[] {
  return rest.flatMap((word, at) => {
    const [name = '', attached] = splitOption(word ?? '');
    const value = /^--te/.test(name) ? (attached ?? rest[at + 1]) : undefined;
    return value === null || value === undefined || value === '' ? [] : foldersFrom(folder, [value], home);
  });
}

/** Names of files that make a folder a repository, or say what one starts. */
const OF_REPOSITORY = new Set(['HEAD', 'config', 'config.worktree', 'commondir', 'gitdir', 'hgrc']);
/** They make folders that are empty, or repositories as git makes them. */
const MAKING = new Set(['mkdir', 'git', 'gh', 'hg', 'jj', 'touch']);
/** They write the files of a worktree, and a folder in it may be a repository that they bring along. */
const WRITING_TREES = new Set(
  'am apply bisect checkout checkout-index cherry-pick clone merge pull read-tree rebase reset restore revert stash submodule switch worktree'.split(
    ' ',
  ),
);

/** Why a repository may be another by the time it is reached: the same line puts it there. Null if it is not. */
async function madeInLine(
  { host: { fs }, cwd, files, programs }: ReachPlace,
  run: ProgramRun,
  folder: string,
): Promise<string | null> {
  const changed = files.flatMap(({ path: target, access, program }) =>
    access === 'read' || target === null ? [] : [{ target, program }],
  );
  const said = `the same line changes what version control would find in ${folder}, so it cannot be looked at beforehand`;
  for (const { target, program } of changed) {
    if (isWithin(target, folder) && !MAKING.has(program ?? '')) {
      const isNew = (await fs.lstatAll([folder]))[0] === null;
      // What is put into the session's folder is looked at by its names, if those are known.
      if (isNew || !isWithin(target, cwd) || (program === 'mv' && !isWithin(folder, cwd))) return said;
    }
    if (!OF_REPOSITORY.has(path.basename(target)) || !isWithin(path.dirname(target), folder)) continue;
    const head = path.join(path.dirname(target), 'HEAD');
    const makesHead = changed.some((other) => other.target === head);
    if (makesHead || (await fs.lstatAll([head]))[0] !== null) return said;
  }
  const before = programs.slice(0, programs.indexOf(run));
  const writer = before.find(
    (other) => other.name === 'git' && other.words.some((word) => WRITING_TREES.has(word ?? '')),
  );
  if (writer === undefined) return null;
  return (await isNewBelow(fs, folder, before, writer)) ? said : null;
}

/** True for a folder below the top of what a run of git writes, that is reached by a move of this line. */
async function isNewBelow(
  fs: Host['fs'],
  folder: string,
  before: readonly ProgramRun[],
  { words, startsIn }: ProgramRun,
): Promise<boolean> {
  if (startsIn.includes(folder) || before.some((run) => run.startsIn.includes(folder) && VERSION_CONTROL.has(run.name)))
    return false;
  const tops = startsIn.filter((start) => start !== null);
  // A repository of its own is what git made, or was looked at; other folders may come with the files.
  const targets = words.includes('clone') || words.includes('worktree') ? words.flatMap((word) => word ?? []) : [];
  const made = tops.flatMap((top) =>
    targets.flatMap((target) => [
      path.resolve(top, target),
      path.join(top, path.basename(target).replace(/\.git$/, '')),
    ]),
  );
  if (made.includes(folder)) return false;
  if ((await fs.lstatAll([path.join(folder, '.git')]))[0] !== null) return false;
  return [...tops, ...made].some((top) => isWithin(top, folder));
}
