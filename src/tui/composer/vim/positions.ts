// Places in a text, counted in UTF-16 units from its start. One rule: a place is never inside a cluster, nor inside a mark
// that stands for something else, such as a long paste.
import { clustersIn } from '../../../view/width.js';

/** What is handled as one character: marks of pastes and images. */
const MARK = /\[(?:paste|image) #\d+[^\]\n]{0,80}\]/gi;

export type WordClass = 'blank' | 'word' | 'other' | 'mark';

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
