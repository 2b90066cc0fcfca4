// Reads one program with its words: what it starts in turn, which files it names, whether it only reads. Its rule: a
// program that is not in the tables is known by its name and words alone.

import { isActingVariable, isHarmlessVariable } from '../../util/acting-variables.js';
import { protectedPart } from '../paths.js';
import type { FileUse } from './command-reading.js';
import { noteMentions } from './programs/file-uses.js';
import { useFile, useMaybe, useVariable } from './programs/operands.js';
import type { OperandKind, ProgramTable } from './programs/program-table.js';
import { PROGRAMS, tableOf } from './programs/programs.js';
import { readByTable } from './programs/read-by-table.js';
import { usuallyCalled } from './programs/same-names.js';
import {
  type AssignmentWord,
  addForm,
  addStarted,
  type Bases,
  type Input,
  type MadePath,
  newShell,
  type Outcome,
  type Reader,
  type RunDraft,
  type ShellState,
  type Starter,
  spend,
} from './reader.js';
import { isBuiltinName } from './syntax/builtin-names.js';
import { readBuiltin } from './syntax/builtins.js';
import { ruledWord } from './syntax/expand-word.js';
import { withoutLinks } from './syntax/move-bases.js';
import {
  type ListedNames,
  literalWord,
  replacedWord,
  ruleText,
  type ShellWord,
  wordWith,
} from './syntax/shell-word.js';
import { isReadByPath } from './syntax/variables.js';
import { type StartHow, sayActing, sayLost, type Task } from './task.js';

export interface RunSetting {
  readonly reader: Reader;
  readonly state: ShellState;
  readonly startedBy: readonly Starter[];
  readonly input: Input;
  /** The file that its input is, if it is one. */
  readonly inputFile?: FileUse | null;
  /** What another program lists there. */
  readonly names?: ListedNames | null;
  /** Started by another program, so that builtins and functions are out of reach. */
  readonly isExternal: boolean;
  readonly isElsewhere?: boolean;
  /** What it stands in; nothing is known of it if another program starts it. */
  readonly script?: { movesAnywhere(): boolean };
}

/** Adds the run and all that it starts. Returns the folders of the shell after it. */
export function readRun(
  setting: RunSetting,
  assignments: readonly AssignmentWord[],
  words: readonly ShellWord[],
): Outcome {
  const { reader, state } = setting;
  const { unchanged } = state;
  let signs = 0;
  // By place: on some ways that V8 compiles this, an iterator over the words is a third of what a run makes.
  for (let at = 0; at < words.length; at++) signs += (words[at] as ShellWord).text.length + 1;
  if (!spend(reader, signs * (1 + setting.startedBy.length))) return unchanged;
  // What its words list is no output of it.
  reader.listed = null;
  const draft = newDraft(setting, assignments, words);
  reader.runs.push(draft);
  if (assignments.length > 0) noteActing(draft, assignments);
  if (draft.name === null) {
    draft.unknown ??= `the program ${words[0]?.text ?? ''} is not a plain word`;
    draft.isLost = true;
    return unchanged;
  }
  const written = words[0]?.value ?? '';
  if (!setting.isExternal && state.functions.has(written)) {
    // What it does stands in its definition.
    draft.readOnly = draft.assigned.length === 0;
    return reader.functionsMove ? { ok: [null], failed: [null] } : unchanged;
  }
  const task = new RunTask(setting, assignments, draft, draft.name);
  const files = reader.files.length;
  const runs = reader.runs.length;
  const made = reader.made.length;
  if (!setting.isExternal && isBuiltinName(written)) {
    const outcome = readBuiltin(task);
    if (written !== 'command') reader.listed = null;
    return outcome;
  }
  if (assignments.length > 0)
    for (const { name, word } of assignments)
      if (word.value !== null) useVariable(task, name, word.value.slice(name.length + 1));
  const ways = readEachWay(task, signs);
  // What it starts lists names, and who knows what else it prints.
  if (reader.runs.length > runs && tableOf(task.name)?.isWrapper !== true) reader.listed = null;
  // Of what only starts others, the words are theirs; git and reading programs are known.
  const isLeaf = reader.runs.length === runs && !draft.readOnly && !draft.isGit;
  if (isLeaf) for (const way of ways ?? [task]) if (!way.isElsewhere) noteGuardedWords(way, files);
  for (let at = made; at < reader.made.length; at++) {
    const each = reader.made[at] as MadePath;
    each.upTo = Math.min(each.upTo, reader.files.length);
  }
  return unchanged;
}

