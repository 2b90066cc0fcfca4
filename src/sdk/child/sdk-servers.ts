// MCP servers of this process, as the program at the other end of the wire reaches them: JSON-RPC in, JSON-RPC out. One
// rule: whatever comes, the answer is a message of that protocol.
import type { McpSdkServer } from '../../protocol/mcp.js';
import { isRecord } from '../../util/is-record.js';
import { errorText } from '../../util/text.js';
import type { Fields } from '../wire/fields.js';

const PROTOCOL_VERSION = '2025-06-18';
const NO_METHOD = -32_601;
const FAILED = -32_603;

export async function answerRpc(server: McpSdkServer, message: Fields, signal: AbortSignal): Promise<object> {
  const { id, method } = message;
  // A notification has no answer, but the request that carried it has.
  if (id === undefined || id === null) return { jsonrpc: '2.0', result: {}, id: 0 };
  try {
    const result = await resultOf(server, String(method), isRecord(message['params']) ? message['params'] : {}, signal);
    if (result === null) return failure(id, NO_METHOD, `Method not found: ${String(method)}`);
    return { jsonrpc: '2.0', id, result };
  } catch (error) {
    return failure(id, FAILED, errorText(error));
  }
}

async function resultOf(server: McpSdkServer, method: string, params: Fields, signal: AbortSignal) {
  switch (method) {
    case 'initialize': {
      const asked = params['protocolVersion'];
      return {
        protocolVersion: typeof asked === 'string' ? asked : PROTOCOL_VERSION,
        capabilities: { tools: {} },
        serverInfo: { name: server.name, version: server.version },
      };
    }
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: server.listTools() };
    case 'tools/call':
      return server.callTool(String(params['name']), params['arguments'] ?? {}, { signal });
    default:
      return null;
  }
}

function failure(id: unknown, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
