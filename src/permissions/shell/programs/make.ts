// Programs that run the rules of a file: make and its like.
import { isActingVariable } from '../syntax/variables.js';
import { sayActing, sayLost, type Task } from '../task.js';
import { isInput } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable } from './read-by-table.js';

export const MAKE_PROGRAMS: Programs = {
  'make gmake bmake mingw32-make': {
    options: {
      folder: '-C --directory',
      read: '-f --file --makefile',
      value: '-o --old-file -W --what-if --new-file --assume-new',
      attached: '-j --jobs -l --load-average -O --output-sync --debug',
      code: '-E --eval',
      acts: '-I --include-dir',
    },
    read: readMake,
  },
  just: {
    options: {
      read: '-f --justfile',
      folder: '-d --working-directory',
      acts: '-c --command --shell --chooser --shell-arg -E --dotenv-path',
      value: '--set',
    },
    operands: 'none',
  },
  ninja: { options: { folder: '-C', read: '-f', value: '-j -k -l -d -w', acts: '-t' }, operands: 'none' },
  'rake scons ant sbt lein': {
    options: {
      acts: '-r -R -e -E -p --require --execute --execute-print --execute-continue --libdir',
      read: '-f --rakefile --buildfile --file',
      folder: '-C',
    },
    operands: 'none',
    mayStart: true,
    actingOperands: /^!|^SHELL=/,
  },
};

/** `make`: variables of the command line can name the shell. */
export function readMake(task: Task, table: ProgramTable): void {
  const { operands, options } = readByTable(task, table);
  if (options.some(({ effect, value }) => effect === 'read' && value !== null && isInput(value)))
    sayLost(task, `${task.name} reads its rules from its input`);
  for (const { word, at } of operands) {
    const name = /^([^=:+?!]+)[:+?!]*=/.exec(word.head)?.[1]?.trim();
    if (word.value === null && name === undefined && word.head === '')
      sayLost(task, `${word.text} may set a variable of make`);
    if (
      name !== undefined &&
      (isActingVariable(name) || name === '.SHELLFLAGS' || /[!]=/.test(word.head) || /\$[({]/.test(word.text))
    )
      sayActing(task, `${name} decides what make runs`, at);
  }
}
