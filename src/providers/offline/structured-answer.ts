// The answer as data: fills a JSON Schema from the findings. Properties are matched by their names; what no finding tells
// becomes an empty value of its type, never an invented one.
import type { JsonSchema, JsonValue } from '../../protocol/json.js';
import type { FileFact, Finding } from './finding.js';
import type { Findings } from './plan.js';

/** Deeper than this only what has to be there is filled, far deeper nothing, so that a schema of itself has an end. */
const MAX_DEPTH = 4;
const MAX_ITEMS = 1_000;

/** What a value is about: all findings, or one file or match of them. */
interface Subject extends Partial<FileFact> {
  readonly findings: Findings;
  readonly root: JsonSchema;
  /** How deep in the schema the value is. */
  readonly depth: number;
}

/** Contract: valid for schemas of types, properties, items, enums, bounds, unions and references. */
export function structuredAnswer(findings: Findings, root: JsonSchema): JsonValue {
  const all = { findings, root, depth: 0 };
  const [item] = factFor<Partial<FileFact>[]>('', all, 'array') ?? [];
  const [text, lines] = [newest(findings, 'text'), newest(findings, 'lines')];
  const told = { ...(text === undefined ? {} : { text }), ...(lines === undefined ? {} : { lines }) };
  return fill(root, '', { ...all, ...item, ...told }) ?? null;
}

/** Undefined if the value may be absent and no finding tells it. */
function fill(given: unknown, name: string, subject: Subject, isOptional = false): JsonValue | undefined {
  const schema = resolve(given, subject);
  if ('const' in schema) return schema['const'] as JsonValue;
  if (Array.isArray(schema['enum'])) return chooseFrom(schema['enum'] as JsonValue[], name, subject);
  const type = typeOf(schema);
  if (type === 'object') return isOptional && subject.depth > MAX_DEPTH ? undefined : fillObject(schema, subject);
  if (type === 'array') return fillArray(schema, name, subject);
  if (type === 'null') return null;
  const told = factFor<JsonValue>(name, subject, type === 'integer' ? 'number' : type);
  if (told === undefined && isOptional) return undefined;
  if (type === 'boolean') return told ?? false;
  if (type === 'string') return fitted(String(told ?? (subject.depth === 0 ? subject.findings.answer : '')), schema);
  return bounded(Number(told ?? 0), schema);
}

/** Follows references, and takes the first way of a union; deep down the one that ends. */
function resolve(given: unknown, { root, depth }: Subject): JsonSchema {
  let schema = isObject(given) ? given : {};
  for (let step = 0; step < 20; step++) {
    const ways = schema['anyOf'] ?? schema['oneOf'];
    if (typeof schema['$ref'] === 'string') {
      const names = schema['$ref'].split('/').filter((name) => name !== '' && name !== '#');
      const found = names.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), root);
      schema = isObject(found) ? found : {};
    } else if (Array.isArray(ways)) {
      const end = depth > MAX_DEPTH ? ways.find((way) => isObject(way) && way['type'] === 'null') : undefined;
      const { anyOf: _any, oneOf: _one, ...rest } = schema;
      schema = { ...rest, ...(end ?? ways[0]) };
    } else return schema;
  }
  return {};
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeOf(schema: JsonSchema): unknown {
  const type = schema['type'];
  if (type !== undefined) return Array.isArray(type) ? type[0] : type;
  return 'properties' in schema ? 'object' : 'items' in schema ? 'array' : 'string';
}

function fillObject(schema: JsonSchema, { depth, ...subject }: Subject): JsonValue {
  // A schema that asks for itself without end cannot be filled.
  if (depth > MAX_DEPTH * 4) return {};
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : []);
  const names = [...new Set([...required, ...(depth < MAX_DEPTH ? Object.keys(properties) : [])])];
  const entries = names.map((name) => {
    return [name, fill(properties[name], name, { ...subject, depth: depth + 1 }, !required.has(name))] as const;
  });
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function fillArray(schema: JsonSchema, name: string, { findings, root, depth }: Subject): JsonValue {
  const below = { findings, root, depth: depth + 1 };
  if (depth > MAX_DEPTH * 4) return [];
  const most = numberIn(schema, 'maxItems', MAX_ITEMS);
  const items = (factFor<Partial<FileFact>[]>(name, below, 'array') ?? []).slice(0, most);
  while (items.length < Math.min(numberIn(schema, 'minItems', 0), MAX_ITEMS)) items.push({});
  const inner = resolve(schema['items'], below);
  const type = 'const' in inner || 'enum' in inner ? null : typeOf(inner);
  return items.map((item) => {
    if (type === 'string') return fitted(item.text?.trim() ?? item.path ?? '', inner);
    if (type === 'integer' || type === 'number') return bounded(item.lines ?? 0, inner);
    return fill(inner, name, { ...below, ...item }) ?? null;
  });
}

