// Builtins of the shell: those that move it, set variables, run commands or change what later commands mean.
import { isHarmlessVariable } from '../../../util/acting-variables.js';
import { addFile, addUnknownFile, areMadeBefore } from '../programs/file-uses.js';
import { useVariable } from '../programs/operands.js';
import { programTable } from '../programs/program-table.js';
import { scanOptions } from '../programs/scan-options.js';
import { joinBases, type Outcome, sayUnknown } from '../reader.js';
import { sayActing, sayLost, type Task } from '../task.js';
import { PLAIN_BUILTINS } from './builtin-names.js';
import { keepsFolders } from './expand-word.js';
import { moveBases } from './move-bases.js';
import { textMoves } from './moves.js';
import { literalWord, mayBeOption, type ShellWord } from './shell-word.js';
import { NULL_GLOB } from './variables.js';
import { noteText, sayArithmetic } from './walk-words.js';

/** Reads a builtin. Returns the folders of the shell after it. */
export function readBuiltin(task: Task): Outcome {
  const { state, draft, name } = task;
  if (PLAIN_BUILTINS.has(name)) {
    draft.readOnly = true;
    // The only one of them that sets a variable.
    if (name === 'wait' && task.words.length > 1) readWait(task);
  } else if (name === 'cd' || name === 'pushd' || name === 'popd') return readMove(task);
  else if (SETTING.has(name)) readSetting(task);
  else if (name === 'command' || name === 'builtin') return readPlain(task);
  else if (RUNNING[name] !== undefined) RUNNING[name](task);
  else if (CHANGING.has(name)) readChange(task);
  else readTest(task);
  // Those that run commands in this shell may have moved it.
  return { ok: state.bases, failed: state.bases };
}

const NO_OPTIONS = programTable({});

function operandsOf(task: Task): readonly ShellWord[] {
  return scanOptions(task.words, NO_OPTIONS).operands.map(({ word }) => word);
}

/** A move is a read of the folder that it leads to, also if no word names it. */
function readMove(task: Task): Outcome {
  const { state, draft, name, words, reader } = task;
  const before = state.bases;
  const operands = operandsOf(task);
  const [target] = operands;
  const user = { access: 'read', by: 'operand', program: name } as const;
  draft.readOnly = true;
  const isBack = name === 'cd' && words.length === 2 && target?.value === '-';
  const back = name === 'popd' && words.length === 1 ? poppedTo(task) : isBack ? backTo(task) : null;
  if (back !== null) {
    for (const base of back) addFile(task, literalWord(base ?? ''), user);
    return moved(task, [...back]);
  }
  const isPlain = name !== 'popd' && operands.length <= 1 && words.length <= 2 + Number(words[1]?.value === '--');
  // `pushd` without a folder swaps the last two.
  const isOther = name === 'pushd' && (target === undefined || /^[-+]\d/.test(target.head));
  const isFound = reader.looksElsewhere && target !== undefined && !/^(?:\/|\.\.?(?:\/|$)|~)/.test(target.head);
  if (!isPlain || isOther || isFound || target?.value === '-') {
    addUnknownFile(task, { ...user, why: `${name} leads to a folder that is not known` });
    return { ok: [null], failed: before };
  }
  if (target === undefined) {
    if (reader.home === null || state.isNewEnvironment) addUnknownFile(task, user);
    else addFile(task, literalWord(reader.home), user);
    return moved(task, [state.isNewEnvironment ? null : reader.home]);
  }
  addFile(task, target, user);
  // What lies around a folder that was moved is not where it was.
  if (target.text.includes('..') && areMadeBefore(reader, before)) return { ok: [null], failed: before };
  // To nowhere is to stay.
  const folders = (target.choices ?? [target]).map((word) =>
    word.value === '' && target.choices !== null ? before : moveBases(before, word, reader),
  );
  return moved(task, folders.reduce(joinBases));
}

/** The shell is there if the move succeeds, and knows where it was. */
function moved({ state, reader, name }: Task, ok: Outcome['ok']): Outcome {
  const before = state.bases;
  if (name === 'pushd') reader.pushed = joinBases(reader.pushed, before);
  const isMove = ok !== before && !(ok.length === before.length && ok.every((base, at) => base === before[at]));
  state.back = isMove ? { at: ok, from: before } : null;
  return { ok, failed: before };
}

/** Where `cd -` leads; null if that is not known, or the last move may have failed. */
function backTo({ state, reader }: Task): Outcome['ok'] | null {
  const { back, bases, text } = state;
  if (back?.at !== bases || back.from.includes(null) || !keepsFolders(reader, text)) return null;
  return back.from;
}

