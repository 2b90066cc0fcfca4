// The internal tool whose input is the value that the caller wants, as the model is told of it.
import type { JsonSchema } from '../../protocol/json.js';
import { refusedAtTop, refusedName, type ToolDefinition } from '../../providers/contract/index.js';
import { modernSchema } from '../../util/old-json-schema.js';
import { STRUCTURED_OUTPUT_TOOL } from '../state/index.js';
import { mapSchema } from './map-schema.js';

/** Contract: model APIs take its schema; an input fits it where the value in it fits the caller's. */
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
 * True where the input of the tool is `{ value }`: a tool's input is always an object, and model APIs refuse some schemas
 * of one at its top.
 */
export function isWrapped(given: JsonSchema): boolean {
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
