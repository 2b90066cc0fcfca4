// `tar`: what it reads and writes depends on its mode, and several of its options start programs.

import { literalWord, type ShellWord } from '../syntax/shell-word.js';
import { sayActing, sayLost, type Task } from '../task.js';
import { useFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readOptions } from './read-by-table.js';
import { type FoundOperand, type FoundOption, scanOptions } from './scan-options.js';
import { noteUnpacking } from './unpacking.js';

export const TAR_PROGRAMS: Programs = {
  'tar gtar bsdtar': {
    options: {
      shell: '-I --use-compress-program --to-command',
      acts: '-F --info-script --new-volume-script --rsh-command --rmt-command --index-file',
      attached: '--checkpoint --atime-preserve --backup --occurrence --hole-detection --one-top-level',
      folder: '-C --directory --cd',
      read: '-T --files-from -X --exclude-from --volno-file -g --listed-incremental',
      value:
        '-f --file -b --blocking-factor -H --format -K --starting-file -L --tape-length -N --newer --after-date -V --label ' +
        '--checkpoint-action --exclude --exclude-tag --exclude-tag-all --group --owner --mode --mtime --strip-components --transform --xform -s ' +
        '--sort --suffix --record-size --warning --newer-mtime --quoting-style --owner-map --group-map',
    },
    read: readTar,
  },
};

const VALUED_LETTERS = /[bCfFgHIKLNTVX]/;

export function readTar(task: Task, table: ProgramTable): void {
  const words = withDashes(task);
  const scanned = scanOptions(words, table);
  readOptions(task, table, scanned);
  const { options, operands } = scanned;
  const has = (...names: string[]): boolean => options.some(({ name }) => names.includes(name));
  const creates = has(
    '-c',
    '--create',
    '-r',
    '--append',
    '-u',
    '--update',
    '-A',
    '--catenate',
    '--concatenate',
    '--delete',
  );
  const extracts = has('-x', '--extract', '--get') && !has('-O', '--to-stdout');
  for (const { name, value, at } of options) {
    if (extracts && (name === '-P' || name === '--absolute-names'))
      sayActing(task, `${name} lets an archive name any file`, at);
    if (name === '--one-top-level' && value !== null) useFile(task, value, 'write');
    if ((name === '-f' || name === '--file') && value !== null && /^[^/]*:/.test(value.head))
      sayActing(task, 'tar starts a program for an archive on another machine', at);
  }
  for (const option of options) if (option.name === '--checkpoint-action') readCheckpoint(task, option);
  for (const { name, value } of options)
    if ((name === '--transform' || name === '--xform' || name === '-s') && /e[^/]*$/.test(value?.value ?? 'e'))
      sayActing(task, `${name} may run commands`);
  for (const { name, value } of options)
    if ((name === '-f' || name === '--file') && value !== null && !/^[^/]*:/.test(value.head)) {
      // The archive is where the shell is, whatever folder tar goes to.
      const { bases } = task;
      task.bases = task.state.bases;
      useFile(task, value, creates ? 'write' : 'read');
      task.bases = bases;
    }
  if (creates) for (const { word } of operands) useFile(task, word, 'read');
  if (has('--remove-files')) for (const { word } of operands) useFile(task, word, 'remove');
  if (extracts) {
    useFile(task, literalWord('.'), 'write');
    noteContents(task, options, operands);
  }
}

function noteContents(task: Task, options: readonly FoundOption[], operands: readonly FoundOperand[]): void {
  const valueIn = (...names: string[]) => options.find(({ name }) => names.includes(name))?.value;
  const archive = valueIn('-f', '--file');
  const cut = valueIn('--strip-components')?.value ?? '0';
  // Behind its end another archive may follow.
  const goesOn = options.some(({ name }) => name === '-i' || name === '--ignore-zeros');
  const isRenamed = valueIn('--transform', '--xform', '-s') !== undefined || !/^\d+$/.test(cut);
  const top = options.find(({ name }) => name === '--one-top-level');
  noteUnpacking(task, {
    kind: 'archive',
    source: goesOn ? literalWord('-') : (archive ?? null),
    // What it is called in the end cannot be told.
    folder: isRenamed || (top !== undefined && top.value === null) ? null : (top?.value?.value ?? ''),
    cut: [Number(cut)],
    only: operands.map(({ word }) => word),
  });
}

/** `checkpoint-action=exec=…` runs a command; others only tell. */
function readCheckpoint(task: Task, { value, at }: FoundOption): void {
  if (value === null) return;
  if (value.value === null) {
    sayLost(task, 'a checkpoint action is not static');
    return;
  }
  if (value.value.startsWith('exec=')) task.startLine(value.value.slice('exec='.length), at);
  else if (!/^(?:dot|\.|echo|bell|ttyout|totals|sleep|wait)/.test(value.value))
    sayActing(task, 'a checkpoint action is not known', at);
}

/** The old form, `tar xfC file folder`, in the form with dashes. */
function withDashes({ words }: Task): readonly ShellWord[] {
  const [program, first, ...rest] = words;
  if (program === undefined || first?.value === undefined || first.value === null || first.value.startsWith('-'))
    return words;
  const options: ShellWord[] = [];
  for (const letter of first.value) {
    options.push(literalWord(`-${letter}`));
    const next = VALUED_LETTERS.test(letter) ? rest.shift() : undefined;
    if (next !== undefined) options.push(next);
  }
  return [program, ...options, ...rest];
}
