// Programs that put a command line together from their words and their input: env, xargs, parallel, busybox.

import { filledWord, type ListedNames, listedWord, MORE_WORDS, type ShellWord } from '../syntax/shell-word.js';
import { isPlainCall, needSpelled, sayLost, type Task } from '../task.js';
import { useMaybe } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readOptions } from './read-by-table.js';
import { type ScannedWords, scanOptions } from './scan-options.js';

export const LINE_STARTERS: Programs = {
  xargs: {
    options: {
      value: '-d,--delimiter -E -I -L -n,--max-args -P,--max-procs -s,--max-chars -J -R -S',
      acts: '--process-slot-var',
      attached: '-e,--eof -i,--replace -l,--max-lines',
      read: '-a,--arg-file',
      flag: '-0,--null -o,--open-tty -p,--interactive -r,--no-run-if-empty -t,--verbose -x,--exit --show-limits',
      tells: '--help --version',
    },
    operands: 'command',
    isStrict: true,
    read: readXargs,
  },
  // Others, which need a rule of their own.
  env: {
    options: {
      value: '-u,--unset',
      folder: '-C,--chdir',
      flag:
        '-i,--ignore-environment -0,--null -v,--debug -P --block-signal --default-signal --ignore-signal ' +
        '--list-signal-handling',
      shell: '-S,--split-string',
      tells: '--help --version',
    },
    operands: 'command',
    isStrict: true,
    takesAssignments: true,
    read: readEnv,
  },
  'parallel sem': {
    options: {
      value:
        '-j,--jobs -I -n -N -L --max-args --timeout --delay --retries --colsep -C -d --memfree --load --nice --tagstring',
      read: '-a,--arg-file',
      write: '--joblog --results --tmpdir',
      flag: '-k,--keep-order -u,--ungroup --lb,--line-buffer -0,--null --bar --eta --progress --tag -m -X -r -q --dry-run --will-cite --halt-on-error',
      attached: '--halt',
      acts: '-S,--sshlogin --sshloginfile --rpl --filter --limit --shebang --env',
    },
    isStrict: true,
    read: readParallel,
  },
  'busybox toybox': { read: readBusybox },
};

