// The text objects of vim: a word, what quotes or brackets hold, a paragraph. Pure.
import { BRACKETS, otherHalf } from './motions.js';
import type { Positions } from './positions.js';

export interface Range {
  readonly start: number;
  /** Behind the last character. */
  readonly end: number;
  readonly isLines: boolean;
}

const QUOTES = '"\'`';

/** Null if there is no such object at the caret. @param around with the quotes, brackets or blanks around it */
export function textObject(key: string, around: boolean, places: Positions, at: number, count: number): Range | null {
  if (key === 'w' || key === 'W') return word(places, at, around, key === 'W', count);
  if (key === 'p') return paragraph(places, at, around, count);
  if (QUOTES.includes(key)) return quoted(places, at, key, around);
  const pair = key === 'b' ? '()' : key === 'B' ? '{}' : BRACKETS.find((each) => each.includes(key));
  return pair === undefined ? null : bracketed(places, at, pair, around, count);
}

function word(places: Positions, at: number, around: boolean, big: boolean, count: number): Range | null {
  const [first, last] = [places.lineStart(at), places.lineEnd(at)];
  if (first === last) return null;
  const { classAt, next, previous } = places;
  const place = at >= last ? places.lastInLine(at) : at;
  const kind = classAt(place, big);
  let start = place;
  while (start > first && classAt(previous(start), big) === kind) start = previous(start);
  let end = place;
  const run = (): void => {
    if (end >= last) return;
    const of = classAt(end, big);
    while (end < last && classAt(end, big) === of) end = next(end);
  };
  for (let left = count; left > 0; left--) {
    run();
    if (around && end < last && (kind === 'blank' || classAt(end, big) === 'blank')) run();
    else if (around && left === 1 && kind !== 'blank')
      while (start > first && classAt(previous(start), big) === 'blank') start = previous(start);
  }
  return { start, end, isLines: false };
}

function quoted(places: Positions, at: number, quote: string, around: boolean): Range | null {
  const { text } = places;
  const [first, last] = [places.lineStart(at), places.lineEnd(at)];
  const stops: number[] = [];
  for (let place = first; place < last; place += 1) {
    if (text[place] === '\\') place += 1;
    else if (text[place] === quote) stops.push(place);
  }
  for (let pair = 0; pair + 1 < stops.length; pair += 2) {
    const [open = 0, close = 0] = [stops[pair], stops[pair + 1]];
    if (at > close) continue;
    if (!around) return { start: open + 1, end: close, isLines: false };
    let end = close + 1;
    while (end < last && /[ \t]/.test(text[end] ?? '')) end += 1;
    return { start: open, end, isLines: false };
  }
  return null;
}

function bracketed({ text }: Positions, at: number, pair: string, around: boolean, count: number): Range | null {
  let open: number | null = text[at] === pair[0] ? at : openBefore(text, text[at] === pair[1] ? at - 1 : at, pair);
  for (let left = count - 1; left > 0 && open !== null; left--) open = openBefore(text, open - 1, pair);
  const close = open === null ? null : otherHalf(text, open, pair);
  if (open === null || close === null) return null;
  return around ? { start: open, end: close + 1, isLines: false } : { start: open + 1, end: close, isLines: false };
}

function openBefore(text: string, from: number, pair: string): number | null {
  let depth = 1;
  for (let place = from; place >= 0; place--) {
    if (text[place] === pair[1]) depth += 1;
    else if (text[place] === pair[0]) depth -= 1;
    if (depth === 0) return place;
  }
  return null;
}

function paragraph(places: Positions, at: number, around: boolean, count: number): Range {
  const isBlank = (line: number): boolean => {
    const start = places.startOfLine(line) ?? 0;
    return places.text.slice(start, places.lineEnd(start)).trim() === '';
  };
  let first = places.lineOf(at);
  const kind = isBlank(first);
  while (first > 0 && isBlank(first - 1) === kind) first -= 1;
  let last = places.lineOf(at);
  const run = (): void => {
    const of = isBlank(last);
    while (last + 1 < places.lineCount && isBlank(last + 1) === of) last += 1;
  };
  run();
  for (let left = around ? count * 2 - 1 : count - 1; left > 0 && last + 1 < places.lineCount; left--) {
    last += 1;
    run();
  }
  return { start: places.startOfLine(first) ?? 0, end: places.lineEnd(places.startOfLine(last) ?? 0), isLines: true };
}
