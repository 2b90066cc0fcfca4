// The answer as data: fills a JSON Schema from the findings. Properties are matched by their names; what no finding tells
// becomes an empty value of its type, never an invented one.
import type { JsonSchema, JsonValue } from '../../protocol/json.js';
import type { Findings } from './plan.js';

/** Deeper than this only what has to be there is filled, and then nothing, so that a schema of itself has an end. */
const MAX_DEPTH = 8;
const MAX_ITEMS = 1_000;
const ENDLESS = Number.POSITIVE_INFINITY;

/** What a value is about: all findings, or one file or match of them. */
interface Subject {
  readonly findings: Findings;
  readonly root: JsonSchema;
  readonly path: string | undefined;
  readonly lines: number | undefined;
  readonly text: string | undefined;
}

/** Contract: valid for schemas of types, properties, items, enums, bounds, unions and references. */
export function structuredAnswer(findings: Findings, root: JsonSchema): JsonValue {
  const [item = NO_ITEM] = itemsFor('', findings);
  const text = newest(findings, 'text') ?? item.text;
  const subject = { findings, root, ...item, text, lines: newest(findings, 'lines') ?? item.lines };
  return fill(root, '', subject, 0) ?? null;
}

/** Undefined if the value may be absent and no finding tells it. */
function fill(
  given: unknown,
  name: string,
  subject: Subject,
  depth: number,
  isOptional = false,
): JsonValue | undefined {
  const schema = resolve(given, subject.root, depth);
  const orEmpty = <Value>(told: Value | undefined, empty: Value) => told ?? (isOptional ? undefined : empty);
  if ('const' in schema) return schema['const'] as JsonValue;
  if (Array.isArray(schema['enum'])) return chooseFrom(schema['enum'] as JsonValue[], name, subject);
  switch (typeOf(schema)) {
    case 'object':
      return isOptional && depth > MAX_DEPTH / 2 ? undefined : fillObject(schema, subject, depth);
    case 'array':
      return fillArray(schema, name, subject, depth);
    case 'integer':
    case 'number': {
      const value = orEmpty(numberFor(name, subject), 0);
      return value === undefined ? undefined : bounded(value, schema);
    }
    case 'boolean':
      return orEmpty(booleanFor(name, subject), false);
    case 'null':
      return null;
    default: {
      const text = orEmpty(textFor(name, subject), depth === 0 ? subject.findings.answer : '');
      return text === undefined ? undefined : fitted(text, schema);
    }
  }
}

/** Follows references, and takes the first way of a union; deep down the one that ends. */
function resolve(given: unknown, root: JsonSchema, depth: number): JsonSchema {
  let schema = isObject(given) ? given : {};
  for (let step = 0; step < 20; step++) {
    const ways = schema['anyOf'] ?? schema['oneOf'];
    if (typeof schema['$ref'] === 'string') schema = byPointer(root, schema['$ref']);
    else if (Array.isArray(ways)) {
      const end = depth > MAX_DEPTH / 2 ? ways.find((way) => isObject(way) && way['type'] === 'null') : undefined;
      const { anyOf: _any, oneOf: _one, ...rest } = schema;
      schema = { ...rest, ...(end ?? ways[0]) };
    } else return schema;
  }
  return {};
}

function byPointer(root: JsonSchema, pointer: string): JsonSchema {
  const names = pointer
    .replace(/^#\/?/, '')
    .split('/')
    .filter((name) => name !== '');
  const found = names.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), root);
  return isObject(found) ? found : {};
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeOf(schema: JsonSchema): unknown {
  const type = schema['type'];
  if (type !== undefined) return Array.isArray(type) ? type[0] : type;
  return 'properties' in schema ? 'object' : 'items' in schema ? 'array' : 'string';
}

