// The MCP servers that a client brings, as options of a session.
import type { McpServer } from '@agentclientprotocol/sdk';
import type { McpServerConfig } from '../../protocol/mcp.js';
import { invalidParams } from './request-errors.js';

/** @throws RequestError for a way to a server that the capabilities do not offer */
export function mcpServersOf(servers: readonly McpServer[] | undefined): Record<string, McpServerConfig> {
  return Object.fromEntries((servers ?? []).map((server) => [server.name, configOf(server)]));
}

function configOf(server: McpServer): McpServerConfig {
  if ('type' in server)
    throw invalidParams(
      `The MCP server "${server.name}" is reached by ${server.type}, which sessions do not do yet. Give one that is started as a program.`,
    );
  const { command, args, env } = server;
  return { command, args, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) };
}
