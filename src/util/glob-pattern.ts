// File name patterns: *, ?, [classes], {alternatives} and ** for any folders. Rule: matching takes time proportional
// to pattern times path, whatever the pattern; nothing backtracks further than the last star.

/** Patterns with more alternatives than this are refused. */
const MAX_ALTERNATIVES = 1_000;

export interface GlobPattern {
  /** True if the pattern matches a relative path with `/` between its parts, without `./` before it. */
  matches(path: string): boolean;
  /** Patterns for the last part of every path that can match, in ripgrep's syntax; null if any could. */
  readonly lastParts: readonly string[] | null;
  /** True if each file whose name fits `lastParts`, at any depth, matches: nothing else is asked of its path. */
  readonly isNameAlone: boolean;
  /** How many folders deep a match can lie, counting the file; null if there is no limit. */
  readonly maxDepth: number | null;
}

/**
 * Reads a pattern. `*`, `?` and classes match names with a leading dot too, and never a `/`. A part that is the
 * pattern's own text matches literally as well, so `app/[id]/page.tsx` finds that folder.
 * @throws RangeError if the braces stand for more than 1,000 alternatives
 */
export function compileGlob(pattern: string): GlobPattern {
  const alternatives = expandBraces(pattern).map((text) => text.split('/').filter((part) => part !== '.'));
  const matchers = alternatives.map(pathMatcher);
  const [only] = matchers;
  const lastParts = findLastParts(alternatives);
  return {
    matches: matchers.length === 1 && only !== undefined ? only : (path) => matchers.some((matches) => matches(path)),
    lastParts,
    // A `?` for what is no UTF-8 is the one thing ripgrep may see otherwise.
    isNameAlone:
      lastParts?.every((part) => !part.includes('?')) === true &&
      alternatives.every((parts) => parts.length === 2 && parts[0] === '**'),
    maxDepth: alternatives.some((parts) => parts.includes('**'))
      ? null
      : Math.max(...alternatives.map((parts) => parts.length)),
  };
}

/** All texts a pattern with `{a,b}` stands for. Braces without a comma are plain characters. */
export function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const waiting = [pattern];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    const group = findBraces(text);
    if (group === null) {
      done.push(text);
    } else {
      const [before, after] = [text.slice(0, group.start), text.slice(group.end + 1)];
      for (const choice of group.choices.toReversed()) waiting.push(before + choice + after);
    }
    if (done.length + waiting.length > MAX_ALTERNATIVES) {
      throw new RangeError(`The pattern stands for more than ${MAX_ALTERNATIVES} alternatives. Use fewer braces.`);
    }
  }
  return done;
}

/** The first brace group that has a comma, with its top-level choices. */
function findBraces(text: string): { start: number; end: number; choices: string[] } | null {
  const open: { start: number; commas: number[] }[] = [];
  let found: { start: number; end: number; commas: number[] } | null = null;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '\\') index += 1;
    else if (character === '{') open.push({ start: index, commas: [] });
    else if (character === ',') open.at(-1)?.commas.push(index);
    else if (character === '}') {
      const group = open.pop();
      if (group === undefined || group.commas.length === 0) continue;
      found = { ...group, end: index };
      // An inner group is as good as an outer one: what is left is looked at again.
      break;
    }
  }
  if (found === null) return null;
  const cuts = [found.start, ...found.commas, found.end];
  const choices = cuts.slice(1).map((cut, index) => text.slice((cuts[index] ?? 0) + 1, cut));
  return { start: found.start, end: found.end, choices };
}

type Matches = (text: string) => boolean;

/** Of one alternative. Many thousand paths are held against it, so what can be known beforehand is. */
function pathMatcher(parts: readonly string[]): Matches {
  const matchers = parts.map((part) => (part === '**' ? null : nameMatcher(part)));
  const [first, last] = matchers;
  // The usual pattern: a name, at any depth.
  if (matchers.length === 2 && first === null && last != null)
    return (path) => last(path.slice(path.lastIndexOf('/') + 1));
  // A name alone.
  if (matchers.length === 1 && first != null) return (path) => !path.includes('/') && first(path);
  return (path) => matchParts(matchers, path.split('/'));
}

