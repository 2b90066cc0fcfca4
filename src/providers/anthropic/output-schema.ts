// Whether the API can hold a reply to a JSON Schema by itself, and in which form it wants it. One rule: every value
// that fits what is sent fits what was asked for, so nothing that narrows a value is left out.
import type { JsonSchema } from '../../protocol/json.js';
import { isRecord } from '../../util/json.js';

/** Models of version 4.5 and later, by name. The catalogue says it of some and not of others; a refusal is recovered from. */
const FIRST_VERSION = [4, 5] as const;

/** Larger schemas are refused as too complex. The API counts more than this; what passes here may still be refused. */
const MAX_OPTIONAL = 24;
const MAX_UNIONS = 16;
const MAX_DEPTH = 40;

/** Keywords that say nothing about a value. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['title', 'description', 'default', 'examples', '$comment']);
/** Those that mean what they mean elsewhere, for a value of one type. */
const KEYWORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['object', new Set(['type', 'properties', 'required', 'additionalProperties'])],
  ['array', new Set(['type', 'items', 'minItems'])],
  ['string', new Set(['type', 'enum', 'const', 'format'])],
  ['number', new Set(['type', 'enum', 'const'])],
  ['integer', new Set(['type', 'enum', 'const'])],
  ['boolean', new Set(['type', 'enum', 'const'])],
  ['null', new Set(['type', 'enum', 'const'])],
]);
const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

/** True for the models that take `output_config.format`. */
export function takesOutputSchema(model: string): boolean {
  const match = /^claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?=$|[-@])/.exec(model.toLowerCase());
  if (match === null) return false;
  const [major, minor] = [Number(match[1]), Number(match[2] ?? 0)];
  return major > FIRST_VERSION[0] || (major === FIRST_VERSION[0] && minor >= FIRST_VERSION[1]);
}

interface Counts {
  optional: number;
  unions: number;
}

/**
 * The schema in the form that the API takes, or null if it uses more of JSON Schema than the API knows.
 * An object that lists its properties and is silent about others is closed: what fits then fits the original too.
 */
export function toOutputSchema(schema: JsonSchema): JsonSchema | null {
  const { $schema: _dialect, $defs, definitions, ...root } = schema as Readonly<Record<string, unknown>>;
  const counts: Counts = { optional: 0, unions: 0 };
  const convert = (value: unknown): JsonSchema | null => convertSchema(value, counts, 0);
  if (root.type !== 'object' || hasCycle(schema)) return null;
  const body = convert(root);
  const defs = convertAll($defs, convert);
  const older = convertAll(definitions, convert);
  if (body === null || defs === null || older === null) return null;
  if (counts.optional > MAX_OPTIONAL || counts.unions > MAX_UNIONS) return null;
  return {
    ...body,
    ...($defs === undefined ? {} : { $defs: defs }),
    ...(definitions === undefined ? {} : { definitions: older }),
  };
}

function convertSchema(value: unknown, counts: Counts, depth: number): JsonSchema | null {
  if (!isRecord(value) || depth > MAX_DEPTH) return null;
  const { $ref: ref, anyOf, type } = value;
  if (ref !== undefined) return isLocal(ref) && hasOnly(value, new Set(['$ref'])) ? value : null;
  if (anyOf !== undefined) return hasOnly(value, new Set(['anyOf'])) ? convertUnion(value, counts, depth) : null;
  const known = KEYWORDS.get(String(type));
  if (known === undefined || !hasOnly(value, known)) return null;
  if (type === 'object') return convertObject(value, counts, depth);
  if (type === 'array') return convertArray(value, counts, depth);
  return isPlainChoice(value) ? value : null;
}

