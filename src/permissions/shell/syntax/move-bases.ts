// The folders that a change of the folder leads to.
import path from 'node:path';
import type { Bases } from '../reader.js';
import type { ShellWord } from './shell-word.js';

const MAX_PATH = 1_024;

/** Each folder changed to what the word names; unknown if that is not static. */
export function moveBases(bases: Bases, { value, tilde }: ShellWord, home: string | null): Bases {
  if (value === null || value === '') return [null];
  let target = value;
  if (tilde && value.startsWith('~')) {
    if (home === null || (value !== '~' && !value.startsWith('~/'))) return [null];
    target = home + value.slice(1);
  }
  if (path.posix.isAbsolute(target)) return [path.posix.normalize(target)];
  // A path as long as this is nobody's.
  return bases.map((base) => (base === null || base.length > MAX_PATH ? null : path.posix.join(base, target)));
}
