// Editors and viewers: they run commands by their own, and read what they change.
import { tildeWord } from '../syntax/shell-word.js';
import { isPlainCall, sayActing, type Task } from '../task.js';
import { useFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable } from './read-by-table.js';

export const EDITORS: Programs = {
  // Editors run commands by their own.
  'vi vim nvim view ex gvim vimdiff emacs emacsclient nano pico ed red joe micro hx kak': {
    options: {
      code: '-c -S -s --cmd --eval -e -l,--load -f,--funcall -E',
      acts: '-u -U -i -w -W -q --rcfile',
      risk: '-',
      flag: '-R -n -d -o -O -y -Z -m -M',
      tells: '--version --help',
    },
    operands: 'none',
    plusActs: true,
    read: readEditor,
  },
  less: {
    options: {
      acts: '-k,--lesskey-file --lesskey-src --lesskey-content',
      write: '-o,--log-file -O,--LOG-FILE',
      read: '-T,--tag-file',
      value:
        '-p,--pattern -P,--prompt -b,--buffers -h,--max-back-scroll -j,--jump-target -t,--tag -x,--tabs -y,--max-forw-scroll -z,--window',
      flag: '-r,--raw-control-chars -R,--RAW-CONTROL-CHARS -N,--LINE-NUMBERS -S,--chop-long-lines -F,--quit-if-one-screen -X,--no-init',
      tells: '-V,--version --help',
    },
    operands: 'read',
    plusActs: true,
    read: readPager,
  },
  'more most pg': {
    options: { value: '-n,--lines', flag: '-d -f -l -c -p -s -u -e', tells: '--version --help' },
    operands: 'read',
    plusActs: true,
    read: readPager,
  },
  'bat batcat': {
    options: {
      acts: '--pager --config-file',
      value:
        '-l,--language --theme --style -r,--line-range -H,--highlight-line -m,--map-syntax --tabs --file-name --wrap ' +
        '--diff-context',
      // What git knows of the file, which it looks up without starting anything.
      flag: '-d,--diff',
      tells: '-V,--version --help',
    },
    operands: 'read',
  },
  // What an extension does is code.
  'code code-insiders codium cursor windsurf': {
    options: {
      acts: '--install-extension --extensions-dir --user-data-dir --profile --extensionDevelopmentPath --add-mcp',
      read: '-d,--diff -m,--merge -a,--add -g,--goto',
      value: '--locale --log --sync',
      flag: '-n,--new-window -r,--reuse-window -w,--wait --disable-extensions --list-extensions --status',
      tells: '-v,--version -h,--help',
    },
    operands: 'paths',
    actingVerbs: /^(?:tunnel|serve-web|chat|agent)$/,
  },
  delta: { options: { acts: '--pager --config', tells: '-V,--version -h,--help' }, operands: 'paths' },
  // To `man` the letter of an expression is that of a prompt, which takes the next word.
  'apropos whatis': {
    options: {
      acts: '-C,--config-file -M,--manpath',
      value: '-s,--sections,--section -m,--systems -L,--locale',
      flag: '-d,--debug -v,--verbose -r,--regex -w,--wildcard -e,--exact -a,--and -l,--long',
      tells: '-h,--help -V,--version',
    },
    operands: 'none',
    hasAllOptions: true,
  },
  info: {
    options: {
      write: '-o,--output --dribble',
      read: '-f,--file',
      acts: '--init-file --restore',
      value: '-d,--directory -n,--node -k,--apropos --index-search -v,--variable',
      flag: '-a,--all -b,--speech-friendly -O,--show-options,--usage -R,--raw-escapes --no-raw-escapes --subnodes -w,--where,--location',
      tells: '-h,--help --version',
    },
    operands: 'paths',
    hasAllOptions: true,
  },
  man: {
    options: {
      shell: '-P,--pager -H,--html',
      acts: '-C,--config-file -M,--manpath -p,--preprocessor -T,--troff-device -l,--local-file',
      value:
        '-s,-S,--sections -e,--extension -L,--locale -m,--systems -r,--prompt -R,--recode -E,--encoding -K,--global-apropos -f,--whatis -k,--apropos',
      tells: '-V,--version',
    },
    operands: 'paths',
  },
};

const KEEPS_HISTORY: ReadonlySet<string> = new Set(['vi', 'vim', 'view', 'ex', 'gvim', 'vimdiff']);

/**
 * Without a terminal a pager copies its input. What it does with a file depends on the user: `less` has a program look at it
 * first if one is set (`LESSOPEN`).
 */
function readPager(task: Task, table: ProgramTable): void {
  const { operands, options } = readByTable(task, table);
  task.draft.readOnly = operands.length === 0 && options.every(({ effect }) => effect === 'flag') && isPlainCall(task);
}

/** What is edited is read first. Some keep what they were told in a file of the user's. */
function readEditor(task: Task, table: ProgramTable): void {
  const { operands, options } = readByTable(task, table);
  if (options.some(({ effect }) => effect === 'tells')) return;
  if (task.name === 'ed' || task.name === 'red') sayActing(task, `${task.name} runs the commands in its input`);
  const history = tildeWord('~/.viminfo', true);
  if (KEEPS_HISTORY.has(task.name)) {
    for (const access of ['read', 'write'] as const) useFile(task, history, access);
    // The folders that were looked at.
    useFile(task, tildeWord('~/.vim', true), 'write');
  }
  for (const { word } of operands) {
    useFile(task, word, 'read');
    if (task.name !== 'view') useFile(task, word, 'write');
  }
}
