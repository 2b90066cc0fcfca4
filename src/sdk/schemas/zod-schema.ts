// Schemas of Zod 3 or 4, told by their structure, whichever copy the caller has, and the JSON Schema that a model is told of them.
// That informs the model; what decides is the schema itself. So what cannot be said in JSON Schema is left open, never an error.
import type { JsonSchema } from '../../protocol/json.js';

/** A Zod 4 or Zod 3 schema, as far as this package looks at one. */
export interface ZodLike {
  safeParseAsync(
    value: unknown,
  ): Promise<
    | { readonly success: true; readonly data: unknown }
    | { readonly success: false; readonly error: { readonly issues: readonly ZodIssueLike[] } }
  >;
  readonly _output: unknown;
}

interface ZodIssueLike {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A field object such as `{ name: z.string() }`, not `z.object(...)`. */
export type AnyZodRawShape = { readonly [field: string]: ZodLike };

type OptionalKeys<Shape extends AnyZodRawShape> = {
  [Key in keyof Shape]: undefined extends Shape[Key]['_output'] ? Key : never;
}[keyof Shape];

type Flatten<T> = { [Key in keyof T]: T[Key] };

/** The arguments a shape describes. Fields that may be undefined are optional. */
export type InferShape<Shape extends AnyZodRawShape> = Flatten<
  { [Key in Exclude<keyof Shape, OptionalKeys<Shape>>]: Shape[Key]['_output'] } & {
    [Key in OptionalKeys<Shape>]?: Shape[Key]['_output'];
  }
>;

export function isZodSchema(value: unknown): value is ZodLike {
  if (typeof value !== 'object' || value === null) return false;
  return (
    ('_zod' in value || '_def' in value) && typeof (value as { safeParseAsync?: unknown }).safeParseAsync === 'function'
  );
}

/** True for an object all of whose fields are Zod schemas; `{}` counts, as the shape of no arguments. */
export function isZodShape(value: unknown): value is AnyZodRawShape {
  return typeof value === 'object' && value !== null && !isZodSchema(value) && Object.values(value).every(isZodSchema);
}

export type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: string[] };

/** Parses the fields of a shape; fields it does not name are left out. */
export async function parseShape(shape: AnyZodRawShape, args: unknown): Promise<Parsed> {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return { ok: false, problems: ['the arguments are not an object'] };
  }
  const value: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [field, schema] of Object.entries(shape)) {
    const parsed = await parseSchema(
      schema,
      Object.hasOwn(args, field) ? (args as Record<string, unknown>)[field] : undefined,
      field,
    );
    if (!parsed.ok) problems.push(...parsed.problems);
    else if (parsed.value !== undefined) value[field] = parsed.value;
  }
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

export async function parseSchema(schema: ZodLike, value: unknown, name = ''): Promise<Parsed> {
  const result = await schema.safeParseAsync(value);
  if (result.success) return { ok: true, value: result.data };
  return {
    ok: false,
    problems: result.error.issues.map(
      (issue) => `${[name, ...issue.path.map(String)].filter((part) => part !== '').join('.')}: ${issue.message}`,
    ),
  };
}

/** @param schema what `tool()` was given: a Zod raw shape (3 or 4), a Zod object, or a JSON Schema */
export function toJsonSchema(schema: unknown): JsonSchema {
  if (isZodSchema(schema)) return ofTypeObject(ofZod(schema));
  if (isZodShape(schema)) return ofShape(schema);
  return ofTypeObject(schema as JsonSchema);
}

/** A value of any type, as the schema takes it in: transforms come after. */
export function schemaOfZod(schema: ZodLike): JsonSchema {
  return ofZod(schema);
}

/** Model APIs take only schemas of type object. */
function ofTypeObject(schema: JsonSchema): JsonSchema {
  return schema['type'] === undefined ? { type: 'object', ...schema } : schema;
}

function ofShape(shape: { readonly [field: string]: ZodLike }): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const definitions: Record<string, JsonSchema> = {};
  for (const [field, schema] of Object.entries(shape)) {
    const own = ofZod(schema);
    if (!refersToItself(own)) properties[field] = own;
    else {
      // References count from the top of a document, so a schema that has some stays a document of its own.
      definitions[field] = moveReferences(own, `#/$defs/${field}`) as JsonSchema;
      properties[field] = { $ref: `#/$defs/${field}` };
    }
  }
  const required = Object.keys(shape).filter((field) => !mayBeAbsent(shape[field]));
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  };
}

/** Zod from 4.2 on says it itself; of an older one the structure is read. */
function ofZod(schema: ZodLike): JsonSchema {
  const standard = (schema as { '~standard'?: { jsonSchema?: { input?: unknown } } })['~standard'];
  const toInput = standard?.jsonSchema?.input;
  if (typeof toInput === 'function') {
    try {
      const { $schema: _dialect, ...told } = toInput({ target: 'draft-2020-12' }) as Record<string, unknown>;
      return told;
    } catch {
      // Zod refuses what JSON Schema has no word for, such as a date, as a whole; the reading below leaves it open.
    }
  }
  return readZod(schema);
}

function refersToItself(schema: JsonSchema): boolean {
  return JSON.stringify(schema).includes('"$ref"');
}

function moveReferences(value: unknown, root: string): unknown {
  if (Array.isArray(value)) return value.map((item) => moveReferences(item, root));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const isReference = key === '$ref' && typeof item === 'string' && item.startsWith('#');
      return [key, isReference ? `${root}${item.slice(1)}` : moveReferences(item, root)];
    }),
  );
}

// Reads a Zod schema by its structure: Zod 3, and Zod 4 before it could tell its JSON Schema. What is not known here is
// left open.

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
      // Zod 3 keeps the element in the field in which Zod 4 keeps the kind.
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

/** True if an object may leave the field out. */
function mayBeAbsent(schema: unknown): boolean {
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
