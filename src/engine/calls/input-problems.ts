// What is wrong with the input of a call, for the model: one reading must be enough to send the next call right. Loaded
// if an input is refused.
import type { JsonSchema } from '../../protocol/json.js';
import type { AnyTool } from '../../tools/tool.js';
import { isRecord } from '../../util/is-record.js';
import type { ValidateJson } from '../state/index.js';

/** More lines say no more. */
const MAX_PROBLEMS = 8;

/** @param problems what `validate` says of `input` by `schema`; at least one */
export async function describeProblems(
  input: unknown,
  { name, inputSchema, otherFields = {} }: Pick<AnyTool, 'name' | 'inputSchema' | 'otherFields'>,
  schema: JsonSchema,
  problems: readonly string[],
  validate: ValidateJson,
): Promise<string> {
  const given = Object.entries(isRecord(input) ? input : {});
  const known = given.filter(([field]) => Object.hasOwn(otherFields, field));
  const left = Object.fromEntries(given.filter(([field]) => !Object.hasOwn(otherFields, field)));
  const others = known.length === 0 ? problems : await validate(left, schema);
  const lines = [
    ...known.map(([field]) => `there is no field "${field}" here: ${otherFields[field]}`),
    ...others.map((problem) => problem.replace(/\.$/, '')),
  ];
  const text = `The input of ${name} is not valid, so nothing ran: ${lines.slice(0, MAX_PROBLEMS).join('; ')}.`;
  const fields = Object.keys(isRecord(inputSchema['properties']) ? inputSchema['properties'] : {});
  const isStrange = Object.keys(left).some((field) => !fields.includes(field));
  return isStrange && fields.length > 0 ? `${text} Fields of ${name}: ${fields.join(', ')}.` : text;
}
