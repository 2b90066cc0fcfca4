// A JSON Schema in the form that the validator checks rightly. One rule: what the validator would misread or pass over
// is rewritten to mean the same, or the schema cannot be used.
import type { JsonSchema } from '../../protocol/json.js';
import { isRecord } from '../../util/json.js';
import { modernSchema } from '../../util/old-json-schema.js';

export type Draft = '4' | '7' | '2019-09' | '2020-12';

export interface UsableSchema {
  readonly schema: SchemaNode;
  readonly draft: Draft;
  /** The subschemas with a `$ref`, which must lead somewhere. */
  readonly referring: readonly SchemaNode[];
}

const TYPES: readonly unknown[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** @throws Error that says why the schema cannot be used, as a clause */
export function usableSchema(given: JsonSchema): UsableSchema {
  const strange = notInJson(given);
  if (strange !== null) throw new Error(`it holds ${strange}, which JSON cannot say`);
  const modern = modernSchema(given);
  const draft = draftOf(modern);
  const referring: SchemaNode[] = [];
  const anchors = draft === '2020-12' ? dynamicAnchors(modern) : [];
  const schema = mapSchema(modern, (node) => {
    checkWords(node);
    rewritePatterns(node);
    if (draft !== '4') rewriteExclusive(node);
    if (draft === '2020-12') rewriteDynamic(node, anchors);
    if (node['$ref'] !== undefined) referring.push(node);
  });
  return { schema, draft, referring };
}

function draftOf(schema: JsonSchema): Draft {
  const declared = String(schema.$schema ?? '');
  if (declared.includes('draft-04')) return '4';
  if (declared.includes('draft-07') || declared.includes('draft-06')) return '7';
  if (declared.includes('2019-09')) return '2019-09';
  return '2020-12';
}

/** Values of a keyword that would be taken for something else. */
function checkWords(node: SchemaNode): void {
  const { required, type } = node;
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === 'string')))
    throw new Error(`"required" is ${JSON.stringify(required)}, not a list of names`);
  checkParts(node);
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const unknown = types.find((name) => !TYPES.includes(name));
  if (unknown !== undefined) throw new Error(`there is no type ${JSON.stringify(unknown)}`);
}

const BY_NAME = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'] as const;
const LISTS = ['allOf', 'anyOf', 'oneOf'] as const;

/** What should hold schemas and does not: the validator passes over it, and model APIs refuse it. */
function checkParts(node: SchemaNode): void {
  const isSchema = (part: unknown) => isRecord(part) || typeof part === 'boolean';
  for (const keyword of BY_NAME) {
    const parts = node[keyword];
    if (parts === undefined) continue;
    if (!isRecord(parts)) throw new Error(`"${keyword}" is not an object of schemas`);
    const wrong = Object.keys(parts).find((name) => !isSchema(parts[name]));
    if (wrong !== undefined) throw new Error(`${JSON.stringify(wrong)} in "${keyword}" is not a schema`);
  }
  for (const keyword of LISTS) {
    const parts = node[keyword];
    if (parts !== undefined && !(Array.isArray(parts) && parts.every(isSchema)))
      throw new Error(`"${keyword}" is not a list of schemas`);
  }
  if (node['enum'] !== undefined && !Array.isArray(node['enum'])) throw new Error('"enum" is not a list of values');
}

/** Levels of values; more than the schemas in them may have. */
const MAX_LOOKED_AT = 1_000;

/** The kind of the first value that would be lost, or would throw, on its way to a model; null if there is none. */
function notInJson(value: unknown, seen = new Set<object>(), depth = 0): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : String(value);
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') return `a ${typeof value}`;
  // What holds itself, or is nested without end, is told of by whoever walks it.
  if (typeof value !== 'object' || value === null || seen.has(value) || depth > MAX_LOOKED_AT) return null;
  seen.add(value);
  for (const part of Object.values(value)) {
    const strange = notInJson(part, seen, depth + 1);
    if (strange !== null) return strange;
  }
  return null;
}

function rewritePatterns(node: SchemaNode): void {
  if (node['pattern'] !== undefined) node['pattern'] = strictPattern(node['pattern']);
  const { patternProperties: byPattern } = node;
  if (!isRecord(byPattern)) return;
  node['patternProperties'] = Object.fromEntries(
    Object.entries(byPattern).map(([pattern, part]) => [strictPattern(pattern), part]),
  );
}

