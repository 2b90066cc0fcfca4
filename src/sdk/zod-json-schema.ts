// The JSON Schema a model is told of a tool's input. It informs the model; what decides is the schema itself, which
// validates every call. So what cannot be said in JSON Schema is left open, never an error.
import type { JsonSchema } from '../protocol/json.js';
import { mayBeAbsent, readZod } from './read-zod.js';
import { isZodSchema, isZodShape, type ZodLike } from './zod-shape.js';

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
