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
  // It stays once it is there.
  const plan = holder.setup.tools.filter(
    (tool) => tool.exitsPlan === true && !agents.main.tools.some(({ name }) => name === tool.name),
  );
  holder.agents = agents;
  holder.setup = { ...agents.main, tools: [...agents.main.tools, ...plan] };
  return true;
}
