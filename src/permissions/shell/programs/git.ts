// `git`: options in front of the subcommand can make it run any program, some subcommands start others, and few only
// read.
import { protectedPart } from '../../paths.js';
import { literalWord, replacedWord, type ShellWord } from '../syntax/shell-word.js';
import { needSpelled, sayActing, sayLost, type Task } from '../task.js';
import {
  ACTING_SUBCOMMANDS,
  CONFIGURING,
  FILE_OPERANDS,
  GIT_GLOBAL,
  HARMLESS_SETTINGS,
  LISTING,
  READING_SUBCOMMANDS,
  subcommandTable,
} from './git-tables.js';
import { useFile } from './operands.js';
import type { Programs } from './program-table.js';
import { readOptions } from './read-by-table.js';
import { type FoundOption, type ScannedWords, scanOptions } from './scan-options.js';
import { ANY_CUT, noteUnpacking } from './unpacking.js';

export const GIT_PROGRAMS: Programs = {
  'git hub': { read: readGit },
};

export function readGit(task: Task): void {
  const { draft, words } = task;
  const scanned = scanOptions(words, GIT_GLOBAL);
  draft.isGit = true;
  readOptions(task, GIT_GLOBAL, scanned);
  for (const option of scanned.options) if (option.name === '-c') readSetting(task, option);
  const [subcommand, ...rest] = scanned.operands;
  if (subcommand === undefined) {
    draft.readOnly = scanned.options.every(({ effect }) => effect === 'tells') && isPlain(task);
    return;
  }
  const plain = [words[0] as ShellWord, ...words.slice(subcommand.at)];
  if (subcommand.at > 1) draft.forms.push(plain);
  if (subcommand.word.value === null) {
    sayLost(task, 'the subcommand of git is not static');
    return;
  }
  readSubcommand(task, subcommand.word.value, plain, subcommand.at);
  if (scanned.options.some(({ effect }) => effect !== 'flag')) draft.readOnly = false;
  if (rest.some(({ word }) => /^(?:ext|fd)::/.test(word.head))) sayActing(task, 'a transport of git runs a command');
}

/** Called by its plain name, in the folder that the command starts in, with nothing set. */
function isPlain({ draft, words, state, reader }: Task): boolean {
  const isHere = state.bases.every((base) => base === reader.cwd);
  return draft.unknown === null && draft.assigned.length === 0 && words[0]?.value === 'git' && isHere;
}

/** `-c name=value`: most settings can name a program. */
function readSetting(task: Task, { value, at }: FoundOption): void {
  if (value === null) return;
  if (value.value === null) {
    sayLost(task, 'a setting of git is not static');
    return;
  }
  const name = value.value.split('=')[0] ?? '';
  if (!HARMLESS_SETTINGS.test(name)) sayActing(task, `the setting ${name} decides what git runs`, at);
}

function readSubcommand(task: Task, name: string, words: readonly ShellWord[], offset: number): void {
  const { draft } = task;
  const table = subcommandTable(name);
  // As if the subcommand were the program.
  const scanned = scanOptions(words.slice(1), table);
  const moved: ScannedWords = {
    ...scanned,
    options: scanned.options.map((option) => ({ ...option, at: option.at + offset })),
    operands: scanned.operands.map(({ word, at }) => ({ word, at: at + offset })),
  };
  readOptions(task, table, moved);
  const values = words.slice(2).map(({ value }) => value);
  readRunning(task, name, moved);
  readFiles(task, name, moved);
  const options = moved.options.every(
    ({ effect }) => effect === undefined || effect === 'value' || effect === 'attached',
  );
  const reads = READING_SUBCOMMANDS.has(name) || isListing(name, values);
  draft.readOnly = reads && options && isPlain(task) && !asksForMore(name, words);
}

function isListing(name: string, values: readonly (string | null)[]): boolean {
  const form = Object.hasOwn(LISTING, name) ? LISTING[name] : undefined;
  const [first] = values;
  if (form === undefined || values.includes(null)) return false;
  if (name === 'remote' && first === 'get-url') return true;
  if (values.some((value) => !form.test(value ?? ''))) return false;
  if (name === 'branch' || name === 'tag') return true;
  if (name === 'remote') return first === undefined || first === '-v' || first === '--verbose';
  if (name === 'config') return isReadingConfig(values);
  if (name === 'reflog') return first !== 'expire' && first !== 'delete';
  return values.length > 0;
}

/** `git config name` reads, `git config name value` writes. */
function isReadingConfig(values: readonly (string | null)[]): boolean {
  const names = values.filter((value) => value !== null && !value.startsWith('-'));
  const says = values.some((value) => /^(?:--get|--get-all|--get-regexp|--list|-l)$/.test(value ?? ''));
  if (says) return names.length <= 1;
  return names[0] === 'list' ? names.length === 1 : names[0] === 'get' && names.length === 2;
}