function strictPattern(pattern: unknown): string {
  const strict = typeof pattern === 'string' ? unicodePattern(pattern) : null;
  if (strict === null)
    throw new Error(`the pattern ${JSON.stringify(pattern)} is not a regular expression of JavaScript`);
  return strict;
}

/** Draft 4 said with a boolean whether the limit itself is left out; many schemas still do, and name no draft. */
function rewriteExclusive(node: SchemaNode): void {
  for (const [flag, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof node[flag] !== 'boolean') continue;
    const isExclusive = node[flag] && node[limit] !== undefined;
    delete node[flag];
    if (!isExclusive) continue;
    node[flag] = node[limit];
    delete node[limit];
  }
}

/** Names of dynamic anchors, each as often as it stands in the schema. */
function dynamicAnchors(schema: JsonSchema): string[] {
  const names: string[] = [];
  mapSchema(schema, ({ $dynamicAnchor: name }) => {
    if (typeof name === 'string') names.push(name);
  });
  return names;
}

/** A dynamic reference is a plain one wherever there is only one place that it can lead to. */
function rewriteDynamic(node: SchemaNode, anchors: readonly string[]): void {
  const { $dynamicAnchor: anchor, $dynamicRef: ref } = node;
  if (typeof anchor === 'string' && node['$anchor'] === undefined) node['$anchor'] = anchor;
  if (typeof ref !== 'string') return;
  const name = ref.slice(ref.indexOf('#') + 1);
  if (anchors.filter((other) => other === name).length > 1)
    throw new Error(`"$dynamicRef": ${JSON.stringify(ref)} may lead to more than one place, which cannot be checked`);
  delete node['$dynamicRef'];
  if (node['$ref'] === undefined) node['$ref'] = ref;
  else node['allOf'] = [...(Array.isArray(node['allOf']) ? node['allOf'] : []), { $ref: ref }];
}

// A regular expression of a JSON Schema in the form that holds with the flag `u`, with which schemas are checked. Many in
// use hold only without it. One rule: what is rewritten matches what it matched before.

/** The same pattern if it holds already; null if it is no regular expression of JavaScript at all. */

export function unicodePattern(pattern: string): string | null {
  if (isValid(pattern)) return pattern;
  const strict = rewrite(pattern);
  return isValid(strict) ? strict : null;
}

function isValid(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false; // this is the question
  }
}

/** Classes such as `\w`, which may stand beside a hyphen without the flag `u` and not with it. */
const SET = /^\\(?:[dDsSwW]|[pP]\{[^}]*\})/;
const QUANTIFIER = /^\{\d+(?:,\d*)?\}/;
/** An escape that means something with the flag. */
const ESCAPE =
  /^\\(?:[\^$\\.*+?()[\]{}|/dDsSwWbBnrtfv\d]|c[A-Za-z]|x[\da-fA-F]{2}|u(?:[\da-fA-F]{4}|\{[\da-fA-F]+\})|k<|[pP]\{)/;

function rewrite(pattern: string): string {
  let strict = '';
  let isInClass = false;
  let isAfterSet = false;
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at, at + MOST_AHEAD);
    const token = SET.exec(rest)?.[0] ?? ESCAPE.exec(rest)?.[0] ?? (isInClass ? null : QUANTIFIER.exec(rest)?.[0]);
    const first = rest.charAt(0);
    if (token != null && !(isInClass && token === '\\B')) strict += token;
    else if (first === '\\') strict += escaped(rest.charAt(1), isInClass);
    else if (isInClass && first === '-' && (isAfterSet || SET.test(rest.slice(1)))) strict += '\\-';
    else if (!isInClass && (first === ']' || first === '{' || first === '}')) strict += `\\${first}`;
    else strict += first;
    isAfterSet = SET.test(rest);
    if (first === '[') isInClass = true;
    else if (first === ']') isInClass = false;
    at += token?.length ?? (first === '\\' ? 2 : 1);
  }
  return strict;
}

/** Longer than any token. Characters. */
const MOST_AHEAD = 80;

/** A character behind a backslash that it does not need; `\c` without a letter is a backslash and a `c`. */
function escaped(character: string, isInClass: boolean): string {
  if (character === 'c') return '\\\\c';
  return character === '-' && isInClass ? '\\-' : character;
}

// Walks a JSON Schema as data: which of its values are schemas themselves. One rule: what is given is never changed.

/** A subschema of the copy, to be changed in place. */
type SchemaNode = Record<string, unknown>;

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
 * A copy of a schema, for which `change` was called with each subschema, the outer one first.
 * @throws Error if it is nested deeper than anybody would write it
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
