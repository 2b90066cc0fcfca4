// Parses request bodies one after the other. A conversation is sent again with each request, so a body is read from the
// place where it differs from an earlier one. One rule: what comes out is what `JSON.parse` would give.

/** A whole part of a body: a field, or an item of the list that a field holds. Places are bytes. */
interface Part {
  readonly field: string;
  readonly kind: 'field' | 'list' | 'item' | 'list-end';
  readonly end: number;
  /** Of a list: the list. */
  readonly value: unknown;
}

interface ReadBody {
  readonly bytes: Buffer;
  readonly parts: readonly Part[];
}

/** So many bodies are looked back: agents that work side by side take turns. */
const RECENT = 4;
/** Bytes that are compared at a time, coarse to fine: one by one they take a hundred times as long. */
const STEPS = [64 * 1024, 4 * 1024, 256];

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_RECORD = 0x7b;
const CLOSE_RECORD = 0x7d;

/**
 * Gives a function that parses a body; undefined if it is not JSON.
 * Contract: a field, or an item of a list in a field, whose text was there before is the same object again.
 */
export function createBodyParser(): (raw: Uint8Array) => unknown {
  const recent: ReadBody[] = [];
  const known = new Map<string, unknown>();
  const parse = (text: string): unknown => {
    if (!known.has(text)) known.set(text, JSON.parse(text));
    return known.get(text);
  };

  return (raw) => {
    const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
    try {
      const parts = readParts(bytes, knownParts(bytes, recent), parse);
      if (parts === null) return JSON.parse(bytes.toString('utf8'));
      recent.unshift({ bytes, parts });
      if (recent.length > RECENT) recent.pop();
      return assemble(parts);
    } catch {
      return undefined; // a part is no JSON, so the whole is none
    }
  };
}

/** The parts that stand in what `bytes` has in common with the most alike of `recent`. */
function knownParts(bytes: Buffer, recent: readonly ReadBody[]): Part[] {
  let most: readonly Part[] = [];
  let common = 0;
  for (const before of recent) {
    const length = commonLength(bytes, before.bytes);
    if (length > common) [most, common] = [before.parts, length];
  }
  // Behind its last byte something must follow that ends it: a number could go on.
  let count = most.length;
  while (count > 0 && (most[count - 1]?.end ?? 0) >= common) count--;
  return most.slice(0, count);
}

function commonLength(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  for (const step of STEPS) while (at + step <= most && a.compare(b, at, at + step, at, at + step) === 0) at += step;
  while (at < most && a[at] === b[at]) at++;
  return at;
}

/** All parts of a body that is a record; null if it is none. Throws if it is not JSON. */
function readParts(bytes: Buffer, known: Part[], parse: (text: string) => unknown): Part[] | null {
  const parts = known;
  const last = parts.at(-1);
  let at = last?.end ?? 0;
  if (last === undefined) {
    at = afterBlanks(bytes, 0);
    if (bytes[at] !== OPEN_RECORD) return null;
    at++;
  }
  let list = last?.kind === 'list' || last?.kind === 'item' ? last.field : null;
  let mayEnd = last === undefined || last.kind === 'list';
  for (;;) {
    at = afterBlanks(bytes, at);
    const isFirst = mayEnd;
    mayEnd = false;
    if (bytes[at] === (list === null ? CLOSE_RECORD : CLOSE_LIST)) {
      at++;
      if (list === null) return ended(bytes, at) ? parts : fail();
      parts.push({ field: list, kind: 'list-end', end: at, value: undefined });
      list = null;
      continue;
    }
    if (!isFirst) {
      if (bytes[at] !== COMMA) fail();
      at = afterBlanks(bytes, at + 1);
    }
    if (list !== null) {
      const end = endOfValue(bytes, at);
      parts.push({ field: list, kind: 'item', end, value: parse(bytes.toString('utf8', at, end)) });
      at = end;
      continue;
    }
    const keyEnd = endOfValue(bytes, at);
    const field: unknown = JSON.parse(bytes.toString('utf8', at, keyEnd));
    if (typeof field !== 'string') return fail();
    at = afterBlanks(bytes, keyEnd);
    if (bytes[at] !== COLON) fail();
    at = afterBlanks(bytes, at + 1);
    if (bytes[at] === OPEN_LIST) {
      at++;
      parts.push({ field, kind: 'list', end: at, value: undefined });
      list = field;
      mayEnd = true;
      continue;
    }
    const end = endOfValue(bytes, at);
    parts.push({ field, kind: 'field', end, value: parse(bytes.toString('utf8', at, end)) });
    at = end;
  }
}

function fail(): never {
  throw new SyntaxError('The body is not JSON.');
}

function ended(bytes: Buffer, at: number): boolean {
  return afterBlanks(bytes, at) === bytes.length;
}

/** A field that comes twice has its last value, in its first place. */
function assemble(parts: readonly Part[]): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  let list: unknown[] = [];
  for (const { field, kind, value } of parts) {
    if (kind === 'item') list.push(value);
    else if (kind === 'field') fields.set(field, value);
    else if (kind === 'list') {
      list = [];
      fields.set(field, list);
    }
  }
  return Object.fromEntries(fields);
}

function afterBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}

/** Behind the value that begins at `from`. What is in it is judged by who parses it. */
function endOfValue(bytes: Buffer, from: number): number {
  let at = from;
  let depth = 0;
  while (at < bytes.length) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === OPEN_RECORD || byte === OPEN_LIST) {
      depth++;
      at++;
    } else if (byte === CLOSE_RECORD || byte === CLOSE_LIST) {
      if (depth === 0) return at;
      depth--;
      at++;
    } else if (depth === 0 && (byte === COMMA || byte === COLON || byte <= 0x20)) return at;
    else at++;
    if (depth === 0 && (byte === QUOTE || byte === CLOSE_RECORD || byte === CLOSE_LIST)) return at;
  }
  return at;
}

function endOfString(bytes: Buffer, from: number): number {
  let end = bytes.indexOf(QUOTE, from + 1);
  while (end !== -1 && isEscaped(bytes, end)) end = bytes.indexOf(QUOTE, end + 1);
  return end === -1 ? bytes.length : end + 1;
}

/** True behind an odd number of backslashes. */
function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at - 1;
  while (bytes[before] === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}