function noteActing(draft: RunDraft, assignments: readonly AssignmentWord[]): void {
  for (const { name, word } of assignments)
    if (isActingVariable(name) || isReadByPath(name, (word.value ?? word.head).slice(name.length + 1)))
      draft.unknown ??= `${name} is set, which programs act on`;
}

/** What an unquoted variable becomes of whose values one is split at blanks, so that the word is not known. */
function splitValues({ state }: Task, { value, choices, text }: ShellWord): readonly string[] {
  const name = value === null && choices === null ? /^\$\{?(\w+)\}?$/.exec(text)?.[1] : undefined;
  const values = name === undefined ? undefined : state.values?.get(name);
  return (values ?? []).flatMap((each) => (each.value ?? '').split(/\s+/)).filter((part) => part !== '');
}

/** Operands that are what the program starts. */
const STARTING: ReadonlySet<OperandKind> = new Set(['script', 'command', 'line']);

function newDraft(
  { reader, startedBy, state, isElsewhere }: RunSetting,
  assignments: readonly AssignmentWord[],
  given: readonly ShellWord[],
): RunDraft {
  const written = writtenText(given);
  const words = written.includes('$') ? ruledWords(reader, state, given) : given;
  const isAlone = assignments.length === 0;
  return {
    words,
    assigned: isAlone
      ? NONE
      : assignments
          .filter(({ name }) => !isHarmlessVariable(name))
          .map(({ word }) => ruledWord(reader, state, word).rule),
    text: isAlone ? written : [...assignments.map(({ word }) => word.text), written].join(' '),
    isAsWritten: isAlone && words.every(({ text, rule }) => text === rule),
    name: programName(words[0]),
    startedBy,
    spelledWords: 0,
    readOnly: false,
    isGit: false,
    startsIn: isElsewhere === true ? NONE : state.bases,
    unknown: null,
    isLost: false,
    isTransparent: false,
    forms: NONE,
    startsWords: false,
    onlyStarts: false,
    mayStart: NONE,
  };
}

/** The very same list if no word is held against rules as something else than it is written. */
function ruledWords(reader: Reader, state: ShellState, words: readonly ShellWord[]): readonly ShellWord[] {
  let ruled: ShellWord[] | null = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as ShellWord;
    const its = ruledWord(reader, state, word);
    if (its === word) continue;
    ruled ??= [...words];
    ruled[at] = its;
  }
  return ruled ?? words;
}

/** Most runs have none of what a draft can list. */
const NONE: readonly never[] = [];

/** The base name; null for what is not static or no name at all. */
function programName(word: ShellWord | undefined): string | null {
  if (word === undefined || word.value === null || (word.tilde && !/^~\/./.test(word.value))) return null;
  const name = word.value.slice(word.value.lastIndexOf('/') + 1);
  return name === '' ? null : name;
}

/** A line has dozens of runs, so what they have in common is here once. */
class RunTask implements Task {
  readonly reader: Reader;
  readonly state: ShellState;
  readonly draft: RunDraft;
  readonly words: readonly ShellWord[];
  readonly assignments: readonly AssignmentWord[];
  readonly name: string;
  bases: Bases;
  isElsewhere: boolean;
  readonly #setting: RunSetting;

