// Holds a value against the description of the settings. One rule: what is wrong is left out and told, what is right
// stays.
import { nearestWord } from '../../util/text.js';
import type { SettingSchema } from './setting-schema.js';

export interface ValueProblem {
  readonly key: string;
  readonly message: string;
  readonly expected?: string;
  readonly nearest?: string;
}

export interface Validated {
  /** Undefined if nothing of it can be used. */
  readonly value: unknown;
  readonly problems: readonly ValueProblem[];
}

/** Said of a key that there is not. */
export const UNKNOWN = 'is not known';

/** Longest piece of a wrong value that is repeated, characters. */
const SHOWN = 60;

/** @param key the key of the value, '' for the whole */
export function validate(value: unknown, schema: SettingSchema, key: string): Validated {
  if (schema.anyOf !== undefined) return validateAny(value, schema, schema.anyOf, key);
  if (schema.enum !== undefined) {
    return typeof value === 'string' && schema.enum.includes(value) ? right(value) : wrong(value, schema, key);
  }
  if (schema.type === 'object') return validateObject(value, schema, key);
  if (schema.type === 'array') return validateList(value, schema, key);
  if (schema.type === undefined) return right(value);
  return isPlain(value, schema) ? right(value) : wrong(value, schema, key);
}

function right(value: unknown): Validated {
  return { value, problems: [] };
}

function wrong(value: unknown, schema: SettingSchema, key: string): Validated {
  const expected = describe(schema);
  const unclear = schema['x-unclear'];
  const counts = unclear === undefined ? '' : '; it counts as the strictest';
  const message = `is ${shown(value)}; expected ${expected}${counts}`;
  return { value: unclear, problems: [{ key, message, expected }] };
}

function isPlain(value: unknown, { type, ...limits }: SettingSchema): boolean {
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'string') {
    if (typeof value !== 'string' || value.includes('\0')) return false;
    const length = limits.minLength === 1 ? value.trim().length : value.length;
    return length >= (limits.minLength ?? 0) && value.length <= (limits.maxLength ?? Number.POSITIVE_INFINITY);
  }
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (type === 'integer' && !Number.isSafeInteger(value)) return false;
  return value >= (limits.minimum ?? value) && value > (limits.exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
}

function validateObject(value: unknown, schema: SettingSchema, key: string): Validated {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(value, schema, key);
  const out: Record<string, unknown> = {};
  const problems: ValueProblem[] = [];
  for (const [name, each] of Object.entries(value)) {
    const known = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
    const own = known ? schema.properties?.[name] : mayBeKey(name, schema) ? schema.additionalProperties : undefined;
    const at = key === '' ? name : `${key}.${name}`;
    const meant = own === undefined ? misspelt(name, value, schema) : name;
    if (own === undefined) problems.push(unknownKey(at, name, key, schema));
    const kind = own ?? (meant === null ? undefined : schema.properties?.[meant]);
    if (each === undefined || meant === null || kind === undefined) continue;
    const { value: kept, problems: found } = validate(each, kind, at);
    problems.push(...found);
    if (kept !== undefined) out[meant] = kept;
  }
  const lacking = schema.required?.filter((name) => !Object.hasOwn(out, name)) ?? [];
  if (lacking.length === 0) return { value: out, problems };
  const lost = { key, message: `lacks ${lacking.join(' and ')}`, expected: describe(schema) };
  return { value: undefined, problems: [...problems, lost] };
}

/** The key that a name was meant to be, if its value must not be lost. */
function misspelt(name: string, value: object, { properties = {} }: SettingSchema): string | null {
  const near = nearestWord(name.slice(0, SHOWN), Object.keys(properties));
  if (near === undefined || properties[near]?.['x-unclear'] === undefined) return null;
  return Object.hasOwn(value, near) ? null : near;
}

function mayBeKey(name: string, { propertyNames }: SettingSchema): boolean {
  // `__proto__` would not become a key of an object.
  return name !== '__proto__' && (propertyNames === undefined || propertyNames.enum.includes(name));
}

function unknownKey(at: string, name: string, key: string, schema: SettingSchema): ValueProblem {
  const names = [...Object.keys(schema.properties ?? {}), ...(schema.propertyNames?.enum ?? [])];
  const near = nearestWord(name.slice(0, SHOWN), names);
  const expected = `one of ${names.join(', ')}`;
  const nearest = near === undefined ? undefined : key === '' ? near : `${key}.${near}`;
  return { key: at.slice(0, 200), message: UNKNOWN, expected, ...(nearest === undefined ? {} : { nearest }) };
}

/** One text in place of a list of texts means a list of one: a rule must not be lost by its brackets. */
function validateList(value: unknown, schema: SettingSchema, key: string): Validated {
  const { items = {} } = schema;
  if (typeof value === 'string' && items.type === 'string') {
    const { value: kept } = validate(value, items, key);
    const told = { key, message: 'is a text and was taken as a list of one', expected: describe(schema) };
    return kept === undefined ? wrong(value, schema, key) : { value: [kept], problems: [told] };
  }
  if (!Array.isArray(value)) return wrong(value, schema, key);
  const all = value.map((each, at) => validate(each, items, `${key}[${at}]`));
  const kept = all.map((each) => each.value).filter((each) => each !== undefined);
  return { value: kept, problems: all.flatMap(({ problems }) => problems) };
}

/** The first alternative of the value's own kind is what it was meant to be. */
function validateAny(value: unknown, whole: SettingSchema, choices: readonly SettingSchema[], key: string): Validated {
  const all = choices.map((choice) => validate(value, choice, key));
  const fit = all.find((each) => each.problems.length === 0) ?? all.find((each) => each.value !== undefined);
  if (fit === undefined) return wrong(value, whole, key);
  const unclear = whole['x-unclear'];
  return fit.problems.length > 0 && unclear !== undefined ? { ...fit, value: unclear } : fit;
}

/** What a value should be, in words. */
export function describe(schema: SettingSchema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(describe).join(', or ');
  if (schema.enum !== undefined) return schema.enum.length === 1 ? `"${schema.enum[0]}"` : schema.enum.join(' | ');
  switch (schema.type) {
    case 'boolean':
      return 'true or false';
    case 'string':
      return schema.maxLength === undefined ? 'a text' : `a text of at most ${schema.maxLength} characters`;
    case 'integer':
      return `a whole number of at least ${schema.minimum ?? 0}`;
    case 'number':
      return schema.exclusiveMinimum === undefined
        ? `a number of at least ${schema.minimum ?? 0}`
        : `a number above ${schema.exclusiveMinimum}`;
    case 'array':
      return `a list, each ${describe(schema.items ?? {})}`;
    default: {
      const names = Object.keys(schema.properties ?? {});
      return names.length === 0 ? 'an object' : `an object with ${names.join(', ')}`;
    }
  }
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  // It may be a secret at the wrong place.
  if (typeof value === 'string') return value.includes('\0') ? 'a text with a NUL' : 'a text';
  return String(value).slice(0, SHOWN);
}
