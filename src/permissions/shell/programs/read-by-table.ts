// What a program's options and operands name and start, as its table says.

import { joinBases } from '../reader.js';
import { moveProgram } from '../syntax/move-bases.js';
import type { ShellWord } from '../syntax/shell-word.js';
import { sayActing, sayLost, type Task } from '../task.js';
import { addFile, noteMentions } from './file-uses.js';
import { mayNameFile, readOperands, useArguments, useFile, useMaybe, useUnknownFile } from './operands.js';
import type { OptionEffect, ProgramTable } from './program-table.js';
import { type FoundOption, isForPeople, type ScannedWords, scanOptions } from './scan-options.js';

/** Reads options and operands as the table says. */
export function readByTable(task: Task, table: ProgramTable): ScannedWords {
  const scanned = scanOptions(task.words, table);
  const { isElsewhere } = task;
  // What the options of a client name is of this machine.
  if (table.isElsewhere === true) task.isElsewhere = false;
  readOptions(task, table, scanned);
  task.isElsewhere = isElsewhere;
  readOperands(task, table, scanned);
  const plus =
    table.plusActs === true
      ? task.words.find(({ head }, at) => at > 0 && head.startsWith('+') && head !== '+')
      : undefined;
  if (plus !== undefined) sayActing(task, `${task.name} runs ${plus.text}`);
  const list = table.takesWordFiles === true ? wordFile(task, scanned) : undefined;
  if (list != null) {
    sayActing(task, `${task.name} takes its words from ${list.text}`);
    useMaybe(task, list);
  }
  const { actingModules } = table;
  if (actingModules !== undefined) {
    const module = scanned.options.find(
      ({ effect, value }) => (effect === 'module' || effect === 'read') && actingModules.test(value?.head ?? ''),
    );
    if (module !== undefined) sayActing(task, `${module.value?.text} runs code that is not read`);
  }
  sayActingWords(task, table, scanned);
  if (
    table.startsShell === true &&
    table.operands === 'write' &&
    !scanned.options.some(({ effect }) => effect === 'shell')
  )
    sayLost(task, `${task.name} starts a shell that reads its input`);
  if (table.alwaysActs === true && !scanned.options.some(({ effect }) => effect === 'tells'))
    sayLost(task, `${task.name} starts what its words do not tell`);
  if (table.readOnly !== undefined) task.draft.readOnly = onlyReads(task, table, scanned);
  return scanned;
}

/** A word that is a file of words, also in the same word as an option, which the program hands on apart. */
function wordFile({ words }: Task, { options }: ScannedWords): ShellWord | null | undefined {
  return words.find((word, at) => at > 0 && isList(word)) ?? options.find(({ value }) => isList(value))?.value;
}

function isList(word: ShellWord | null): boolean {
  return word?.head.startsWith('@') === true;
}

/** Values and operands that name a program or code. */
export function sayActingWords(task: Task, table: ProgramTable, { options, operands }: ScannedWords): void {
  const { actingValues, actingOperands, actingVerbs } = table;
  for (const { name, value, at } of actingValues === undefined ? [] : options) {
    const text = `${name}${name.startsWith('--') ? '=' : ''}${value?.head ?? ''}`;
    if (actingValues?.test(text) === true) sayActing(task, `${text} decides what ${task.name} runs`, at);
  }
  const hasVerbs = actingVerbs !== undefined || table.subcommands !== undefined;
  if (actingOperands === undefined && !hasVerbs) return;
  for (const [place, { word, at }] of operands.entries()) {
    const isVerb = hasVerbs && (place === 0 || (place === 1 && table.pairStarts.has(operands[0]?.word.value ?? '')));
    if (actingOperands === undefined && !isVerb) break;
    if (actingOperands?.test(word.head) === true || (isVerb && actingVerbs?.test(word.head) === true))
      sayActing(task, `${word.text} is more to ${task.name} than a name`, at);
    else if (word.value === null && word.head === '')
      sayActing(task, `${word.text} may be more to ${task.name} than a name`, at);
  }
}

