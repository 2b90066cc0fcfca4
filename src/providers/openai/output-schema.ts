// A JSON Schema in the strict form to which OpenAI's APIs hold an answer. One rule: every value that fits what is sent fits
// what was asked for, and a value is never made up: a property that may be missing cannot be said, so such a schema is not
// used so and the loop asks through a tool.
import type { JsonSchema } from '../../protocol/json.js';
import { isPlainValue, isRecord } from '../../util/json.js';

type Fields = Readonly<Record<string, unknown>>;

/** What the API takes of one schema, all told. */
const MAX_PROPERTIES = 5_000;
const MAX_DEPTH = 10;
const MAX_CHOICES = 1_000;
const MAX_NAME_CHARS = 120_000;

/** Keywords that say nothing about a value. Left out: the API takes few of them. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['title', 'default', 'examples', '$comment']);
const ALWAYS = ['type', 'description', 'enum', 'const'] as const;
const KEYWORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['object', new Set([...ALWAYS, 'properties', 'required', 'additionalProperties'])],
  ['array', new Set([...ALWAYS, 'items', 'minItems', 'maxItems'])],
  ['string', new Set([...ALWAYS, 'pattern', 'format'])],
  ['number', new Set([...ALWAYS, 'multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'])],
  ['integer', new Set([...ALWAYS, 'multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'])],
  ['boolean', new Set(ALWAYS)],
  ['null', new Set(ALWAYS)],
]);
const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

interface Counts {
  properties: number;
  choices: number;
  chars: number;
}

/** The schema in the strict form, or null if it uses more of JSON Schema than that form has. */
export function toStrictSchema(schema: JsonSchema): JsonSchema | null {
  const { $schema: _dialect, $defs, ...root } = schema as Fields;
  if (root['type'] !== 'object') return null;
  const counts: Counts = { properties: 0, choices: 0, chars: 0 };
  const body = convert(root, counts, 0, isRecord($defs) ? $defs : {});
  if (body === null) return null;
  const defs = $defs === undefined ? undefined : convertAll($defs, counts, 0, isRecord($defs) ? $defs : {});
  if (defs === null) return null;
  if (counts.properties > MAX_PROPERTIES || counts.choices > MAX_CHOICES || counts.chars > MAX_NAME_CHARS) return null;
  return defs === undefined ? body : { ...body, $defs: defs };
}

function convert(value: unknown, counts: Counts, depth: number, defs: Fields): JsonSchema | null {
  if (!isRecord(value) || depth > MAX_DEPTH) return null;
  const { $ref: ref, anyOf, type } = value;
  if (ref !== undefined) return isKnownRef(ref, defs) && hasOnly(value, new Set(['$ref'])) ? { $ref: ref } : null;
  if (anyOf !== undefined) return depth === 0 ? null : convertUnion(value, counts, depth, defs);
  const known = KEYWORDS.get(String(type));
  if (known === undefined || !hasOnly(value, known)) return null;
  const plain = Object.fromEntries(Object.entries(value).filter(([key]) => !ANNOTATIONS.has(key)));
  if (!areChoicesPlain(value, counts)) return null;
  if (type === 'object') return convertObject(plain, counts, depth, defs);
  if (type !== 'array') return value['format'] === undefined || FORMATS.has(value['format']) ? plain : null;
  const items = convert(value['items'], counts, depth + 1, defs);
  return items === null ? null : { ...plain, items };
}

/** Closed, and with every property required. */
function convertObject(value: Fields, counts: Counts, depth: number, defs: Fields): JsonSchema | null {
  const { properties, required, additionalProperties } = value;
  if (!isRecord(properties) || Object.keys(properties).length === 0) return null;
  if (additionalProperties !== undefined && additionalProperties !== false) return null;
  const names = Object.keys(properties);
  const isWhole = Array.isArray(required) && names.every((name) => required.includes(name));
  if (!isWhole || required.some((name) => typeof name !== 'string' || !Object.hasOwn(properties, name))) return null;
  counts.properties += names.length;
  for (const name of names) counts.chars += name.length;
  const converted = convertAll(properties, counts, depth + 1, defs);
  return converted === null ? null : { ...value, properties: converted, additionalProperties: false };
}

function convertUnion(value: Fields, counts: Counts, depth: number, defs: Fields): JsonSchema | null {
  const { anyOf } = value;
  if (!hasOnly(value, new Set(['anyOf', 'description'])) || !Array.isArray(anyOf) || anyOf.length === 0) return null;
  const converted = anyOf.map((choice) => convert(choice, counts, depth + 1, defs));
  return converted.includes(null) ? null : { anyOf: converted as JsonSchema[] };
}

function convertAll(schemas: unknown, counts: Counts, depth: number, defs: Fields): Record<string, JsonSchema> | null {
  if (!isRecord(schemas)) return null;
  const converted = Object.entries(schemas).map(
    ([name, schema]) => [name, convert(schema, counts, depth, defs)] as const,
  );
  return converted.some(([, schema]) => schema === null)
    ? null
    : (Object.fromEntries(converted) as Record<string, JsonSchema>);
}

/** Choices of single values only. */
function areChoicesPlain({ enum: choices, const: only }: Fields, counts: Counts): boolean {
  if (choices !== undefined) {
    if (!Array.isArray(choices) || choices.length === 0 || !choices.every(isPlainValue)) return false;
    counts.choices += choices.length;
    for (const choice of choices) counts.chars += String(choice).length;
  }
  return only === undefined || isPlainValue(only);
}

/** A definition may hold itself; a reference that leads nowhere may not be. */
function isKnownRef(ref: unknown, defs: Fields): boolean {
  const match = typeof ref === 'string' ? /^#(?:\/\$defs\/([^/~%]+))?$/.exec(ref) : null;
  return match !== null && (match[1] === undefined || Object.hasOwn(defs, match[1]));
}

function hasOnly(value: Fields, known: ReadonlySet<string>): boolean {
  return Object.keys(value).every((key) => known.has(key) || ANNOTATIONS.has(key));
}
