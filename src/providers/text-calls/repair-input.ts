// Brings the input of a call into the form its tool's schema asks for, if that is certain. Rule: a repair that has two
// readings is not made, and a value is never made up.
import type { JsonSchema } from '../../protocol/json.js';
import { isRecord } from '../../util/json.js';
import { parseLooseJson, setField } from './loose-json.js';

/** Keys in which models wrap the whole input. */
const WRAPPERS = new Set(['input', 'inputs', 'arguments', 'args', 'parameters', 'params', 'kwargs', 'tool_input']);
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);
/** Deeper values stay as they are. */
const MAX_DEPTH = 32;

/** The input as an object; null if it is none and cannot be read as one. */
export function repairInput(value: unknown, schema: JsonSchema): Record<string, unknown> | null {
  const given = typeof value === 'string' ? parseLooseJson(value) : value;
  if (!isRecord(given)) return null;
  return repairObject(unwrap(given, schema), schema, 0);
}

/** True if the schema names every key of the input, and the input has all that it demands. */
export function fitsByName(input: Record<string, unknown>, schema: JsonSchema): boolean {
  const properties = propertiesOf(schema);
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  return (
    Object.keys(input).every((key) => Object.hasOwn(properties, key)) &&
    required.every((key) => typeof key === 'string' && Object.hasOwn(input, key))
  );
}

export function propertiesOf(schema: JsonSchema): Record<string, unknown> {
  return isRecord(schema['properties']) ? schema['properties'] : {};
}

/** The type a schema asks for, null beside it aside; undefined if it allows several, or does not say. */
export function typeOf(schema: unknown): string | undefined {
  if (!isRecord(schema)) return undefined;
  const types = typesOf(schema).filter((type) => type !== 'null');
  return types.length === 1 ? types[0] : undefined;
}

function typesOf(schema: Record<string, unknown>): string[] {
  const { type, anyOf, oneOf, enum: values } = schema;
  if (typeof type === 'string') return TYPES.has(type) ? [type] : [];
  if (Array.isArray(type)) return type.filter((one): one is string => typeof one === 'string');
  if (Array.isArray(values) && values.every((one) => typeof one === 'string')) return ['string'];
  const branches: unknown = anyOf ?? oneOf;
  if (!Array.isArray(branches)) return [];
  const types = branches.map((branch) => (isRecord(branch) ? typesOf(branch) : []));
  return types.some((some) => some.length === 0) ? [] : [...new Set(types.flat())];
}

/** `{"input": {…}}` if the tool knows no such key. */
function unwrap(value: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  const [key, ...others] = Object.keys(value);
  if (key === undefined || others.length > 0 || !WRAPPERS.has(key)) return value;
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, key) || Object.keys(properties).length === 0) return value;
  const inner = typeof value[key] === 'string' ? parseLooseJson(value[key]) : value[key];
  return isRecord(inner) ? inner : value;
}

function repairObject(value: Record<string, unknown>, schema: JsonSchema, depth: number): Record<string, unknown> {
  const properties = propertiesOf(schema);
  const names = renames(value, properties);
  const repaired: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const name = names.get(key) ?? key;
    const wanted = Object.hasOwn(properties, name) ? properties[name] : undefined;
    setField(repaired, name, isRecord(wanted) ? repairValue(field, wanted, depth + 1) : field);
  }
  return repaired;
}

/** Keys that are a known one but for case, `_` and `-`, if only one can be meant. */
function renames(value: Record<string, unknown>, properties: Record<string, unknown>): ReadonlyMap<string, string> {
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  if (unknown.length === 0) return new Map();
  const free = Object.keys(properties).filter((key) => !Object.hasOwn(value, key));
  const found = new Map<string, string>();
  for (const key of unknown) {
    const meant = free.filter((known) => plain(known) === plain(key));
    const rivals = unknown.filter((other) => plain(other) === plain(key));
    if (meant.length === 1 && rivals.length === 1 && meant[0] !== undefined) found.set(key, meant[0]);
  }
  return found;
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[_-]/g, '');
}

function repairValue(value: unknown, schema: JsonSchema, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  const type = typeOf(schema);
  const read = typeof value === 'string' && type !== undefined && type !== 'string' ? readAs(value, type) : value;
  if (isRecord(read) && type === 'object') return repairObject(read, schema, depth);
  const { items } = schema;
  if (Array.isArray(read) && type === 'array' && isRecord(items)) {
    return read.map((item) => repairValue(item, items, depth + 1));
  }
  return read;
}

/** What a text stands for if the schema wants another type; the text itself if it stands for nothing of it. */
export function readAs(text: string, type: string): unknown {
  const value = parseLooseJson(text);
  const fits =
    (type === 'number' && typeof value === 'number' && Number.isFinite(value)) ||
    (type === 'integer' && Number.isSafeInteger(value)) ||
    (type === 'boolean' && typeof value === 'boolean') ||
    (type === 'array' && Array.isArray(value)) ||
    (type === 'object' && isRecord(value));
  return fits ? value : text;
}
