// How long a regular expression could take on a short name. A bound, never an exact figure: too high is safe, too low
// is a bug.

/** What a pattern can cost. Both are upper bounds, and may be Infinity. */
export interface PatternCost {
  /** Ways through the pattern that a backtracking engine may have to try. */
  readonly paths: number;
  /** Atoms of the pattern with its counted repeats written out. */
  readonly size: number;
}

/**
 * Bounds the cost of a valid regular expression on a text of `length` characters, searched at one position.
 * Contract: linear in the source; a pattern whose `paths` are few cannot hang the engine.
 */
export function patternCost(source: string, length: number): PatternCost {
  return readAlternatives({ source, at: 0 }, length);
}

interface Cursor {
  readonly source: string;
  at: number;
}

function readAlternatives(cursor: Cursor, length: number): PatternCost {
  let cost = readSequence(cursor, length);
  while (cursor.source[cursor.at] === '|') {
    cursor.at += 1;
    const next = readSequence(cursor, length);
    cost = { paths: cost.paths + next.paths, size: cost.size + next.size };
  }
  return cost;
}

function readSequence(cursor: Cursor, length: number): PatternCost {
  let cost: PatternCost = { paths: 1, size: 1 };
  while (cursor.at < cursor.source.length && !'|)'.includes(cursor.source[cursor.at] ?? '')) {
    const term = repeat(readAtom(cursor, length), readQuantifier(cursor), length);
    cost = { paths: cost.paths * term.paths, size: cost.size + term.size };
  }
  return cost;
}

const GROUP_START = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?/y;
const CHARACTER_CLASS = /\[(?:\\[\s\S]|[^\]\\])*\]/y;
const ESCAPE_OR_CHARACTER = /\\[\s\S]|[\s\S]/y;

function readAtom(cursor: Cursor, length: number): PatternCost {
  if (eat(cursor, GROUP_START) !== null) {
    const inner = readAlternatives(cursor, length);
    cursor.at += 1; // the closing parenthesis
    return inner;
  }
  if (eat(cursor, CHARACTER_CLASS) === null) eat(cursor, ESCAPE_OR_CHARACTER);
  return { paths: 1, size: 1 };
}

interface Quantifier {
  readonly min: number;
  readonly max: number;
}

const QUANTIFIER = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y;

function readQuantifier(cursor: Cursor): Quantifier {
  const match = eat(cursor, QUANTIFIER);
  if (match === null) return { min: 1, max: 1 };
  const [text, least, comma, most] = match;
  if (least !== undefined) {
    const min = Number(least);
    if (comma === '') return { min, max: min };
    return { min, max: most === '' ? Number.POSITIVE_INFINITY : Number(most) };
  }
  if (text.startsWith('?')) return { min: 0, max: 1 };
  return { min: text.startsWith('+') ? 1 : 0, max: Number.POSITIVE_INFINITY };
}

function repeat(atom: PatternCost, { min, max }: Quantifier, length: number): PatternCost {
  // No more repeats than characters can match, but for empty ones, which the engine takes once.
  const most = Math.min(max, min + length);
  const copies = Number.isFinite(max) ? max : min + 1;
  return { paths: repeatedPaths(atom.paths, min, most), size: atom.size * Math.max(1, copies) };
}

/** The sum of `paths` to the power of each number of repeats. */
function repeatedPaths(paths: number, min: number, most: number): number {
  if (paths === 1) return Math.max(1, most - min + 1);
  let sum = 0;
  for (let repeats = min; repeats <= most && Number.isFinite(sum); repeats += 1) sum += paths ** repeats;
  return sum;
}

function eat(cursor: Cursor, pattern: RegExp): RegExpExecArray | null {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = cursor.at;
  const match = sticky.exec(cursor.source);
  if (match !== null) cursor.at = sticky.lastIndex;
  return match;
}
