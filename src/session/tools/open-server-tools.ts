// The tools of a session with those of its MCP servers: connections of the host, and programs that the session starts.
// Loaded where there are some.
import { openMcpServers } from '../../mcp/open-servers.js';
import { ruleMatchesTool } from '../../permissions/rule.js';
import type { QueryEngineConfig } from '../config/index.js';
import { canAsk, type Elicit } from '../permission/index.js';
import type { OpenedTools, ToolsPlace } from './opened-tools.js';

/** @param own what the session has without them */
export async function openServerTools(
  config: QueryEngineConfig,
  place: ToolsPlace,
  own: OpenedTools,
  signal: AbortSignal,
): Promise<OpenedTools> {
  const taken = own.tools.map((tool) => tool.name);
  const opened = await openMcpServers(config.mcpClients, { clock: place.host.clock, signal, taken });
  const denied = config.permissions?.deny ?? [];
  // A tool that would be denied anyway is not offered, as with the built-in ones.
  const tools = opened.tools.filter((tool) => !denied.some((rule) => ruleMatchesTool(rule, tool.name)));
  const connected: OpenedTools = {
    tools: [...own.tools, ...tools],
    servers: opened.statuses,
    notices: [...own.notices, ...opened.notices],
    refresh: null,
  };
  return startPrograms(config, place, connected, signal);
}

async function startPrograms(
  config: QueryEngineConfig,
  place: ToolsPlace,
  connected: OpenedTools,
  signal: AbortSignal,
): Promise<OpenedTools> {
  const { mcpServers: definitions = [] } = config;
  if (definitions.length === 0) return connected;
  const { openSessionServers } = await import('./session-servers.js');
  const taken = connected.tools.map((tool) => tool.name);
  const elicit: Elicit = async (...question) =>
    (await place.elicit()?.(...question)) ?? { action: 'none', reason: 'nobody can be asked yet' };
  const sandbox = (await place.confining)?.commands ?? null;
  const stdio = await openSessionServers(
    config,
    definitions,
    { ...place, taken, sandbox, elicit: canAsk(config) ? elicit : null },
    signal,
  );
  place.closing.push(stdio.close);
  return {
    tools: [...connected.tools, ...stdio.tools],
    servers: [...connected.servers, ...stdio.statuses],
    notices: [...connected.notices, ...stdio.notices],
    refresh: stdio.refresh,
  };
}
