// The folders that a change of the folder leads to.
import path from 'node:path';
import type { Bases } from '../reader.js';
import type { ShellWord } from './shell-word.js';

const MAX_PATH = 1_024;

/** Joins a folder and a path below it. */
type Join = (base: string, target: string) => string;

/** Each folder changed to what the word names, as `cd` does, which leaves a link by `..`; unknown if that is not static. */
export function moveBases(
  bases: Bases,
  { value, tilde }: ShellWord,
  home: string | null,
  join: Join = path.posix.join,
): Bases {
  if (value === null || value === '') return [null];
  let target = value;
  if (tilde && value.startsWith('~')) {
    if (home === null || (value !== '~' && !value.startsWith('~/'))) return [null];
    target = home + value.slice(1);
  }
  if (path.posix.isAbsolute(target)) return [path.posix.normalize(target)];
  // A path as long as this is nobody's.
  return bases.map((base) => (base === null || base.length > MAX_PATH ? null : join(base, target)));
}

/** As `moveBases`, for the option of a program: `..` of a folder that is a link is the one around what it leads to. */
export function moveProgram(
  bases: Bases,
  word: ShellWord,
  { home, own }: { readonly home: string | null; readonly own: readonly string[] },
): Bases {
  const isPlain = (base: string, target: string) => own.includes(base) || !target.split('/').includes('..');
  // As written, for whoever looks at the disk.
  const join: Join = (base, target) => (isPlain(base, target) ? path.posix.join(base, target) : `${base}/${target}`);
  return moveBases(bases, word, home, join);
}
