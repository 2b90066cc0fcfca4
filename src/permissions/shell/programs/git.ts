// `git`: options in front of the subcommand can make it run any program, some subcommands start others, and few only
// read.
import { protectedPart } from '../../paths.js';
import { addForm, type Bases, joinBases, type Reader } from '../reader.js';
import { moveProgram } from '../syntax/move-bases.js';
import { type ListedNames, literalWord, replacedWord, type ShellWord } from '../syntax/shell-word.js';
import { needSpelled, sayActing, sayLost, type Task } from '../task.js';
import { noteMentions } from './file-uses.js';
import { type GitRun, pathOfRevision, topsOf, useRevision, useSource, useTop, within } from './git-paths.js';
import { onlyReads } from './git-reading.js';
import {
  ACTING_SUBCOMMANDS,
  CONFIGURING,
  GIT_ALIASES,
  GIT_GLOBAL,
  gitSubcommand,
  HARMLESS_SETTINGS,
  isGitSubcommand,
} from './git-tables.js';
import { useFile, useMaybe } from './operands.js';
import type { FoundOperand, OptionEffect, Programs } from './program-table.js';
import { readOptions } from './read-by-table.js';
import { type FoundOption, has, type ScannedWords, scanOptions } from './scan-options.js';

export const GIT_PROGRAMS: Programs = {
  'git hub': {
    read: readGit,
    subcommands: {
      aliases: Object.fromEntries(GIT_ALIASES),
      globals: GIT_GLOBAL,
      tableOf: (name) => gitSubcommand(name).table,
    },
  },
};

const RUNNING_TRANSPORT = /^(?:ext|fd)::/;

function readGit(task: Task): void {
  const { draft, words } = task;
  const scanned = scanOptions(words, GIT_GLOBAL);
  draft.isGit = true;
  readOptions(task, GIT_GLOBAL, scanned);
  for (const option of scanned.options) if (option.name === '-c') readSetting(task, option);
  const [subcommand] = scanned.operands;
  if (subcommand === undefined) {
    // Behind another one, help is that of a subcommand: it starts the viewer of a manual.
    const [option, more] = scanned.options;
    draft.readOnly = more === undefined && (option === undefined || option.effect === 'tells') && isPlain(task);
    return;
  }
  const plain = [words[0] as ShellWord, ...words.slice(subcommand.at)];
  if (subcommand.at > 1) addForm(draft, plain);
  if (subcommand.word.value === null) {
    sayLost(task, 'the subcommand of git is not static');
    return;
  }
  readSubcommand(task, subcommand.word.value, plain, subcommand.at, scanned.options);
  if (!scanned.options.every(isHarmless)) draft.readOnly = false;
  // What shows its output the configuration names.
  if (has(scanned, '--paginate') && !isOfSession(task)) draft.readOnly = false;
  // Of another repository, whose index is not looked at.
  if (!scanned.options.every(({ effect, name }) => effect === 'flag' || name === '-c')) task.reader.listed = null;
  if (words.some(({ head }, at) => at > subcommand.at && RUNNING_TRANSPORT.test(head.replace(/^--[\w-]+=/, ''))))
    sayActing(task, 'a transport of git runs a command');
}

/**
 * Called by its plain name, in the folder of the session or below it, with nothing set. What the repository there makes git
 * start is looked at by whoever looks at the disk.
 */
function isPlain({ draft, words, bases, reader }: Task): boolean {
  const isHere = bases.every((base) => base !== null && isOwn(base, reader));
  return draft.unknown === null && draft.assigned.length === 0 && words[0]?.value === 'git' && isHere;
}

/** What starts at most what a repository configures for showing and comparing, which is looked at wherever it is. */
const READS_ANYWHERE: ReadonlySet<string> = new Set(
  (
    'blame cat-file count-objects describe diff diff-files diff-index diff-tree for-each-ref log ls-files ls-tree merge-base ' +
    'name-rev rev-list rev-parse shortlog show show-ref status'
  ).split(' '),
);

/** True in the repository of the session, whose configuration somebody trusts with the folder. */
function isOfSession({ bases, reader }: Task): boolean {
  return bases.every((base) => base !== null && reader.own.includes(base));
}

/** True for an option in front of the subcommand that changes what is shown, or where, and not what is started. */
function isHarmless({ effect, name, value }: FoundOption): boolean {
  return effect === 'flag' || (name === '-c' && isShowing(value)) || (name === '-C' && value?.value != null);
}

function isOwn(base: string, { own, folder, looksAtGit }: Reader): boolean {
  return own.includes(base) || (looksAtGit && base.startsWith(`${folder}/`) && !DOTS.test(base));
}

