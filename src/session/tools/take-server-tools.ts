// The tools of MCP servers that came, went or changed, for the session's agent and those it starts from now on.
import type { Tools } from '../../tools/tool.js';
import type { QueryEngineConfig } from '../config/index.js';
import type { ToolsHolder } from './opened-tools.js';

/** False if there was nothing new. Contract: what a request shares has to be made anew afterwards. */
export async function takeServerTools(config: QueryEngineConfig, holder: ToolsHolder): Promise<boolean> {
  const servers = holder.servers.now;
  if (servers === null || !servers.hasNews) return false;
  const before: Tools = servers.tools;
  servers.take();
  const isEarlier = (tool: Tools[number]) => before.includes(tool);
  const others = holder.agents.tools.filter((tool) => !isEarlier(tool));
  const more = servers.tools.filter(({ name }) => name !== config.permissionPromptToolName);
  // What was said of definitions is the same as before.
  const agents = await holder.agents.again({ tools: [...others, ...more] });
  // What came to the session since it began stays: a goal's tool, a plan's, that of its first skills.
  const known = new Set([...holder.agents.main.tools, ...agents.main.tools].map(({ name }) => name));
  const beside = holder.setup.tools.filter(({ name }) => !known.has(name));
  holder.agents = agents;
  holder.setup = { ...agents.main, tools: [...agents.main.tools, ...beside] };
  return true;
}
