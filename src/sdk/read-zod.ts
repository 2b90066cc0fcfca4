// Reads a Zod schema by its structure: Zod 3, and Zod 4 before it could tell its JSON Schema. What is not known here is
// left open.
import type { JsonSchema } from '../protocol/json.js';
import type { ZodLike } from './zod-shape.js';

/** The definition of a Zod schema, as far as it is read. Zod 4 names a kind `string`, Zod 3 `ZodString`. */
interface ZodDefinition {
  readonly type?: unknown;
  readonly typeName?: unknown;
  readonly [field: string]: unknown;
}

/** Deeper than any input a model can fill in; a schema that holds itself ends here. */
const MAX_DEPTH = 20;

export function readZod(schema: ZodLike, depth = 0): JsonSchema {
  const definition = definitionOf(schema);
  if (definition === null || depth > MAX_DEPTH) return {};
  const read = (inner: unknown) => readZod(inner as ZodLike, depth + 1);
  const { description } = schema as { description?: unknown };
  return { ...readKind(definition, read), ...(typeof description === 'string' ? { description } : {}) };
}

function definitionOf(schema: unknown): ZodDefinition | null {
  const { _zod, _def } = (schema ?? {}) as { _zod?: { def?: ZodDefinition }; _def?: ZodDefinition };
  return _zod?.def ?? _def ?? null;
}

function kindOf({ type, typeName }: ZodDefinition): string {
  const name = typeof typeName === 'string' ? typeName.replace(/^Zod/, '') : String(type);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function readKind(definition: ZodDefinition, read: (inner: unknown) => JsonSchema): JsonSchema {
  const { innerType, element, type } = definition;
  switch (kindOf(definition)) {
    case 'string':
      return { type: 'string' };
    case 'number':
      return { type: isInteger(definition) ? 'integer' : 'number' };
    case 'boolean':
      return { type: 'boolean' };
    case 'null':
      return { type: 'null' };
    case 'literal':
      return { enum: 'values' in definition ? definition['values'] : [definition['value']] };
    case 'enum':
    case 'nativeEnum':
      return { enum: enumValues(definition['entries'] ?? definition['values']) };
    case 'array':
      // Zod 3 keeps the element where Zod 4 keeps the kind.
      return { type: 'array', items: read(element ?? type) };
    case 'object':
      return readObject(definition, read);
    case 'record':
      return { type: 'object', additionalProperties: read(definition['valueType']) };
    case 'tuple':
      return { type: 'array', prefixItems: list(definition['items']).map(read) };
    case 'union':
    case 'discriminatedUnion':
      return { anyOf: list(definition['options']).map(read) };
    case 'intersection':
      return { allOf: [read(definition['left']), read(definition['right'])] };
    case 'nullable':
      return { anyOf: [read(innerType), { type: 'null' }] };
    case 'optional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
    case 'nonoptional':
      return read(innerType);
    case 'branded':
      return read(type);
    case 'effects':
      return read(definition['schema']);
    case 'pipe':
    case 'pipeline':
      return read(definition['in']);
    default:
      return {};
  }
}

function readObject(definition: ZodDefinition, read: (inner: unknown) => JsonSchema): JsonSchema {
  const { shape: given } = definition;
  const shape = (typeof given === 'function' ? given() : given) as Record<string, ZodLike>;
  const required = Object.keys(shape).filter((field) => !mayBeAbsent(shape[field]));
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(shape).map(([field, inner]) => [field, read(inner)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** True where an object may leave the field out. */
export function mayBeAbsent(schema: unknown): boolean {
  const definition = definitionOf(schema);
  if (definition === null) return true;
  if (['optional', 'default', 'prefault', 'catch'].includes(kindOf(definition))) return true;
  const inner = definition['innerType'] ?? definition['in'] ?? definition['schema'];
  return inner !== undefined && mayBeAbsent(inner);
}

function isInteger({ checks, format }: ZodDefinition): boolean {
  if (typeof format === 'string' && format.includes('int')) return true;
  return list(checks).some((check) => {
    const { kind, _zod } = check as { kind?: unknown; _zod?: { def?: { format?: unknown } } };
    return kind === 'int' || String(_zod?.def?.format).includes('int');
  });
}

/** The values of a list, or of an object; an enum of TypeScript with numbers also maps these to its names. */
function enumValues(entries: unknown): unknown[] {
  if (Array.isArray(entries)) return entries;
  const given = (entries ?? {}) as Record<string, unknown>;
  return Object.entries(given)
    .filter(([key]) => typeof given[String(given[key])] !== 'number')
    .map(([, value]) => value);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
