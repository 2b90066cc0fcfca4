// One line of a transcript as what it says, or what is wrong with it. Whatever stands in the line, nothing is thrown,
// and what comes out is safe to walk and to write again.
import { isNestedDeeper } from '../../util/json.js';
import type { Line } from './line-reader.js';

/** A line as it was written: a plain object of JSON. Contract: at most `MAX_DEPTH` deep. */
export type EntryValue = Readonly<Record<string, unknown>>;

/** What can be wrong with a line, or with its place in the conversation. */
export type DamageKind =
  | 'not_json'
  | 'cut_off'
  | 'too_long'
  | 'too_deep'
  | 'not_utf8'
  | 'no_content'
  | 'other_session'
  | 'unknown_type'
  | 'repeated'
  | 'circle'
  | 'gap';

export interface DamagedLine {
  readonly kind: DamageKind;
  /** The entry it follows, as far as its start can be read; null for the root of a conversation. */
  readonly parent: string | null | undefined;
}

export type ParsedLine =
  | { readonly value: EntryValue /** Some of its characters are lost. */; readonly isLossy: boolean }
  | { readonly value: null; readonly damage: DamagedLine };

/** Deeper than any tool input, and shallow enough for every recursive function that may see the value. */
const MAX_DEPTH = 200;

const LENIENT = new TextDecoder('utf-8');
const HEAD_LENGTH = 512;
const PARENT = /^\s*\{"parentUuid":\s*(?:null|"([^"\\]{1,100})")\s*,(?:\s*"logicalParentUuid":\s*"([^"\\]{1,100})")?/;

/** @param isTorn the file ends with it, and without a line break */
export function parseLine({ text: decoded, bytes, isTooLong }: LineContent, isTorn: boolean): ParsedLine {
  if (isTooLong) return damaged('too_long', LENIENT.decode(bytes.subarray(0, HEAD_LENGTH)));
  const read = decoded ?? LENIENT.decode(bytes);
  const isWhole = isFramed(read);
  const text = isWhole ? read : withoutNul(read).trimEnd();
  const broken = isTorn ? 'cut_off' : 'not_json';
  // Told without the price of an exception.
  if (!isWhole && !isFramed(text)) return damaged(broken, text);
  let value: EntryValue;
  try {
    value = JSON.parse(text) as EntryValue;
  } catch {
    return damaged(broken, text); // the caller counts it
  }
  if (!hasFewBrackets(text) && isNestedDeeper(value, MAX_DEPTH)) return damaged('too_deep', text);
  return { value, isLossy: decoded === null };
}

/** Fewer than levels that are allowed: most lines are told by a look at their text, at half the price of a walk. */
const FEW_BRACKETS = 40;

function hasFewBrackets(text: string): boolean {
  let found = 0;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) if (++found > FEW_BRACKETS) return false;
  for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) if (++found > FEW_BRACKETS) return false;
  return true;
}

/** As every line is that was written whole. */
function isFramed(text: string): boolean {
  return text.charCodeAt(0) === 0x7b && text.charCodeAt(text.length - 1) === 0x7d;
}

type LineContent = Pick<Line, 'text' | 'bytes' | 'isTooLong'>;

/** For what is not read line by line; null if it is no object of JSON. */
export function parseBytes(bytes: Uint8Array): EntryValue | null {
  return parseLine({ text: null, bytes, isTooLong: false }, false).value;
}

function damaged(kind: DamageKind, text: string): ParsedLine {
  const found = PARENT.exec(text.slice(0, HEAD_LENGTH));
  // A root that continues another conversation counts as following its last entry.
  return { value: null, damage: { kind, parent: found === null ? undefined : (found[1] ?? found[2] ?? null) } };
}

/** If the storage lost a block, a file has NUL bytes in its place; around a whole line they do no harm. */
function withoutNul(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text.charCodeAt(from) === 0) from += 1;
  while (to > from && text.charCodeAt(to - 1) === 0) to -= 1;
  return text.slice(from, to);
}

/** Contract: ends for any value, also for one that holds itself. */
export function isShallow(value: unknown): boolean {
  return !isNestedDeeper(value, MAX_DEPTH);
}