/** Options that make reading subcommands run programs or read files outside of the repository. */
function asksForMore(name: string, words: readonly ShellWord[]): boolean {
  return words.some(({ head }) => {
    // Long options may be abbreviated.
    if (/^--(?:no-i|show-s)/.test(head) || /%G|%\((?:\w+:)?signature|%\(\*?signature/.test(head)) return true;
    // A manual is shown by a program that the configuration names.
    if (head === '--help') return true;
    return name === 'cat-file' && /^--(?:t|f)/.test(head);
  });
}

/** Subcommands that run what stands in their operands. */
function readRunning(task: Task, name: string, { operands }: ScannedWords): void {
  const [first, ...rest] = operands;
  const verb = first?.word.value;
  if (name === 'submodule' && verb === 'foreach') {
    const command = rest.filter(({ word }) => !/^--(?:recursive|quiet)$/.test(word.value ?? ''));
    runLine(task, command);
  } else if (name === 'bisect' && verb === 'run') {
    const [start] = rest;
    if (start !== undefined) {
      needSpelled(task, start.at);
      task.start(task.words.slice(start.at), start.at);
    }
  } else if (ACTING_SUBCOMMANDS.has(name)) {
    sayActing(task, `git ${name} runs programs of its settings and options`);
  } else if (Object.hasOwn(CONFIGURING, name) && CONFIGURING[name]?.test(verb ?? '') !== false) {
    sayActing(task, `git ${name} changes what runs later`);
  } else if (name === 'config' && first !== undefined && operands.length > 1) {
    if (!HARMLESS_SETTINGS.test(verb === 'set' ? (rest[0]?.word.value ?? '') : (verb ?? '')))
      sayChangedSetting(task, `the setting ${verb ?? first.word.text} decides what git runs later`);
  } else if (name === 'config' && task.words.some(({ value }) => value === '-e' || value === '--edit')) {
    sayChangedSetting(task, 'it opens an editor for what git runs later');
  }
}

/** What is changed is the configuration of the repository, or of the user. */
function sayChangedSetting(task: Task, reason: string): void {
  sayActing(task, reason);
  const isOfUser = task.words.some(({ value }) => value === '--global' || value === '--system');
  const { home } = task.reader;
  if (!isOfUser) useFile(task, literalWord('.git/config'), 'write');
  else if (home !== null) useFile(task, literalWord(`${home}/.gitconfig`), 'write');
}

function notePatch(
  task: Task,
  name: string,
  operands: ScannedWords['operands'],
  options: ScannedWords['options'],
): void {
  const has = (...names: string[]): boolean => options.some((option) => names.includes(option.name));
  if (has('--stat', '--numstat', '--summary', '--check') && !has('--apply')) return;
  if (name === 'am' && has('--continue', '--abort', '--skip', '--quit', '--show-current-patch', '--resolved', '-r'))
    return;
  const folder = options.find((option) => option.name === '--directory')?.value;
  const sources = operands.length === 0 ? [null] : operands.map(({ word }) => word);
  for (const source of sources)
    noteUnpacking(task, {
      kind: 'patch',
      source,
      folder: folder === undefined ? '' : (folder?.value ?? null),
      cut: ANY_CUT,
    });
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

/** Files that subcommands read and change. */
function readFiles(task: Task, name: string, { operands, options }: ScannedWords): void {
  const files = operands;
  const [first, second] = files;
  const known = Object.hasOwn(FILE_OPERANDS, name) ? FILE_OPERANDS[name] : undefined;
  if (known !== undefined) for (const { word } of files) useFile(task, word, known);
  if (name === 'interpret-trailers' && options.some(({ name: option }) => option === '--in-place'))
    for (const { word } of files) useFile(task, word, 'write');
  // What stands behind `--` are paths, not names of branches.
  const dashes = task.words.findIndex(({ value }) => value === '--');
  if (name === 'checkout' && dashes !== -1)
    for (const { word, at } of files) if (at > dashes) useFile(task, word, 'write');
  if (name === 'rm') for (const { word } of files) useFile(task, word, 'remove');
  // Two paths are compared although they are no part of the repository.
  if (name === 'diff')
    for (const { word } of files) if (/^[/~]|^\.\.?\/|\/\.\.(?:\/|$)/.test(word.head)) useFile(task, word, 'read');
  const isDry = options.some(({ name: option }) => option === '-n' || option === '--dry-run');
  if (name === 'clean' && !isDry) useFile(task, literalWord('.'), 'remove');
  if (name === 'submodule' && first?.word.value === 'add') useFile(task, literalWord('.gitmodules'), 'write');
  if (name === 'lfs' && first?.word.value === 'install') useFile(task, literalWord('.git/hooks'), 'write');
  if (name === 'apply' || name === 'am') notePatch(task, name, operands, options);
  // What takes a protected file out of the repository, or puts one in for later, changes it.
  if (PUTS_FILES.has(name)) noteGuardedParts(task);
  if (name === 'clone' && files.length > 1) useFile(task, (files.at(-1) as { word: ShellWord }).word, 'write');
  if ((name === 'worktree' && first?.word.value === 'add') || (name === 'bundle' && first?.word.value === 'create'))
    if (second !== undefined) useFile(task, second.word, 'write');
  if (name === 'config' && files.length > 1)
    for (const { effect, value } of options) if (effect === 'read' && value !== null) useFile(task, value, 'write');
  if (options.some(({ name: option }) => option === '--no-index'))
    for (const { word } of files) useFile(task, word, 'read');
}
