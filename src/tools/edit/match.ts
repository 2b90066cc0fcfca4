// Finds old_string in a file and puts new_string in its place. Line endings are the only thing allowed to differ; the
// file's own are kept, and what an edit does not change stays as it was, character for character.
import { commonEnds } from '../shared/text-diff.js';

/** A text with "\n" line breaks only, and the way back to the offsets of the original. */
export interface SearchText {
  readonly raw: string;
  readonly text: string;
  /** Offsets in `text` of the line breaks that are "\r\n" in `raw`, ascending. */
  readonly crlfBreaks: readonly number[];
}

export interface Replacement {
  readonly before: string;
  readonly after: string;
}

/** Prepares a file's text for searching. */
export function toSearchText(raw: string): SearchText {
  const crlfBreaks: number[] = [];
  for (let at = raw.indexOf('\r\n'); at !== -1; at = raw.indexOf('\r\n', at + 2))
    crlfBreaks.push(at - crlfBreaks.length);
  return { raw, text: crlfBreaks.length === 0 ? raw : raw.replaceAll('\r\n', '\n'), crlfBreaks };
}

/**
 * Both strings as they are searched for and put in. Where neither the file nor old_string has a "\r\n", new_string is
 * taken to the letter: a "\r\n" in it is meant.
 */
export function toReplacement(file: SearchText, oldString: string, newString: string): Replacement {
  const isVerbatim = file.crlfBreaks.length === 0 && !oldString.includes('\r\n');
  return {
    before: oldString.replaceAll('\r\n', '\n'),
    after: isVerbatim ? newString : newString.replaceAll('\r\n', '\n'),
  };
}

/** Offsets in `text` where `wanted` stands, at most `limit`. `overlapping` also counts those inside one another. */
export function findAll(text: string, wanted: string, limit: number, overlapping: boolean): number[] {
  const found: number[] = [];
  const step = overlapping ? 1 : wanted.length;
  for (let at = text.indexOf(wanted); at !== -1 && found.length < limit; at = text.indexOf(wanted, at + step)) {
    found.push(at);
  }
  return found;
}

/**
 * The file's text with `before` replaced at each of `offsets` (ascending, not overlapping). Only the part in which
 * `before` and `after` differ is written; new line breaks take the form of the line they are put into.
 */
export function replaceAt(file: SearchText, offsets: readonly number[], { before, after }: Replacement): string {
  const { start, end } = commonEnds(before, after);
  const inserted = after.slice(start, after.length - end);
  const insertedCrlf = file.crlfBreaks.length === 0 ? inserted : inserted.replaceAll('\n', '\r\n');
  const pieces: string[] = [];
  let copied = 0;
  for (const offset of offsets) {
    const from = offset + start;
    const to = offset + before.length - end;
    pieces.push(file.raw.slice(copied, rawOffset(file, from)), isCrlfAt(file, from) ? insertedCrlf : inserted);
    copied = rawOffset(file, to);
  }
  pieces.push(file.raw.slice(copied));
  return pieces.join('');
}

function rawOffset(file: SearchText, offset: number): number {
  return offset + breaksBefore(file, offset);
}

/** Number of "\r\n" breaks before `offset`, by binary search. */
function breaksBefore({ crlfBreaks }: SearchText, offset: number): number {
  let low = 0;
  let high = crlfBreaks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((crlfBreaks[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The form of the line break that ends the line at `offset`, or else of the one before it. */
function isCrlfAt(file: SearchText, offset: number): boolean {
  if (file.crlfBreaks.length === 0) return false;
  const next = file.text.indexOf('\n', offset);
  const nearest = next !== -1 ? next : file.text.lastIndexOf('\n');
  return file.crlfBreaks[breaksBefore(file, nearest)] === nearest;
}
