// The tools of all connected MCP servers, listed once. A server that fails leaves the others as they are, and is told.
import type { HostClock } from '../host/host.js';
import type { MCPServerConnection, McpListedTool, McpServerStatus } from '../protocol/mcp.js';
import type { NoticeCode } from '../protocol/system-messages.js';
import type { AnyTool } from '../tools/tool.js';
import { errorText } from '../util/text.js';
import { listTools } from './list-tools.js';
import { createMcpTool, type McpToolOptions } from './mcp-tool.js';
import { offeredSchema } from './offered-schema.js';
import { isUsableName, mcpToolName } from './tool-names.js';

export interface McpServers {
  readonly tools: readonly AnyTool[];
  /** In the order of the connections. */
  readonly statuses: readonly McpServerStatus[];
  /** Servers and tools that are not there, and why. */
  readonly notices: readonly { readonly code: NoticeCode; readonly message: string }[];
}

export interface OpenServersOptions {
  readonly clock: Pick<HostClock, 'after'>;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
  /** Names of tools that are there already. */
  readonly taken: readonly string[];
  /** Longest call, milliseconds; 0, the default: as of any other tool. */
  readonly toolTimeoutMs?: number;
}

/** Contract: never throws; of two tools with one name the first is kept. */
export async function openMcpServers(
  connections: readonly MCPServerConnection[],
  { clock, signal, taken, toolTimeoutMs = 0 }: OpenServersOptions,
): Promise<McpServers> {
  const listings = await Promise.all(connections.map((connection) => listOne(connection, clock, signal)));
  const names = new Set(taken);
  const tools: AnyTool[] = [];
  const notices: McpServers['notices'][number][] = [];
  for (const [index, { status, listed, problem }] of listings.entries()) {
    const connection = connections[index];
    if (problem !== null) notices.push({ code: 'mcp_server_failed', message: problem });
    if (connection?.client === undefined) continue;
    for (const tool of listed) {
      const made = offerTool(tool, { server: status.name, client: connection.client, toolTimeoutMs }, names);
      if (typeof made === 'string') notices.push({ code: 'mcp_tool_left_out', message: made });
      else tools.push(made);
    }
  }
  return { tools, statuses: listings.map(({ status }) => status), notices };
}

interface Listing {
  readonly status: McpServerStatus;
  readonly listed: readonly McpListedTool[];
  readonly problem: string | null;
}

async function listOne(
  connection: MCPServerConnection,
  clock: Pick<HostClock, 'after'>,
  signal: AbortSignal,
): Promise<Listing> {
  const { name, type, client, error } = connection;
  const without = (status: McpServerStatus, why: string): Listing => ({
    status,
    listed: [],
    problem: `The tools of the MCP server ${name} are not offered: ${why}.`,
  });
  // What the host switched off is as it wants it.
  if (type === 'disabled')
    return { status: { name, status: type, ...(error === undefined ? {} : { error }) }, listed: [], problem: null };
  if (type !== 'connected') {
    const why = error === undefined ? `it is not connected (${type})` : `it is not connected (${type}): ${error}`;
    return without({ name, status: type, ...(error === undefined ? {} : { error }) }, why);
  }
  try {
    if (client === undefined) throw new Error('its connection has no client');
    return { status: { name, status: 'connected' }, listed: await listTools(client, clock, signal), problem: null };
  } catch (thrown) {
    const why = errorText(thrown);
    return without({ name, status: 'failed', error: why }, why);
  }
}

/** The tool, or why it is left out. */
function offerTool(
  listed: McpListedTool,
  place: Pick<McpToolOptions, 'server' | 'client' | 'toolTimeoutMs'>,
  names: Set<string>,
): AnyTool | string {
  const { server } = place;
  const toolName: unknown = (listed as McpListedTool | null)?.name;
  if (typeof toolName !== 'string' || toolName === '') return `A tool of the MCP server ${server} has no name.`;
  const left = (why: string) => `The tool ${toolName} of the MCP server ${server} is not offered: ${why}.`;
  const name = mcpToolName(server, toolName);
  if (!isUsableName(name)) return left('its name is too long');
  if (names.has(name)) return left(`there is a tool ${name} already`);
  const offered = offeredSchema(listed.inputSchema);
  if (offered.schema === null) return left(offered.problem);
  names.add(name);
  return createMcpTool({ ...place, name, listed, inputSchema: offered.schema, note: offered.note });
}
