// Checks of `output_config.format.schema`: the part of JSON Schema that the API holds an answer to.
import { isRecord, type JsonRecord } from './wire-json.js';
import type { Report } from './wire-violation.js';

const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'title', 'description', 'default', 'examples', '$comment', 'enum', 'const', 'format'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems'],
  ...['anyOf', '$ref', '$defs', 'definitions'],
]);
/** Properties that may be left out, over the whole schema. */
const MAX_OPTIONAL = 24;

/** Contract: pure; never throws. */
export function checkOutputSchema(schema: JsonRecord, path: string, report: Report): void {
  const walk: Walk = { root: schema, optional: 0, report };
  checkNode(schema, path, [], walk);
  for (const place of ['$defs', 'definitions']) {
    const defs = schema[place];
    if (isRecord(defs)) for (const name in defs) checkNode(defs[name], `${path}.${place}.${name}`, [], walk);
  }
  if (walk.optional > MAX_OPTIONAL)
    report('output_schema_invalid', path, `The compiled grammar is too large: ${walk.optional} optional properties`);
}

interface Walk {
  readonly root: JsonRecord;
  optional: number;
  readonly report: Report;
}

/** `open`: the references on the way here, so that one that leads back is found. */
function checkNode(node: unknown, path: string, open: readonly string[], walk: Walk): void {
  const refuse = (place: string, detail: string) => walk.report('output_schema_invalid', `${path}${place}`, detail);
  if (!isRecord(node)) {
    refuse('', 'A schema must be an object');
    return;
  }
  for (const keyword in node) if (!KEYWORDS.has(keyword)) refuse(`.${keyword}`, `Keyword ${keyword} is not supported`);
  const { $ref: ref, anyOf, type } = node;
  if (ref !== undefined) checkReference(ref, path, open, walk);
  else if (anyOf !== undefined) {
    if (!Array.isArray(anyOf) || anyOf.length === 0) refuse('.anyOf', 'anyOf must be a list of schemas');
    else for (const [index, choice] of anyOf.entries()) checkNode(choice, `${path}.anyOf.${index}`, open, walk);
  } else if (!TYPES.has(type)) refuse('.type', 'A schema needs one type, anyOf or $ref');
  if (type === 'object') checkObject(node, path, open, walk);
  if (type !== 'array') return;
  if (node['minItems'] !== undefined && node['minItems'] !== 0 && node['minItems'] !== 1)
    refuse('.minItems', 'Only 0 and 1 are supported');
  checkNode(node['items'], `${path}.items`, open, walk);
}

function checkObject(node: JsonRecord, path: string, open: readonly string[], walk: Walk): void {
  if (node['additionalProperties'] !== false)
    walk.report('output_schema_invalid', `${path}.additionalProperties`, 'For objects it must be set to false');
  const { properties, required } = node;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  if (!isRecord(properties)) return;
  for (const name in properties) {
    if (!names.includes(name)) walk.optional += 1;
    checkNode(properties[name], `${path}.properties.${name}`, open, walk);
  }
}

function checkReference(ref: unknown, path: string, open: readonly string[], walk: Walk): void {
  const match = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(ref));
  const defs = match === null ? undefined : walk.root[match[1] ?? ''];
  const target = isRecord(defs) && match !== null ? defs[match[2] ?? ''] : undefined;
  if (target === undefined) walk.report('output_schema_invalid', `${path}.$ref`, `${String(ref)} leads nowhere`);
  else if (open.includes(String(ref)))
    walk.report('output_schema_invalid', `${path}.$ref`, 'Recursive schemas are not supported');
  else if (holdsReference(target)) checkNode(target, path, [...open, String(ref)], { ...walk, optional: 0 });
}

function holdsReference(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(holdsReference);
  if (!isRecord(node)) return false;
  return typeof node['$ref'] === 'string' || Object.values(node).some(holdsReference);
}
