// A JSON Schema as a check of values that says in plain words what is wrong. Loaded with the first schema, since it brings
// the validator along.
import { dereference, validate } from '@cfworker/json-schema';
import type { JsonSchema } from '../../protocol/json.js';
import { errorText } from '../../util/text.js';
import { usableSchema } from './usable-schema.js';

/** What is wrong with a value, a line each; none: it fits. */
export type Check = (value: unknown) => string[];

/** @throws Error that says why the schema cannot be used */
export function compileSchema(given: JsonSchema): Check {
  const { schema, draft, referring } = usableSchema(given);
  const places = dereference(schema);
  for (const { $ref: ref, __absolute_ref__: place } of referring) {
    if (typeof ref !== 'string' || places[String(place ?? ref)] === undefined)
      throw new Error(`"$ref": ${JSON.stringify(ref)} leads nowhere; what it names must be in the schema itself`);
  }
  return (value) => {
    if (value === undefined) return ['there is no value'];
    try {
      const { valid, errors } = validate(value, schema, draft, places, false);
      return valid ? [] : describe(errors);
    } catch (error) {
      // Such as a value nested deeper than the stack.
      return [`it could not be checked: ${errorText(error)}`];
    }
  };
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
