// The option `mcpServers`: servers in this process, called directly. Others are refused until they can be reached.
import { ConfigError } from '../protocol/errors.js';
import type { MCPServerConnection, McpClient, McpSdkServer, McpServerConfig } from '../protocol/mcp.js';

/**
 * One connection a server, under its key in the option, which is its name in the names of its tools.
 * @throws ConfigError where a server cannot be used
 */
export function mcpConnections(servers: Readonly<Record<string, McpServerConfig>> = {}): MCPServerConnection[] {
  return Object.entries(servers).map(([name, config]) => {
    if (name.trim() === '') throw new ConfigError('A server in mcpServers has no name. Give it one as its key.');
    return { name, type: 'connected', client: clientOf(name, config) };
  });
}

/** The names that rules may use for these servers and their tools. */
export async function mcpNames(servers: readonly MCPServerConnection[]): Promise<string[]> {
  const { mcpServerRule, mcpToolName } = await import('../mcp/tool-names.js');
  const names = await Promise.all(
    servers.map(async ({ name, client }) => {
      const { tools } = (await client?.listTools()) ?? { tools: [] };
      return [mcpServerRule(name), ...tools.map((tool) => mcpToolName(name, tool.name))];
    }),
  );
  return names.flat();
}

function clientOf(name: string, config: McpServerConfig): McpClient {
  const type = (config as { type?: unknown } | null)?.type ?? 'stdio';
  if (type !== 'sdk' || config.type !== 'sdk') {
    throw new ConfigError(
      `mcpServers.${name}: servers of type ${String(type)} cannot be used yet. Declare the tools with tool() and ` +
        'createSdkMcpServer(), or connect a client and give it to a QueryEngine as mcpClients.',
      { code: 'not_supported' },
    );
  }
  const { instance } = config;
  if (!isOwnServer(instance)) {
    throw new ConfigError(
      `mcpServers.${name}: its instance was not made by createSdkMcpServer() of this package, and a server of another ` +
        'library cannot be used yet. Declare its tools with tool() and createSdkMcpServer().',
      { code: 'not_supported' },
    );
  }
  return {
    listTools: async () => ({ tools: instance.listTools() }),
    // Two parameters: that is how a client says where it wants its options.
    callTool: async (params: { name: string; arguments?: Record<string, unknown> }, options: { signal: AbortSignal }) =>
      instance.callTool(params.name, params.arguments ?? {}, { signal: options.signal }),
  };
}

/** An `McpServer` of the MCP SDK has neither method; its client has both, but no version. */
function isOwnServer(instance: unknown): instance is McpSdkServer {
  const server = (instance ?? {}) as Partial<Record<keyof McpSdkServer, unknown>>;
  return (
    typeof server.listTools === 'function' &&
    typeof server.callTool === 'function' &&
    typeof server.version === 'string'
  );
}
