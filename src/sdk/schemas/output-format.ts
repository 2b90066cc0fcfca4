// The option `outputFormat`: a JSON Schema, or a schema of Zod, which has the last word on the value. One rule: what cannot
// be used fails before anything is sent.

import { ConfigError } from '../../protocol/errors.js';
import type { JsonSchema } from '../../protocol/json.js';
import type {
  SDKMessage,
  SDKResultError,
  SDKResultMessage,
  SDKResultSuccess,
  TerminalReason,
} from '../../protocol/messages.js';
import { checkOutputSchema, type QueryEngineConfig } from '../../session/config/index.js';
import { errorText } from '../../util/text.js';
import { isZodSchema, parseSchema, schemaOfZod, type ZodLike } from './zod-schema.js';

/** The answer as data: what it must fit, as a JSON Schema or as a schema of Zod 3 or 4. */
export interface OutputFormatOption<Schema extends JsonSchema | ZodLike = JsonSchema | ZodLike> {
  readonly type: 'json_schema';
  readonly schema: Schema;
}

/** Endings that are a success only with a value, if one was asked for. */
type EndsWithValue = Extract<TerminalReason, 'completed' | 'task_budget'>;

/** A result of a prompt that asked for a value of that type: `completed` has one, and an error has none. */
export type SDKResultWith<Value> =
  | (Omit<SDKResultSuccess, 'structured_output' | 'terminal_reason'> & {
      readonly terminal_reason: EndsWithValue;
      readonly structured_output: Value;
    })
  | (Omit<SDKResultSuccess, 'structured_output' | 'terminal_reason'> & {
      readonly terminal_reason: Exclude<TerminalReason, EndsWithValue>;
      readonly structured_output?: undefined;
    })
  | SDKResultError;

/** The messages of a session whose answers are values of that type. */
export type SDKMessageWith<Value> = Exclude<SDKMessage, SDKResultMessage> | SDKResultWith<Value>;

/** @throws ConfigError */
export async function readOutputFormat(
  format: unknown,
): Promise<Pick<QueryEngineConfig, 'jsonSchema' | 'parseOutput'>> {
  const { schema, field } = schemaIn(format);
  if (!isZodSchema(schema)) {
    await checkOutputSchema(schema, field);
    return { jsonSchema: schema as Record<string, unknown> };
  }
  const jsonSchema = schemaOfZod(schema) as Record<string, unknown>;
  await checkOutputSchema(jsonSchema, field);
  return { jsonSchema, parseOutput: (value) => parse(schema, value) };
}

/** One of these stands in any schema that says something. */
const KEYWORDS = ['$ref', '$schema', 'allOf', 'anyOf', 'const', 'enum', 'oneOf', 'properties', 'type'];

/** The schema, be it named or the option itself. */
function schemaIn(format: unknown): { readonly schema: unknown; readonly field: string } {
  if (isZodSchema(format)) return { schema: format, field: 'outputFormat' };
  const { type, schema } = (format ?? {}) as { readonly type?: unknown; readonly schema?: unknown };
  if (type === 'json_schema') return { schema, field: 'outputFormat.schema' };
  const isBare = schema === undefined && KEYWORDS.some((keyword) => Object.hasOwn(format as object, keyword));
  if (isBare) return { schema: format, field: 'outputFormat' };
  throw new ConfigError("`outputFormat` must be a schema of Zod, a JSON Schema, or { type: 'json_schema', schema }.");
}

/** A transform of the caller's may throw. */
async function parse(schema: ZodLike, value: unknown): ReturnType<NonNullable<QueryEngineConfig['parseOutput']>> {
  try {
    return await parseSchema(schema, value);
  } catch (error) {
    return { ok: false, problems: [errorText(error)] };
  }
}
