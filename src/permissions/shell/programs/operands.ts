// What operands are: files that are read, written or removed, or the command that a program starts.

import { isHarmlessVariable } from '../../../util/acting-variables.js';
import { protectedPart } from '../../paths.js';
import type { FileUse } from '../command-reading.js';
import { type AssignmentWord, addForm } from '../reader.js';
import { derivedWord, literalWord, replacedWord, type ShellWord, tildeWord } from '../syntax/shell-word.js';
import { isReadByPath } from '../syntax/variables.js';
import { needSpelled, sayLost, type Task } from '../task.js';
import { addFile, addUnknownFile, noteMentions } from './file-uses.js';
import type { ProgramTable } from './program-table.js';
import { FOR_PEOPLE, type FoundOperand, type ScannedWords } from './scan-options.js';

export function readOperands(task: Task, table: ProgramTable, scanned: ScannedWords): void {
  const { operands, options } = scanned;
  const reach = reachOf(table, scanned);
  switch (table.operands) {
    case undefined:
    case 'none':
      // Without more to say of them, words may be files as those of a program that nobody described.
      if (table.read === undefined && table.readOnly === undefined)
        for (const { word } of operands) useMaybe(task, word);
      if (table.here !== undefined) useHere(task, table.here, reach);
      return;
    case 'read':
    case 'write':
    case 'remove':
      useFiles(task, table, operands, table.operands, reach);
      return;
    case 'paths':
      // Whether a protected one is changed is not known.
      for (const { word } of operands)
        if (isGuarded(word)) useFile(task, word, 'write', { reach });
        else useFile(task, word, 'read', { reach });
      if (table.here !== undefined) useHere(task, table.here, reach);
      return;
    case 'search': {
      // Without a folder to go through it reads its input.
      const from = hasPattern(scanned) ? operands : behindFirst(operands);
      if (reach !== 'itself' || from.length > 0) useFiles(task, table, from, 'read', reach);
      // What may be several words may be one: then that is the pattern, and the program searches the working directory.
      const isOpen = from.length === 1 && operands.length === 1 && from[0]?.word.isMany === true;
      // Options that are not described may take words, so that what looks like a file is the pattern.
      const taken = options.filter(({ effect }) => effect === undefined).length;
      if ((isOpen || (from.length > 0 && from.length <= taken)) && reach !== 'itself') useHere(task, 'read', reach);
      noteListed(task, scanned, from);
      return;
    }
    case 'change': {
      const from = table.setsByOption === true || hasMode(options) ? operands : behindFirst(operands);
      for (const { word } of from) useFile(task, word, 'write', { reach, sweeps: reach !== 'itself' });
      return;
    }
    case 'filter':
      useFiles(task, table, operands.slice(0, 1), 'read', reach);
      useFiles(task, table, behindFirst(operands), 'write', reach);
      return;
    case 'command':
      readCommand(task, table, scanned);
      return;
    case 'line':
      readLine(task, table, scanned);
      return;
    case 'script':
      readScript(task, scanned);
      return;
  }
}

/** Operands that are files; without one it may work on the folder that it is in. */
function useFiles(
  task: Task,
  table: ProgramTable,
  operands: readonly FoundOperand[],
  access: FileUse['access'],
  reach: FileUse['reach'],
): void {
  for (const { word } of operands)
    if (table.untold?.test(word.head) === true)
      useUnknownFile(task, access, `${task.name} expands ${word.text} itself`);
    else {
      useFile(task, word, access, { reach });
      // What is only changed along with others is not shown, but what is described as written may be shown too.
      if (access === 'write' && word.value === null) useFile(task, word, 'read', { reach });
    }
  if (mayBeNone(operands) && table.here !== undefined) useHere(task, table.here, reach);
}

/** True if there is none, or all of them may be none: then a program does what it does without one. */
export function mayBeNone(operands: readonly FoundOperand[]): boolean {
  return operands.every(({ word, isMaybe }) => isMaybe === true || word.below !== null);
}

/** Programs to which `-` is the name of a file as any other. */
const TAKES_DASH_AS_NAME: ReadonlySet<string> = new Set(
  (
    'chgrp chmod chown cp dir du install link ln ls mkdir mkfifo mknod mv readlink realpath rm rmdir setfacl shred tee tree ' +
    'truncate unlink vdir'
  ).split(' '),
);

/** Notes an operand as a file; `-` is the input or the output, of most programs. */
export function useFile(task: Task, word: ShellWord, access: FileUse['access'], more: FileDetails = {}): void {
  if (task.isElsewhere || (word.value === '-' && !TAKES_DASH_AS_NAME.has(task.name))) return;
  const user = { access, by: 'operand', program: task.name, ...more } as const;
  if (access === 'write') for (const folder of foldersOnTheWay(word)) addFile(task, folder, user, task.bases);
  addFile(task, word, user, task.bases);
}

