// Shells: a literal text is read as a script in turn, everything else they would run is unknown.

import { addForm } from '../reader.js';
import { mayBeOption, tildeWord } from '../syntax/shell-word.js';
import { isPlainCall, sayActing, sayLost, type Task } from '../task.js';
import { useFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readOptions } from './read-by-table.js';
import { scanOptions } from './scan-options.js';

export const SHELLS: Programs = {
  'sh bash dash ash zsh ksh mksh rbash fish csh tcsh yash': { read: readShell },
  'runuser su': {
    options: {
      value: '-g --group -G --supp-group -s --shell -w --whitelist-environment -u --user',
      shell: '-c --command --session-command',
      flag: '-l --login -m -p --preserve-environment -P --pty -f --fast -T',
    },
    read: readShell,
  },
};

/** Shells whose language is close enough to be read as bash. */
const LIKE_BASH = new Set(['bash', 'rbash', 'sh', 'dash', 'ash']);
/** Signs that mean something else to a plain POSIX shell. */
const ONLY_BASH =
  /\(\(|\[\[|\|&|&>|[<>]\(|\$['"]|<<<|;;?&|\bfunction\b|\bcoproc\b|\bselect\b|\btime\b|\{[^}]*(?:,|\.\.)/;
const PLAIN_NAMES = new Set(
  'errexit nounset xtrace pipefail noglob noclobber verbose extglob globstar nullglob posix_'.split(' '),
);

interface ShellCall {
  /** Place of the first operand. */
  at: number;
  takesCode: boolean;
  readsInput: boolean;
  isDry: boolean;
  tells: boolean;
}

function readShell(task: Task, table: ProgramTable): void {
  if (table.options.size > 0) {
    readSwitch(task, table);
    return;
  }
  const call = readShellOptions(task);
  if (call === null || call.tells) return;
  const operand = task.words[call.at];
  if (call.takesCode) {
    // A rule that spells the option allows whatever it is given.
    if (operand !== undefined) readCode(task, operand.value, call.at - 1);
    return;
  }
  if (operand !== undefined && !call.readsInput) {
    useFile(task, operand, 'read');
    addForm(task.draft, task.words.slice(call.at));
    if (call.isDry) {
      const isOnlyDry = task.words.length === 3 && task.words[1]?.value === '-n' && LIKE_BASH.has(task.name);
      task.draft.readOnly = isOnlyDry && isPlainCall(task);
      return;
    }
    if (operand.value === null) sayLost(task, 'the script of a shell is not static');
    else sayActing(task, `the commands in ${operand.value} are not known`, call.at);
    return;
  }
  if (task.input === null) sayLost(task, `${task.name} runs what it reads as its input`);
  else readCode(task, task.input, task.words.length - 1, true);
}

/** A text that the shell runs. */
function readCode(task: Task, code: string | null, at: number, isInput = false): void {
  task.startLine(code, at, isInput ? { isInput } : {});
  if (code === null) return;
  const isPosix = task.name !== 'bash' && task.name !== 'rbash';
  if (!LIKE_BASH.has(task.name)) sayActing(task, `the language of ${task.name} is not read`, at);
  else if (isPosix && ONLY_BASH.test(code)) sayActing(task, `${task.name} may read the text in another way`, at);
}

function readShellOptions(task: Task): ShellCall | null {
  const call: ShellCall = { at: 1, takesCode: false, readsInput: false, isDry: false, tells: false };
  for (; call.at < task.words.length; call.at++) {
    const word = task.words[call.at];
    if (word === undefined) break;
    if (word.value === null) {
      if (!mayBeOption(word) && !word.head.startsWith('+')) break;
      sayLost(task, `${word.text} may be an option of ${task.name}`);
      return null;
    }
    if (word.value === '--' || word.value === '-') {
      call.at++;
      break;
    }
    if (!/^[-+]./.test(word.value)) break;
    if (word.value.startsWith('--')) readLongOption(task, word.value, call);
    else readLetters(task, word.value, call);
  }
  return call;
}

/** What it runs first if somebody signs in with it, or types into it. */
function useStartup(task: Task, isLogin: boolean): void {
  for (const name of isLogin ? ['.bash_profile', '.profile'] : ['.bashrc'])
    useFile(task, tildeWord(`~/${name}`, true), 'read');
}

function readLongOption(task: Task, text: string, call: ShellCall): void {
  if (text === '--version' || text === '--help') call.tells = true;
  else if (text === '--rcfile' || text === '--init-file') {
    call.at++;
    sayActing(task, `${text} runs the commands of a file`, call.at);
    const file = task.words[call.at];
    if (file !== undefined) useFile(task, file, 'read');
  } else if (text === '--login') useStartup(task, true);
  else if (!/^--(?:norc|noprofile|posix|restricted|verbose|noediting)$/.test(text))
    sayActing(task, `${text} is no known option of ${task.name}`, call.at);
}

function readLetters(task: Task, text: string, call: ShellCall): void {
  const isSet = text.startsWith('-');
  for (const letter of text.slice(1)) {
    if (letter === 'c' && isSet) call.takesCode = true;
    else if (letter === 's' && isSet) call.readsInput = true;
    else if (letter === 'n' && isSet) call.isDry = true;
    else if ((letter === 'i' || letter === 'l') && isSet) useStartup(task, letter === 'l');
    else if (letter === 'o' || letter === 'O') {
      call.at++;
      const value = task.words[call.at]?.value ?? null;
      if (value === null || !PLAIN_NAMES.has(value))
        sayActing(task, `${text} changes how ${task.name} reads commands`, call.at);
    } else if (!'abefhilmprtuvxCEHTD'.includes(letter))
      sayActing(task, `-${letter} is no known option of ${task.name}`, call.at);
  }
}

/** `su` and its like: a command of an option, operands behind `--`, or a shell. */
function readSwitch(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  readOptions(task, table, scanned);
  const dashes = task.words.findIndex(({ value }) => value === '--');
  if (scanned.options.some(({ effect }) => effect === 'shell')) return;
  if (scanned.options.some(({ name }) => name === '-u' || name === '--user') && scanned.operands.length > 0) {
    const at = dashes === -1 ? (scanned.operands[0]?.at ?? 1) : dashes + 1;
    task.start(task.words.slice(at), at);
  } else sayLost(task, `${task.name} starts a shell that reads its input`);
}
