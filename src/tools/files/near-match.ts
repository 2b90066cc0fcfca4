// The place that old_string means if it is nowhere to the letter: the one place that differs from it in quotes,
// indentation or the ends of lines only. One rule: what could be two places is none, and what the file has stays unless
// new_string changes it.
import { diffArrays } from 'diff';

/** A place, and what to put there. */
export interface NearMatch {
  readonly kind: 'one';
  readonly offset: number;
  /** The text of the file there. */
  readonly before: string;
  /** `new_string` with the quotes and the indentation of the file. */
  readonly after: string;
  /** What differs, for the model: "the indentation". */
  readonly difference: string;
}

export type NearSearch = NearMatch | { readonly kind: 'several'; readonly offsets: readonly number[] } | null;

/** Characters of a file that are searched; above it only what is there to the letter counts. */
const MAX_SEARCHED = 4_000_000;
/** Lines by which the indentation of a file is told. */
const MAX_LINES = 20_000;
const SINGLE_QUOTES = /[\u2018\u2019\u201a\u201b\u2032\u02bc]/g;
const DOUBLE_QUOTES = /[\u201c\u201d\u201e\u201f\u2033]/g;
/** Lines or words that differ, up to which two texts are compared. */
const MAX_CHANGES = 2_000;
/** Lines compared in all, when a place is looked for. */
const MAX_COMPARED = 20_000_000;
/** How much of two lines must be the same for one to be the other, changed. */
const SIMILAR = 0.5;

/** Contract: `text` has "\n" line breaks and does not hold `before`; null if no such place is known. */
export function findNearMatch(text: string, before: string, after: string): NearSearch {
  if (text.length > MAX_SEARCHED || !/[\p{L}\p{N}]/u.test(before)) return null;
  const isQuoted = QUOTES.test(before) || QUOTES.test(text);
  return (isQuoted ? findByQuotes(text, before, after) : null) ?? findByLines(text, before, after);
}

const QUOTES = /[\u2018-\u201f\u2032\u2033\u02bc]/;

/** Character for character, so that offsets stay. */
function straight(text: string): string {
  return text.replace(SINGLE_QUOTES, "'").replace(DOUBLE_QUOTES, '"');
}

function findByQuotes(text: string, before: string, after: string): NearSearch {
  const plain = straight(text);
  const wanted = straight(before);
  const offset = plain.indexOf(wanted);
  if (offset === -1) return null;
  const next = plain.indexOf(wanted, offset + 1);
  if (next !== -1) return { kind: 'several', offsets: [offset, next] };
  const found = text.slice(offset, offset + before.length);
  const adapted = adapt(found.split('\n'), before.split('\n'), after.split('\n'), (indent) => indent);
  return { kind: 'one', offset, before: found, after: adapted, difference: 'the kind of quotes' };
}

/** Whole lines that are the same but for white space at their ends. */
function findByLines(text: string, before: string, after: string): NearSearch {
  const wanted = before.split('\n');
  // A break at an end is one of the file, and says nothing about the line behind it.
  const from = wanted[0] === '' ? 1 : 0;
  const to = wanted.length > 1 && wanted.at(-1) === '' ? wanted.length - 1 : wanted.length;
  const core = wanted.slice(from, to).map(formOf);
  const lines = text.split('\n');
  const starts = startsOf(lines);
  const places = placesOf(lines.map(formOf), core, from === 1 ? 1 : 0);
  const [first, second] = places ?? [];
  if (first === undefined) return null;
  if (second !== undefined) return { kind: 'several', offsets: [first, second].map((line) => starts[line] ?? 0) };
  const last = first + core.length;
  if (to < wanted.length && last >= lines.length) return null;
  const start = (starts[first] ?? 0) - from;
  const end = to < wanted.length ? (starts[last] ?? text.length) : (starts[last] ?? text.length + 1) - 1;
  const unit = unitOf(lines);
  const whole = text.slice(start, end);
  // A first line may begin behind its indentation, as a text does that was trimmed.
  const trimmed = from === 0 && indentOf(wanted[0] ?? '') === '' ? indentOf(whole).length : 0;
  for (const skipped of trimmed === 0 ? [0] : [0, trimmed]) {
    const found = text.slice(start + skipped, end);
    const texts = [found.split('\n'), wanted, after.split('\n')] as const;
    const reindent = indentation(...texts, unit, skipped > 0);
    if (reindent === null) continue;
    const adapted = adapt(...texts, reindent);
    return {
      kind: 'one',
      offset: start + skipped,
      before: found,
      after: adapted,
      difference: differenceOf(texts[0], wanted),
    };
  }
  return null;
}

