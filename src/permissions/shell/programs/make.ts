// Programs that run the rules of a file: make and its like.

import { isActingVariable } from '../../../util/acting-variables.js';
import { replacedWord, type ShellWord, tildeWord, wordWith } from '../syntax/shell-word.js';
import { sayActing, sayLost, type Task } from '../task.js';
import { isInput, useMaybe } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable } from './read-by-table.js';
import type { FoundOperand } from './scan-options.js';

export const MAKE_PROGRAMS: Programs = {
  'make gmake bmake mingw32-make': {
    options: {
      folder: '-C,--directory',
      read: '-f,--file,--makefile',
      value: '-o,--old-file,--assume-old -W,--what-if,--new-file,--assume-new',
      attached: '-j,--jobs -l,--load-average,--max-load -O,--output-sync --debug',
      code: '-E,--eval',
      acts: '-I,--include-dir',
      flag: '-B,--always-make -n,--just-print,--dry-run,--recon -k,--keep-going -s,--silent,--quiet -i,--ignore-errors -e,--environment-overrides -q,--question -t,--touch -w,--print-directory -r,--no-builtin-rules -p,--print-data-base -S,--no-keep-going,--stop -d',
      tells: '-v,--version -h,--help',
    },
    here: 'runs',
    operandSpellings: eachTargetFirst,
    read: readMake,
  },
  just: {
    options: {
      read: '-f,--justfile',
      folder: '-d,--working-directory',
      acts: '-c,--command --shell --chooser --shell-arg -E,--dotenv-path',
      value: '--set',
      tells: '-V,--version',
    },
    operands: 'none',
    here: 'runs',
  },
  'ninja samu': {
    options: {
      folder: '-C',
      read: '-f',
      value: '-j -k -l -d -w',
      acts: '-t',
      flag: '-v,--verbose -n --quiet',
      tells: '--version -h,--help',
    },
    operands: 'none',
    here: 'runs',
  },
  'rake scons ant sbt lein task waf buildr mill redo tup snakemake earthly dagger tilt skaffold vagrant': {
    options: {
      acts: '-r,--require -R -e,--execute -E -p,--execute-print --execute-continue --libdir',
      read: '-f,--rakefile,--buildfile,--file',
      folder: '-C',
    },
    operands: 'none',
    here: 'runs',
    mayStart: true,
    actingOperands: /^!|^SHELL=/,
  },
};

/** Targets stand in any order, with variables among them. */
function eachTargetFirst(operands: readonly FoundOperand[]): readonly (readonly FoundOperand[])[] {
  const targets = operands.filter(({ word }) => !/^[^=]+=/.test(word.head)).slice(0, MAX_TARGETS);
  return [operands, ...targets.map((target) => [target, ...targets.filter((other) => other !== target)])];
}

const MAX_TARGETS = 20;

const TILDE = /^((?:-[A-Za-z]*[A-Za-z]|--[a-z-]+=)?)(~.*)$/;

/** It replaces a tilde itself, in quotes and right behind an option too. */
function withHome({ reader: { home } }: Task, word: ShellWord): ShellWord {
  const [, option = '', named = ''] = TILDE.exec(word.value ?? '') ?? [];
  if (named === '') return word;
  if (option === '') return tildeWord(named, true);
  // The home of another user, or one that is not known.
  if (home === null || !/^~(?:\/|$)/.test(named)) return wordWith(word, { value: null, head: option });
  return replacedWord(word, option + home + named.slice(1));
}

/** `make`: variables of the command line can name the shell. */
function readMake(task: Task, table: ProgramTable): void {
  const { operands, options } = readByTable(task.as(task.words.map((word) => withHome(task, word))), table);
  if (options.some(({ effect, value }) => effect === 'read' && value !== null && isInput(value)))
    sayLost(task, `${task.name} reads its rules from its input`);
  for (const { word, at } of operands) {
    const name = /^([^=:+?!]+)[:+?!]*=/.exec(word.head)?.[1]?.trim();
    if (word.value === null && name === undefined && word.head === '')
      sayLost(task, `${word.text} may set a variable of make`);
    if (name !== undefined) useMaybe(task, word);
    if (
      name !== undefined &&
      (isActingVariable(name) || name === '.SHELLFLAGS' || /[!]=/.test(word.head) || /\$[({]/.test(word.text))
    )
      sayActing(task, `${name} decides what make runs`, at);
  }
}
