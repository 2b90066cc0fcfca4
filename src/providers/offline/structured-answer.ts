// The answer as data: fills a JSON Schema from the findings. Properties are matched by name; what no finding knows gets
// an honest empty value of its type, never an invented one.
import type { JsonSchema, JsonValue } from '../../protocol/json.js';
import { composeAnswer } from './answer.js';
import { type FileFact, type Findings, lastFiles } from './findings.js';

const MAX_DEPTH = 12;

interface Facts {
  readonly answer: string;
  readonly summary: string | undefined;
  readonly output: string | undefined;
  readonly exitCode: number | undefined;
  readonly text: string | undefined;
  readonly files: readonly FileFact[];
  readonly matches: readonly { path: string; line: number; text: string }[];
  readonly count: number | undefined;
  readonly lines: number | undefined;
  readonly errors: readonly string[];
}

/** What a value is about: everything, one file, or one match. */
interface Subject {
  readonly facts: Facts;
  readonly file: FileFact | undefined;
  readonly match: Facts['matches'][number] | undefined;
  readonly root: JsonSchema;
}

/** A JSON value for `schema`. Contract: valid for schemas of types, properties, items, enums, bounds and unions. */
export function structuredAnswer(findings: Findings, schema: JsonSchema): JsonValue {
  const facts = collectFacts(findings);
  const subject: Subject = { facts, file: facts.files[0], match: facts.matches[0], root: schema };
  return fill(schema, '', subject, 0);
}

