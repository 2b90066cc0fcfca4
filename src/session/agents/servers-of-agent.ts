// MCP servers that an agent's definition names: those of the session by name, which limit it, and servers of its own, which
// run once for all its runs and end with the session.
import { readDefinition } from '../../mcp/server-definition.js';
import { mcpServerRule } from '../../mcp/tool-names.js';
import { ToolError } from '../../protocol/errors.js';
import type { AgentMcpServerSpec } from '../../protocol/mcp.js';
import type { Tools } from '../../tools/tool.js';
import type { ServersAccess } from '../tools/index.js';

/**
 * The tools that the agent has then. Names of servers leave out the tools of all others; servers of its own add theirs.
 * @throws ToolError for a definition that cannot be used
 */
export async function serversOfAgent(
  agent: string,
  specs: readonly AgentMcpServerSpec[],
  tools: Tools,
  servers: ServersAccess,
  signal: AbortSignal,
): Promise<Tools> {
  const named = specs.filter((spec) => typeof spec === 'string');
  const isMeant = (tool: string) =>
    !tool.startsWith('mcp__') || named.some((server) => tool.startsWith(`${mcpServerRule(server)}__`));
  const kept = named.length === 0 ? tools : tools.filter(({ name }) => isMeant(name));
  const configs = specs.flatMap((spec) => (typeof spec === 'string' ? [] : Object.entries(spec)));
  if (configs.length === 0) return kept;
  const definitions = configs.map(([name, config]) => {
    const definition = readDefinition(name, config);
    if (typeof definition !== 'string') return definition;
    throw new ToolError(`The agent ${agent} cannot work: its MCP server ${name} ${definition}.`);
  });
  const own = await servers.ofAgent(agent, definitions);
  await own.join(signal);
  own.take();
  const taken = new Set(kept.map(({ name }) => name));
  return [...kept, ...own.tools.filter(({ name }) => !taken.has(name))];
}