/** Notes what the options do. */
export function readOptions(task: Task, table: ProgramTable, { options, lost, mayReach, strays }: ScannedWords): void {
  if (lost !== null) sayLost(task, `${lost} may be an option of ${task.name} that starts or changes something`);
  if (mayReach !== null) {
    const what = `${mayReach.word.text} may be an option of ${task.name} that ${table.reaches}s other files`;
    if (table.reaches === 'write') sayActing(task, what, mayReach.at);
    else useUnknownFile(task, 'read', what);
  }
  for (const option of options) {
    const { effect, value } = option;
    // What is only described as a value may be a file all the same, of a program that does more than read.
    if (effect === 'value' || effect === 'attached') {
      const isOpen =
        value !== null && table.readOnly === undefined && !task.draft.isGit && !isForPeople(option.main, value);
      if (isOpen && (table.readsValues === true ? leadsAway(value) : mayNameFile(value))) useMaybe(task, value);
      if (isOpen && value.value !== null && NAMES_ARGUMENTS.test(option.main)) useArguments(task, value.value);
    } else if (effect !== undefined) readOption(task, option, effect);
    else if (table.hasAllOptions === true && !/^-\d+$/.test(option.name))
      useUnknownFile(task, 'write', `${option.name} is no known option of ${task.name}`);
    else if (table.isStrict === true) sayActing(task, `${option.name} is no known option of ${task.name}`);
    if (effect === undefined && value?.value != null && NAMES_ARGUMENTS.test(option.main))
      useArguments(task, value.value);
  }
  for (const word of strays) useMaybe(task, word);
}

/** Options whose value is handed on as words, by their names. */
const NAMES_ARGUMENTS = /(?:args|arguments|opts|options|flags|params|parameters)$/i;

function leadsAway({ head }: ShellWord): boolean {
  return AWAY.test(head);
}

/** The beginning of a path that leads out of the folder, also behind a name. */
const AWAY = /^(?:[^/]*=)?(?:@|~?\/.|~|\.\.\/)/;

function readOption(task: Task, { name, value, at }: FoundOption, effect: OptionEffect): void {
  const user = { by: 'operand', program: task.name } as const;
  switch (effect) {
    case 'read':
    case 'write':
    case 'remove':
      if (value !== null && value.value !== '-' && !task.isElsewhere)
        addFile(task, value, { ...user, access: effect }, task.bases);
      // Its name may stand behind another: `--set-file name=file`.
      if (effect === 'read' && value?.head.includes('=') === true) useMaybe(task, value);
      // What is in such a file counts, also of a program that only shows the names of others.
      if (effect === 'read' && value?.value === null && !value.isPipe)
        useUnknownFile(task, 'read', `which file ${name} reads is not known`);
      return;
    case 'uses':
      if (value?.value != null) noteMentions(task, value.value);
      return;
    case 'list':
      if (value !== null) useFile(task, value, 'read');
      useUnknownFile(task, 'read', `which files ${name} names is not known`);
      return;
    case 'lists':
      useUnknownFile(task, 'read', `which files ${name} reads is not known`);
      return;
    case 'folder':
      if (value === null) return;
      addFile(task, value, { ...user, access: 'read' }, joinBases(task.bases, task.state.bases));
      task.bases = movedAgain(task, value);
      return;
    case 'shell':
      if (value !== null) task.startLine(value.value, at);
      return;
    case 'code':
      if (value?.value === null) sayLost(task, `${task.name} runs code that is not static`);
      // A rule that spells the option allows whatever code it is given.
      sayActing(task, `${task.name} runs code that is not read`, value === task.words[at] ? at - 1 : at);
      if (value?.value != null) noteMentions(task, value.value);
      return;
    case 'acts':
    case 'risk':
      if (value?.value === null) sayLost(task, `${name} ${value.text} makes ${task.name} run what cannot be told`);
      sayActing(task, `${name} makes ${task.name} run or load what cannot be told`, at);
      // Whatever it does with it, it may be a file.
      if (effect === 'acts' && value !== null && mayNameFile(value)) useMaybe(task, value);
      return;
    default:
  }
}

/** Where an option leads: from the last such place to some programs, from the folder of the shell to others. */
export function movedAgain(task: Task, folder: ShellWord): Task['bases'] {
  const moved = moveProgram(task.bases, folder, task.reader);
  return task.bases === task.state.bases ? moved : joinBases(moved, moveProgram(task.state.bases, folder, task.reader));
}

const READING: ReadonlySet<OptionEffect> = new Set(['value', 'attached', 'flag', 'tells', 'read', 'folder', 'module']);

/** True if the program is called by its plain name and none of its options and operands does more than read. */
function onlyReads({ draft, words, name }: Task, table: ProgramTable, { options, operands }: ScannedWords): boolean {
  if (draft.unknown !== null || draft.assigned.length > 0 || words[0]?.value !== name) return false;
  if (table.operands === 'filter' && operands.length > 1) return false;
  return options.every(({ effect }) => (effect === undefined ? table.readOnly === 'any' : READING.has(effect)));
}
