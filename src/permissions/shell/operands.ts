// What operands are: files that are read, written or removed, or the command that a program starts.

import type { FileUse } from './command-reading.js';
import { addFile } from './file-uses.js';
import type { AssignmentWord } from './reader.js';
import type { FoundOperand, ScannedWords } from './scan-options.js';
import type { ShellWord } from './shell-word.js';
import type { ProgramTable } from './tables/program-table.js';
import { needSpelled, sayLost, type Task } from './task.js';

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

/** Notes an operand as a file; `-` is the input or the output. */
export function useFile(task: Task, word: ShellWord, access: FileUse['access']): void {
  if (word.value === '-' || task.isElsewhere) return;
  addFile(task, word, access, { by: 'operand', program: task.name }, task.bases);
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
  const hasTarget = options.some(({ name }) => name === '-t' || name === '--target-directory');
  const sources = hasTarget || operands.length < 2 ? operands : operands.slice(0, -1);
  for (const { word } of sources) {
    useFile(task, word, 'read');
    if (kind === 'move') useFile(task, word, 'remove');
  }
  const last = operands.at(-1);
  if (!hasTarget && last !== undefined && operands.length > 1) useFile(task, last.word, 'write');
  // `ln file` makes one of that name here.
  if (kind === 'link' && operands.length === 1 && last !== undefined) useFile(task, last.word, 'write');
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
  if (script === undefined || script.word.value === '-') {
    if (lost === null) sayLost(task, `${task.name} reads its program from its input`);
    return;
  }
  useFile(task, script.word, 'read');
  if (script.word.value === null) sayLost(task, `the script of ${task.name} is not static`);
  task.draft.forms.push(task.words.slice(script.at));
}