/** The first fact of the type that has the name. */
function factFor<Value>(name: string, subject: Subject, type: unknown): Value | undefined {
  const facts = factsOf(subject).filter(([names, fact]) => {
    return names.test(name) && (Array.isArray(fact) ? 'array' : typeof fact) === type;
  });
  return facts[0]?.[1] as Value | undefined;
}

/** What is told of a subject, each with the names that ask for it. */
function factsOf({ findings, path, lines, text }: Subject): (readonly [names: RegExp, fact: unknown])[] {
  const { answer, failures } = findings;
  const found = newest(findings, 'files') ?? [];
  const matches = found.flatMap((file) => (file.text === undefined ? [] : [{ ...file, lines: file.line }]));
  const files = found.filter((file, index) => found.findIndex(({ path: other }) => other === file.path) === index);
  const counted = newest(findings, 'count') ?? newest(findings, 'files')?.length;
  return [
    [/match|occurrence|hit/i, matches],
    [/file|path|name/i, files],
    [/^$|result|item|list|entr/i, matches.length > 0 ? matches : files],
    [/^(?:text|contents?|output|stdout|snippet)$/i, text],
    [/^(?:base)?name$/i, path?.split('/').at(-1)],
    [/path|file/i, path],
    [/error|failure|reason/i, failures.join('\n') || undefined],
    [/answer|result|message|description|report|summary|response/i, answer],
    [/exit|status/i, newest(findings, 'exitCode')],
    [/line|loc/i, lines],
    [/error|failure/i, failures.length],
    [/^$|count|total|number|amount|matches|occurrences|files|result|answer|value/i, counted],
    [/error|failed/i, failures.length > 0],
    [/success|^ok$|done|complete/i, failures.length === 0],
    [/found|exist/i, path !== undefined],
  ];
}

function chooseFrom(values: readonly JsonValue[], name: string, subject: Subject): JsonValue {
  const ended = subject.findings.failures.length === 0 ? ['success', 'ok', 'done'] : ['error', 'failure', 'failed'];
  const told: unknown[] = [factFor(name, subject, 'string'), factFor(name, subject, 'number'), ...ended];
  const pick = (among: unknown[]) => values.find((value) => among.includes(value));
  return pick(told) ?? pick(['unknown', 'none', 'other', 'n/a', '', null]) ?? values[0] ?? null;
}

/** The newest value of a kind that a finding tells; of changes none. */
function newest<Key extends keyof Finding>({ found }: Findings, key: Key): Finding[Key] | undefined {
  return found.findLast((finding) => finding[key] !== undefined && finding.isChange !== true)?.[key];
}

/** Lengths are in code points. */
function fitted(text: string, schema: JsonSchema): string {
  const cut = [...text].slice(0, numberIn(schema, 'maxLength', text.length));
  return cut.join('') + ' '.repeat(Math.min(Math.max(0, numberIn(schema, 'minLength', 0) - cut.length), 100_000));
}

function bounded(value: number, schema: JsonSchema): number {
  const above = numberIn(schema, 'exclusiveMinimum', Number.NEGATIVE_INFINITY);
  const below = numberIn(schema, 'exclusiveMaximum', Number.POSITIVE_INFINITY);
  const room = typeOf(schema) === 'integer' ? 1 : Math.min(1, (below - above) / 2);
  const low = Math.max(numberIn(schema, 'minimum', above), above + room);
  const inside = Math.max(low, Math.min(value, numberIn(schema, 'maximum', below), below - room));
  const step = numberIn(schema, 'multipleOf', 0);
  return step > 0 ? Math.ceil(inside / step) * step : inside;
}

function numberIn(schema: JsonSchema, key: string, otherwise: number): number {
  return typeof schema[key] === 'number' ? schema[key] : otherwise;
}
