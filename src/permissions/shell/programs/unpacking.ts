// What a program takes out of an archive or a patch and writes: said when the program is read, looked up later.
import path from 'node:path';
import type { FileUse, Unpacking } from '../command-reading.js';
import type { ShellWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';

export interface Unpacked {
  readonly kind: Unpacking['kind'];
  /** Default: they are written. */
  readonly access?: Unpacking['access'];
  /** Null: the input of the program. */
  readonly source: ShellWord | null;
  /** Below the folder that the program is in by now; null if that is not static. Default: the folder itself. */
  readonly folder?: string | null;
  /** How many folders are cut off the front of each name, in each way there may be. Default: none. */
  readonly cut?: readonly number[];
  /** Names that are wanted; none: all. */
  readonly only?: readonly ShellWord[];
  /** Only the last part of each name counts. */
  readonly isFlat?: true;
}

/** The parts of a name that a patch may go by, if nothing says how many. */
export const ANY_CUT: readonly number[] = [0, 1, 2, 3];

export function noteUnpacking(
  task: Task,
  { kind, access = 'write', source, folder = '', cut = [0], only = [], isFlat }: Unpacked,
): void {
  const { reader, bases, name, draft } = task;
  const isPlain = only.every(({ value }) => value !== null && !/[*?[]/.test(value));
  for (const base of bases)
    reader.unpacks.push({
      kind,
      access,
      source: source === null ? inputOf(task) : fileOf(source, task.state.bases),
      into: base === null || folder === null ? null : path.resolve(base, folder),
      cut,
      only: only.length === 0 || !isPlain ? null : only.map(({ value }) => value ?? ''),
      ...(isFlat === undefined ? {} : { isFlat }),
      program: name,
      text: draft.text,
    });
}

/** The text of a here-document, or the file that the input is taken from. */
function inputOf({ input, inputFile }: Task): Unpacking['source'] {
  if (input !== null) return { text: input };
  return inputFile === null ? null : placed(inputFile);
}

function placed({ path: file, base }: FileUse): Unpacking['source'] {
  if (file === null || (base === null && !path.isAbsolute(file))) return null;
  return { file: path.resolve(base ?? '/', file) };
}

function fileOf({ value, tilde }: ShellWord, bases: Task['bases']): Unpacking['source'] {
  const [base = null, ...others] = bases;
  if (value === null || tilde || value === '-' || others.length > 0) return null;
  return base === null && !path.isAbsolute(value) ? null : { file: path.resolve(base ?? '/', value) };
}
