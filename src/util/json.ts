// JSON values: what is an object, which are the same, copies, and how deep one is nested. What models, servers and hosts give
// may be nested deeper than the stack allows, or hold itself; a walk over such a value may recurse once that was asked.

/** True for an object with fields: no array, not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value itself if it is an object with fields, else one without. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** The object that the text is; null for any other value, and for what is no JSON. */
export function parseRecord(text: string): Record<string, unknown> | null {
  const value = parseOrUndefined(text);
  return isRecord(value) ? value : null;
}

/** The value of the text; undefined for what is no JSON. */
export function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for a list of texts. */
export function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** True for equal JSON values, whatever the order of their keys. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  const keys = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSameJson(Reflect.get(a, key), Reflect.get(b, key)));
}

/**
 * A copy of a JSON value of its own; texts are shared.
 * Contract: for values that `isNestedDeeper` calls false; throws what a getter of the value throws.
 */
export function copyJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => copyJson(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copyJson(part as unknown)])) as T;
}

/** Levels that a value from outside may have: parsers of model APIs stop at 128, and the value itself stands in others. */
export const MAX_NESTING = 100;

/** Objects that a copy has at most: what refers to its own parts again and again has no end. */
const MAX_COPIED = 10_000;

/** True if objects and arrays stand in each other more than `levels` deep, or hold themselves. Contract: the stack suffices. */
export function isNestedDeeper(value: unknown, levels = MAX_NESTING): boolean {
  if (!isNest(value)) return false;
  if (levels <= 0) return true;
  // Every line of a transcript goes through here: what is no object costs no call.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === 'object' && item !== null && isNestedDeeper(item, levels - 1)) return true;
    }
    return false;
  }
  for (const key in value) {
    const part = (value as Record<string, unknown>)[key];
    if (typeof part === 'object' && part !== null && isNestedDeeper(part, levels - 1)) return true;
  }
  return false;
}

/**
 * A copy with at most `levels` levels: a line stands for what is deeper, and for what holds itself.
 * Contract: gives back a value that `isNestedDeeper` calls false; the very same if nothing is left out.
 */
export function withoutDeeper(value: unknown, levels = MAX_NESTING): unknown {
  if (!isNestedDeeper(value, levels)) return value;
  const around = new Set<object>();
  let copied = 0;
  const copy = (item: unknown, left: number): unknown => {
    if (!isNest(item)) return item;
    if (around.has(item)) return '[left out: it holds itself]';
    if (left <= 0 || copied >= MAX_COPIED) return '[left out: nested too deep]';
    copied += 1;
    around.add(item);
    const made = Array.isArray(item)
      ? item.map((part) => copy(part, left - 1))
      : Object.fromEntries(Object.entries(item).map(([key, part]) => [key, copy(part, left - 1)]));
    around.delete(item);
    return made;
  };
  return copy(value, levels);
}

/** Bytes have no levels. */
function isNest(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

/** True for a number that can be how many. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** The fields that have a value. */
export function given<T extends object>(fields: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** True for what is no list and no object. */
export function isPlainValue(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
