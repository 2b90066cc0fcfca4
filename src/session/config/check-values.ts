// What holds values to their schemas in a session: inputs of tools, structured answers. Loaded with the first of them.

import { createJsonValidator } from '../../engine/output/index.js';
import type { MessageDraft, ValidateJson } from '../../engine/state/index.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { Tools } from '../../tools/tool.js';

/** A schema that cannot be used is told once. */
export function openValidator(tools: Tools, onDraft: (draft: MessageDraft) => void): ValidateJson {
  return createJsonValidator((schema, why) => onDraft(unusableSchema(tools, schema, why)));
}

/** What is told of a tool whose calls cannot be checked, so that none of them runs. */
function unusableSchema(tools: Tools, schema: JsonSchema, why: string): MessageDraft {
  const tool = tools.find(({ inputSchema, acceptedInput, approvedInput }) =>
    [inputSchema, acceptedInput, approvedInput].includes(schema),
  );
  const name = tool === undefined ? 'A tool' : `The tool ${tool.name}`;
  return {
    type: 'system',
    subtype: 'notice',
    code: 'tool_schema_unusable',
    level: 'warning',
    message: `${name} cannot be called: the schema of its input cannot be used, for ${why}.`,
    remedy: 'Correct the schema where the tool is declared, or leave the tool out.',
  };
}