/** Notes a name that the program makes of the word's. */
export function useDerived(
  task: Task,
  access: FileUse['access'],
  word: ShellWord,
  make: (name: string) => string,
): void {
  useFile(task, derivedWord(word, make), access);
}

/** Endings that `gzip` and the scripts around it look for if what they are given is not there. */
const PACKED = ['.gz', '.z', '-gz', '-z', '_z', '.Z'];

/** Notes what a program reads, or puts something in the place of, if there is nothing of the name itself. */
export function useEnded(
  task: Task,
  word: ShellWord,
  access: FileUse['access'],
  endings: readonly string[] = PACKED,
): void {
  const { value, tilde } = word;
  if (value !== null && !/(?:\.\w+|[-_]g?z)$/.test(value))
    for (const ending of endings) useFile(task, tildeWord(`${value}${ending}`, tilde), access);
}

/** Whoever makes the folders above a new `a/../b` makes `a` too, which is no folder above `b`. */
function foldersOnTheWay(word: ShellWord): readonly ShellWord[] {
  return (word.choices ?? [word]).flatMap((each) => {
    const parts = each.value?.split('/') ?? [];
    return parts.flatMap((part, at) =>
      part === '..' && at > 0 && parts[at - 1] !== '..'
        ? [replacedWord(each, parts.slice(0, at).join('/') || '/')]
        : [],
    );
  });
}

/** Notes files that are looked for in the folders that options name. */
export function useFoundIn(
  task: Task,
  { options }: Pick<ScannedWords, 'options'>,
  names: readonly string[],
  words: readonly ShellWord[],
): void {
  for (const { main, value: folder } of options) {
    if (!names.includes(main) || folder === null) continue;
    for (const word of words)
      if (folder.value === null || word.value === null)
        useUnknownFile(task, 'read', `where ${main} finds ${word.text} is not known`);
      else useFile(task, replacedWord(folder, `${folder.value}/${word.value}`), 'read');
  }
}

/**
 * Notes a word of which nobody said what it is: of a program without a description, or behind an option that the
 * description does not have. It may be a file, or hold the name of one behind a sign.
 */
export function useMaybe(task: Task, word: ShellWord): void {
  if (task.isElsewhere || word.isPipe) return;
  if (word.choices === null) useMaybeOne(task, word);
  else for (const each of word.choices) useMaybeOne(task, each);
}

function useParts(task: Task, text: string): void {
  const user = { access: 'read', by: 'operand', program: task.name, isMaybe: true } as const;
  for (const name of namesIn(text)) addFile(task, tildeWord(name, name.startsWith('~')), user, task.bases);
}

function useMaybeOne(task: Task, word: ShellWord): void {
  const user = { access: 'read', by: 'operand', program: task.name, isMaybe: true } as const;
  const { value, text } = word;
  if (value !== null) {
    // Nearly all are plain, and stand as they are.
    if (value === text && PLAIN_WORD.test(value)) addFile(task, word, user, task.bases);
    else {
      useParts(task, value);
      if (BETWEEN.test(value)) useLonger(task, value);
    }
    return;
  }
  if (word.below !== null || word.isGlob || PLACE.test(word.head)) addFile(task, word, user, task.bases);
}

/** The beginning of a path that leads away from the folder. */
const PLACE = /^(?:~|\.{0,2}\/)|\.\.\//;

/** What in a word may be the name of a file: it, the value of an option, what stands behind `=` and `@`. */
function namesIn(text: string): readonly string[] {
  if (PLAIN_WORD.test(text)) return [text];
  const parts: string[] = [];
  for (let at = text.indexOf('='); at !== -1; at = text.indexOf('=', at + 1)) parts.push(text.slice(at + 1));
  if (!text.startsWith('-')) parts.push(text);
  else if (/^-[^-]/.test(text)) {
    parts.push(text.slice(2));
    // Behind two letters.
    if (AWAY.test(text.slice(3))) parts.push(text.slice(3));
  }
  // Several in one word, and those with a mark of their kind in front.
  for (const part of parts.slice()) {
    if (part.includes(',')) parts.push(...part.split(',').filter((each) => AWAY.test(each)));
    const kind = KIND_OF_PATH.exec(part)?.[0];
    if (kind !== undefined) parts.push(part.slice(kind.length));
  }
  return parts.map((part) => part.replace(/^@/, '')).filter((part) => part !== '' && part !== '-');
}