function fillObject(schema: JsonSchema, subject: Subject, depth: number): JsonValue {
  // A schema that asks for itself without end cannot be filled.
  if (depth > MAX_DEPTH * 2) return {};
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : []);
  const names = [...new Set([...required, ...(depth < MAX_DEPTH / 2 ? Object.keys(properties) : [])])];
  const entries = names.flatMap((name) => {
    const value = fill(properties[name], name, subject, depth + 1, !required.has(name));
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

function fillArray(schema: JsonSchema, name: string, subject: Subject, depth: number): JsonValue {
  if (depth > MAX_DEPTH * 2) return [];
  const items = itemsFor(name, subject.findings).slice(0, numberIn(schema, 'maxItems', MAX_ITEMS));
  while (items.length < Math.min(numberIn(schema, 'minItems', 0), MAX_ITEMS)) items.push(NO_ITEM);
  return items.map((item) => {
    const inner = resolve(schema['items'], subject.root, depth + 1);
    const type = 'const' in inner || 'enum' in inner ? null : typeOf(inner);
    if (type === 'string') return fitted(item.text?.trim() ?? item.path ?? '', inner);
    if (type === 'integer' || type === 'number') return bounded(item.lines ?? 0, inner);
    return fill(inner, name, { ...subject, ...item }, depth + 1) ?? null;
  });
}

type Item = Pick<Subject, 'path' | 'lines' | 'text'>;
const NO_ITEM: Item = { path: undefined, lines: undefined, text: undefined };

/** What was found, by the name of the list that it goes into. */
function itemsFor(name: string, findings: Findings): Item[] {
  const matches = (newest(findings, 'matches') ?? []).map(({ line, ...match }) => ({ ...match, lines: line }));
  const files = (newest(findings, 'files') ?? []).map(({ path, lines }) => ({ path, lines, text: undefined }));
  if (/match|occurrence|hit/i.test(name)) return matches;
  if (/file|path|name/i.test(name)) return files;
  return name === '' || /result|item|list|entr/i.test(name) ? (matches.length > 0 ? matches : files) : [];
}

function textFor(name: string, { findings, path, text }: Subject): string | undefined {
  if (/^(?:text|contents?|output|stdout|snippet)$/i.test(name)) return text;
  if (/path|file/i.test(name)) return path;
  if (/^(?:base)?name$/i.test(name)) return path?.split('/').at(-1);
  if (/error|failure|reason/i.test(name)) return findings.failures.join('\n') || undefined;
  return /answer|result|message|description|report|summary|response/i.test(name) ? findings.answer : undefined;
}

function numberFor(name: string, { findings, lines }: Subject): number | undefined {
  if (/exit|status/i.test(name)) return newest(findings, 'exitCode');
  if (/line|loc/i.test(name)) return lines;
  if (/error|failure/i.test(name)) return findings.failures.length;
  const isCount = /count|total|number|amount|matches|occurrences|files|result|answer|value/i.test(name) || name === '';
  return isCount ? (newest(findings, 'count') ?? newest(findings, 'files')?.length) : undefined;
}

function booleanFor(name: string, { findings, path }: Subject): boolean | undefined {
  const failed = findings.failures.length > 0;
  if (/error|failed/i.test(name)) return failed;
  if (/success|^ok$|done|complete/i.test(name)) return !failed;
  return /found|exist/i.test(name) ? path !== undefined : undefined;
}

function chooseFrom(values: readonly JsonValue[], name: string, subject: Subject): JsonValue {
  const ended = subject.findings.failures.length === 0 ? ['success', 'ok', 'done'] : ['error', 'failure', 'failed'];
  const told: readonly unknown[] = [textFor(name, subject), numberFor(name, subject), ...ended];
  const open: readonly unknown[] = ['unknown', 'none', 'other', 'n/a', '', null];
  return (
    values.find((value) => told.includes(value)) ?? values.find((value) => open.includes(value)) ?? values[0] ?? null
  );
}

type Found = Findings['found'][number];

/** The newest value of a kind that a finding tells; of changes none. */
function newest<Key extends keyof Found>({ found }: Findings, key: Key): Found[Key] | undefined {
  return found.findLast((finding) => finding[key] !== undefined && finding.isChange !== true)?.[key];
}

/** Lengths are in code points. */
function fitted(text: string, schema: JsonSchema): string {
  const cut = [...text].slice(0, numberIn(schema, 'maxLength', ENDLESS)).join('');
  return cut + ' '.repeat(Math.min(Math.max(0, numberIn(schema, 'minLength', 0) - [...cut].length), 100_000));
}

function bounded(value: number, schema: JsonSchema): number {
  const step = numberIn(schema, 'multipleOf', typeOf(schema) === 'integer' ? 1 : 0);
  const [above, below] = [
    numberIn(schema, 'exclusiveMinimum', -ENDLESS),
    numberIn(schema, 'exclusiveMaximum', ENDLESS),
  ];
  const room = step > 0 ? step : Math.min(1, (below - above) / 2);
  const low = Math.max(numberIn(schema, 'minimum', -ENDLESS), above + room);
  const high = Math.min(numberIn(schema, 'maximum', ENDLESS), below - room);
  const inside = Math.min(Math.max(value, low), high);
  const up = step > 0 ? Math.ceil(inside / step) * step : inside;
  return up <= high ? up : Math.floor(inside / step) * step;
}

function numberIn(schema: JsonSchema, key: string, otherwise: number): number {
  return typeof schema[key] === 'number' ? schema[key] : otherwise;
}
