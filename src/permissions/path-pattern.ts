// Path patterns of rules, written as in .gitignore: `//abs`, `~/home`, `/project`, `./here`, `name` at any depth.
// Rule: what is allowed must match as a whole; what is denied also when it lies below a match, in any case and form.
import path from 'node:path';
import { ConfigError } from '../protocol/errors.js';
import { compileGlob, type GlobPattern } from '../util/glob-pattern.js';
import { isMagic, splitGlobRoot } from '../util/glob-root.js';

export interface PathPattern {
  /** As written. */
  readonly source: string;
  /** Where it starts: the root of the machine, the home folder, the folder of the rule, or anywhere. */
  readonly anchor: 'root' | 'home' | 'base' | 'anywhere';
  readonly glob: GlobPattern;
  /** The same in one case and one Unicode form. */
  readonly folded: GlobPattern;
  /** The folders that it spells out before anything is left open. */
  readonly spelled: string;
  /** True where all below a match is meant too: the last part is plain text. */
  readonly coversBelow: boolean;
}

/** Where the patterns of a rule start. All absolute. */
export interface PatternPlace {
  readonly base: string;
  /** Null: not known, so that patterns below `~` match nothing. */
  readonly home: string | null;
}

const MAX_LENGTH = 4_096;

/** @throws ConfigError (`rule_invalid`) for a pattern that can match nothing, or that means something else than it says */
export function parsePathPattern(source: string): PathPattern {
  const written = source.trim();
  if (written === '' || written.length > MAX_LENGTH) throw unusable(source, 'it is empty, or far too long');
  if (written.includes('\0')) throw unusable(source, 'it holds a NUL character');
  if (written.startsWith('!')) throw unusable(source, 'exceptions (!) are not part of rules; write a narrower pattern');
  const { anchor, rest } = anchorOf(written);
  const parts = rest.split('/').filter(isPart);
  if (parts.includes('..')) throw unusable(source, '".." has no fixed meaning in a pattern; write the path itself');
  if (parts.length === 0 && anchor === 'anywhere') throw unusable(source, 'it names nothing');
  const text = parts.join('/') || '**';
  try {
    return {
      source: written,
      anchor,
      glob: compileGlob(text),
      folded: compileGlob(fold(text)),
      spelled: splitGlobRoot(text).root,
      coversBelow: !isMagic(parts.at(-1) ?? '**'),
    };
  } catch (error) {
    throw unusable(source, error instanceof Error ? error.message : 'it cannot be read');
  }
}

function anchorOf(written: string): { readonly anchor: PathPattern['anchor']; readonly rest: string } {
  if (written.startsWith('//')) return { anchor: 'root', rest: written.slice(2) };
  if (written === '~' || written.startsWith('~/')) return { anchor: 'home', rest: written.slice(1) };
  if (written.startsWith('/')) return { anchor: 'base', rest: written.slice(1) };
  if (written.startsWith('./')) return { anchor: 'base', rest: written.slice(2) };
  // As in .gitignore: a slash within ties the pattern to its folder, without one it is a name at any depth.
  return { anchor: written.replace(/\/$/, '').includes('/') ? 'base' : 'anywhere', rest: written };
}

/** True where an allow rule of this pattern means `target`, an absolute path. */
export function allowsPath(pattern: PathPattern, target: string, place: PatternPlace): boolean {
  const start = startOf(pattern, place);
  const below = start === null ? null : partsBelow(start, target);
  if (below === null) return false;
  if (pattern.anchor !== 'anywhere')
    return pattern.glob.matches(below.join('/')) || (pattern.coversBelow && matchesAbove(pattern.glob, below));
  return below.some((name, at) => (at === below.length - 1 || pattern.coversBelow) && pattern.glob.matches(name));
}

/** True where a deny or ask rule of this pattern means `target`, an absolute path, or a folder it lies in. */
export function restrictsPath(pattern: PathPattern, target: string, place: PatternPlace): boolean {
  // A name that is kept out is kept out everywhere, not only below the folder of the rule.
  const start = pattern.anchor === 'anywhere' ? path.sep : startOf(pattern, place);
  const below = start === null ? null : partsBelow(fold(start), fold(target));
  if (below === null) return false;
  if (pattern.anchor === 'anywhere') return below.some((name) => pattern.folded.matches(name));
  // A folder all of whose files are meant is meant too: its listing is of them.
  return pattern.folded.matches([...below, ANY_NAME].join('/')) || matchesAbove(pattern.folded, [...below, ANY_NAME]);
}

/** Of no file: what matches it matches any name. */
const ANY_NAME = '\0';

/**
 * True where a deny or ask rule of this pattern may mean a file below `folder` that nobody named. `hidden`: whether names
 * with a leading dot are among them.
 */
export function mayRestrictBelow(pattern: PathPattern, folder: string, hidden: boolean, place: PatternPlace): boolean {
  const last = pattern.source.slice(pattern.source.lastIndexOf('/') + 1);
  if (!hidden && last.startsWith('.')) return false;
  if (pattern.anchor === 'anywhere') return true;
  const start = startOf(pattern, place);
  if (start === null) return false;
  const spelled = path.join(start, pattern.spelled);
  return isBelow(folder, spelled) || isBelow(spelled, folder);
}

function isBelow(folder: string, target: string): boolean {
  const relative = path.relative(fold(folder), fold(target));
  return relative !== '..' && !relative.startsWith(`..${path.sep}`);
}

/** The folder that the pattern starts in; null where that is the home folder and it is not known. */
function startOf({ anchor }: PathPattern, { base, home }: PatternPlace): string | null {
  return anchor === 'root' ? path.sep : anchor === 'home' ? home : base;
}

/** Parts of the path below the folder; null where it lies elsewhere. */
function partsBelow(start: string, target: string): readonly string[] | null {
  if (target.includes('..') || !target.startsWith(start === path.sep ? start : start + path.sep))
    return partsOfRelative(path.relative(start, target));
  return target.slice(start.length).split(path.sep).filter(isPart);
}

function isPart(part: string): boolean {
  return part !== '' && part !== '.';
}

function partsOfRelative(relative: string): readonly string[] | null {
  if (relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) return null;
  return relative.split(path.sep).filter(isPart);
}

function matchesAbove(glob: GlobPattern, parts: readonly string[]): boolean {
  return parts.some((_, at) => at > 0 && glob.matches(parts.slice(0, at).join('/')));
}

/** Small letters and signs of ASCII stay as they are. */
const IS_FOLDED = /^[\0-@[-\x7f]*$/;

/** File systems may take names of other case and Unicode form for the same. */
function fold(text: string): string {
  return IS_FOLDED.test(text) ? text : text.normalize('NFKC').toLowerCase();
}

function unusable(source: string, why: string): ConfigError {
  return new ConfigError(`The path pattern "${source}" cannot be used: ${why}.`, { code: 'rule_invalid' });
}