/** Where `popd` may lead: to any folder that was noted, or nowhere. */
function poppedTo({ reader, state }: Task): Outcome['ok'] | null {
  const { pushed } = reader;
  return pushed.length === 0 || pushed.includes(null) || !keepsFolders(reader, state.text) ? null : pushed;
}

const DECLARING = new Set(['export', 'declare', 'typeset', 'local', 'readonly']);
const SETTING = new Set([...DECLARING, 'read', 'mapfile', 'readarray', 'printf', 'getopts', 'unset', 'let']);

const READ_OPTIONS = programTable({ options: { value: '-d -i -n -N -p -t -u', module: '-a' } });
const MAPFILE_OPTIONS = programTable({ options: { value: '-d -n -O -s -u -c', shell: '-C' } });
const PRINTF_OPTIONS = programTable({ options: { module: '-v' }, isStrict: true });

/** Builtins that set variables: harmless if their names are static and nothing acts on them. */
function readSetting(task: Task): void {
  const { draft, name } = task;
  draft.readOnly = true;
  if (DECLARING.has(name)) {
    readDeclaration(task);
    return;
  }
  if (name === 'let') {
    // Arithmetic in words: numbers and names only.
    for (const word of task.words.slice(1)) {
      if (word.value === null || /[$`[\]]/.test(word.value)) sayUnknown(task.reader, 'let evaluates a text');
      else evaluateNames(task, word.value);
    }
    return;
  }
  if (name === 'printf') {
    const { options } = scanOptions(task.words, PRINTF_OPTIONS);
    mayNameVariable(task);
    for (const { value } of options) if (value !== null) setByCommand(task, value);
    return;
  }
  const table = name === 'read' ? READ_OPTIONS : MAPFILE_OPTIONS;
  const { options, operands, lost } = scanOptions(
    task.words,
    name === 'unset' || name === 'getopts' ? NO_OPTIONS : table,
  );
  if (lost !== null) sayLost(task, `${lost} may be an option`);
  for (const { effect, value, at } of options) {
    // Behind the text stand the number of the line and the line.
    if (effect === 'shell') task.startLine(value?.value == null ? null : `${value.value} 0 "$MAPFILE"`, at);
    if (effect === 'module' && value !== null) setByCommand(task, value);
    if (effect === 'module' && value?.value != null) task.reader.lists.add(value.value);
  }
  if (name === 'mapfile' || name === 'readarray') for (const { word } of operands) task.reader.lists.add(word.head);
  const names = name === 'getopts' ? operands.slice(1, 2) : operands;
  for (const { word } of names) setByCommand(task, word);
  if (name === 'read' && names.length === 0) noteText(task.reader, 'REPLY', null);
  if (name === 'unset') forgetFunctions(task);
}

function evaluateNames(task: Task, text: string): void {
  for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) {
    task.reader.evaluated.add(name);
    if (/=|\+\+|--/.test(text)) noteText(task.reader, name, '');
  }
}

/** A format that is not static may be `-v` with a name. */
function mayNameVariable({ words, reader }: Task): void {
  const [, format] = words;
  if (format === undefined || format.value !== null || !mayBeOption(format)) return;
  if (format.isMany || words.length > 2) sayUnknown(reader, `printf may set a variable by ${format.text}`);
}

/** `wait -p name`: an index in the name is evaluated. */
function readWait(task: Task): void {
  const { options } = scanOptions(task.words, WAIT_OPTIONS);
  for (const { value } of options) if (value !== null) setByCommand(task, value);
}

const WAIT_OPTIONS = programTable({ options: { module: '-p' } });

/** A variable that gets a text from a command. An index in its name is evaluated. */
function setByCommand(task: Task, { value, text }: ShellWord): void {
  if (value === null || !/^[A-Za-z_]\w*$/.test(value))
    sayUnknown(task.reader, `${task.name} sets a variable named ${text}`);
  else noteText(task.reader, value, null);
}

function forgetFunctions({ state, words }: Task): void {
  for (const { value } of words.slice(1)) {
    if (value === null) state.functions.clear();
    else state.functions.delete(value);
  }
}

function readDeclaration(task: Task): void {
  const { reader, name, draft } = task;
  const isList = task.words.some(({ value, head }) => /^-\w*[aA]/.test(value ?? head));
  const isGiven = name === 'export' || task.words.some(({ value, head }) => /^-\w*x/.test(value ?? head));
  for (const word of task.words.slice(1)) {
    const text = word.value ?? word.head;
    if (/^[-+]/.test(text)) {
      // Names for other names, and numbers that are evaluated.
      if (/[ni]/.test(text) && name !== 'export') sayUnknown(reader, `${name} ${text} changes what assignments do`);
      if (name === 'export' && text.includes('f')) sayActing(task, 'a function is given to other programs');
      continue;
    }
    const variable = /^([A-Za-z_]\w*)\+?(=|$)/.exec(text)?.[1];
    if (variable === undefined) {
      sayUnknown(reader, `${name} sets a variable named ${word.text}`);
      continue;
    }
    // What stands there as an assignment is noted by the walk; here are those in quotes too.
    if (text.includes('=')) noteDeclared(task, variable, word);
    if (isGiven) useGiven(task, variable, word);
    noteList(task, variable, word, isList);
  }
  if (name === 'export') {
    const isHarmless = task.words.slice(1).every(({ value }) => value !== null && !/^[A-Za-z_]\w*\+?=/.test(value));
    draft.readOnly = isHarmless || task.words.slice(1).every((word) => harmlessExport(word));
  }
}

/** Programs that the line starts later have it: what it holds may be files to them. */
function useGiven(task: Task, variable: string, { value }: ShellWord): void {
  const equals = value?.indexOf('=') ?? -1;
  if (value !== null && equals !== -1) useVariable(task, variable, value.slice(equals + 1));
  else for (const each of task.state.values?.get(variable) ?? []) useVariable(task, variable, each.value ?? '');
}

/**
 * The value of a list is read as bash reads `(…)`, quoted or not, with the substitutions in it: `declare -a a='($(x))'`.
 * Indexes in it are evaluated: `declare -a a='([x]=1)'`.
 */
function noteList({ reader }: Task, variable: string, { value, head }: ShellWord, isList: boolean): void {
  if (isList) reader.lists.add(variable);
  const text = value ?? head;
  const start = text.slice(text.indexOf('=') + 1);
  if (!text.includes('=') || (value === null ? start !== '' && !start.startsWith('(') : !/^\([\s\S]*[$`[]/.test(start)))
    return;
  reader.listTexts.add(variable);
}

function harmlessExport({ head }: ShellWord): boolean {
  const name = /^([A-Za-z_]\w*)\+?=/.exec(head)?.[1];
  return name !== undefined && isHarmlessVariable(name);
}

function noteDeclared({ reader, state }: Task, variable: string, word: ShellWord): void {
  const isKnown = state.values?.has(variable) === true && !reader.setVariables.has(variable);
  noteText(reader, variable, word.value === null ? null : word.value.slice(variable.length + 1));
  // It is what the walk knows it from.
  if (isKnown) reader.setVariables.delete(variable);
}

type BuiltinReader = (task: Task) => void;

const JOBS_OPTIONS = programTable({ options: { flag: '-l -n -p -r -s' }, isStrict: true });

/** Builtins that run commands. */
const RUNNING: Readonly<Record<string, BuiltinReader>> = {
  exec: (task) => {
    const { options, operands, lost } = scanOptions(task.words, EXEC_OPTIONS);
    task.draft.readOnly = operands.length === 0;
    // Its redirections, if it has some, are those of the shell.
    if (operands.length === 0) task.reader.changesInput = true;
    if (lost !== null || options.some(({ effect }) => effect === undefined))
      sayLost(task, 'exec has an unknown option');
    const [first] = operands;
    if (first !== undefined) task.start(task.words.slice(first.at), first.at);
  },
  eval: (task) => {
    const values = task.words.slice(task.words[1]?.value === '--' ? 2 : 1).map(({ value }) => value);
    const isStatic = values.every((value) => value !== null);
    task.startLine(isStatic ? values.join(' ') : null, task.words.length - 1, { isSameShell: true });
  },
  // `jobs -x program` runs it.
  jobs: (task) => {
    const { options, lost } = scanOptions(task.words, JOBS_OPTIONS);
    task.draft.readOnly = true;
    if (lost !== null) sayLost(task, `${lost} may be an option of jobs`);
    const runs = options.find(({ effect }) => effect === undefined);
    if (runs !== undefined) task.start(task.words.slice(runs.at + 1), runs.at);
  },
  source: readSource,
  '.': readSource,
  trap: (task) => {
    const operands = operandsOf(task);
    const [action] = operands;
    task.draft.readOnly = true;
    if (operands.length < 2 || action?.value === '-' || action?.value === '') return;
    // It runs at any time, in whatever folder the shell is in then.
    const { bases, isCertain } = task.state;
    const code = action?.value ?? null;
    const moves = code === null || textMoves(code);
    task.reader.isReordered = true;
    if (moves || task.movesAnywhere()) task.state.bases = [null];
    task.state.isCertain = false;
    task.startLine(code, task.words.length - 1, { isSameShell: true });
    task.state.isCertain = isCertain;
    task.state.bases = moves ? [null] : bases;
  },
};

const EXEC_OPTIONS = programTable({ options: { value: '-a', flag: '-c -l' }, isStrict: true });

/** `command` and `builtin`: a program or builtin run by this shell, whatever functions there are. */
function readPlain(task: Task): Outcome {
  const { state, words, name, draft } = task;
  const { unchanged } = state;
  const second = words[1]?.value;
  draft.readOnly = true;
  if (name === 'command' && (second === '-v' || second === '-V')) return unchanged;
  const at = second === '--' || (name === 'command' && second === '-p') ? 2 : 1;
  const first = words[at];
  if (first === undefined) return unchanged;
  if (first.value?.startsWith('-') !== true)
    return task.start(words.slice(at), at, { isBuiltin: true, isSameShell: true });
  sayLost(task, `${first.text} is no known option of ${name}`);
  return unchanged;
}

function readSource(task: Task): void {
  const [file] = operandsOf(task);
  if (file === undefined) return;
  addFile(task, file, { access: 'read', by: 'operand', program: task.name });
  if (file.value === null) sayLost(task, 'the file with commands is not static');
  else sayActing(task, `the commands in ${file.value} are not known`, task.words.indexOf(file));
  task.state.bases = [null];
}

/** Builtins that can change what the words of later commands mean. */
const CHANGING = new Set('alias unalias hash enable set shopt bind complete compgen compopt fc history'.split(' '));
const PLAIN_SET = /^[-+](?:[euxvfCETbhm]+|o|[euxvfCETbhm]*o)$/;
const PLAIN_SET_NAMES = new Set(
  'errexit nounset xtrace verbose noglob pipefail errtrace functrace monitor notify emacs vi noclobber'.split(' '),
);
const PLAIN_SHOPT = new Set('extglob globstar nullglob failglob nocaseglob nocasematch inherit_errexit'.split(' '));

function readChange(task: Task): void {
  const { name, reader, draft } = task;
  const rest = task.words.slice(1).map(({ value }) => value);
  if (rest.length === 0) draft.readOnly = true;
  else if (name === 'set' && isPlainSet(rest)) draft.readOnly = true;
  else if (
    name === 'shopt' &&
    rest.every((word) => word !== null && (/^-[supq]+$/.test(word) || PLAIN_SHOPT.has(word))) &&
    // Whoever reads words looks for it in the line.
    (!rest.includes(NULL_GLOB) || reader.command.includes(NULL_GLOB))
  )
    draft.readOnly = true;
  else if (name === 'unalias' || (name === 'hash' && rest.every((word) => word === '-r'))) draft.readOnly = true;
  else sayUnknown(reader, `${name} changes what later commands mean`);
}

function isPlainSet(rest: readonly (string | null)[]): boolean {
  for (const [at, word] of rest.entries()) {
    // What follows are parameters.
    if (word === '--' || (at === 0 && word !== null && !/^[-+]/.test(word))) return true;
    if (word === null) return false;
    if (!PLAIN_SET.test(word) && !(rest[at - 1]?.endsWith('o') === true && PLAIN_SET_NAMES.has(word))) return false;
  }
  return true;
}

/** `test` and what is left: harmless but for names of variables with an index, which is evaluated. */
function readTest(task: Task): void {
  const { name, words, draft, reader } = task;
  draft.readOnly = name === 'test' || name === '[' || name === 'umask' || name === 'ulimit';
  if (name !== 'test' && name !== '[') return;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as ShellWord;
    const before = words[at - 1]?.value;
    const mayBeName = before === '-v' || before === '-R' || before === null;
    // Words that an expansion becomes may be `-v` and a name with an index.
    if (word.splits) sayEvaluated(task, word.text);
    else if (word.isMany && mayBeginTest(word)) sayUnknown(reader, `${name} may evaluate ${word.text}`);
    else if (word.value === null && mayBeName) sayUnknown(reader, `${name} may evaluate ${word.text}`);
    else if (mayBeName && word.value?.includes('[') === true) sayArithmetic(task, word.value);
  }
}

/** True if one of the names that a pattern matches may be `-v`: none with a dot or a slash in it is. */
function mayBeginTest({ head, text }: ShellWord): boolean {
  return /^-?[vR]?$/.test(head) && (!/[./]/.test(text) || /[[{(]/.test(text));
}

function sayEvaluated({ reader, name }: Task, text: string): void {
  if (/\$[@*_0-9]|\$\{[^A-Za-z]|\$\(|`/.test(text)) sayUnknown(reader, `${name} may evaluate ${text}`);
  for (const [variable] of text.matchAll(/[A-Za-z_]\w*/g)) reader.evaluated.add(variable);
}