/** Parts of a path that lead elsewhere than its letters, behind a link. */
const DOTS = /(?:^|\/)\.{1,2}(?:\/|$)/;

/** Settings that only change how something is shown. */
const SHOWING_SETTINGS =
  /^(?:color\.\w+|advice\.\w+|core\.quotepath|column\.ui|diff\.(?:renames|context|algorithm|noprefix|mnemonicprefix)|log\.(?:date|decorate|abbrevcommit))=\w*$/i;

function isShowing(setting: ShellWord | null): boolean {
  return setting?.value != null && SHOWING_SETTINGS.test(setting.value);
}

/** `-c name=value`: most settings can name a program. */
function readSetting(task: Task, { value, at }: FoundOption): void {
  if (value === null) return;
  if (value.value === null) {
    sayLost(task, 'a setting of git is not static');
    return;
  }
  const name = value.value.split('=')[0] ?? '';
  useMaybe(task, value);
  if (!HARMLESS_SETTINGS.test(name)) sayActing(task, `the setting ${name} decides what git runs`, at);
}

/**
 * @param words as if nothing stood in front of the subcommand
 * @param offset place of the subcommand in all words
 * @param front options in front of it
 */
function readSubcommand(
  task: Task,
  written: string,
  words: readonly ShellWord[],
  offset: number,
  front: readonly FoundOption[],
): void {
  const { draft } = task;
  const name = GIT_ALIASES.get(written) ?? written;
  const { table, files } = gitSubcommand(name);
  const from = task.reader.files.length;
  // As if the subcommand were the program.
  const scanned = scanOptions(task.words, table, offset + 1);
  if (name !== written) addForm(draft, [words[0] as ShellWord, literalWord(name), ...words.slice(2)]);
  const named = namedWorkTree(task, front);
  const tops = named === null ? topsOf(task) : joinBases(topsOf(task), named);
  if (named !== null) task.bases = joinBases(task.bases, named);
  // Git looks for the file of some options from the top of the work tree, and for that of others from where it is.
  if (tops.every((top) => task.bases.includes(top))) readOptions(task, table, scanned);
  else within({ task }, joinBases(tops, task.bases), () => readOptions(task, table, scanned));
  readRunning(task, name, scanned);
  const dashes = task.words.findIndex(({ value }, at) => at > offset && value === '--');
  const run: GitRun = {
    task,
    name,
    options: scanned.options,
    operands: scanned.operands,
    dashes: dashes === -1 ? Number.POSITIVE_INFINITY : dashes,
    tops,
    from,
  };
  if (files !== undefined) files(run);
  else readNames(run);
  readMore(run);
  if (!isGitSubcommand(name)) sayActing(task, `git ${name} may be an alias, or a program of its own`, offset);
  const isPlainly = scanned.options.every(({ effect = 'flag' }) => HARMLESS_EFFECTS.has(effect));
  draft.readOnly =
    isPlainly && isPlain(task) && onlyReads(name, words) && (READS_ANYWHERE.has(name) || isOfSession(task));
  if (draft.readOnly && listsHashes(run)) task.reader.listed = HASHES;
  else if (draft.readOnly && (name === 'ls-files' ? listsBelow(run) : name === 'diff' && listsChanged(run)))
    task.reader.listed = {
      roots: [literalWord('.')],
      arePrefixed: false,
      areSplit: true,
      areRecorded: has(run, '--others') ? 'some' : 'all',
      ...(has(run, '-z') ? { areEnded: true } : {}),
    };
}

/** Names of commits: nothing but letters and digits, so that none is an option, split or matched. A file here may be called so. */
const HASHES: ListedNames = { roots: [literalWord('.')], arePrefixed: false, areSplit: false, areHashes: true };

/** Options that choose commits, and say nothing of how they are printed. */
const CHOOSES =
  /^(?:-n|-\d+|--(?:max-count|skip|since|after|until|before|author|committer|grep|min-parents|max-parents|no-merges|merges|first-parent|reverse|all|branches|tags|remotes|topo-order|date-order))$/;

/** True if it prints whole or short names of commits and nothing else, or fails. */
function listsHashes({ name, options, operands, dashes }: GitRun): boolean {
  switch (name) {
    case 'merge-base':
      return options.every(({ main }) => /^--(?:all|octopus|fork-point)$/.test(main));
    case 'rev-list':
      return options.every(({ main }) => CHOOSES.test(main));
    case 'rev-parse':
      // Words that are no revisions it prints as they are.
      return (
        operands.length === 1 &&
        dashes === Number.POSITIVE_INFINITY &&
        operands.every(({ word }) => /^(?:HEAD|@)(?:[~^]\d*)*$/.test(word.value ?? '')) &&
        options.every(({ main }) => /^--(?:short|verify|quiet)$/.test(main))
      );
    default:
      return false;
  }
}

