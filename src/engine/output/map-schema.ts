// Walks a JSON Schema as data: which of its values are schemas themselves. One rule: what is given is never changed.
import type { JsonSchema } from '../../protocol/json.js';
import { isRecord } from '../../util/is-record.js';

/** A subschema of the copy, to be changed in place. */
export type SchemaNode = Record<string, unknown>;

/** Keywords whose value is a schema, a list of them, or schemas by name. */
const ONE = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const MANY = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const NAMED = new Set(['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties']);
/** Keywords whose value is data. Behind any other that is not known, a reference may look for schemas. */
const DATA = new Set(['const', 'default', 'enum', 'example', 'examples']);
/** Deeper schemas come from a cycle, or from somebody who wants to exhaust the stack. */
const MAX_DEPTH = 200;

/**
 * A copy of a schema, where `change` was called with each subschema, the outer one first.
 * @throws Error where it is nested deeper than anybody would write it
 */
export function mapSchema(schema: JsonSchema, change: (node: SchemaNode) => void, depth = 0): SchemaNode {
  if (depth > MAX_DEPTH) throw new Error(`it is nested deeper than ${MAX_DEPTH} levels`);
  const node: SchemaNode = { ...schema };
  change(node);
  const inner = (value: unknown) => (isRecord(value) ? mapSchema(value, change, depth + 1) : value);
  for (const [keyword, value] of Object.entries(node)) {
    if (MANY.has(keyword) && Array.isArray(value)) node[keyword] = value.map(inner);
    else if (ONE.has(keyword)) node[keyword] = inner(value);
    else if (NAMED.has(keyword) && isRecord(value))
      node[keyword] = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inner(part)]));
    else if (isRecord(value) && !DATA.has(keyword)) node[keyword] = mapSchema(value, () => undefined, depth + 1);
  }
  return node;
}
