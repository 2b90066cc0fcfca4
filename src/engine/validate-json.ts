// Checks a value against a JSON Schema. The validator is loaded at the first call, not at start.
import type { JsonSchema } from '../protocol/json.js';

/**
 * What is wrong with a value, one line each; empty where it fits.
 * Contract: never rejects for a value; a schema that cannot be used is one problem.
 */
export type ValidateJson = (value: unknown, schema: JsonSchema) => Promise<string[]>;

type Check = (value: unknown) => string[];

/** A validator that compiles each schema once, by identity. */
export function createJsonValidator(): ValidateJson {
  const checks = new WeakMap<JsonSchema, Check>();
  return async (value, schema) => {
    let check = checks.get(schema);
    if (check === undefined) {
      check = await compile(schema);
      checks.set(schema, check);
    }
    return check(value);
  };
}

async function compile(schema: JsonSchema): Promise<Check> {
  const { Validator } = await import('@cfworker/json-schema');
  try {
    const validator = new Validator(schema as object, draftOf(schema), false);
    return (value) => {
      const { valid, errors } = validator.validate(value);
      return valid ? [] : describe(errors);
    };
  } catch (error) {
    const problem = `the schema cannot be used: ${error instanceof Error ? error.message : String(error)}`;
    return () => [problem];
  }
}

function draftOf(schema: JsonSchema): '4' | '7' | '2019-09' | '2020-12' {
  const declared = String(schema.$schema ?? '');
  if (declared.includes('draft-04')) return '4';
  if (declared.includes('draft-07') || declared.includes('draft-06')) return '7';
  if (declared.includes('2019-09')) return '2019-09';
  return '2020-12';
}

interface Unit {
  readonly instanceLocation: string;
  readonly keyword: string;
  readonly error: string;
}

/** Leaves out the lines that only repeat that something below failed. */
function describe(units: readonly Unit[]): string[] {
  const summary = new Set(['properties', 'items', 'prefixItems', 'additionalItems', '$ref', 'allOf', '$dynamicRef']);
  const leaves = units.filter((unit) => !summary.has(unit.keyword));
  const lines = (leaves.length > 0 ? leaves : units).map((unit) => {
    const place = unit.instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.');
    return place === '' ? unit.error : `${place}: ${unit.error}`;
  });
  return [...new Set(lines)];
}
