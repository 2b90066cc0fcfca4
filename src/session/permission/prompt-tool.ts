// A tool that answers permission questions in place of a callback, such as one of an MCP server. It is asked like a
// person: whatever it says that is no clear yes is a no.
import type { ToolResultContent } from '../../protocol/content.js';
import { ConfigError } from '../../protocol/errors.js';
import type { CanUseTool, PermissionResult } from '../../protocol/permissions.js';
import type { AnyTool, ToolContext, Tools } from '../../tools/tool.js';
import { errorText, shorten } from '../../util/text.js';
import type { QueryEngineConfig } from '../config/index.js';

export interface PromptTool {
  readonly canUseTool: CanUseTool;
  /** The tools that the model may call: all others. */
  readonly others: Tools;
}

/**
 * @param contextOf gives what the tool is called with
 * @throws ConfigError if there is no tool of that name, or a callback is asked as well
 */
export function openPromptTool(
  { permissionPromptToolName: name = '', canUseTool }: QueryEngineConfig,
  tools: Tools,
  contextOf: (toolUseId: string, signal: AbortSignal) => ToolContext,
): PromptTool {
  if (canUseTool !== undefined)
    throw new ConfigError('permissionPromptToolName and canUseTool both say who is asked. Give one of them.');
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) {
    const known = tools.map((candidate) => candidate.name).join(', ');
    throw new ConfigError(`permissionPromptToolName is "${name}", but there is no such tool. Known: ${known}.`);
  }
  const run = tool.run as (input: unknown, context: ToolContext) => ReturnType<AnyTool['run']>;
  return {
    others: tools.filter((candidate) => candidate !== tool),
    async canUseTool(toolName, input, { signal, toolUseID }) {
      const question = { tool_name: toolName, input, tool_use_id: toolUseID };
      const { model, isError } = await run(question, contextOf(toolUseID, signal));
      const text = typeof model === 'string' ? model : model.map(textOfBlock).join('');
      if (isError === true) throw new Error(`${name} failed: ${shorten(text, 500)}`);
      return readAnswer(name, text);
    },
  };
}

/** @throws Error for anything that is no answer, which counts as a denial */
function readAnswer(name: string, text: string): PermissionResult {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} gave no JSON (${errorText(error)}): ${shorten(text, 200)}`);
  }
  return answer as PermissionResult;
}

function textOfBlock(block: ToolResultContent): string {
  return block.type === 'text' ? block.text : '';
}
