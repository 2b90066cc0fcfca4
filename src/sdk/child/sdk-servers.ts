// MCP servers of this process, as the program at the other end of the wire reaches them: JSON-RPC in, JSON-RPC out. One
// rule: whatever comes, the answer is a message of that protocol.
import { createLinkedTransport } from '../../mcp/in-process/linked-transport.js';
import type { McpTransport } from '../../mcp/transport.js';
import type { ConnectableMcpServer, McpSdkServer } from '../../protocol/mcp.js';
import { ABORTED, raceAbort } from '../../util/abort.js';
import { isRecord } from '../../util/is-record.js';
import { errorText } from '../../util/text.js';
import type { Fields } from '../wire/index.js';

const PROTOCOL_VERSION = '2025-06-18';
const NO_METHOD = -32_601;
const FAILED = -32_603;

/** Answers one message of the program. Contract: never rejects. */
export type AnswerRpc = (message: Fields, signal: AbortSignal) => Promise<object>;

/** A notification has no answer, but the request that carried it has. */
const HEARD = { jsonrpc: '2.0', result: {}, id: 0 };

/** A server that `createSdkMcpServer()` made. */
export function ownServerRpc(server: McpSdkServer): AnswerRpc {
  return (message, signal) => answerRpc(server, message, signal);
}

/** A server of the published libraries: it hears the messages themselves, and each handshake begins anew. */
export function linkedServerRpc(server: ConnectableMcpServer): AnswerRpc {
  const waiting = new Map<unknown, (answer: object) => void>();
  let link: McpTransport | null = null;
  const connect = async (signal: AbortSignal): Promise<McpTransport> => {
    await link?.close();
    const made = createLinkedTransport(server);
    const listeners = {
      onMessage(message: unknown) {
        const { id, method } = isRecord(message) ? message : {};
        // What it asks of its client itself is asked through no request of the wire.
        if (typeof method === 'string') {
          if (id !== undefined) made.send(failure(id, NO_METHOD, `There is no ${method} here.`));
        } else waiting.get(id)?.(message as object);
      },
      onGarbage: () => undefined,
      onLost(head: string, error: Error) {
        const { id } = JSON.parse(head) as { id?: unknown };
        waiting.get(id)?.(failure(id, FAILED, error.message));
      },
    };
    await made.start(listeners, signal);
    link = made;
    return made;
  };
  return async (message, signal) => {
    const { id, method } = message;
    try {
      const to = link === null || method === 'initialize' ? await connect(signal) : link;
      if (id === undefined || id === null) {
        to.send(message);
        return HEARD;
      }
      const answered = new Promise<object>((resolve) => waiting.set(id, resolve));
      to.send(message);
      const answer = await raceAbort(answered, signal);
      return answer === ABORTED ? failure(id, FAILED, 'The request was taken back.') : answer;
    } catch (error) {
      return failure(id, FAILED, errorText(error));
    } finally {
      waiting.delete(id);
    }
  };
}

async function answerRpc(server: McpSdkServer, message: Fields, signal: AbortSignal): Promise<object> {
  const { id, method } = message;
  if (id === undefined || id === null) return HEARD;
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
