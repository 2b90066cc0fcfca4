// Prompts of MCP servers as slash commands: `/mcp__<server>__<prompt>`, with what is typed behind them as arguments. One
// rule: the server is asked when the user calls the command, and at no other time.
import type { Command } from '../../context/slash-commands.js';
import { argumentHint, promptBlocks, readArguments } from '../../mcp/prompts.js';
import { isUsableName, mcpToolName } from '../../mcp/tool-names.js';
import { ConfigError } from '../../protocol/errors.js';
import type { McpClient, McpListedPrompt } from '../../protocol/mcp.js';
import { linkAbort } from '../../util/abort.js';
import { errorText, shorten } from '../../util/text.js';

const MAX_DESCRIPTION = 300;
/** The user waits for it. Milliseconds. */
const PROMPT_TIMEOUT_MS = 60_000;

/** Contract: what a server lists that is no prompt is left out; of two with one name the first counts. */
export function promptCommands(
  server: string,
  client: McpClient,
  prompts: readonly McpListedPrompt[],
  ended: AbortSignal,
): Command[] {
  const commands = new Map<string, Command>();
  for (const prompt of prompts) {
    const title: unknown = prompt?.name;
    if (typeof title !== 'string' || title === '') continue;
    const name = mcpToolName(server, title);
    if (!isUsableName(name) || commands.has(name)) continue;
    const { description, title: shown = title } = prompt;
    const text = typeof description === 'string' && description.trim() !== '' ? description : String(shown);
    commands.set(name, {
      type: 'prompt',
      name,
      description: `${shorten(text.replace(/\s+/g, ' ').trim(), MAX_DESCRIPTION)} (MCP server ${server})`,
      argumentHint: argumentHint(prompt),
      expand: (typed) => expand(server, client, prompt, typed, ended),
    });
  }
  return [...commands.values()];
}

/** @throws ConfigError with what is wrong, for the user */
async function expand(server: string, client: McpClient, prompt: McpListedPrompt, typed: string, ended: AbortSignal) {
  const { name } = prompt;
  // A signal of a time that another signal stands on may be collected, and then never comes (Node 20).
  const late = AbortSignal.timeout(PROMPT_TIMEOUT_MS);
  const { controller, release } = linkAbort(ended);
  const onLate = () => controller.abort(late.reason);
  late.addEventListener('abort', onLate, { once: true });
  const { signal } = controller;
  try {
    if (client.getPrompt === undefined) throw new Error('it gives no prompts');
    const answer = await client.getPrompt({ name, arguments: readArguments(prompt, typed) }, { signal });
    return promptBlocks(server, name, answer);
  } catch (error) {
    throw new ConfigError(`The prompt ${name} of the MCP server ${server} cannot be used. ${errorText(error)}`);
  } finally {
    late.removeEventListener('abort', onLate);
    release();
  }
}