/** `env`: assignments, then a command; `-S` has both in one text. */
function readEnv(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  const split = scanned.options.find(({ effect }) => effect === 'shell');
  if (split === undefined) {
    const operands = scanned.operands.filter(({ word }, at) => at > 0 || word.value !== '-');
    readOptions(task, table, scanned);
    startAssigned(task, operands);
    return;
  }
  readOptions(task, table, { ...scanned, options: scanned.options.filter((option) => option.at < split.at) });
  // The words behind the text stay as they are: options among them are those of what it starts.
  const values = [
    split.value?.value ?? null,
    ...task.words.slice(split.at + 1).map((word) => quotedValue(word, task.reader.home)),
  ];
  const joined = values.includes(null) ? null : values.join(' ');
  // Options in the text are those of `env` itself.
  const line = joined !== null && /^\s*-/.test(joined) ? `env ${joined}` : joined;
  if (line !== null && /[\\$#]/.test(line)) sayLost(task, 'env -S expands its text by rules of its own');
  needSpelled(task, split.at);
  task.startLine(line, task.words.length - 1);
}

/** The word as a shell would write it; null if it is not static. */
function quotedValue(word: ShellWord, home: string | null): string | null {
  const value = withHome(word, home);
  return value === null || /^[\w./=:@%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

/** With the home in the place of a tilde; null if that, or the word, is not known. */
function withHome({ value, tilde }: ShellWord, home: string | null): string | null {
  if (value === null || !tilde) return value;
  return home === null || !/^~(?:\/|$)/.test(value) ? null : home + value.slice(1);
}

/** To the environment any text is a name: bash takes functions by names with signs in them. */
const ASSIGNMENT = /^([^=]*)=/;

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
function readXargs(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  readOptions(task, table, scanned);
  const [first] = scanned.operands;
  const isBare = scanned.options.length === 0;
  const isPlain = scanned.options.every(
    ({ effect }) => effect === 'flag' || effect === 'value' || effect === 'attached',
  );
  if (first === undefined) {
    // It echoes.
    task.draft.readOnly = isPlain;
    return;
  }
  const replacing = scanned.options.filter(({ name }) => /^(?:-I|-i|--replace|-J)$/.test(name));
  const rest = task.words.slice(first.at);
  const marks = new Set(replacing.map(({ value }) => value?.value ?? '{}'));
  // Of several marks, or a mark and a number of words, the last one counts: in any case words are put somewhere.
  const isAppended = marks.size !== 1 || scanned.options.some(({ name }) => COUNTS.test(name));
  const names = namesOf(task, scanned);
  const more = names === null ? MORE_WORDS : listedWord(MORE_WORDS, names);
  const fill = (word: ShellWord, sign: string): ShellWord =>
    names !== null && word.value === sign ? listedWord(filledWord(word, sign), names) : filledWord(word, sign);
  const filled = rest.map((word) => [...marks].reduce(fill, word));
  const words = isAppended ? [...filled, more] : filled;
  const { runs } = task.reader;
  const { length } = runs;
  task.start(words, first.at, { input: null });
  // In front of what only reads it is that, whatever its options; a rule for another program needs it bare, as documented.
  const isReading = isPlain && runs.slice(length).every((run) => run.readOnly && run.unknown === null);
  task.draft.onlyStarts = isPlain && isPlainCall(task);
  task.draft.readOnly = (isBare || isReading) && task.draft.unknown === null && task.words[0]?.value === 'xargs';
}

/** Options of `xargs` with which it puts words at the end. */
const COUNTS = /^(?:-[nLl]|--max-(?:args|lines).*)$/;

/** The names in the input of `xargs`, as it takes them; null if they are not known, or split at what stands within them. */
function namesOf({ names }: Task, { options }: ScannedWords): ListedNames | null {
  const isWhole = options.some(({ main }) => main === '--null');
  const isElsewhere = options.some(({ effect }) => effect === 'read');
  const splits = options.some(({ main, value }) => main === '--delimiter' && value?.value !== '\\n');
  if (names === null || isElsewhere || splits || (names.areEnded === true && !isWhole)) return null;
  return { ...names, areSplit: !isWhole };
}

/** `parallel`: a line for a shell, up to `:::`. */
function readParallel(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  readOptions(task, table, scanned);
  const [first] = scanned.operands;
  // What stands behind it are files of lines.
  const files = task.words.findIndex(({ value }) => /^::::\+?$/.test(value ?? ''));
  for (const word of files === -1 ? [] : task.words.slice(files + 1)) useMaybe(task, word);
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
  const line = values.includes(null) ? null : values.join(' ');
  const upTo = first.at + words.length - 1;
  // `sem` has no input.
  if (line === null || task.name === 'sem') task.startLine(line, upTo);
  else for (const filled of withInput(line, inputsOf(task, end))) task.startLine(filled, upTo);
}

/** More inputs than these are not told one by one. */
const MAX_INPUTS = 10;
/** A variable that nothing sets, for what is not known. */
const INPUT = '"$PARALLEL_INPUT"';
const MARK = /\{[^{}\s,]*\}/g;

/** What stands behind `:::`, in quotes; a variable for what is not known. */
function inputsOf({ words, reader }: Task, end: number): readonly string[] {
  const inputs = end === -1 || words[end]?.value !== ':::' ? [] : words.slice(end + 1);
  const texts = inputs.map((word) => (word.value?.startsWith(':::') === true ? null : withHome(word, reader.home)));
  if (inputs.length === 0 || inputs.length > MAX_INPUTS || texts.includes(null)) return [INPUT];
  return texts.map((text) => `'${(text ?? '').replaceAll("'", "'\\''")}'`);
}

/** The line for each input: in the place of marks, or at the end. Null for one that cannot be told. */
function withInput(line: string, inputs: readonly string[]): readonly (string | null)[] {
  if (!line.includes('{')) return inputs.map((input) => `${line} ${input}`);
  // Within quotes it would be no word of its own, and other marks stand for a part of it.
  if (/["'\\`$]/.test(line)) return [null];
  const isWhole = line.replaceAll('{}', '').search(MARK) === -1;
  return (isWhole ? inputs : [INPUT]).map((input) => line.replace(MARK, () => input));
}

/** `busybox rm …`: the program is its first operand. */
function readBusybox(task: Task): void {
  const [, first] = task.words;
  if (first === undefined || first.value?.startsWith('-') === true) return;
  task.start(task.words.slice(1), 1);
}
