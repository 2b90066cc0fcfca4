// `awk`: a program that only selects and prints is harmless; one that may start another or write a file is not.

import { literalWord } from '../syntax/shell-word.js';
import { sayActing, sayLost, type Task } from '../task.js';
import { isInput, useFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readOptions } from './read-by-table.js';
import { type FoundOption, scanOptions } from './scan-options.js';

export const AWK_PROGRAMS: Programs = {
  'awk gawk mawk nawk original-awk': {
    options: {
      value: '-F,--field-separator -v,--assign',
      acts: '-W',
      read: '-f,--file',
      code: '-e --source -i --include -l --load -E --exec',
      attached: '-d --dump-variables -o --pretty-print -p --profile -D --debug -L --lint',
      flag: '-b -c -C -g -h -I -k -M -n -N -O -P -r -s -S -t -V --csv --posix --sandbox --re-interval --version --help --traditional',
    },
    read: readAwk,
  },
};

function readAwk(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  const { options, operands } = scanned;
  readOptions(task, table, { ...scanned, options: options.filter((option) => !isSlash(option)) });
  for (const { name } of options)
    if (/^-[dopD]$|^--(?:dump|pretty|profile|debug)/.test(name)) sayActing(task, `${name} makes awk write a file`);
  for (const { name, value } of options)
    if ((name === '-f' || name === '--file') && value !== null && isInput(value))
      sayLost(task, 'awk reads its program from its input');
  const hasFile = options.some(({ name }) => name === '-f' || name === '--file');
  const isInPlace = task.words.some(({ value }) => /^(?:-i|--include=?)?inplace$/.test(value ?? ''));
  const [program] = operands;
  for (const { word } of hasFile ? operands : operands.slice(1))
    if (!/^\w+=/.test(word.head)) useFile(task, word, isInPlace ? 'write' : 'read');
  if (hasFile) sayActing(task, 'the program of awk is not read');
  if (hasFile || program === undefined) return;
  if (program.word.value === null) sayLost(task, 'the program of awk is not static');
  else if (mayAct(program.word.value)) {
    for (const [, file = ''] of program.word.value.matchAll(/>\s*"([^"]+)"/g))
      useFile(task, literalWord(file), 'write');
    sayActing(task, 'the program of awk may run commands or write files', program.at);
  }
  const { draft, words, name } = task;
  const isPlain = options.every(({ effect }) => effect === 'flag' || effect === 'value');
  draft.readOnly = isPlain && draft.unknown === null && draft.assigned.length === 0 && words[0]?.value === name;
}

/** A slash between fields is no file. */
function isSlash({ main, value }: FoundOption): boolean {
  return main === '--field-separator' && value?.value === '/';
}

/**
 * True if a program in awk may start another, or write or read a file. Words count wherever they stand, in strings
 * and patterns too, because telling those apart from code by looking is what goes wrong.
 */
function mayAct(program: string): boolean {
  if (/system|getline|@|close|fflush|ENVIRON|ARGV|ARGC|PROCINFO/.test(program)) return true;
  if (!/[|>]/.test(program)) return false;
  const code = withoutStrings(program);
  if (code === null) return true;
  if (code.replaceAll('||', '').includes('|')) return true;
  return /\bprintf?\b[^;}]*>/.test(code) || />>/.test(code);
}

/** The program with strings and patterns taken out; null if they cannot be told for certain. */
function withoutStrings(program: string): string | null {
  let code = '';
  for (let at = 0; at < program.length; at++) {
    const sign = program[at] as string;
    if (sign === '#') return null;
    if (sign !== '"' && sign !== '/') {
      code += sign;
      continue;
    }
    // A slash begins a pattern at the start and behind these signs; behind a value it divides; elsewhere it may do both.
    if (sign === '/') {
      const before = code.replace(/[ \t]+$/, '');
      if (isDivided(before)) {
        code += sign;
        continue;
      }
      if (!/(?:^|[~(,!&|;{}\n])$/.test(before)) return null;
    }
    const end = closing(program, at, sign);
    if (end === -1) return null;
    code += '0';
    at = end;
  }
  return code;
}

/** True behind a number, a name or an index, where a slash can only divide. */
function isDivided(before: string): boolean {
  if (before.endsWith(']')) return true;
  const word = /\w+$/.exec(before)?.[0];
  return word !== undefined && !OPENING.test(word);
}

/** Words of the language behind which a pattern may begin. */
const OPENING =
  /^(?:if|else|while|do|for|in|print|printf|return|exit|delete|next|nextfile|getline|function|func|switch|case|default|break|continue|length|BEGIN\w*|END\w*)$/;

/** Place of the sign that ends what begins at `start`; -1 if that is not certain. */
function closing(text: string, start: number, sign: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === sign) return at;
    // In brackets a slash may or may not end the pattern.
    else if (text[at] === '\n' || (sign === '/' && text[at] === '[')) return -1;
  }
  return -1;
}
