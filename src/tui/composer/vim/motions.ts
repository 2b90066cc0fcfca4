// Where a motion of vim leads, and what an operator takes with it. Pure.
import type { Positions } from './positions.js';

/** What an operator takes from here to there: without the character there, with it, or all lines between. */
export type Reach = 'exclusive' | 'inclusive' | 'lines';

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

export interface MotionRequest {
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

export const BRACKETS = ['()', '[]', '{}', '<>'] as const;

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

export function otherHalf(text: string, at: number, pair: string): number | null {
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