const PLAIN = /^[^*?[\\]*$/;

/** Of one part of a path. */
function nameMatcher(pattern: string): Matches {
  const [head = '', tail, ...more] = pattern.split('*');
  if (!PLAIN.test(pattern.replaceAll('*', '')) || more.length > 0) return (name) => matchName(pattern, name);
  if (tail === undefined) return (name) => name === pattern;
  const shortest = head.length + tail.length;
  return (name) => name.length >= shortest && name.endsWith(tail) && name.startsWith(head);
}

/** Matches folder by folder; after a mismatch the last `**`, which is null here, takes one folder more. */
function matchParts(parts: readonly (Matches | null)[], names: readonly string[]): boolean {
  let part = 0;
  let name = 0;
  let starPart = -1;
  let starName = 0;
  while (name < names.length) {
    const matches = parts[part];
    if (matches === null) {
      if (part === parts.length - 1) return true;
      starPart = part;
      starName = name;
      part += 1;
    } else if (matches?.(names[name] ?? '') === true) {
      part += 1;
      name += 1;
    } else if (starPart >= 0) {
      part = starPart + 1;
      starName += 1;
      name = starName;
    } else return false;
  }
  return part === parts.length;
}

/** Matches one name; after a mismatch the last `*` takes one character more. */
function matchName(pattern: string, name: string): boolean {
  if (pattern === name) return true;
  let at = 0;
  let index = 0;
  let starAt = -1;
  let starIndex = 0;
  while (index < name.length) {
    if (pattern[at] === '*') {
      starAt = at;
      starIndex = index;
      at += 1;
      continue;
    }
    const step = at < pattern.length ? matchCharacter(pattern, at, name, index) : null;
    if (step !== null) {
      at = step.at;
      index = step.index;
    } else if (starAt >= 0) {
      at = starAt + 1;
      starIndex += 1;
      index = starIndex;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/** The places at which pattern and name go on after one matched character, or null if it does not match. */
function matchCharacter(
  pattern: string,
  at: number,
  name: string,
  index: number,
): { at: number; index: number } | null {
  const character = String.fromCodePoint(name.codePointAt(index) ?? 0);
  const next = index + character.length;
  if (pattern[at] === '?') return { at: at + 1, index: next };
  if (pattern[at] === '[') {
    const end = findClassEnd(pattern, at);
    if (end > 0) return isInClass(pattern.slice(at + 1, end), character) ? { at: end + 1, index: next } : null;
  }
  const escaped = pattern[at] === '\\' && at + 1 < pattern.length ? at + 1 : at;
  const expected = String.fromCodePoint(pattern.codePointAt(escaped) ?? 0);
  return expected === character ? { at: escaped + expected.length, index: next } : null;
}

/** Index of the `]` that closes a class, or -1. A `]` right after the opening belongs to the class. */
function findClassEnd(pattern: string, start: number): number {
  const first = pattern[start + 1] === '!' || pattern[start + 1] === '^' ? start + 2 : start + 1;
  return pattern.indexOf(']', first + 1);
}

function isInClass(body: string, character: string): boolean {
  const negated = body.startsWith('!') || body.startsWith('^');
  const members = [...(negated ? body.slice(1) : body)];
  let inside = false;
  for (let index = 0; index < members.length; index += 1) {
    const from = members[index] ?? '';
    const to = members[index + 1] === '-' && index + 2 < members.length ? (members[index + 2] ?? '') : from;
    if (to !== from || members[index + 1] === '-') index += to === from ? 0 : 2;
    if (from <= character && character <= to) inside = true;
  }
  return inside !== negated;
}

/** Names ripgrep and this file read the same way: plain text, single stars and question marks. */
const SHARED_SYNTAX = /^(?:[^*?[\]{}\\!:,]|\*(?!\*)|\?)+$/;
const MAX_LAST_PARTS = 64;

function findLastParts(alternatives: readonly (readonly string[])[]): string[] | null {
  const last = new Set(alternatives.map((parts) => parts.at(-1) ?? '**'));
  if (last.size > MAX_LAST_PARTS) return null;
  for (const part of last) if (!SHARED_SYNTAX.test(part)) return null;
  return [...last];
}
