// JSON Schemas of drafts 0 to 3, said in the words of draft 2020-12. One rule: a schema that does not name such a draft is
// given back as it is.
import { isRecord, recordOf } from './json.js';

type Schema = Readonly<Record<string, unknown>>;
type Node = Record<string, unknown>;

const OLD = /draft-0([0-3])\b/;
/** Deeper schemas come from a cycle. */
const MAX_DEPTH = 200;
/** Keywords that are said otherwise now, or nowhere. */
const REWRITTEN = new Set([
  'additionalItems',
  'dependencies',
  'disallow',
  'divisibleBy',
  'extends',
  'format',
  'id',
  'items',
  'maxDecimal',
  'maximumCanEqual',
  'minimumCanEqual',
  'optional',
  'required',
  'requires',
  'type',
]);
const FORMATS: Readonly<Record<string, string>> = { 'ip-address': 'ipv4', 'host-name': 'hostname' };

/** @throws Error if it is nested deeper than anybody would write it */
export function modernSchema<Given extends Schema>(schema: Given): Given | Schema {
  const draft = OLD.exec(String(schema['$schema'] ?? ''))?.[1];
  if (draft === undefined) return schema;
  // Before draft 3 a property was required unless it said `optional`.
  const { $schema: _, ...modern } = rewrite(schema, Number(draft) < 3, 0);
  return modern;
}

function rewrite(given: Schema, isRequiredByDefault: boolean, depth: number): Node {
  if (depth > MAX_DEPTH) throw new Error(`it is nested deeper than ${MAX_DEPTH} levels`);
  const inner = (value: unknown): unknown => (isRecord(value) ? rewrite(value, isRequiredByDefault, depth + 1) : value);
  const named = (value: unknown): unknown => (isRecord(value) ? mapValues(value, inner) : value);
  const {
    type,
    disallow,
    extends: base,
    divisibleBy,
    maxDecimal,
    dependencies,
    items,
    additionalItems,
    id,
    format,
  } = given;
  const kept = Object.fromEntries(Object.entries(given).filter(([keyword]) => !REWRITTEN.has(keyword)));
  const node: Node = { ...kept };

  for (const keyword of ['properties', 'patternProperties', 'definitions']) {
    if (kept[keyword] !== undefined) node[keyword] = named(kept[keyword]);
  }
  if (kept['additionalProperties'] !== undefined) node['additionalProperties'] = inner(kept['additionalProperties']);
  if (typeof id === 'string') node['$id'] = id;
  if (format !== undefined) node['format'] = FORMATS[String(format)] ?? format;
  const required = requiredNames(given['properties'], isRequiredByDefault);
  if (required.length > 0) node['required'] = required;

  Object.assign(node, typed(type, inner));
  if (disallow !== undefined) node['not'] = typed(disallow, inner);
  if (Array.isArray(items)) {
    node['prefixItems'] = items.map(inner);
    if (additionalItems !== undefined) node['items'] = inner(additionalItems);
  } else if (items !== undefined) node['items'] = inner(items);
  if (base !== undefined) node['allOf'] = listOf(base).map(inner);
  if (divisibleBy !== undefined) node['multipleOf'] = divisibleBy;
  if (typeof maxDecimal === 'number') node['multipleOf'] = 10 ** -maxDecimal;
  setLimits(node, given);
  Object.assign(node, dependent({ ...recordOf(dependencies), ...requirements(given['properties']) }, inner));
  return node;
}

function requiredNames(properties: unknown, isRequiredByDefault: boolean): string[] {
  return Object.entries(recordOf(properties)).flatMap(([name, property]) => {
    const { required, optional } = recordOf(property);
    return required === true || (isRequiredByDefault && required !== false && optional !== true) ? [name] : [];
  });
}

/** Before draft 3 a property said itself which other it needs. */
function requirements(properties: unknown): Node {
  const found: Node = {};
  for (const [name, property] of Object.entries(recordOf(properties))) {
    const { requires } = recordOf(property);
    if (requires !== undefined) found[name] = requires;
  }
  return found;
}

/** A type may have been a schema, a list with some, or `any`. */
function typed(type: unknown, inner: (value: unknown) => unknown): Node {
  if (type === undefined || listOf(type).includes('any')) return {};
  if (listOf(type).every((one) => typeof one === 'string')) return { type };
  return { anyOf: listOf(type).map((one) => (typeof one === 'string' ? { type: one } : inner(one))) };
}

/** Whether the limit itself was left out, was said beside it. */
function setLimits(node: Node, given: Schema): void {
  for (const [limit, exclusive, canEqual] of [
    ['minimum', 'exclusiveMinimum', 'minimumCanEqual'],
    ['maximum', 'exclusiveMaximum', 'maximumCanEqual'],
  ] as const) {
    const isExclusive = given[exclusive] === true || given[canEqual] === false;
    if (typeof given[exclusive] === 'boolean') delete node[exclusive];
    if (!isExclusive || given[limit] === undefined) continue;
    node[exclusive] = given[limit];
    delete node[limit];
  }
}

function dependent(dependencies: Node, inner: (value: unknown) => unknown): Node {
  const required: Node = {};
  const schemas: Node = {};
  for (const [name, needed] of Object.entries(dependencies)) {
    if (isRecord(needed)) schemas[name] = inner(needed);
    else required[name] = listOf(needed);
  }
  return {
    ...(Object.keys(required).length === 0 ? {} : { dependentRequired: required }),
    ...(Object.keys(schemas).length === 0 ? {} : { dependentSchemas: schemas }),
  };
}

function mapValues(record: Schema, change: (value: unknown) => unknown): Node {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [value];
}
