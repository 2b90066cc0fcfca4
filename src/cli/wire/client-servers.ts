// MCP servers that run in the client: JSON-RPC in control requests. One rule: a server that does not answer is told and
// left out, and never holds up the session.
import type { CallToolResult, McpListedTool, McpSdkServer } from '../../protocol/mcp.js';
import { isRecord } from '../../util/is-record.js';
import { errorText } from '../../util/text.js';
import { VERSION } from '../../util/version.js';
import type { WireClient } from './client.js';

const MCP_PROTOCOL = '2025-06-18';

/** Longest that a server may take until its tools are known, milliseconds. */
const CONNECT_MS = 10_000;

/** Most pages of tools that are asked for. */
const MAX_PAGES = 50;

export interface ClientServers {
  readonly servers: readonly McpSdkServer[];
  /** Why one is not there, for people. */
  readonly problems: readonly string[];
}

export async function connectClientServers(client: WireClient, names: readonly string[]): Promise<ClientServers> {
  const servers: McpSdkServer[] = [];
  const problems: string[] = [];
  const connecting = names.map(async (name) => {
    try {
      return await connect(client, name);
    } catch (error) {
      return `the MCP server ${name} of the client cannot be used: ${errorText(error)}`;
    }
  });
  for (const server of await Promise.all(connecting)) {
    if (typeof server === 'string') problems.push(server);
    else servers.push(server);
  }
  return { servers, problems };
}

async function connect(client: WireClient, name: string): Promise<McpSdkServer> {
  const call = rpcOf(client, name);
  const soon = AbortSignal.timeout(CONNECT_MS);
  const info = await call(
    'initialize',
    { protocolVersion: MCP_PROTOCOL, capabilities: {}, clientInfo: { name: 'turnwright', version: VERSION } },
    soon,
  );
  await notify(client, name, 'notifications/initialized', soon);
  const tools = await listTools(call, soon);
  const { version } = isRecord(info['serverInfo']) ? info['serverInfo'] : {};
  return {
    name,
    version: typeof version === 'string' ? version : '',
    listTools: () => tools,
    async callTool(tool, args, { signal }) {
      try {
        return (await call('tools/call', { name: tool, arguments: args ?? {} }, signal)) as unknown as CallToolResult;
      } catch (error) {
        return { content: [{ type: 'text', text: errorText(error) }], isError: true };
      }
    },
  };
}

type Rpc = (method: string, params: object, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>;

async function listTools(call: Rpc, signal: AbortSignal): Promise<McpListedTool[]> {
  const found: McpListedTool[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { tools, nextCursor } = await call('tools/list', cursor === undefined ? {} : { cursor }, signal);
    if (!Array.isArray(tools)) throw new Error('it answered tools/list without a list of tools.');
    found.push(...(tools as McpListedTool[]));
    if (typeof nextCursor !== 'string') return found;
    cursor = nextCursor;
  }
  throw new Error(`it has more than ${MAX_PAGES} pages of tools.`);
}

function rpcOf(client: WireClient, server_name: string): Rpc {
  let last = 0;
  return async (method, params, signal) => {
    last += 1;
    const message = { jsonrpc: '2.0', id: last, method, params };
    const { mcp_response: answer } = await client.request('mcp_message', { server_name, message }, signal);
    if (!isRecord(answer)) throw new Error(`it gave no answer to ${method}.`);
    if (isRecord(answer['error'])) throw new Error(String(answer['error']['message'] ?? `it refused ${method}.`));
    return isRecord(answer['result']) ? answer['result'] : {};
  };
}

async function notify(client: WireClient, server_name: string, method: string, signal: AbortSignal): Promise<void> {
  await client.request('mcp_message', { server_name, message: { jsonrpc: '2.0', method } }, signal);
}
