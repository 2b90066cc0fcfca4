// Checks values against JSON Schemas. The validator, a library, is loaded with the first of them.
import type { JsonSchema } from '../../protocol/json.js';
import { errorText } from '../../util/text.js';
import { DOORS } from '../doors.js';
import type { ValidateJson } from '../state/index.js';
import type { Check } from './compile-schema.js';

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
async function compile(schema: JsonSchema): Promise<Check> {
  return (await DOORS.schemas()).compileSchema(schema);
}
