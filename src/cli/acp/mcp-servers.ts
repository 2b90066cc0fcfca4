// The MCP servers that a client brings, as options of a session.
import type { McpServer } from '@agentclientprotocol/sdk';
import type { McpServerConfig } from '../../protocol/mcp.js';

export function mcpServersOf(servers: readonly McpServer[] | undefined): Record<string, McpServerConfig> {
  return Object.fromEntries((servers ?? []).map((server) => [server.name, configOf(server)]));
}

function configOf(server: McpServer): McpServerConfig {
  if ('type' in server) {
    const { type, url, headers } = server;
    return { type, url, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) };
  }
  const { command, args, env } = server;
  return { command, args, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) };
}
