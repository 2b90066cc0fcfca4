// Reads JSON as models write it: single quotes, trailing commas, bare keys, Python's literals, raw line ends in strings.
// Rule: what is not whole, or could be meant in two ways, is no value.
import { isRecord } from '../../util/json.js';

export interface LooseValue {
  readonly value: unknown;
  /** The place at which the text goes on behind it. */
  readonly end: number;
}

export interface LooseOptions {
  /**
   * Something else says that the value ends with the text: the outermost brace may be missing there, if what
   * stood before it was closed.
   */
  readonly isClosed?: boolean;
}

/** Deeper values are none, so that no text overflows the stack. */
const MAX_DEPTH = 200;
const SPACE = /\s*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const WORD = /[A-Za-z_$][\w$-]*/y;
const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
]);
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Thrown and caught here only: a text that is no value. */
class NotJson extends Error {}

/** The value that begins at `at`, behind white space; null if there is none that is whole and means one thing. */
export function readLooseJson(source: string, at = 0, { isClosed = false }: LooseOptions = {}): LooseValue | null {
  try {
    return readValue({ source, isClosed }, skipSpace(source, at), 0);
  } catch (error) {
    if (error instanceof NotJson) return null;
    throw error;
  }
}

/** The value that the whole text is; undefined if it is none. */
export function parseLooseJson(source: string): unknown {
  const read = readLooseJson(source);
  return read !== null && skipSpace(source, read.end) === source.length ? read.value : undefined;
}

export function skipSpace(source: string, at: number): number {
  SPACE.lastIndex = at;
  return at + (SPACE.exec(source)?.[0].length ?? 0);
}

/** Sets a field as JSON does, whatever its name. */
export function setField(record: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

interface Reading {
  readonly source: string;
  readonly isClosed: boolean;
}

function readValue(reading: Reading, at: number, depth: number): LooseValue {
  if (depth > MAX_DEPTH) throw new NotJson();
  const { source } = reading;
  const first = source[at];
  if (first === '{') return readObject(reading, at + 1, depth);
  if (first === '[') return readArray(reading, at + 1, depth);
  if (first === '"' || first === "'") return readString(source, at);
  const number = match(NUMBER, source, at);
  if (number !== null) return { value: Number(number), end: at + number.length };
  const word = match(WORD, source, at);
  const literal = word === null ? undefined : LITERALS.get(word);
  if (word === null || literal === undefined) throw new NotJson();
  return { value: literal, end: at + word.length };
}

function readObject(reading: Reading, start: number, depth: number): LooseValue {
  const { source } = reading;
  const value: Record<string, unknown> = {};
  let at = skipSpace(source, start);
  for (;;) {
    if (source[at] === '}') return { value, end: at + 1 };
    const key = readKey(source, at);
    at = skipSpace(source, key.end);
    if (source[at] !== ':') throw new NotJson();
    const field = readValue(reading, skipSpace(source, at + 1), depth + 1);
    // Said twice, it means neither.
    if (Object.hasOwn(value, key.value) && !isSame(value[key.value], field.value)) throw new NotJson();
    setField(value, key.value, field.value);
    at = skipSpace(source, field.end);
    if (source[at] === ',') {
      at = skipSpace(source, at + 1);
      continue;
    }
    if (source[at] === '}') return { value, end: at + 1 };
    const lacksOnlyThis = reading.isClosed && depth === 0 && at === source.length && isRecord(field.value);
    if (!lacksOnlyThis) throw new NotJson();
    return { value, end: at };
  }
}

function readArray(reading: Reading, start: number, depth: number): LooseValue {
  const { source } = reading;
  const value: unknown[] = [];
  let at = skipSpace(source, start);
  for (;;) {
    if (source[at] === ']') return { value, end: at + 1 };
    const item = readValue(reading, at, depth + 1);
    value.push(item.value);
    at = skipSpace(source, item.end);
    if (source[at] === ',') at = skipSpace(source, at + 1);
    else if (source[at] !== ']') throw new NotJson();
  }
}

function readKey(source: string, at: number): { readonly value: string; readonly end: number } {
  if (source[at] === '"' || source[at] === "'") return readString(source, at);
  const word = match(WORD, source, at);
  if (word === null) throw new NotJson();
  return { value: word, end: at + word.length };
}

function readString(source: string, start: number): { readonly value: string; readonly end: number } {
  const quote = source[start];
  let value = '';
  let copied = start + 1;
  let hasEscapes = false;
  let hasWrongEscapes = false;
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === quote) {
      // `C:\dir\new`: if one backslash is meant as such, it is not known what the others mean.
      if (hasEscapes && hasWrongEscapes) throw new NotJson();
      return { value: value + source.slice(copied, at), end: at + 1 };
    }
    if (source[at] !== '\\') continue;
    const escaped = readEscape(source, at);
    if (escaped === null) hasWrongEscapes = true;
    else {
      hasEscapes ||= !'"\'\\/'.includes(source[at + 1] ?? '');
      value += source.slice(copied, at) + escaped.value;
      copied = escaped.end;
    }
    at = escaped === null ? at : escaped.end - 1;
  }
  throw new NotJson();
}

/** Null if a backslash begins no escape of JSON's: then it is one. */
function readEscape(source: string, at: number): { readonly value: string; readonly end: number } | null {
  const letter = source[at + 1] ?? '';
  if (letter === '') throw new NotJson();
  if (letter === 'u') {
    const digits = source.slice(at + 2, at + 6);
    if (!/^[\da-fA-F]{4}$/.test(digits)) throw new NotJson();
    return { value: String.fromCharCode(Number.parseInt(digits, 16)), end: at + 6 };
  }
  const value = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  return value === undefined ? null : { value, end: at + 2 };
}

function match(pattern: RegExp, source: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? null;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
