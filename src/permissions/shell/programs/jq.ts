// `jq` and its like: filters that read, but for options that name files.
import type { ShellWord } from '../syntax/shell-word.js';
import { sayActing, type Task } from '../task.js';
import { useFile, useUnknownFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable } from './read-by-table.js';

export const JQ_PROGRAMS: Programs = {
  'jq yq gojq': {
    options: {
      value: '--indent',
      read: '-f,--from-file',
      acts: '-L',
      write: '-s_',
      flag:
        '-n,--null-input -r,--raw-output -j,--join-output -a,--ascii-output -s,--slurp -c,--compact-output -C,--color-output ' +
        '-M,--monochrome-output -S,--sort-keys -e,--exit-status -R,--raw-input -h,--help -V,--version --tab --stream --seq --args --jsonargs',
    },
    operands: 'search',
    readOnly: 'listed',
    read: readJq,
  },
};
/** Options of jq with a name and a value; the value is a file for some. */
const JQ_PAIRS = /^--(?:arg|argjson|slurpfile|rawfile)$/;

/** Fields may be called the same. */
const MODULES = /(?<![.$\w])(?:import|include)\b/;

function isPlainExpression(value: string | null, at: number): boolean {
  if (value === null) return false;
  return (at === 0 && /^(?:e|ea|eval|eval-all)$/.test(value)) || !/load|eval|system|split|file/i.test(value);
}

function readJq(task: Task, table: ProgramTable): void {
  const words: ShellWord[] = [];
  for (let at = 0; at < task.words.length; at++) {
    const word = task.words[at] as ShellWord;
    if (word.value === null || !JQ_PAIRS.test(word.value)) {
      words.push(word);
      continue;
    }
    const file = task.words[at + 2];
    // What is several words may be the name and the value, and files behind them.
    if ([task.words[at + 1], file].some((each) => each?.isMany === true && each.value === null))
      useUnknownFile(task, 'read', `which files ${task.name} reads is not known`);
    if (/file$/.test(word.value) && file !== undefined) useFile(task, file, 'read');
    at += 2;
  }
  readByTable(task.as(words), table);
  // One from a file is not looked at.
  if (words.some(({ value }) => value !== null && /^(?:-[a-zA-Z]*f|--from-f)/.test(value))) task.draft.readOnly = false;
  // A filter reads other files by the names of modules, which it may look for anywhere.
  if (words.some(({ value }) => value !== null && MODULES.test(value))) {
    task.draft.readOnly = false;
    useUnknownFile(task, 'read', `which modules ${task.name} reads is not known`);
  }
  const writes = words.some(({ value }) => value !== null && /^(?:-[a-zA-Z]*[is]|--in-?p|--split-e)/.test(value));
  if (task.name !== 'jq') {
    // Some load files by their expression, or start programs.
    const isPlain = task.name === 'yq' && words.slice(1).every(({ value }, at) => isPlainExpression(value, at));
    if (writes || !isPlain) task.draft.readOnly = false;
    if (words.some(({ value }) => value !== null && /\bload\w*\s*\(/.test(value)))
      useUnknownFile(task, 'read', `the expression of ${task.name} loads files`);
    if (words.some(({ value }) => value !== null && /\bsystem\s*\(|^--security-enable-s/.test(value)))
      sayActing(task, `the expression of ${task.name} starts programs`);
    // The names are those that an expression finds in the documents.
    if (task.name === 'yq' && words.some(({ value }) => value !== null && /^(?:-[a-zA-Z]*s|--split-e)/.test(value)))
      useUnknownFile(task, 'write', `the names that ${task.name} splits by are not known`);
    if (writes) for (const word of words.slice(2)) useFile(task, word, 'write');
  }
}
