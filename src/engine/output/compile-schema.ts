// A JSON Schema as a check of values that says in plain words what is wrong. Loaded with the first schema, since it brings
// the validator along.
import { dereference, validate } from '@cfworker/json-schema';
import type { JsonSchema } from '../../protocol/json.js';
import { isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import { usableSchema } from './usable-schema.js';

/** What is wrong with a value, a line each; none: it fits. */
export type Check = (value: unknown) => string[];

/** @throws Error that says why the schema cannot be used */
export function compileSchema(given: JsonSchema): Check {
  const { schema, draft, referring } = usableSchema(given);
  // Before the validator adds words of its own to it.
  const fits = plainFit(schema);
  const places = dereference(schema);
  for (const { $ref: ref, __absolute_ref__: place } of referring) {
    if (typeof ref !== 'string' || places[String(place ?? ref)] === undefined)
      throw new Error(`"$ref": ${JSON.stringify(ref)} leads nowhere; what it names must be in the schema itself`);
  }
  return (value) => {
    if (value === undefined) return ['there is no value'];
    if (fits?.(value) === true) return [];
    try {
      const { valid, errors } = validate(value, schema, draft, places, false);
      return valid ? [] : describe(errors);
    } catch (error) {
      // Such as a value nested deeper than the stack.
      return [`it could not be checked: ${errorText(error)}`];
    }
  };
}

const TELLING: ReadonlySet<string> = new Set(['description', 'title', 'default', '$schema']);
const PLAIN: ReadonlySet<string> = new Set(['type', 'properties', 'required', 'additionalProperties', ...TELLING]);

/** A check of one field; null if its schema says more than this can tell. What may be wrong is left to the validator. */
function plainField(field: unknown): ((value: unknown) => boolean) | null {
  if (!isRecord(field)) return null;
  const { type, minLength = 0, maxLength = Infinity, minimum = -Infinity, maximum = Infinity, ...rest } = field;
  if (!Object.keys(rest).every((key) => TELLING.has(key))) return null;
  const limits = [minLength, maxLength, minimum, maximum];
  const [least, most, low, high] = limits as [number, number, number, number];
  if (!limits.every((limit) => typeof limit === 'number')) return null;
  if (type === 'boolean') return (value) => typeof value === 'boolean';
  if (type === 'integer') return (value) => Number.isInteger(value) && Number(value) >= low && Number(value) <= high;
  if (type !== 'string') return null;
  // Lengths count code points, each one or two of what `length` counts.
  const surely = least > 1 ? 2 * least : least;
  return (value) => typeof value === 'string' && value.length >= surely && value.length <= most;
}

/**
 * Most inputs of tools are a few plain fields, and for those the validator takes as long as the tool: true says that a value
 * fits, false only that the validator has to look. Null for a schema that says more than this can tell.
 * Contract: what is true here is valid for the validator.
 */
export function plainFit(schema: Readonly<Record<string, unknown>>): ((value: unknown) => boolean) | null {
  const { type, properties, required = [], additionalProperties = true } = schema;
  const isPlain = Object.keys(schema).every((key) => PLAIN.has(key)) && type === 'object' && isRecord(properties);
  if (!isPlain || !Array.isArray(required) || typeof additionalProperties !== 'boolean') return null;
  const fields = new Map<string, (value: unknown) => boolean>();
  for (const [name, field] of Object.entries(properties)) {
    const check = plainField(field);
    if (check !== null) fields.set(name, check);
  }
  return (value) =>
    isRecord(value) &&
    Object.keys(value).every((key) => fields.get(key)?.(value[key]) === true) &&
    required.every((name) => Object.hasOwn(value, name));
}

interface Unit {
  readonly instanceLocation: string;
  readonly keyword: string;
  readonly error: string;
}

/** True for the second of two lines about a field that may not be there: that nothing fits it. */
function isClosed({ keyword, instanceLocation }: Unit, units: readonly Unit[]): boolean {
  if (keyword !== 'false') return false;
  const parent = instanceLocation.slice(0, instanceLocation.lastIndexOf('/'));
  return units.some((unit) => unit.keyword === 'additionalProperties' && unit.instanceLocation === parent);
}

/** What a model gets wrong most often, in words that name the field. */
function inWords({ keyword, error }: Unit): string {
  const field = /"([^"]*)"/.exec(error)?.[1];
  if (field === undefined) return error;
  if (keyword === 'required') return `"${field}" is missing`;
  return keyword === 'additionalProperties' ? `there is no field "${field}" here` : error;
}

/** Leaves out the lines that only repeat that something below failed. */
function describe(units: readonly Unit[]): string[] {
  const summary = new Set(['properties', 'items', 'prefixItems', 'additionalItems', '$ref', 'allOf', '$dynamicRef']);
  const leaves = units.filter((unit) => !summary.has(unit.keyword) && !isClosed(unit, units));
  const lines = (leaves.length > 0 ? leaves : units).map((unit) => {
    const place = unit.instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.');
    const error = inWords(unit);
    return place === '' ? error : `${place}: ${error}`;
  });
  return [...new Set(lines)];
}