/** `ls-files` that prints names and nothing else, of files below the folder that it is in. */
function listsBelow({ options, operands }: GitRun): boolean {
  const prints = /^(?:-[comdz]|--(?:cached|others|modified|deleted|exclude-standard))$/;
  return options.every(({ main }) => prints.test(main)) && operands.every(isBelow);
}

/**
 * `diff` that prints names and nothing else, all of which the index has: those of commits nobody checked, and they may be
 * any text.
 */
function listsChanged({ options, operands, dashes }: GitRun): boolean {
  const prints = /^(?:--(?:name-only|cached|staged|diff-filter|relative|no-renames)|-z)$/;
  const isPlain = options.every(({ main, value }) => prints.test(main) && (value === null || main === '--diff-filter'));
  if (!isPlain || !has({ options }, '--name-only')) return false;
  const revisions = operands.filter(({ at }) => at < dashes);
  if (!operands.every((operand) => operand.at < dashes || isBelow(operand))) return false;
  const isOfCommit = revisions.length > 0 || has({ options }, '--cached', '--staged');
  if (!isOfCommit) return true;
  const filters = options.filter(({ main }) => main === '--diff-filter').map(({ value }) => value?.value ?? '');
  // What was deleted since then the index does not have.
  const isThere = filters.length === 1 && filters.every((filter) => /^(?:[ACMRTUXB]+|[a-z]*d[a-z]*)$/.test(filter));
  return isThere && revisions.length <= 1 && revisions.every(({ word }) => ONE_REVISION.test(word.value ?? ''));
}

const ONE_REVISION = /^\w(?:[\w/-]|\.(?!\.))*(?:[~^]\d*)*$/;