function formOf(line: string): string {
  return straight(line.trim());
}

function startsOf(lines: readonly string[]): number[] {
  let start = 0;
  return lines.map((line) => {
    const own = start;
    start += line.length + 1;
    return own;
  });
}

/** Lines at which the wanted ones begin, at most two: a third says nothing more. Null: there is too much to look at. */
function placesOf(forms: readonly string[], wanted: readonly string[], least: number): number[] | null {
  const found: number[] = [];
  let compared = 0;
  for (let at = least; at + wanted.length <= forms.length && found.length < 2; at++) {
    let same = 0;
    while (same < wanted.length && forms[at + same] === wanted[same]) same += 1;
    if (same === wanted.length) found.push(at);
    compared += same;
    if (compared > MAX_COMPARED) return null;
  }
  return found;
}

function differenceOf(found: readonly string[], wanted: readonly string[]): string {
  const differs = (part: (line: string) => string) =>
    found.some((line, index) => part(line) !== part(wanted[index] ?? '') && line.trim() !== '');
  const parts = [
    ...(differs(indentOf) ? ['the indentation'] : []),
    ...(differs((line) => line.trim()) ? ['the kind of quotes'] : []),
  ];
  return parts.length === 0 ? 'white space at the end of lines' : parts.join(' and ');
}

type Reindent = (indent: string) => string | null;

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/**
 * What the indentation of a line of `new_string` is in the file. It follows from the lines of `old_string`; null if
 * they do not agree, or say nothing about one that is needed.
 */
function indentation(
  found: readonly string[],
  wanted: readonly string[],
  after: readonly string[],
  unit: string,
  skipsFirst: boolean,
): Reindent | null {
  const pairs: (readonly [wanted: string, found: string])[] = [];
  for (const [index, line] of wanted.entries())
    if (line.trim() !== '' && !(skipsFirst && index === 0)) pairs.push([indentOf(line), indentOf(found[index] ?? '')]);
  const given = [...wanted, ...after];
  const needed = after.filter((line) => line.trim() !== '').map(indentOf);
  const known = new Map(pairs);
  if (pairs.some(([from, to]) => known.get(from) !== to)) return null;
  const rules = [same, byUnit(given, unit, pairs, 0), byShift(pairs), byUnit(given, unit, pairs, null)];
  const fitting = rules.filter((rule) => rule !== null && pairs.every(([from, to]) => rule(from) === to));
  return (
    [...fitting, noRule]
      .map(
        (rule): Reindent =>
          (indent) =>
            known.get(indent) ?? rule?.(indent) ?? null,
      )
      .find((rule) => needed.every((indent) => rule(indent) !== null)) ?? null
  );
}

function same(indent: string): string {
  return indent;
}

function noRule(): null {
  return null;
}

/** The same text in front of every line, or taken away from every line. */
function byShift(pairs: readonly (readonly [string, string])[]): Reindent | null {
  const [first] = pairs;
  if (first === undefined) return null;
  const [from, to] = first;
  if (to.endsWith(from)) {
    const added = to.slice(0, to.length - from.length);
    return (indent) => added + indent;
  }
  if (!from.endsWith(to)) return null;
  const taken = from.slice(0, from.length - to.length);
  return (indent) => (indent.startsWith(taken) ? indent.slice(taken.length) : null);
}

/** Level for level, in the unit of the file. @param moved levels further in; null: as the first line says */
function byUnit(
  given: readonly string[],
  unit: string,
  pairs: readonly (readonly [string, string])[],
  moved: number | null,
): Reindent | null {
  const own = unitOf(given);
  const [first] = pairs;
  if (first === undefined) return null;
  const by = moved ?? levelsOf(first[1], unit).levels - levelsOf(first[0], own).levels;
  return (indent) => {
    const { levels, rest } = levelsOf(indent, own);
    return levels + by < 0 ? null : unit.repeat(levels + by) + rest;
  };
}

/** How many units it begins with, and what is behind them: a comment may be one space further in. */
function levelsOf(indent: string, unit: string): { readonly levels: number; readonly rest: string } {
  let levels = 0;
  while (indent.startsWith(unit, levels * unit.length)) levels += 1;
  return { levels, rest: indent.slice(levels * unit.length) };
}

