// Programs with a grammar of their own that is small: env, xargs, parallel, dd, make, rsync, busybox, jq.
import { addFile } from './file-uses.js';
import { isInput, useFile, useInto } from './operands.js';
import { readByTable, readOptions } from './read-by-table.js';
import { scanOptions } from './scan-options.js';
import { filledWord, MORE_WORDS, type ShellWord, tailWord } from '../syntax/shell-word.js';
import { type ProgramTable, programTable } from './program-table.js';
import { isActingVariable } from '../syntax/variables.js';
import { needSpelled, sayActing, sayLost, type Task } from '../task.js';

/** `env`: assignments, then a command; `-S` has both in one text. */
export function readEnv(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  const split = scanned.options.find(({ effect }) => effect === 'shell');
  if (split === undefined) {
    const operands = scanned.operands.filter(({ word }, at) => at > 0 || word.value !== '-');
    readOptions(task, table, scanned);
    startAssigned(task, operands);
    return;
  }
  const values = [split.value, ...scanned.operands.map(({ word }) => word)].map((word) => word?.value ?? null);
  const line = values.includes(null) ? null : values.join(' ');
  if (line !== null && /[\\$]/.test(line)) sayLost(task, 'env -S expands its text by rules of its own');
  needSpelled(task, split.at);
  task.startLine(line, task.words.length - 1);
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=/;

function startAssigned(task: Task, operands: readonly { readonly word: ShellWord; readonly at: number }[]): void {
  const assignments: { name: string; word: ShellWord }[] = [];
  for (const { word, at } of operands) {
    const name = ASSIGNMENT.exec(word.head)?.[1];
    if (name === undefined || (word.value === null && word.splits)) {
      needSpelled(task, at);
      task.start(task.words.slice(at), at, { assignments });
      return;
    }
    assignments.push({ name, word });
  }
}

/** `xargs`: words of its input are put behind the command, or in the place of a mark. */
export function readXargs(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  readOptions(task, table, scanned);
  const [first] = scanned.operands;
  const isBare = scanned.options.length === 0;
  if (first === undefined) {
    // It echoes.
    task.draft.readOnly = isBare;
    return;
  }
  const replacing = scanned.options.find(({ name }) => /^(?:-I|-i|--replace|-J)$/.test(name));
  const rest = task.words.slice(first.at);
  const mark = replacing === undefined ? null : (replacing.value?.value ?? '{}');
  const words = mark === null ? [...rest, MORE_WORDS] : rest.map((word) => filledWord(word, mark));
  task.start(words, first.at, { input: null });
  task.draft.readOnly = isBare && task.draft.unknown === null && task.words[0]?.value === 'xargs';
}

const PARALLEL = programTable({
  options: {
    value:
      '-j --jobs -I -n -N -L --max-args --timeout --delay --retries --colsep -C -d --memfree --load --nice --tagstring',
    read: '-a --arg-file',
    write: '--joblog --results --tmpdir',
    flag: '-k --keep-order -u --ungroup --lb --line-buffer -0 --null --bar --eta --progress --tag -m -X -r -q --dry-run --will-cite --halt-on-error',
    attached: '--halt',
    acts: '-S --sshlogin --sshloginfile --rpl --filter --limit --shebang --env',
  },
  isStrict: true,
});

/** `parallel`: a line for a shell, up to `:::`. */
export function readParallel(task: Task): void {
  const scanned = scanOptions(task.words, PARALLEL);
  readOptions(task, PARALLEL, scanned);
  const [first] = scanned.operands;
  if (first === undefined || /^::::?\+?$/.test(first.word.value ?? '')) {
    sayLost(task, `${task.name} runs the lines that it reads`);
    return;
  }
  const end = task.words.findIndex(({ value }) => value !== null && /^::::?\+?$/.test(value));
  const words = task.words.slice(first.at, end === -1 ? undefined : end);
  const values = words.map(({ value }) => value);
  if (values[0]?.includes('{') === true) {
    sayLost(task, `${task.name} runs programs of its input`);
    return;
  }
  task.startLine(values.includes(null) ? null : values.join(' '), first.at + words.length - 1);
}

/** `dd if=… of=…`. */
export function readDd(task: Task): void {
  for (const word of task.words.slice(1)) {
    const name = /^(if|of)=/.exec(word.head)?.[1];
    if (name === undefined) {
      if (word.value === null && !/^\w+=/.test(word.head)) useFile(task, word, 'write');
      continue;
    }
    const value = tailWord(word, 3);
    const access = name === 'if' ? 'read' : 'write';
    addFile(task, { ...value, tilde: word.tilde }, access, { by: 'operand', program: task.name }, task.bases);
  }
}

const MAKE = programTable({
  options: {
    folder: '-C --directory',
    read: '-f --file --makefile',
    value: '-o --old-file -W --what-if --new-file --assume-new',
    attached: '-j --jobs -l --load-average -O --output-sync --debug',
    code: '-E --eval',
    acts: '-I --include-dir',
  },
});

/** `make`: variables of the command line can name the shell. */
export function readMake(task: Task): void {
  const { operands, options } = readByTable(task, MAKE);
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

const RSYNC = programTable({
  options: {
    shell: '-e --rsh',
    acts: '--rsync-path --config --remote-option -M --daemon',
    write: '--log-file --backup-dir --temp-dir -T --partial-dir --write-batch --only-write-batch',
    read: '--early-input --files-from --exclude-from --include-from --password-file --read-batch --copy-dest --compare-dest --link-dest',
    value:
      '-f --filter --exclude --include --bwlimit --timeout --port --chmod --max-size --min-size -B --block-size --suffix --out-format --info --debug --compress-level',
  },
});
const REMOTE = /^[^/]*:/;

export function readRsync(task: Task): void {
  const { operands, options } = readByTable(task, RSYNC);
  const removes = options.some(({ name }) => name === '--remove-source-files');
  const target = operands.length > 1 ? operands.at(-1)?.word : undefined;
  if (target !== undefined && !REMOTE.test(target.head))
    useInto(
      task,
      operands.slice(0, -1).map(({ word }) => word),
      target,
    );
  operands.forEach(({ word }, at) => {
    if (REMOTE.test(word.head)) return;
    const isTarget = at === operands.length - 1 && operands.length > 1;
    useFile(task, word, isTarget ? 'write' : 'read');
    if (isTarget ? options.some(({ name }) => /^--del/.test(name)) : removes) useFile(task, word, 'remove');
  });
}

/** `busybox rm …`: the program is its first operand. */
export function readBusybox(task: Task): void {
  const [, first] = task.words;
  if (first === undefined || first.value?.startsWith('-') === true) return;
  task.start(task.words.slice(1), 1);
}

const JQ = programTable({
  options: {
    value: '--indent',
    read: '-f --from-file',
    acts: '-L',
    write: '-s_',
    flag: '-n -r -j -a -s -c -C -M -S -e -R -h -V --null-input --raw-output --join-output --ascii-output --slurp --compact-output --color-output --monochrome-output --tab --sort-keys --exit-status --raw-input --stream --seq --args --jsonargs --version --help -rn -nr',
  },
  operands: 'search',
  readOnly: 'listed',
});
/** Options of jq with a name and a value; the value is a file for some. */
const JQ_PAIRS = /^--(?:arg|argjson|slurpfile|rawfile)$/;

export function readJq(task: Task): void {
  const words: ShellWord[] = [];
  for (let at = 0; at < task.words.length; at++) {
    const word = task.words[at] as ShellWord;
    if (word.value === null || !JQ_PAIRS.test(word.value)) {
      words.push(word);
      continue;
    }
    const file = task.words[at + 2];
    if (/file$/.test(word.value) && file !== undefined) useFile(task, file, 'read');
    at += 2;
  }
  readByTable({ ...task, words }, JQ);
  // A filter can read other files by the names of modules, and one from a file is not looked at.
  if (words.some(({ value }) => value !== null && /^(?:-[a-zA-Z]*f|--from-f)/.test(value))) task.draft.readOnly = false;
  if (words.some(({ value }) => value !== null && /\b(?:import|include)\b/.test(value))) task.draft.readOnly = false;
  const writes = words.some(({ value }) => value !== null && /^(?:-[a-zA-Z]*i|--inplace|-s|--split-exp)/.test(value));
  if (task.name !== 'jq') {
    task.draft.readOnly = false;
    if (writes) for (const word of words.slice(2)) useFile(task, word, 'write');
  }
}