function convertObject(value: Readonly<Record<string, unknown>>, counts: Counts, depth: number): JsonSchema | null {
  const { properties, required, additionalProperties } = value;
  // Without properties it is open to everything, which the API cannot say; with others allowed, too.
  if (!isRecord(properties) || Object.keys(properties).length === 0) return null;
  if (additionalProperties !== undefined && additionalProperties !== false) return null;
  const names: readonly unknown[] = required === undefined ? [] : Array.isArray(required) ? required : [null];
  if (names.some((name) => typeof name !== 'string' || !Object.hasOwn(properties, name))) return null;
  counts.optional += Object.keys(properties).filter((name) => !names.includes(name)).length;
  const converted = convertAll(properties, (property) => convertSchema(property, counts, depth + 1));
  return converted === null ? null : { ...value, properties: converted, additionalProperties: false };
}

function convertArray(value: Readonly<Record<string, unknown>>, counts: Counts, depth: number): JsonSchema | null {
  const { items, minItems } = value;
  if (minItems !== undefined && minItems !== 0 && minItems !== 1) return null;
  const converted = convertSchema(items, counts, depth + 1);
  return converted === null ? null : { ...value, items: converted };
}

function convertUnion(value: Readonly<Record<string, unknown>>, counts: Counts, depth: number): JsonSchema | null {
  const { anyOf } = value;
  if (!Array.isArray(anyOf) || anyOf.length === 0) return null;
  counts.unions += 1;
  const converted = anyOf.map((choice) => convertSchema(choice, counts, depth + 1));
  return converted.includes(null) ? null : { ...value, anyOf: converted as JsonSchema[] };
}

/** Choices of single values only, and formats that are known. */
function isPlainChoice(value: Readonly<Record<string, unknown>>): boolean {
  const { enum: choices, const: only, format } = value;
  if (choices !== undefined && !(Array.isArray(choices) && choices.length > 0 && choices.every(isPlain))) return false;
  return (only === undefined || isPlain(only)) && (format === undefined || FORMATS.has(format));
}

function isPlain(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Null if one of them cannot be converted; nothing becomes nothing. */
function convertAll(
  schemas: unknown,
  convert: (schema: unknown) => JsonSchema | null,
): Record<string, JsonSchema> | null {
  if (schemas === undefined) return {};
  if (!isRecord(schemas)) return null;
  const converted = Object.entries(schemas).map(([name, schema]) => [name, convert(schema)] as const);
  return converted.some(([, schema]) => schema === null)
    ? null
    : (Object.fromEntries(converted) as Record<string, JsonSchema>);
}

/** True if a definition holds itself, or a reference leads nowhere: the API unfolds them all. */
function hasCycle(schema: JsonSchema): boolean {
  const { $defs, definitions } = schema as Readonly<Record<string, unknown>>;
  const all = new Map<string, unknown>();
  for (const [at, defs] of [
    ['$defs', $defs],
    ['definitions', definitions],
  ] as const) {
    if (isRecord(defs)) for (const [name, def] of Object.entries(defs)) all.set(`#/${at}/${name}`, def);
  }
  const done = new Set<string>();
  const open = new Set<string>();
  const leads = (ref: string): boolean => {
    if (open.has(ref) || !all.has(ref)) return true;
    if (done.has(ref)) return false;
    open.add(ref);
    const isCyclic = refsIn(all.get(ref)).some(leads);
    open.delete(ref);
    done.add(ref);
    return isCyclic;
  };
  const { $defs: _defs, definitions: _definitions, ...root } = schema as Readonly<Record<string, unknown>>;
  return refsIn(root).some(leads) || [...all.keys()].some(leads);
}

function refsIn(value: unknown): string[] {
  const refs: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const item = open.pop();
    if (Array.isArray(item)) open.push(...item);
    else if (isRecord(item)) {
      if (typeof item.$ref === 'string') refs.push(item.$ref);
      open.push(...Object.values(item));
    }
  }
  return refs;
}

function isLocal(ref: unknown): boolean {
  return typeof ref === 'string' && /^#\/(?:\$defs|definitions)\/[^/]+$/.test(ref);
}

function hasOnly(value: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): boolean {
  return Object.keys(value).every((key) => known.has(key) || ANNOTATIONS.has(key));
}
