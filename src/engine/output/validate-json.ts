// Checks a value against a JSON Schema. The validator is loaded at the first call, not at start.
import type { JsonSchema } from '../../protocol/json.js';
import { errorText } from '../../util/text.js';
import type { ValidateJson } from '../state/index.js';

type Check = (value: unknown) => string[];

/**
 * A validator that compiles each schema once, by identity.
 * @param onUnusable told once of each schema that cannot be used, and why
 */
export function createJsonValidator(onUnusable?: (schema: JsonSchema, why: string) => void): ValidateJson {
  const checks = new WeakMap<JsonSchema, Promise<Check>>();
  return async (value, schema) => {
    let check = checks.get(schema);
    if (check === undefined) {
      check = compile(schema).catch((error: unknown) => {
        const why = errorText(error);
        onUnusable?.(schema, why);
        return () => [`the schema cannot be used: ${why}`];
      });
      checks.set(schema, check);
    }
    return (await check)(value);
  };
}

/** Why values cannot be checked against a schema, as a clause; null if they can. */
export async function schemaProblem(schema: JsonSchema): Promise<string | null> {
  return compile(schema).then(
    () => null,
    (error: unknown) => errorText(error),
  );
}

/** @throws Error that says why the schema cannot be used */
async function compile(given: JsonSchema): Promise<Check> {
  const [{ dereference, validate }, { usableSchema }] = await Promise.all([
    import('@cfworker/json-schema'),
    import('./usable-schema.js'),
  ]);
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