function isBelow({ word: { value } }: FoundOperand): boolean {
  return value !== null && /^[\w*][\w./*-]*$/.test(value) && !value.includes('..');
}

const HARMLESS_EFFECTS: ReadonlySet<OptionEffect> = new Set(['value', 'attached', 'number', 'flag']);

/** The folder that an option, or a variable in front, says the work tree is, or null. */
function namedWorkTree({ assignments, bases, reader }: Task, front: readonly FoundOption[]): Bases | null {
  const named = front.findLast(({ name }) => name === '--work-tree')?.value;
  if (named != null) return moveProgram(bases, named, reader);
  const set = assignments.findLast(({ name }) => name === 'GIT_WORK_TREE')?.word.value;
  if (set === undefined) return null;
  return set === null ? [null] : moveProgram(bases, literalWord(set.slice(set.indexOf('=') + 1)), reader);
}

/** Of what only works on the repository: a file of a revision that gets another name, so that it is no way around a rule. */
function readNames(run: GitRun): void {
  useTop(run, 'read', 'itself');
  useRemotes(run);
  if (!REACHES_OUT.has(run.name))
    for (const { word } of run.operands) if (pathOfRevision(word.head) !== null) useRevision(run, word, 'itself');
}

/** The first operand of these may be a repository of this machine, of `remote` the one behind its name. */
function useRemotes(run: GitRun): void {
  const [first, , third] = run.operands.map(({ word }) => word);
  const isRemote = run.name === 'remote';
  const source = isRemote ? (/^(?:add|set-url)$/.test(first?.value ?? '') ? third : undefined) : first;
  const access = RECEIVES.has(run.name) ? 'write' : 'read';
  if (source !== undefined && LOCAL.has(run.name)) useSource(run, source, access);
  for (const { main, value } of run.options) if (main === '--repo' && value !== null) useSource(run, value, access);
}

const LOCAL: ReadonlySet<string> = new Set(
  'push fetch remote ls-remote fetch-pack send-pack upload-pack receive-pack upload-archive'.split(' '),
);
const RECEIVES: ReadonlySet<string> = new Set(['push', 'send-pack', 'receive-pack']);

/** Their operands are addresses, and names on both sides. */
const REACHES_OUT: ReadonlySet<string> = new Set(
  'push fetch remote ls-remote fetch-pack send-pack upload-pack receive-pack upload-archive http-fetch http-push config check-ref-format var help'.split(
    ' ',
  ),
);

/** Ways to merge that git has; for any other it starts a program of that name. */
const STRATEGIES = /^(?:ort|recursive|resolve|octopus|ours|subtree)$/;

/** Subcommands that run what stands in their operands. */
function readRunning(task: Task, name: string, { operands, options }: ScannedWords): void {
  for (const { main, value, at } of options)
    if (main === '--strategy' && value !== null && !(STRATEGIES.test(value.value ?? '') || name === 'notes'))
      sayActing(task, `${value.text} is a program of its own to git ${name}`, at);
  const [first, ...rest] = operands;
  const verb = first?.word.value;
  if (name === 'submodule' && verb === 'foreach') {
    const command = rest.filter(({ word }) => !/^--(?:recursive|quiet)$/.test(word.value ?? ''));
    // In each of those folders.
    within({ task }, [null], () => runLine(task, command));
  } else if (name === 'bisect' && verb === 'run') {
    const [start] = rest;
    if (start !== undefined) {
      needSpelled(task, start.at);
      within({ task }, topsOf(task), () => void task.start(task.words.slice(start.at), start.at));
    }
  } else if (name === 'bisect' && (verb === 'visualize' || verb === 'view')) {
    // Another subcommand, or a program.
    const [start] = rest;
    if (start !== undefined) sayActing(task, `git bisect ${verb} starts ${start.word.text}`);
  } else if (ACTING_SUBCOMMANDS.has(name)) {
    sayActing(task, `git ${name} runs programs of its settings and options`);
  } else if (Object.hasOwn(CONFIGURING, name) && CONFIGURING[name]?.test(verb ?? '') !== false) {
    sayActing(task, `git ${name} changes what runs later`);
  }
}

/** `git config`: what changes a setting, in the forms of before and of now. */
function readConfig({ task, options, operands }: GitRun): void {
  const has = (name: RegExp): boolean => options.some(({ main }) => name.test(main));
  const [first, second] = operands.map(({ word }) => word.value ?? word.head);
  if (has(/^--(?:get(?:-all|-regexp)?|list)$/) || /^(?:get|list)$/.test(first ?? '')) return;
  const isForm = /^(?:set|unset|edit|(?:rename|remove)-section)$/.test(first ?? '');
  const isWhole = has(/^--(?:edit|(?:rename|remove)-section)$/) || /^(?:edit|\w+-section)$/.test(first ?? '');
  if (!isWhole && !isForm && !has(/^--(?:unset|add|replace-all)/) && operands.length < 2) return;
  for (const { effect, value } of options) if (effect === 'read' && value !== null) useFile(task, value, 'write');
  const setting = isForm ? (second ?? '') : (first ?? '');
  // Whose repositories git obeys is no matter of taste.
  const isHarmless = !isWhole && HARMLESS_SETTINGS.test(setting) && !/^safe\./i.test(setting);
  if (!isHarmless)
    sayActing(task, isWhole ? 'it changes what git runs later' : `the setting ${setting} decides what git runs later`);
  const { home } = task.reader;
  const isOfUser = has(/^--global$/);
  if (has(/^--system$/)) useFile(task, literalWord('/etc/gitconfig'), 'write');
  else if (isOfUser && home !== null) useFile(task, literalWord(isHarmless ? home : `${home}/.gitconfig`), 'write');
  else if (!isHarmless) useFile(task, literalWord('.git/config'), 'write');
}

const PUTS_FILES: ReadonlySet<string> = new Set([
  'apply',
  'checkout',
  'checkout-index',
  'read-tree',
  'stash',
  'submodule',
  'update-index',
  'worktree',
]);

/** Words, values of options and what stands behind the last comma (`--cacheinfo mode,object,path`). */
function noteGuardedParts(task: Task): void {
  for (const word of task.words.slice(1)) {
    const text = word.value?.replace(/^--[a-z-]+=/, '') ?? '';
    const target = text.slice(text.lastIndexOf(',') + 1);
    if (target !== '' && protectedPart([], target) !== null) useFile(task, replacedWord(word, target), 'write');
  }
}

function runLine(task: Task, operands: ScannedWords['operands']): void {
  const last = operands.at(-1);
  const [first] = operands;
  if (last === undefined || first === undefined) return;
  const values = operands.map(({ word }) => word.value);
  needSpelled(task, first.at);
  task.startLine(values.includes(null) ? null : values.join(' '), last.at);
}

/** Files that are not those of the work tree, and words that name what configures it. */
function readMore(run: GitRun): void {
  const { task, name, operands } = run;
  const [first] = operands;
  if (name === 'config') {
    within(run, run.tops, () => useFile(task, literalWord('.git/config'), 'read'));
    noteMentions(task, '~/.gitconfig ~/.config/git/config');
    readConfig(run);
  }
  // They fetch from and write to other places by names.
  if (/^(?:lfs|subtree|svn)$/.test(name)) for (const { word } of operands.slice(1)) useMaybe(task, word);
  if (name === 'lfs' && first?.word.value === 'install') useFile(task, literalWord('.git/hooks'), 'write');
  // What takes a protected file out of the repository, or puts one in for later, changes it.
  if (PUTS_FILES.has(name)) noteGuardedParts(task);
}