function collectFacts(findings: Findings): Facts {
  const { found, failures } = findings;
  const last = <Value>(read: (finding: (typeof found)[number]) => Value | undefined): Value | undefined => {
    for (const finding of found.toReversed()) {
      const value = read(finding);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const files = lastFiles(found, 'looked') ?? [];
  const texts = last((finding) => finding.texts);
  return {
    answer: composeAnswer(findings, 8_000),
    summary: last((finding) => finding.summary),
    output: last((finding) => finding.output?.text),
    exitCode: last((finding) => finding.output?.exitCode),
    text: texts?.map((text) => text.lines.join('\n')).join('\n'),
    files,
    matches: last((finding) => finding.matches) ?? [],
    count:
      last((finding) => (finding.step.type === 'count_lines' ? undefined : finding.count?.value)) ??
      (files.length > 0 ? files.length : undefined),
    lines:
      last((finding) => (finding.step.type === 'count_lines' ? finding.count?.value : undefined)) ?? files[0]?.lines,
    errors: failures.map((failure) => `${failure.step.source}: ${failure.reason}`),
  };
}

function fill(schema: unknown, name: string, subject: Subject, depth: number): JsonValue {
  const resolved = resolve(schema, subject.root, depth);
  if (resolved === null) return subject.facts.answer;
  if ('const' in resolved) return resolved['const'] as JsonValue;
  if (Array.isArray(resolved['enum'])) return chooseFrom(resolved['enum'] as JsonValue[], name, subject);
  switch (typeOf(resolved)) {
    case 'object':
      return fillObject(resolved, name, subject, depth);
    case 'array':
      return fillArray(resolved, name, subject, depth);
    case 'integer':
    case 'number':
      return boundNumber(numberFact(name, subject) ?? 0, resolved);
    case 'boolean':
      return booleanFact(name, subject);
    case 'null':
      return null;
    case 'string':
      return boundString(stringFact(name, subject) ?? (depth === 0 ? subject.facts.answer : ''), resolved);
    default:
      return stringFact(name, subject) ?? (depth === 0 ? { answer: subject.facts.answer } : null);
  }
}

/** Follows `$ref`, joins `allOf`, takes the first usable way of `anyOf` and `oneOf`. Null for no schema at all. */
function resolve(schema: unknown, root: JsonSchema, depth: number): JsonSchema | null {
  if (typeof schema !== 'object' || schema === null) return null;
  let current = schema as JsonSchema;
  for (let step = 0; step < 20; step++) {
    const reference = current['$ref'];
    if (typeof reference === 'string') {
      const target = byPointer(root, reference);
      if (target === null) return {};
      current = target;
      continue;
    }
    const ways = (current['anyOf'] ?? current['oneOf']) as unknown;
    if (Array.isArray(ways) && ways.length > 0) {
      const { anyOf: _any, oneOf: _one, ...rest } = current;
      // Deep down a way without content ends what could go on for ever.
      const way = depth > 4 ? (ways.find((one) => (one as JsonSchema)['type'] === 'null') ?? ways[0]) : ways[0];
      current = join(rest, way as JsonSchema);
      continue;
    }
    const parts = current['allOf'];
    if (!Array.isArray(parts)) return current;
    const { allOf: _all, ...rest } = current;
    current = (parts as JsonSchema[]).reduce(
      (joined, part) => join(joined, resolve(part, root, depth) ?? {}),
      rest as JsonSchema,
    );
  }
  return current;
}

function join(left: JsonSchema, right: JsonSchema): JsonSchema {
  const properties = { ...(left['properties'] as object | undefined), ...(right['properties'] as object | undefined) };
  const required = [
    ...((left['required'] as string[] | undefined) ?? []),
    ...((right['required'] as string[] | undefined) ?? []),
  ];
  return {
    ...left,
    ...right,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function byPointer(root: JsonSchema, reference: string): JsonSchema | null {
  if (!reference.startsWith('#')) return null;
  let current: unknown = root;
  for (const part of reference
    .slice(1)
    .split('/')
    .filter((piece) => piece !== '')) {
    const key = decodeURIComponent(part).replace(/~1/g, '/').replace(/~0/g, '~');
    current = typeof current === 'object' && current !== null ? (current as Record<string, unknown>)[key] : undefined;
  }
  return typeof current === 'object' && current !== null ? (current as JsonSchema) : null;
}

function typeOf(schema: JsonSchema): string | null {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return (type as string[]).find((one) => one !== 'null') ?? 'null';
  if ('properties' in schema || 'required' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  if ('minLength' in schema || 'pattern' in schema || 'format' in schema) return 'string';
  return 'minimum' in schema || 'maximum' in schema ? 'number' : null;
}

function fillObject(schema: JsonSchema, _name: string, subject: Subject, depth: number): JsonValue {
  const properties = (schema['properties'] ?? {}) as Record<string, unknown>;
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  const open = schema['additionalProperties'] !== false;
  if (depth === 0 && Object.keys(properties).length === 0 && required.length === 0)
    return open ? { answer: subject.facts.answer } : {};
  const entries: [string, JsonValue][] = [];
  for (const [key, property] of Object.entries(properties)) {
    if (
      !required.includes(key) &&
      (depth >= MAX_DEPTH || !isKnown(key, resolve(property, subject.root, depth) ?? {}, subject))
    )
      continue;
    entries.push([key, depth >= MAX_DEPTH * 2 ? null : fill(property, key, subject, depth + 1)]);
  }
  for (const key of required) {
    if (!Object.hasOwn(properties, key))
      entries.push([key, stringFact(key, subject) ?? numberFact(key, subject) ?? '']);
  }
  return Object.fromEntries(entries);
}

/** Optional properties are there only where a finding fills them. */
function isKnown(key: string, schema: JsonSchema, subject: Subject): boolean {
  switch (typeOf(schema)) {
    case 'string':
      return stringFact(key, subject) !== undefined;
    case 'integer':
    case 'number':
      return numberFact(key, subject) !== undefined;
    case 'boolean':
      return /^(?:success|ok|done|found|exists|iserror|error|failed)$/.test(bare(key));
    case 'array':
      return elementsFor(key, subject) !== null;
    default:
      return false;
  }
}

type Element = { readonly file?: FileFact; readonly match?: Facts['matches'][number]; readonly text?: string };

function fillArray(schema: JsonSchema, name: string, subject: Subject, depth: number): JsonValue {
  const prefix = Array.isArray(schema['prefixItems']) ? (schema['prefixItems'] as unknown[]) : [];
  const least = Math.max(numberOr(schema['minItems'], 0), 0);
  const most = numberOr(schema['maxItems'], 1_000);
  if (depth >= MAX_DEPTH * 2) return [];
  const fixed = prefix.map((item) => fill(item, '', subject, depth + 1));
  const items = schema['items'];
  const wanted = items === false ? [] : (elementsFor(name, subject) ?? []).slice(0, Math.max(0, most - fixed.length));
  const values = wanted.map((element) => fillElement(items, name, element, subject, depth + 1));
  const distinct =
    schema['uniqueItems'] === true
      ? values.filter(
          (value, index) => values.findIndex((other) => JSON.stringify(other) === JSON.stringify(value)) === index,
        )
      : values;
  const all = [...fixed, ...distinct];
  while (all.length < least && all.length < 1_000)
    all.push(fillElement(items, name, {}, { ...subject, file: undefined, match: undefined }, depth + 1));
  return all.slice(0, Math.max(most, 0));
}

function fillElement(items: unknown, name: string, element: Element, subject: Subject, depth: number): JsonValue {
  const schema = resolve(items, subject.root, depth);
  const inner: Subject = {
    ...subject,
    file: element.file ?? (element.match === undefined ? undefined : { path: element.match.path }),
    match: element.match,
  };
  const type = schema === null ? 'string' : typeOf(schema);
  const plainText = element.text ?? element.match?.text.trim() ?? element.file?.path;
  if (schema !== null && ('const' in schema || 'enum' in schema)) return fill(schema, name, inner, depth);
  if (type === 'string' || type === null) return boundString(plainText ?? '', schema ?? {});
  if (type === 'integer' || type === 'number')
    return boundNumber(element.match?.line ?? element.file?.lines ?? element.file?.bytes ?? 0, schema ?? {});
  return fill(items, '', inner, depth);
}

function elementsFor(name: string, { facts }: Subject): Element[] | null {
  const key = bare(name);
  if (/match|occurrence|hit|todo/.test(key)) return facts.matches.map((match) => ({ match }));
  if (/file|path|name|item|entries|list/.test(key)) return facts.files.map((file) => ({ file }));
  if (/error|failure|problem/.test(key)) return facts.errors.map((text) => ({ text }));
  if (/line/.test(key) && facts.text !== undefined) return facts.text.split('\n').map((text) => ({ text }));
  if (key !== '' && !/result|finding|answer|data|output|value/.test(key)) return null;
  if (facts.matches.length > 0) return facts.matches.map((match) => ({ match }));
  return facts.files.length > 0 ? facts.files.map((file) => ({ file })) : null;
}

function stringFact(name: string, { facts, file, match }: Subject): string | undefined {
  const key = bare(name);
  if (/^(?:text|content|contents|linetext|snippet)$/.test(key))
    return match?.text ?? facts.text ?? facts.output ?? facts.summary;
  if (/^(?:output|stdout)$/.test(key)) return facts.output ?? facts.text ?? facts.answer;
  if (/summary|overview|outline/.test(key)) return facts.summary ?? facts.answer;
  if (/path|file/.test(key)) return match?.path ?? file?.path;
  if (/^(?:name|basename)$/.test(key)) return (match?.path ?? file?.path)?.split('/').at(-1);
  if (/error|failure|reason/.test(key)) return facts.errors.length > 0 ? facts.errors.join('\n') : undefined;
  if (/answer|result|message|description|report|response|explanation|value|title/.test(key)) return facts.answer;
  return undefined;
}

function numberFact(name: string, { facts, file, match }: Subject): number | undefined {
  const key = bare(name);
  if (/exitcode|exit|status/.test(key)) return facts.exitCode;
  if (/byte|size/.test(key)) return file?.bytes;
  if (/^(?:line|linenumber)$/.test(key)) return match?.line ?? file?.lines ?? facts.lines;
  if (/line|loc|length/.test(key)) return file?.lines ?? facts.lines;
  if (/error|failure/.test(key)) return facts.errors.length;
  if (/match|occurrence|hit/.test(key)) return facts.matches.length > 0 ? facts.matches.length : facts.count;
  if (/count|total|number|num|amount|files|value|result|answer/.test(key)) return facts.count ?? facts.lines;
  return undefined;
}

function booleanFact(name: string, { facts }: Subject): boolean {
  const key = bare(name);
  if (/iserror|haserror|failed|^error/.test(key)) return facts.errors.length > 0;
  if (/success|^ok$|done|complete/.test(key)) return facts.errors.length === 0;
  if (/found|exist|match|any/.test(key)) return facts.files.length > 0 || facts.matches.length > 0;
  return false;
}

function chooseFrom(values: readonly JsonValue[], name: string, subject: Subject): JsonValue {
  const success = subject.facts.errors.length === 0;
  const known: readonly unknown[] = [
    stringFact(name, subject),
    numberFact(name, subject),
    ...(success ? ['success', 'ok', 'done'] : ['error', 'failure', 'failed']),
  ];
  const honest: readonly unknown[] = ['unknown', 'none', 'other', 'n/a', '', null];
  return (
    values.find((value) => known.includes(value)) ?? values.find((value) => honest.includes(value)) ?? values[0] ?? null
  );
}

function boundString(text: string, schema: JsonSchema): string {
  const least = numberOr(schema['minLength'], 0);
  const most = numberOr(schema['maxLength'], Number.POSITIVE_INFINITY);
  // Lengths of JSON Schema are in code points.
  const points = [...text];
  const cut = points.length > most ? points.slice(0, most).join('') : text;
  return points.length < least ? cut + ' '.repeat(Math.min(least - points.length, 100_000)) : cut;
}

function boundNumber(value: number, schema: JsonSchema): number {
  const integer = typeOf(schema) === 'integer';
  const step = numberOr(schema['multipleOf'], integer ? 1 : 0);
  const unit = step > 0 ? step : integer ? 1 : 0;
  let least = numberOr(schema['minimum'], Number.NEGATIVE_INFINITY);
  let most = numberOr(schema['maximum'], Number.POSITIVE_INFINITY);
  const above = numberOr(schema['exclusiveMinimum'], Number.NEGATIVE_INFINITY);
  const below = numberOr(schema['exclusiveMaximum'], Number.POSITIVE_INFINITY);
  const gap = unit > 0 ? unit : Math.min(1, (Math.min(most, below) - Math.max(least, above)) / 2 || 1);
  if (above >= least) least = unit > 0 ? Math.floor(above / unit) * unit + unit : above + gap;
  if (below <= most) most = unit > 0 ? Math.ceil(below / unit) * unit - unit : below - gap;
  if (value < least) return unit > 0 ? Math.ceil(least / unit) * unit : least;
  if (value > most) return unit > 0 ? Math.floor(most / unit) * unit : most;
  return unit > 0 ? Math.floor(value / unit) * unit : value;
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