  constructor(
    setting: RunSetting,
    assignments: readonly AssignmentWord[],
    draft: RunDraft,
    name: string,
    words: readonly ShellWord[] = draft.words,
  ) {
    this.#setting = setting;
    this.reader = setting.reader;
    this.state = setting.state;
    this.draft = draft;
    this.words = words;
    this.assignments = assignments;
    this.name = name;
    this.bases = setting.state.bases;
    this.isElsewhere = setting.isElsewhere ?? false;
  }

  get input(): Input {
    return this.#setting.input;
  }

  get inputFile(): FileUse | null {
    return this.#setting.inputFile ?? null;
  }

  get names(): ListedNames | null {
    return this.#setting.names ?? null;
  }

  get isExternal(): boolean {
    return this.#setting.isExternal;
  }

  movesAnywhere(): boolean {
    return this.#setting.script?.movesAnywhere() ?? true;
  }

  as(words: readonly ShellWord[], name: string = this.name): Task {
    const task = new RunTask(this.#setting, this.assignments, this.draft, name, words);
    task.bases = this.bases;
    task.isElsewhere = this.isElsewhere;
    return task;
  }

  start(words: readonly ShellWord[], upTo: number, how: StartHow = {}): Outcome {
    const { reader, state, input, inputFile, names } = this;
    let outcome = state.unchanged;
    if (words.length === 0) return outcome;
    const place = how.isSameShell === true ? state : state.inner(this.#basesOf(words));
    const isSameInput = how.input === undefined;
    const started: RunSetting = {
      reader,
      state: place,
      startedBy: starters(this.draft, upTo, true),
      input: isSameInput ? input : (how.input ?? null),
      inputFile: isSameInput ? inputFile : null,
      names: isSameInput ? names : null,
      isExternal: how.isBuiltin !== true,
      isElsewhere: this.isElsewhere,
    };
    nest(this, () => {
      outcome = readRun(started, how.assignments ?? [], words);
    });
    return outcome;
  }

  /** Where an option of the program leads, a shell that it starts knows of no link on the way. */
  #basesOf(words: readonly ShellWord[]): Bases {
    const isFarther = this.bases !== this.state.bases && words.some(({ text }) => text.includes('..'));
    return isFarther ? withoutLinks(this.bases, this.reader) : this.bases;
  }

  startLine(code: string | null, upTo: number, how: StartHow = {}): void {
    const { reader, state, draft, name } = this;
    if (code === null) {
      sayLost(this, `${name} runs commands that are not static`);
      return;
    }
    const place: ShellState =
      how.isSameShell === true ? state : newShell(code, this.bases, state.isNewEnvironment || CHANGES_USER.has(name));
    const files = reader.files.length;
    const startedBy = how.isInput === true ? draft.startedBy : starters(draft, upTo, false);
    nest(this, () => reader.readScript(code, place, startedBy));
    if (this.isElsewhere) reader.files.length = files;
  }
}

function nest(task: Task, read: () => void): void {
  const { reader } = task;
  if (reader.depth >= MAX_STARTED) {
    sayLost(task, 'programs start each other too deeply to follow');
    return;
  }
  reader.depth++;
  read();
  reader.depth--;
}

/** What they start has the environment of another user, or none. */
const CHANGES_USER: ReadonlySet<string> = new Set(['sudo', 'su', 'runuser', 'doas', 'pkexec', 'env', 'machinectl']);

/** Programs that start programs count as nesting too. */
const MAX_STARTED = 50;

/** Who starts what this run starts: itself, and those that start it. */
function starters(draft: RunDraft, upTo: number, isInline: boolean): Starter[] {
  const between = ruleText(draft.words.slice(1, upTo + 1));
  const outer = draft.startedBy.map((starter): Starter => {
    if (!starter.isInline || starter.spelled === '') return starter;
    return { ...starter, spelled: between === '' ? starter.spelled : `${starter.spelled} ${between}`, isInline };
  });
  if (draft.isLost) return outer;
  const allowText = runText(draft, draft.words);
  if (draft.isTransparent) return [...outer, { allowText, spelled: '', isInline: false }];
  return [...outer, { allowText, spelled: runText(draft, draft.words.slice(0, upTo + 1)), isInline }];
}

/** Words as they are written. */
function writtenText(words: readonly ShellWord[]): string {
  const [first] = words;
  return words.length === 1 && first !== undefined ? first.text : words.map(({ text }) => text).join(' ');
}

/** Assignments and words in the form that rules are held against. */
export function runText(draft: RunDraft, words: readonly ShellWord[]): string {
  if (draft.isAsWritten && words === draft.words) return draft.text;
  const text = ruleText(words);
  if (draft.assigned.length === 0) return text;
  return [...draft.assigned, ...(words.length === 0 ? [] : [text])].join(' ');
}

// A word that is one of several makes the run one of several calls: each is read as if it stood there.

/** As many calls are read for one that is written. With more, the words are not known. */
const MAX_WAYS = 400;

/** Each list of words that the run may have; null if that is the one that is written. */
function waysOf(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] | null {
  // Nearly all have one, and no list is made for them.
  let hasChoices = false;
  for (let at = 0; at < words.length && !hasChoices; at++) hasChoices = words[at]?.choices !== null;
  if (!hasChoices) return null;
  let ways: readonly (readonly ShellWord[])[] = [words];
  for (const [at, { choices }] of words.entries()) {
    if (choices === null) continue;
    const all = choices.flatMap(choicesOf);
    if (ways.length * all.length > MAX_WAYS)
      return [words.map((word) => (word.choices === null ? word : wordWith(word, { choices: null })))];
    ways = ways.flatMap((way) => all.map((choice) => way.with(at, choice)));
  }
  return ways;
}

function choicesOf(word: ShellWord): readonly ShellWord[] {
  return word.choices?.flatMap(choicesOf) ?? [word];
}

/**
 * Reads the program with each of the words that it may have, and says of it what holds for all of them. Returns the calls
 * that were read; null if it is the one that is written.
 */
function readEachWay(task: Task, signs: number): readonly Task[] | null {
  const { reader, draft } = task;
  const lists = waysOf(task.words);
  if (lists === null) {
    readProgram(task);
    return null;
  }
  if (!spend(reader, signs * lists.length)) return [];
  let isReading = true;
  let listed: ListedNames | null | undefined;
  const from = reader.files.length;
  const made: [each: MadePath, own: number, ownUpTo: number][] = [];
  const ways = lists.map((words) => task.as(words));
  for (const way of ways) {
    const [own, before] = [reader.files.length, reader.made.length];
    draft.readOnly = false;
    reader.listed = null;
    readProgram(way);
    const ownUpTo = reader.files.length;
    for (const each of reader.made.slice(before)) {
      each.upTo = Math.min(each.upTo, ownUpTo);
      made.push([each, own, ownUpTo]);
    }
    isReading = isReading && draft.readOnly;
    listed = listed === undefined ? reader.listed : joinListed(listed, reader.listed);
  }
  for (const [each, own, ownUpTo] of made) each.beside ??= { from, own, ownUpTo, upTo: reader.files.length };
  draft.readOnly = isReading;
  reader.listed = listed ?? null;
  return ways;
}

/** Names of both lists; null if they are not of one kind. */
function joinListed(one: ListedNames | null, other: ListedNames | null): ListedNames | null {
  if (one === null || other === null) return null;
  const kinds = Object.keys({ ...one, ...other }) as (keyof ListedNames)[];
  const isSame = kinds.every((kind) => kind === 'roots' || one[kind] === other[kind]);
  return isSame ? { ...one, roots: [...one.roots, ...other.roots] } : null;
}

// Reads one program: by its table, or by code of its own. A program without a table starts what its name says, and each of
// its words may be a file.

function readProgram(task: Task): void {
  const table = tableOf(task.name);
  const usual = usuallyCalled(task.words);
  if (usual !== null) addForm(task.draft, usual);
  // Which version a plain `python` is, is not known.
  if (PYTHON.test(task.name))
    for (const name of ['python', 'python3'])
      if (name !== task.name) addStarted(task.draft, [literalWord(name), ...task.words.slice(1)]);
  if (table === undefined || table.mayStart === true) noteMayStart(task);
  if (table === undefined) {
    sayNamedStarts(task, undefined);
    for (const word of task.words.slice(1)) {
      useMaybe(task, word);
      for (const part of splitValues(task, word)) useMaybe(task, literalWord(part));
    }
    return;
  }
  task.draft.isTransparent = table.isRunner === true;
  task.draft.startsWords =
    STARTING.has(table.operands ?? 'none') || table.mayStart === true || table.startsShell === true;
  if (table.isElsewhere === true) task.isElsewhere = true;
  const files = task.reader.files.length;
  if (table.read !== undefined) table.read(task, table);
  else readByTable(task, table);
  const { own } = table;
  if (own !== undefined && !asksToTell(task)) noteMentions(task, own);
  // What is left of a list of names is one.
  if (PASSING.has(task.name) && task.names !== null && task.draft.readOnly && namesNone(task, files))
    task.reader.listed = task.names;
  const { draft } = task;
  // What stands behind a script, or behind what runs elsewhere, is not the program's own.
  if (!draft.readOnly && !draft.startsWords && !draft.isTransparent && !draft.isGit) sayNamedStarts(task, table);
  if (onlyTells(task, table)) task.draft.readOnly = true;
  // By another case it may be another program; and whatever its row says, what writes does not only read.
  if (!PROGRAMS.has(task.name) || changesFiles(task, files)) task.draft.readOnly = false;
}

/** True if the program itself, and not what it starts, writes or removes something since then. */
function changesFiles({ reader: { files }, name }: Task, from: number): boolean {
  for (let at = from; at < files.length; at++) {
    const { access, by, program } = files[at] as FileUse;
    if (access !== 'read' && by === 'operand' && program === name) return true;
  }
  return false;
}

/** True if what it used since then are at most words that may be files. */
function namesNone({ reader: { files } }: Task, from: number): boolean {
  return files.slice(from).every(({ isMaybe }) => isMaybe === true);
}

/** Options that say by their name that their value is started, whatever program has them. */
const NAMES_COMMAND =
  /^--?(?!no-)(?:[a-z\d]+[-_.])*(?:command|cmd|exec|rsh|pager|editor|askpass|preload|wrapper)(?:=|$)/i;
/** A setting behind `-o` that does: of `ssh`, of what hands options on to it, and of others. */
const SETS_COMMAND = /^[\w.-]*(?:command|program)\s*[= ]\s*(?!none$)\S/i;

/** Options that no description has, or that are handed on, which name what is started. A rule has to spell them. */
function sayNamedStarts(task: Task, table: ProgramTable | undefined): void {
  const { words } = task;
  for (let at = 1; at < words.length; at++) {
    const { head } = words[at] as ShellWord;
    if (!head.startsWith('-')) {
      if (words[at - 1]?.value === '-o' && SETS_COMMAND.test(head)) sayStarts(task, head, at);
      continue;
    }
    if (head.startsWith('-o') && SETS_COMMAND.test(head.slice(2))) sayStarts(task, head, at);
    if (task.isElsewhere || !NAMES_COMMAND.test(head)) continue;
    const equals = head.indexOf('=');
    const name = equals === -1 ? head : head.slice(0, equals);
    const isAlone =
      equals === -1 ? words[at + 1] === undefined : equals === head.length - 1 && words[at]?.value !== null;
    if (!isAlone && table?.options.has(name) !== true) sayStarts(task, name, equals === -1 ? at + 1 : at);
  }
}

function sayStarts(task: Task, text: string, upTo: number): void {
  sayActing(task, `${text} names what ${task.name} starts`, upTo);
}

const PYTHON = /^(?:python|pypy)[\d.]*$|^py$/;

/** Programs that leave out lines of their input, or change their order. */
const PASSING: ReadonlySet<string> = new Set(['grep', 'egrep', 'fgrep', 'head', 'tail', 'sort', 'uniq', 'tac', 'shuf']);

/** True if all it is asked for is its version or help. */
function asksToTell({ words }: Task): boolean {
  return words.length === 2 && TELLING.test(words[1]?.value ?? '');
}

/** Called by its plain name with one word that asks for its version or for help. */
function onlyTells(
  { words, name, draft }: Task,
  { options, tellingVerbs, runsAlways, operands }: ProgramTable,
): boolean {
  const word = words[1]?.value;
  if (words.length !== 2 || word == null || words[0]?.value !== name) return false;
  if (draft.unknown !== null || draft.assigned.length > 0 || operands === 'command') return false;
  if (runsAlways === true || runsAlways?.has(name) === true) return false;
  return (options.get(word) === 'tells' && TELLING.test(word)) || tellingVerbs?.split(' ').includes(word) === true;
}

const TELLING = /^(?:-[vVh]|--?version|--?help|-dumpversion|-dumpmachine)$/;

/** Words behind an unlisted program that are looked at. */
const MAX_WORDS = 20;

/** What of the words may be a program with its words: each of them, the value of an option, a line in quotes. */
function noteMayStart({ draft, words }: Task): void {
  words.slice(1, MAX_WORDS + 1).forEach(({ value }, at) => {
    if (value === null) return;
    const line = value.startsWith('-') ? value.slice(value.indexOf('=') + 1) : value;
    if (line !== value && !value.includes('=')) return;
    if (line === value) addStarted(draft, words.slice(at + 1));
    for (const part of line === value && !/\s/.test(line) ? [] : line.split(/&&|[;&|\n]/)) {
      const inner = part.trim().split(/\s+/).slice(0, MAX_WORDS);
      if (inner[0] !== undefined && inner[0] !== '')
        addStarted(
          draft,
          inner.map((word) => literalWord(word)),
        );
    }
  });
}

// Words of a program that nobody knows, or whose operands are not known, that name a protected path: whether it is changed
// cannot be told, so it counts as written.

/** Options whose value is what is left alone, not what is worked on. */
const LEAVES_OUT = /exclude|ignore|skip|omit|prune|filter|deny|without/i;
const LEAVES_OUT_SHORT = /^-[xXiIeEm]$/;
const SHORT_WITH_VALUE = /^-[a-zA-Z]./;

/** @param known how many files were noted before the program was read */
function noteGuardedWords(task: Task, known: number): void {
  const { words, reader } = task;
  const upTo = reader.files.length;
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as ShellWord;
    const target = pathIn(word, words[at - 1]);
    if (target === null || protectedPart([], target) === null) continue;
    if (!isNoted(reader, known, upTo, target)) useFile(task, replacedWord(word, target), 'write');
  }
}

/** True if one of these uses is of a file of that name, for certain. */
function isNoted({ files }: Reader, from: number, upTo: number, target: string): boolean {
  for (let at = from; at < upTo; at++) if (files[at]?.path === target && files[at]?.isMaybe !== true) return true;
  return false;
}

/** The path that a word is, or that an option has; null if it is none, or says what is left out. */
function pathIn({ value }: ShellWord, before: ShellWord | undefined): string | null {
  if (value === null || value === '') return null;
  if (!value.startsWith('-')) {
    const option = before?.value ?? '';
    return LEAVES_OUT_SHORT.test(option) || (option.startsWith('--') && LEAVES_OUT.test(option)) ? null : value;
  }
  const equals = value.indexOf('=');
  if (equals !== -1) return LEAVES_OUT.test(value.slice(0, equals)) ? null : value.slice(equals + 1);
  return SHORT_WITH_VALUE.test(value) && !LEAVES_OUT_SHORT.test(value.slice(0, 2)) ? value.slice(2) : null;
}
