// What operands are: files that are read, written or removed, or the command that a program starts.

import { protectedPart } from '../../paths.js';
import type { FileUse } from '../command-reading.js';
import { addFile } from './file-uses.js';
import type { AssignmentWord } from '../reader.js';
import type { FoundOperand, ScannedWords } from './scan-options.js';
import { replacedWord, type ShellWord } from '../syntax/shell-word.js';
import type { ProgramTable } from './program-table.js';
import { needSpelled, sayLost, type Task } from '../task.js';

export function readOperands(task: Task, table: ProgramTable, scanned: ScannedWords): void {
  const { operands, options } = scanned;
  const files = (from: readonly FoundOperand[], access: FileUse['access']): void => {
    for (const { word } of from) useFile(task, word, access);
  };
  switch (table.operands) {
    case undefined:
    case 'none':
      return;
    case 'read':
    case 'write':
    case 'remove':
      files(operands, table.operands);
      return;
    case 'paths':
      for (const { word } of operands) {
        // Whether it is changed is not known.
        if (isGuarded(word)) useFile(task, word, 'write');
        else if (looksLikePath(word)) useFile(task, word, 'read');
      }
      return;
    case 'search':
      files(hasPattern(scanned) ? operands : operands.slice(1), 'read');
      return;
    case 'change':
      files(hasMode(options) ? operands : operands.slice(1), 'write');
      return;
    case 'filter':
      files(operands.slice(0, 1), 'read');
      files(operands.slice(1), 'write');
      return;
    case 'copy':
    case 'move':
    case 'link':
      readTransfer(task, table.operands, scanned);
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

/** True for what leads out of the folder, or says that it starts there. */
function looksLikePath({ head, tilde }: ShellWord): boolean {
  return tilde || /^(?:\/|\.\.?(?:\/|$))/.test(head) || /\/\.\.(?:\/|$)/.test(head);
}

/** Notes an operand as a file; `-` is the input or the output. */
export function useFile(task: Task, word: ShellWord, access: FileUse['access']): void {
  if (word.value === '-' || task.isElsewhere) return;
  addFile(task, word, access, { by: 'operand', program: task.name }, task.bases);
}

/** `-`, or the input by its other names. */
export function isInput({ value }: ShellWord): boolean {
  return value !== null && /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/self\/fd\/\d+)$/.test(value);
}

function hasPattern({ options }: ScannedWords): boolean {
  return options.some(({ name }) => /^(?:-e|-f|--regexp|--file|--files|--type-list)$/.test(name));
}

/** True where an option is the mode itself, as in `chmod -x file`, or names a file to take it from. */
function hasMode(options: ScannedWords['options']): boolean {
  return options.some(
    ({ name, effect }) => name === '--reference' || (effect === undefined && /^-[rwxXstugo]$/.test(name)),
  );
}

/** Sources and a target; with `-t` the target is the option's. */
function readTransfer(task: Task, kind: 'copy' | 'move' | 'link', { operands, options }: ScannedWords): void {
  const has = (...names: string[]): boolean => options.some(({ name }) => names.includes(name));
  if (task.name === 'install' && has('-d', '--directory')) {
    for (const { word } of operands) useFile(task, word, 'write');
    return;
  }
  const named = options.find(({ name }) => name === '-t' || name === '--target-directory');
  const sources = named !== undefined || operands.length < 2 ? operands : operands.slice(0, -1);
  const isHardLink = kind === 'link' && !has('-s', '--symbolic');
  for (const { word } of sources) {
    // What is written to a second name of a file is written to the file.
    useFile(task, word, isHardLink || (kind === 'link' && isGuarded(word)) ? 'write' : 'read');
    if (kind === 'move') useFile(task, word, 'remove');
  }
  const last = operands.at(-1);
  if (named === undefined && last !== undefined && operands.length > 1) useFile(task, last.word, 'write');
  // `ln file` makes one of that name here.
  if (kind === 'link' && operands.length === 1 && last !== undefined) useFile(task, last.word, 'write');
  useInto(
    task,
    sources.map(({ word }) => word),
    named === undefined ? (operands.length > 1 ? last?.word : undefined) : (named.value ?? undefined),
  );
}

/** Where the target is a folder, what is put there has the name of its source: said where that is a name that counts. */
export function useInto(task: Task, sources: readonly ShellWord[], target: ShellWord | undefined): void {
  if (target === undefined || target.value === null) return;
  for (const source of sources.flatMap((word) => word.choices ?? [word])) {
    const name = /([^/:]+)\/*$/.exec(source.value ?? '')?.[1] ?? '';
    if (name !== '' && protectedPart([], name) !== null)
      useFile(task, replacedWord(target, `${target.value}/${name}`), 'write');
  }
}

function isGuarded(word: ShellWord): boolean {
  return (word.choices ?? [word]).some(({ value }) => value !== null && protectedPart([], value) !== null);
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=/;

/** The command that the operands are, with assignments in front of it. */
function readCommand(task: Task, table: ProgramTable, { operands, options, lost }: ScannedWords): void {
  const rest = operands.slice(table.before ?? 0);
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
  if (options.some(({ effect }) => effect === 'code' || effect === 'module' || effect === 'tells')) return;
  const [script] = operands;
  if (script === undefined || isInput(script.word)) {
    if (lost === null) sayLost(task, `${task.name} reads its program from its input`);
    return;
  }
  useFile(task, script.word, 'read');
  if (script.word.value === null) sayLost(task, `the script of ${task.name} is not static`);
  task.draft.forms.push(task.words.slice(script.at));
}
