// Places in a text, where a motion of vim leads, what an operator takes with it, and text objects. Pure. One rule: a place is
// never inside a cluster, nor inside a mark that stands for something else, such as a long paste.
import { clustersIn } from '../../../view/width.js';

/** What is handled as one character: marks of pastes and images. */
const MARK = /\[(?:paste|image) #\d+[^\]\n]{0,80}\]/gi;

type WordClass = 'blank' | 'word' | 'other' | 'mark';

/** A text with the places in it. Contract: a new one for each text; nothing of it changes. */
export interface Positions {
  readonly text: string;
  lineStart(at: number): number;
  /** The place of the line feed, or the end of the text. */
  lineEnd(at: number): number;
  /** Start of the first line is 0; null if there is no such line. */
  startOfLine(line: number): number | null;
  lineOf(at: number): number;
  readonly lineCount: number;
  /** The place behind the cluster at `at`; a line feed is one. Never behind the end. */
  next(at: number): number;
  previous(at: number): number;
  /** The last cluster of the line of `at`; its start if the line is empty. */
  lastInLine(at: number): number;
  /** The nearest place at or before `at` that is none inside a cluster. */
  snap(at: number): number;
  /** Clusters from the start of the line. */
  columnOf(at: number): number;
  atColumn(lineStart: number, column: number): number;
  firstNonBlank(at: number): number;
  classAt(at: number, big: boolean): WordClass;
}

export function positionsIn(text: string): Positions {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const lineOf = (at: number): number => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const endOf = (line: number): number => (line + 1 < starts.length ? (starts[line + 1] ?? 0) - 1 : text.length);
  /** Places of the clusters of a line, with its end. Kept, as most keys look at one line. */
  const kept = new Map<number, readonly number[]>();
  const stopsOf = (line: number): readonly number[] => {
    let stops = kept.get(line);
    if (stops === undefined) {
      stops = stopsIn(text.slice(starts[line] ?? 0, endOf(line)), starts[line] ?? 0);
      kept.set(line, stops);
    }
    return stops;
  };
  const lineStart = (at: number): number => starts[lineOf(at)] ?? 0;
  const lineEnd = (at: number): number => endOf(lineOf(at));
  const snap = (at: number): number => {
    const bounded = Math.max(0, Math.min(at, text.length));
    return stopsOf(lineOf(bounded)).findLast((stop) => stop <= bounded) ?? 0;
  };
  const next = (at: number): number => {
    if (at >= text.length) return text.length;
    if (text[at] === '\n') return at + 1;
    return stopsOf(lineOf(at)).find((stop) => stop > at) ?? text.length;
  };
  const previous = (at: number): number => {
    if (at <= 0) return 0;
    if (at === lineStart(at)) return at - 1;
    return stopsOf(lineOf(at)).findLast((stop) => stop < at) ?? 0;
  };
  const classAt = (at: number, big: boolean): WordClass => {
    const cluster = text.slice(at, next(at));
    if (/^\s*$/u.test(cluster)) return 'blank';
    if (/^\[(?:paste|image) #/i.test(cluster) && cluster.length > 1) return 'mark';
    return big || /^[\p{L}\p{N}\p{M}_]/u.test(cluster) ? 'word' : 'other';
  };
  return {
    text,
    lineStart,
    lineEnd,
    startOfLine: (line) => starts[line] ?? null,
    lineOf,
    lineCount: starts.length,
    next,
    previous,
    lastInLine: (at) => (lineEnd(at) === lineStart(at) ? lineStart(at) : previous(lineEnd(at))),
    snap,
    columnOf: (at) => stopsOf(lineOf(at)).filter((stop) => stop < at).length,
    atColumn(start, column) {
      const stops = stopsOf(lineOf(start));
      return stops[Math.min(column, Math.max(0, stops.length - 2))] ?? start;
    },
    firstNonBlank(at) {
      const end = lineEnd(at);
      let place = lineStart(at);
      while (place < end && /[ \t]/.test(text[place] ?? '')) place += 1;
      return place;
    },
    classAt,
  };
}

function stopsIn(line: string, offset: number): readonly number[] {
  const stops: number[] = [];
  let from = 0;
  const plain = (to: number): void => {
    for (const { index } of clustersIn(line.slice(from, to))) stops.push(offset + from + index);
  };
  for (const mark of line.matchAll(MARK)) {
    plain(mark.index);
    stops.push(offset + mark.index);
    from = mark.index + mark[0].length;
  }
  plain(line.length);
  stops.push(offset + line.length);
  return stops;
}

/** What an operator takes from here to there: without the character there, with it, or all lines between. */
type Reach = 'exclusive' | 'inclusive' | 'lines';

export interface Motion {
  readonly to: number;
  readonly reach: Reach;
}

/** What `;` and `,` repeat. */
export interface Find {
  readonly key: 'f' | 'F' | 't' | 'T';
  readonly character: string;
}

/** Motions of one key, or of `g` and one. */
export const MOTION_KEYS: ReadonlySet<string> = new Set(
  'h l j k 0 ^ $ w W b B e E G % { } ; , _ + - left right up down home end backspace enter gg ge gE g_'
    .split(' ')
    .concat(' '),
);

interface MotionRequest {
  readonly at: number;
  /** Null if none was typed. */
  readonly count: number | null;
  /** The column that `j` and `k` keep. */
  readonly column: number;
  readonly find: Find | null;
}

/** Null if it leads nowhere. */
export function motion(key: string, places: Positions, request: MotionRequest): Motion | null {
  const { text } = places;
  const { at, column } = request;
  const times = request.count ?? 1;
  const exclusive = (to: number): Motion | null => (to === at ? null : { to, reach: 'exclusive' });
  switch (key) {
    case 'h':
    case 'left':
      return exclusive(repeat(times, at, (place) => Math.max(places.previous(place), places.lineStart(at))));
    case 'backspace':
      return exclusive(repeat(times, at, places.previous));
    case 'l':
    case 'right':
      return exclusive(repeat(times, at, (place) => Math.min(places.next(place), places.lineEnd(at))));
    case ' ':
      return exclusive(repeat(times, at, places.next));
    case 'j':
    case 'down':
      return byLines(places, at, times, column);
    case 'k':
    case 'up':
      return byLines(places, at, -times, column);
    case '+':
    case 'enter':
      return toNonBlank(places, at, times);
    case '-':
      return toNonBlank(places, at, -times);
    case '_':
      return toNonBlank(places, at, times - 1);
    case '0':
    case 'home':
      return { to: places.lineStart(at), reach: 'exclusive' };
    case '^':
      return { to: places.firstNonBlank(at), reach: 'exclusive' };
    case '$':
    case 'end': {
      const start = places.startOfLine(Math.min(places.lineOf(at) + times - 1, places.lineCount - 1)) ?? at;
      // Of an empty line there is nothing to take along.
      if (places.lineEnd(start) === start) return { to: start, reach: 'exclusive' };
      return { to: places.lastInLine(start), reach: 'inclusive' };
    }
    case 'g_': {
      const last = places.lastInLine(at);
      let place = last;
      while (place > places.lineStart(at) && places.classAt(place, false) === 'blank') place = places.previous(place);
      return { to: place, reach: 'inclusive' };
    }
    case 'w':
    case 'W':
      return exclusive(repeat(times, at, (place) => nextWord(places, place, key === 'W')));
    case 'b':
    case 'B':
      return exclusive(repeat(times, at, (place) => wordBefore(places, place, key === 'B')));
    case 'e':
    case 'E':
      return { to: repeat(times, at, (place) => wordEnd(places, place, key === 'E')), reach: 'inclusive' };
    case 'ge':
    case 'gE':
      return { to: repeat(times, at, (place) => endBefore(places, place, key === 'gE')), reach: 'inclusive' };
    case 'gg':
    case 'G': {
      const fallback = key === 'G' ? places.lineCount - 1 : 0;
      const line = Math.min((request.count ?? fallback + 1) - 1, places.lineCount - 1);
      return { to: places.firstNonBlank(places.startOfLine(Math.max(0, line)) ?? 0), reach: 'lines' };
    }
    case '%':
      return matching(places, at);
    case '{':
      return exclusive(repeat(times, at, (place) => paragraph(places, place, -1)));
    case '}':
      return exclusive(repeat(times, at, (place) => paragraph(places, place, 1)));
    case ';':
    case ',':
      return request.find === null
        ? null
        : found(places, at, times, key === ';' ? request.find : turned(request.find), true);
    default:
      return text === '' ? null : null;
  }
}

/** `f`, `F`, `t`, `T`: a character of this line. @param again true if it is repeated, so that `t` goes on */
export function found(places: Positions, at: number, times: number, find: Find, again = false): Motion | null {
  const forward = find.key === 'f' || find.key === 't';
  const till = find.key === 't' || find.key === 'T';
  const [start, end] = [places.lineStart(at), places.lineEnd(at)];
  const step = (place: number): number | null => {
    if (forward) return places.next(place) >= end ? null : places.next(place);
    return place <= start ? null : places.previous(place);
  };
  let place: number | null = at;
  // Right before the character already: the next one is meant.
  if (again && till) {
    const beside: number | null = step(at);
    if (beside !== null && isAt(places, beside, find.character)) place = beside;
  }
  for (let left = times; left > 0; left--) {
    do place = place === null ? null : step(place);
    while (place !== null && !isAt(places, place, find.character));
    if (place === null) return null;
  }
  const to = till ? (forward ? places.previous(place as number) : places.next(place as number)) : (place as number);
  return { to, reach: forward ? 'inclusive' : 'exclusive' };
}

function isAt({ text, next }: Positions, place: number, character: string): boolean {
  return text.slice(place, next(place)) === character;
}

function turned({ key, character }: Find): Find {
  return { key: ({ f: 'F', F: 'f', t: 'T', T: 't' } as const)[key], character };
}

function repeat(times: number, at: number, step: (place: number) => number): number {
  let place = at;
  for (let left = times; left > 0; left--) {
    const to = step(place);
    if (to === place) break;
    place = to;
  }
  return place;
}

function byLines(places: Positions, at: number, by: number, column: number): Motion | null {
  const line = places.lineOf(at) + by;
  const start = places.startOfLine(line);
  return start === null || line < 0 ? null : { to: places.atColumn(start, column), reach: 'lines' };
}

function toNonBlank(places: Positions, at: number, by: number): Motion | null {
  const start = places.startOfLine(places.lineOf(at) + by);
  return start === null ? null : { to: places.firstNonBlank(start), reach: 'lines' };
}

/** An empty line is a word to `w`, `b` and `e`. */
function isEmptyLine({ text }: Positions, at: number): boolean {
  return (at === 0 || text[at - 1] === '\n') && (at === text.length || text[at] === '\n');
}

function nextWord(places: Positions, at: number, big: boolean): number {
  const { text, next, classAt } = places;
  const kind = classAt(at, big);
  let place = at;
  if (kind !== 'blank') while (place < text.length && classAt(place, big) === kind) place = next(place);
  else place = next(place);
  while (place < text.length && classAt(place, big) === 'blank' && !isEmptyLine(places, place)) place = next(place);
  return place;
}

function wordBefore(places: Positions, at: number, big: boolean): number {
  const { previous, classAt } = places;
  let place = previous(at);
  while (place > 0 && classAt(place, big) === 'blank' && !isEmptyLine(places, place)) place = previous(place);
  const kind = classAt(place, big);
  if (kind === 'blank') return place;
  while (place > 0 && classAt(previous(place), big) === kind) place = previous(place);
  return place;
}

function wordEnd(places: Positions, at: number, big: boolean): number {
  const { text, next, classAt } = places;
  let place = next(at);
  while (place < text.length && classAt(place, big) === 'blank') place = next(place);
  if (place >= text.length) return Math.max(0, places.previous(text.length));
  const kind = classAt(place, big);
  while (next(place) < text.length && classAt(next(place), big) === kind) place = next(place);
  return place;
}

function endBefore(places: Positions, at: number, big: boolean): number {
  const { previous, classAt } = places;
  let place = at;
  const kind = classAt(place, big);
  if (kind !== 'blank') while (place > 0 && classAt(place, big) === kind) place = previous(place);
  else place = previous(place);
  while (place > 0 && classAt(place, big) === 'blank' && !isEmptyLine(places, place)) place = previous(place);
  return place;
}

function paragraph(places: Positions, at: number, by: 1 | -1): number {
  const isEmpty = (line: number): boolean => {
    const start = places.startOfLine(line) ?? 0;
    return places.lineEnd(start) === start;
  };
  let line = places.lineOf(at);
  while (isEmpty(line) && line + by >= 0 && line + by < places.lineCount) line += by;
  while (!isEmpty(line) && line + by >= 0 && line + by < places.lineCount) line += by;
  if (isEmpty(line)) return places.startOfLine(line) ?? at;
  return by === 1 ? places.text.length : 0;
}

const BRACKETS = ['()', '[]', '{}', '<>'] as const;

/** From the bracket at or behind the caret in its line to its other half. */
function matching(places: Positions, at: number): Motion | null {
  const { text } = places;
  for (let place = at; place < places.lineEnd(at); place = places.next(place)) {
    const pair = BRACKETS.find(
      (each) => each !== '<>' && each.includes(text[place] ?? '') && text[place] !== undefined,
    );
    if (pair === undefined) continue;
    const to = otherHalf(text, place, pair);
    return to === null ? null : { to, reach: 'inclusive' };
  }
  return null;
}

function otherHalf(text: string, at: number, pair: string): number | null {
  const by = text[at] === pair[0] ? 1 : -1;
  let depth = 0;
  for (let place = at; place >= 0 && place < text.length; place += by) {
    if (text[place] === pair[0]) depth += by;
    else if (text[place] === pair[1]) depth -= by;
    else continue;
    if (depth === 0) return place;
  }
  return null;
}

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
  if (key === 'p') return paragraphObject(places, at, around, count);
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

function paragraphObject(places: Positions, at: number, around: boolean, count: number): Range {
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