/** What one level is indented by: a tab, or as many spaces as divide what most lines have. */
function unitOf(lines: readonly string[]): string {
  let tabs = 0;
  const widths = new Map<number, number>();
  for (const line of lines.slice(0, MAX_LINES)) {
    const indent = indentOf(line);
    if (indent === '') continue;
    if (indent.startsWith('\t')) tabs += 1;
    else {
      // The lines of a block comment stand one further in than it begins.
      const width = line.startsWith('*', indent.length) ? indent.length - 1 : indent.length;
      widths.set(width, (widths.get(width) ?? 0) + 1);
    }
  }
  const spaces = [...widths.values()].reduce((sum, count) => sum + count, 0);
  if (tabs > spaces) return '\t';
  const fits = (unit: number) =>
    [...widths].reduce((sum, [width, count]) => sum + (width % unit === 0 ? count : 0), 0) >= spaces * 0.9;
  return ' '.repeat([8, 4, 3, 2].find((unit) => spaces > 0 && fits(unit)) ?? 1);
}

interface LineParts {
  readonly indent: string;
  readonly body: string;
  readonly end: string;
}

function partsOf(line: string): LineParts {
  const indent = indentOf(line);
  const body = line.slice(indent.length).trimEnd();
  return { indent, body, end: line.slice(indent.length + body.length) };
}

/** The lines of `after` for the file. What `before` has too is taken from `found`, which it stands for. */
function adapt(
  found: readonly string[],
  before: readonly string[],
  after: readonly string[],
  reindent: Reindent,
): string {
  const result: string[] = [];
  // If the file has plain quotes, typographic ones in their place mean plain ones.
  const isPlain = QUOTES.test(before.join('')) && !QUOTES.test(found.join(''));
  let at = 0;
  let removed: number[] = [];
  for (const change of compare(before, after)) {
    if (change.removed) {
      removed = change.value.map((_, index) => at + index);
      at += change.value.length;
    } else if (change.added) {
      for (const [index, line] of change.value.entries())
        result.push(
          adaptLine(
            isPlain ? straight(line) : line,
            before[removed[index] ?? -1],
            found[removed[index] ?? -1],
            reindent,
          ),
        );
      removed = [];
    } else {
      result.push(...change.value.map((_, index) => found[at + index] ?? ''));
      at += change.value.length;
      removed = [];
    }
  }
  return result.join('\n');
}

/** The changes from one list to the other, in order; if that would take too long, all of it is changed. */
function compare(before: readonly string[], after: readonly string[]) {
  const [old, now] = [[...before], [...after]];
  const changed = (value: string[], added: boolean) => ({ value, added, removed: !added, count: value.length });
  return diffArrays(old, now, { maxEditLength: MAX_CHANGES }) ?? [changed(old, false), changed(now, true)];
}

/** @param old the line it replaces, if it replaces one; `there` is that line as the file has it */
function adaptLine(line: string, old: string | undefined, there: string | undefined, reindent: Reindent): string {
  if (line.trim() === '') return line;
  const { indent, body, end } = partsOf(line);
  if (old === undefined || there === undefined) return `${reindent(indent) ?? indent}${body}${end}`;
  const [was, is] = [partsOf(old), partsOf(there)];
  const inFile = indent === was.indent ? is.indent : (reindent(indent) ?? indent);
  return `${inFile}${keepQuotes(body, was.body, is.body)}${end === was.end ? is.end : end}`;
}

/** `body`, with the quotes that the file has wherever `was` has the same. */
function keepQuotes(body: string, was: string, is: string): string {
  if (was === is) return body;
  const [old, now] = [tokens(was), tokens(body)];
  const changes = compare(old, now);
  const words = (list: readonly string[]) => list.filter((token) => /[\p{L}\p{N}]/u.test(token)).length;
  const shared = changes.reduce((sum, { added, removed, value }) => sum + (added || removed ? 0 : words(value)), 0);
  if (shared < SIMILAR * Math.max(words(old), words(now))) return body;
  let at = 0;
  return changes
    .map(({ added, removed, value }) => {
      const text = value.join('');
      if (added) return text;
      const from = at;
      at += text.length;
      return removed ? '' : is.slice(from, at);
    })
    .join('');
}

function tokens(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|./gu) ?? [];
}
