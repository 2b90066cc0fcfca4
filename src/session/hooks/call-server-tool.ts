// A tool of an MCP server, called by a hook. One rule: what the session may not have, a hook has not either, and nobody is
// asked.
import { mcpToolName } from '../../mcp/tool-names.js';
import type { ToolResultContent } from '../../protocol/content.js';
import { ToolError } from '../../protocol/errors.js';
import type { AnyTool, ToolContext, Tools } from '../../tools/tool.js';
import { shorten } from '../../util/text.js';

/**
 * The text of its result.
 * @param tools of the servers of the session, without those that rules deny
 * @throws ToolError if there is no such tool, or it failed
 */
export async function callServerTool(
  server: string,
  name: string,
  input: Readonly<Record<string, unknown>>,
  tools: Tools,
  context: ToolContext,
): Promise<string> {
  const full = mcpToolName(server, name);
  const tool = tools.find((each) => each.name === full);
  if (tool === undefined)
    throw new ToolError(
      `There is no ${full}: the MCP server ${server} is not connected (yet), has no such tool, or a rule denies it.`,
    );
  const why = tool.mustAsk?.();
  if (why != null)
    throw new ToolError(`${full} is not called: ${why}. Call it once in the session, where you are asked.`);
  const run = tool.run as (input: unknown, context: ToolContext) => ReturnType<AnyTool['run']>;
  const { model, isError } = await run(input, context);
  const text =
    typeof model === 'string'
      ? model
      : model.map((part: ToolResultContent) => (part.type === 'text' ? part.text : '')).join('');
  if (isError === true) throw new ToolError(`${full} failed: ${shorten(text, 500)}`);
  return text === '(no output)' ? '' : text;
}