/** What stands between the words of a longer text. */
const BETWEEN = /[\s;|"'`()[\]{}]/;
/** Words that are made of others, as arguments and settings are: more is known of them than of a text for people. */
const HAS_ARGUMENTS = /^-|=/;

/** Notes what a longer text may name: what leads away in arguments as any word does, the rest if a rule keeps it. */
function useLonger(task: Task, text: string): void {
  noteMentions(task, text);
  if (!HAS_ARGUMENTS.test(text) || FOR_PEOPLE.test(text) || !MAY_LEAD_AWAY.test(text)) return;
  for (const part of text.split(BETWEEN)) if (MAY_LEAD_AWAY.test(part)) useParts(task, part);
}

/** The beginning of such a path somewhere in a text. */
const MAY_LEAD_AWAY = /(?:^|[^\w/])[~/]|\.\.\//;

/** True but for numbers and the like, which no rule keeps. */
export function mayNameFile({ value }: ShellWord): boolean {
  return value === null || !NO_FILE.test(value);
}

const NO_FILE = /^(?:-?\d[\d.,:%]*[a-zA-Z]{0,2}|true|false)?$/;

/** Notes the parts of a text that is taken apart at blanks, each of which may be a file. */
export function useArguments(task: Task, text: string): void {
  for (const part of text.split(BETWEEN))
    if (!NO_FILE.test(part)) useMaybe(task, tildeWord(part, part.startsWith('~')));
}

/** What a variable is set to for a program may be a file to it, or several. */
export function useVariable(task: Task, name: string, held: string): void {
  if (isHarmlessVariable(name) && !isReadByPath(name, held)) return;
  for (const part of held.split(':')) useArguments(task, part);
}

/** What may be names of files in a text that a use has for its `mentions`. */
export function mentionedNames(text: string): readonly string[] {
  const found = new Set<string>();
  for (const part of text.slice(0, MAX_TEXT).split(BETWEEN_NAMES)) {
    if (part === '' || part.length > MAX_NAME) continue;
    for (const name of namesIn(part)) found.add(name);
    if (found.size > MAX_NAMES) break;
  }
  return [...found];
}

const BETWEEN_NAMES = /[\s;|"'`()[\]{}<>,]+/;
const MAX_TEXT = 20_000;
const MAX_NAMES = 500;
const MAX_NAME = 500;

/** Nearly all words are. */
const PLAIN_WORD = /^[\w./~][\w./~-]*$/;
const AWAY = /^(?:~|\.{0,2}\/)/;
/** How package managers tell a folder from a name. */
const KIND_OF_PATH = /^(?:link|path|portal):(?=[~./])|^fileb?:\/\/(?=[^/])/;

/** What else is known of an operand that is a file. */
export type FileDetails = Partial<Pick<FileUse, 'reach' | 'into' | 'sweeps' | 'throughNoLink' | 'untracked'>>;

/** Notes that it works on a file that cannot be told, and why. */
export function useUnknownFile(task: Task, access: FileUse['access'], why: string): void {
  if (!task.isElsewhere) addUnknownFile(task, { access, by: 'operand', program: task.name, reach: 'tree', why });
}

/** Notes what it does to the folder that it is in. */
export function useHere(task: Task, access: FileUse['access'] | 'runs', reach: FileUse['reach']): void {
  // What it makes there has names of its own.
  const names = access === 'write' ? { into: null } : {};
  useFile(task, literalWord('.'), access === 'runs' ? 'read' : access, { reach, ...names });
}

/** How far it goes from the folders that it is given. */
export function reachOf(
  { deep, follows, stays }: ProgramTable,
  { options }: Pick<ScannedWords, 'options'>,
): FileUse['reach'] {
  if (isAmong(options, follows) && !isAmong(options, stays)) return 'through';
  return deep === null || isAmong(options, deep) ? 'tree' : 'itself';
}

function isAmong(options: ScannedWords['options'], names: ReadonlySet<string>): boolean {
  return names.size > 0 && options.some(({ main }) => names.has(main));
}

/** `-`, or the input by its other names. */
export function isInput({ value }: ShellWord): boolean {
  return value !== null && INPUTS.test(value);
}

const INPUTS = /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/self\/fd\/\d+)$/;

function hasPattern({ options }: ScannedWords): boolean {
  return options.some(({ main }) => GIVES_PATTERN.test(main));
}

const GIVES_PATTERN = /^--(?:regexp|file|from-file|files|type-list)$/;

/** True if an option is the mode itself, as in `chmod -x file`, or names a file to take it from. */
function hasMode(options: ScannedWords['options']): boolean {
  return options.some(
    ({ name, main, effect }) => main === '--reference' || (effect !== 'value' && MODE_OPTION.test(name)),
  );
}

const MODE_OPTION = /^-[rwxXstugo]$/;

/** Options with which a search lists the names of files and nothing else. */
const LISTS = /^--(?:files|files-with-matches|files-without-match)$/;

function noteListed(task: Task, { options }: ScannedWords, from: readonly FoundOperand[]): void {
  if (!options.some(({ main }) => LISTS.test(main)) && !task.name.startsWith('fd')) return;
  const roots = from.length === 0 ? [literalWord('.')] : from.map(({ word }) => word);
  const areEnded = options.some(({ main }) => /^--(?:null|print0)$/.test(main)) ? ({ areEnded: true } as const) : {};
  // Behind `--` a name with a dash in front is one, which to the next program is an option.
  const arePrefixed = from.length > 0 && !task.words.some(({ value }) => value === '--');
  task.reader.listed = { roots, arePrefixed, areSplit: true, ...areEnded };
}

/** All but the first word; an operand that becomes several words is also among them. */
function behindFirst(operands: readonly FoundOperand[]): readonly FoundOperand[] {
  return operands[0]?.word.isMany === true ? operands : operands.slice(1);
}

/** True if it names a protected path. */
export function isGuarded(word: ShellWord): boolean {
  return (word.choices ?? [word]).some(({ value }) => value !== null && protectedPart([], value) !== null);
}

/** Such programs take any text for a name. */
const ASSIGNMENT = /^([^=]+)=/;

/** The command that the operands are, with assignments in front of it. */
function readCommand(task: Task, table: ProgramTable, { operands, options, lost }: ScannedWords): void {
  const rest = operands.slice(table.before ?? 0);
  if (table.beforeAccess !== undefined)
    for (const { word } of operands.slice(0, table.before)) useFile(task, word, table.beforeAccess);
  const assignments: AssignmentWord[] = [];
  while (table.takesAssignments === true) {
    const [first] = rest;
    const name = ASSIGNMENT.exec(first?.word.head ?? '')?.[1];
    if (first === undefined || name === undefined) break;
    assignments.push({ name, word: first.word });
    rest.shift();
  }
  const [first] = rest;
  const tells = options.some(({ effect }) => effect === 'tells');
  if (first === undefined) {
    if (table.startsShell === true && !tells && lost === null)
      sayLost(task, `${task.name} starts a shell that reads its input`);
    return;
  }
  if (table.isRunner !== true && table.isWrapper !== true) needSpelled(task, first.at);
  task.start(task.words.slice(first.at), first.at, { assignments });
  if (table.isWrapper === true && task.words[0]?.value === task.name)
    task.draft.readOnly = task.draft.unknown === null && task.draft.assigned.length === 0;
}

/** Words that are put together to a line for a shell. */
function readLine(task: Task, table: ProgramTable, { operands }: ScannedWords): void {
  const rest = operands.slice(table.before ?? 0);
  const last = rest.at(-1);
  if (last === undefined) {
    if (table.startsShell === true) sayLost(task, `${task.name} starts a shell that reads its input`);
    return;
  }
  const values = rest.map(({ word }) => word.value);
  if (table.isRunner !== true) needSpelled(task, rest[0]?.at ?? last.at);
  task.startLine(values.includes(null) ? null : values.join(' '), last.at);
}

/** A script of an interpreter; without one it reads its input. */
function readScript(task: Task, { operands, options, lost }: ScannedWords): void {
  // A file may be the module; a module of Python has a name of its own.
  const modules = task.name.startsWith('py') ? [] : options.filter(({ effect }) => effect === 'module');
  for (const { value } of modules) if (value !== null) useFile(task, value, 'read');
  if (modules.length > 0) for (const { word } of operands) useFile(task, word, 'read');
  // Some go on behind `-v`.
  if (options.some(({ effect }) => effect === 'tells'))
    for (const { word } of operands.slice(0, 1)) useFile(task, word, 'read');
  if (options.some(({ effect }) => effect === 'code' || effect === 'module' || effect === 'tells')) return;
  const [script] = operands;
  if (script === undefined || isInput(script.word)) {
    if (lost === null) sayLost(task, `${task.name} reads its program from its input`);
    return;
  }
  useFile(task, script.word, 'read');
  // To the script they may be.
  for (const { word } of operands.slice(1)) useMaybe(task, word);
  if (script.word.value === null) sayLost(task, `the script of ${task.name} is not static`);
  addForm(task.draft, task.words.slice(script.at));
}
