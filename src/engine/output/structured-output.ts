// Structured output: a text that the model's API holds to the schema, or an internal tool whose input is the wanted
// value. A prompt that asked for a value never ends as success without one that fits its schema.
import type { AssistantBlock, ToolResultBlock, ToolUseBlock } from '../../protocol/content.js';
import type { JsonSchema } from '../../protocol/json.js';
import { refusedAtTop, refusedName, type ToolDefinition } from '../../providers/contract/index.js';
import { copyJson } from '../../util/json.js';
import { modernSchema } from '../../util/old-json-schema.js';
import { errorText } from '../../util/text.js';
import { type LoopDeps, STRUCTURED_OUTPUT_TOOL, type StructuredState } from '../state/index.js';
import { mapSchema } from './usable-schema.js';

/** Values refused or missing before the prompt ends as `error_max_structured_output_retries`. */
export const MAX_STRUCTURED_FAILURES = 5;

/** Problems with one value that the model is told. */
const MAX_PROBLEMS = 5;

/** Takes the value out of a reply that calls the tool. The call is answered like any other. */
export async function acceptStructuredOutput(
  call: ToolUseBlock,
  unusable: string | undefined,
  schema: JsonSchema,
  state: StructuredState,
  checks: ValueChecks,
): Promise<{ readonly state: StructuredState; readonly result: ToolResultBlock }> {
  const given = isWrapped(schema) ? (call.input as { value?: unknown } | null)?.value : call.input;
  const checked = unusable === undefined ? await takeValue(given, schema, checks) : { problem: unusable };
  const { problem } = checked;
  if (problem === null) {
    return {
      state: { ...state, value: { json: checked.json, output: checked.output } },
      result: { type: 'tool_result', tool_use_id: call.id, content: 'Accepted.' },
    };
  }
  return {
    state: { ...state, failures: state.failures + 1, lastError: problem },
    result: {
      type: 'tool_result',
      tool_use_id: call.id,
      content: `The value does not fit the schema: ${problem}. Correct it and call ${STRUCTURED_OUTPUT_TOOL} again.`,
      is_error: true,
    },
  };
}

/** Takes the value out of a reply whose text is the value. `problem`: what is wrong with it, for the model; else null. */
export async function acceptStructuredText(
  text: string,
  schema: JsonSchema,
  state: StructuredState,
  checks: ValueChecks,
): Promise<{ readonly state: StructuredState; readonly problem: string | null }> {
  const json = parseValue(text);
  const checked = json === undefined ? { problem: 'it is not JSON' } : await takeValue(json.value, schema, checks);
  const { problem } = checked;
  if (problem === null) return { state: { ...state, value: { json: checked.json, output: checked.output } }, problem };
  return { state: { ...state, failures: state.failures + 1, lastError: problem }, problem };
}

/** Strict: a text around the value, or a part of one, is none. */
function parseValue(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined; // the model is told
  }
}

export function isStructuredOutputCall(block: AssistantBlock): block is ToolUseBlock {
  return block.type === 'tool_use' && block.name === STRUCTURED_OUTPUT_TOOL;
}

/** What a value must pass: the schema, then the caller's own word. */
type ValueChecks = Pick<LoopDeps, 'validateJson' | 'parseOutput'>;

type Taken =
  | { readonly problem: string }
  | { readonly problem: null; readonly json: unknown; readonly output: unknown };

/** Models wrap a value in an object of one key. What is inside is the value if it fits and the whole does not. */
async function takeValue(value: unknown, schema: JsonSchema, checks: ValueChecks): Promise<Taken> {
  const whole = await checkValue(value, schema, checks);
  if (whole.problem === null) return whole;
  const inside = onlyEntry(value);
  const part = inside === undefined ? whole : await checkValue(inside.value, schema, checks);
  return part.problem === null ? part : whole;
}

async function checkValue(
  value: unknown,
  schema: JsonSchema,
  { validateJson, parseOutput }: ValueChecks,
): Promise<Taken> {
  const problems = await validateJson(value, schema);
  if (problems.length > 0) return { problem: listed(problems) };
  if (parseOutput === undefined) return { problem: null, json: value, output: value };
  try {
    // A copy: `result` tells the value as the model gave it.
    const parsed = await parseOutput(copyJson(value));
    return parsed.ok ? { problem: null, json: value, output: parsed.value } : { problem: listed(parsed.problems) };
  } catch (error) {
    return { problem: `the check of the host failed: ${errorText(error)}` };
  }
}

function listed(problems: readonly string[]): string {
  return problems.slice(0, MAX_PROBLEMS).join('; ') || 'it was refused';
}

function onlyEntry(value: unknown): { readonly value: unknown } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const values = Object.values(value);
  return values.length === 1 ? { value: values[0] } : undefined;
}

// The internal tool whose input is the value that the caller wants, as the model is told of it.

/** The tool, and the schema of the value in words that model APIs know. */
export function outputTool(given: JsonSchema): { readonly tool: ToolDefinition; readonly schema: JsonSchema } {
  return { tool: structuredOutputTool(given), schema: modernSchema(given) as JsonSchema };
}

/** Contract: model APIs take its schema; an input fits it if the value in it fits the caller's. */
export function structuredOutputTool(given: JsonSchema): ToolDefinition {
  const schema = modernSchema(given) as JsonSchema;
  return {
    name: STRUCTURED_OUTPUT_TOOL,
    description:
      'Gives the final answer of this task as data. Call it exactly once, when the work is done; its input is the answer. ' +
      'A text answer alone does not count.',
    input_schema: isWrapped(schema)
      ? { type: 'object', properties: { value: movedInto(schema, '#/properties/value') }, required: ['value'] }
      : schema,
  };
}

/**
 * True if the input of the tool is `{ value }`: a tool's input is always an object, and model APIs refuse some schemas
 * of one at its top.
 */
function isWrapped(given: JsonSchema): boolean {
  const schema = modernSchema(given);
  if (schema.type !== 'object' || refusedAtTop(schema).length > 0) return true;
  const { properties } = schema;
  return typeof properties === 'object' && properties !== null && refusedName(properties) !== undefined;
}

/** References by place begin at the top of the document, which is another one now. Those by name still lead there. */
function movedInto(schema: JsonSchema, place: string): JsonSchema {
  // With an address of its own it is a document in the document.
  if (typeof schema.$id === 'string') return schema;
  return mapSchema(schema, (node) => {
    const { $ref: ref } = node;
    if (ref === '#' || (typeof ref === 'string' && ref.startsWith('#/'))) node['$ref'] = `${place}${ref.slice(1)}`;
  });
}
