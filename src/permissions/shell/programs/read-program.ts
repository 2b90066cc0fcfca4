// Reads one program: by its table, or by code of its own. A program without a table starts what its name says and
// nothing is known of its operands.

import { literalWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';
import type { ProgramTable } from './program-table.js';
import { PROGRAMS, tableOf } from './programs.js';
import { readByTable } from './read-by-table.js';
import { usuallyCalled } from './same-names.js';

export function readProgram(task: Task): void {
  const table = tableOf(task.name);
  const usual = usuallyCalled(task.words);
  if (usual !== null) task.draft.forms.push(usual);
  // Which version a plain `python` is, is not known.
  if (/^python[\d.]*$/.test(task.name))
    for (const name of ['python', 'python3'])
      if (name !== task.name) task.draft.mayStart.push([literalWord(name), ...task.words.slice(1)]);
  if (table === undefined || table.mayStart === true) noteMayStart(task);
  if (table === undefined) return;
  task.draft.isTransparent = table.isRunner === true;
  if (table.isElsewhere === true) task.isElsewhere = true;
  const files = task.reader.files.length;
  if (table.read !== undefined) table.read(task, table);
  else readByTable(task, table);
  // What is left of a list of names is one.
  if (PASSING.has(task.name) && task.names !== null && task.draft.readOnly && task.reader.files.length === files)
    task.reader.listed = task.names;
  if (onlyTells(task, table)) task.draft.readOnly = true;
  // By another case it may be another program.
  if (!PROGRAMS.has(task.name)) task.draft.readOnly = false;
}

/** Programs that leave out lines of their input, or change their order. */
const PASSING: ReadonlySet<string> = new Set(['grep', 'egrep', 'fgrep', 'head', 'tail', 'sort', 'uniq', 'tac', 'shuf']);

/** Called by its plain name with one word that asks for its version or for help. */
function onlyTells(
  { words, name, draft }: Task,
  { options, tellingVerbs = '', runsAlways, operands }: ProgramTable,
): boolean {
  const word = words[1]?.value;
  if (words.length !== 2 || word == null || words[0]?.value !== name) return false;
  if (draft.unknown !== null || draft.assigned.length > 0 || runsAlways === true || operands === 'command')
    return false;
  return (options.get(word) === 'tells' && TELLING.test(word)) || tellingVerbs.split(' ').includes(word);
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
    if (line === value) draft.mayStart.push(words.slice(at + 1));
    for (const part of line === value && !/\s/.test(line) ? [] : line.split(/&&|[;&|\n]/)) {
      const inner = part.trim().split(/\s+/).slice(0, MAX_WORDS);
      if (inner[0] !== undefined && inner[0] !== '') draft.mayStart.push(inner.map((word) => literalWord(word)));
    }
  });
}
