// The folders that a change of the folder leads to.
import path from 'node:path';
import type { Bases } from '../reader.js';
import type { ShellWord } from './shell-word.js';

const MAX_PATH = 1_024;

/** Joins a folder and a path below it, in each way that it may be meant. */
type Join = (base: string, target: string) => Bases;

/** Who moves: the home that it knows, and the folders of the session, which no link leads to. */
export interface Mover {
  readonly home: string | null;
  readonly own: readonly string[];
}

/**
 * Each folder changed to what the word names, as `cd` does, which leaves a link by `..`; unknown if that is not static. If
 * nothing stands there, bash goes where the system would: so that counts too, as written, for whoever looks at the disk.
 */
export function moveBases(bases: Bases, word: ShellWord, { home, own }: Mover): Bases {
  return movedBy(bases, word, home, (base, target) => {
    const whole = wholePath(base, target);
    if (!target.includes('..')) return [isPlain(base) ? path.posix.normalize(whole) : whole];
    const isOne = !goesBack(target) && isPlain(base) && (own.includes(base) || ONLY_BACK.test(target));
    const logical = path.posix.normalize(whole);
    return isOne ? [logical] : [logical, whole];
  });
}

/** As `moveBases`, for the option of a program: `..` of a folder that is a link is the one around what it leads to. */
export function moveProgram(bases: Bases, word: ShellWord, { home, own }: Mover): Bases {
  return movedBy(bases, word, home, (base, target) => {
    const whole = wholePath(base, target);
    const isKnown = !goesBack(target) && (path.posix.isAbsolute(target) || own.includes(base));
    // As written, for whoever looks at the disk.
    return [isKnown || (isPlain(base) && !target.includes('..')) ? path.posix.normalize(whole) : whole];
  });
}

/** For a shell that a program starts elsewhere: it knows no link that led there. */
export function withoutLinks(bases: Bases, { own }: Pick<Mover, 'own'>): Bases {
  return bases.map((base) => (base === null || own.includes(base) ? base : `${base}/.`));
}

function movedBy(bases: Bases, { value, tilde }: ShellWord, home: string | null, join: Join): Bases {
  if (value === null || value === '') return [null];
  let target = value;
  if (tilde && value.startsWith('~')) {
    if (home === null || (value !== '~' && !value.startsWith('~/'))) return [null];
    target = home + value.slice(1);
  }
  if (path.posix.isAbsolute(target)) return join('/', target);
  const [base, another] = bases;
  if (base !== undefined && another === undefined) return joined(base, target, join);
  return [...new Set(bases.flatMap((each) => joined(each, target, join)))];
}

function joined(base: string | null, target: string, join: Join): Bases {
  // A path as long as this is nobody's.
  return base === null || base.length > MAX_PATH ? [null] : join(base, target);
}

function wholePath(base: string, target: string): string {
  return path.posix.isAbsolute(target) ? target : `${base}/${target}`;
}

/** True for a folder that is not told by a way through links. */
function isPlain(base: string): boolean {
  return path.posix.normalize(base) === base;
}

const ONLY_BACK = /^[./]+$/;

/** True if `..` stands behind a name: what that leads to may be a link. */
export function goesBack(target: string): boolean {
  if (!target.includes('..')) return false;
  const parts = target.split('/');
  return parts.some((part, at) => part === '..' && !/^\.{0,2}$/.test(parts[at - 1] ?? ''));
}
