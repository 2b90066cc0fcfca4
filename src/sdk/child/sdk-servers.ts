// MCP servers of this process, as the program at the other end of the wire reaches them: JSON-RPC in, JSON-RPC out. One
// rule: whatever comes, the answer is a message of that protocol.
import { createLinkedTransport } from '../../mcp/in-process/index.js';
import type { McpTransport } from '../../mcp/transport.js';
import type { ConnectableMcpServer, McpCallExtra, McpSdkServer } from '../../protocol/mcp.js';
import { ABORTED, linkAbort, raceAbort } from '../../util/abort.js';
import { isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import type { Fields } from '../wire/index.js';

const PROTOCOL_VERSION = '2025-06-18';
const NO_METHOD = -32_601;
const FAILED = -32_603;

/** Answers one message of the program. Contract: never rejects. */
export type AnswerRpc = (message: Fields, signal: AbortSignal) => Promise<object>;

/** Says to the program what a server says by itself: a notification, or a request of its own. */
export type TellProgram = (message: Fields) => void;

/** A server of this process, once there is a program to tell. */
export type OpenServerRpc = (tell: TellProgram) => AnswerRpc;

/** A notification has no answer, but the request that carried it has. */
const HEARD = { jsonrpc: '2.0', result: {}, id: 0 };

/** A server that `createSdkMcpServer()` made. */
export function ownServerRpc(server: McpSdkServer): OpenServerRpc {
  return (tell) => {
    /** What calls asked of the session. */
    const asked = new Map<unknown, (answer: Fields) => void>();
    /** Calls that are under way. */
    const calls = new Map<unknown, AbortController>();
    let lastId = 0;
    const extraOf = (id: unknown, params: Fields, signal: AbortSignal): McpCallExtra => ({
      signal,
      requestId: id as string | number,
      ...(isRecord(params['_meta']) ? { _meta: params['_meta'] } : {}),
      async sendNotification({ method, params: fields }) {
        if (!signal.aborted) tell({ jsonrpc: '2.0', method, ...(fields === undefined ? {} : { params: fields }) });
      },
      async sendRequest({ method, params: fields = {} }) {
        lastId += 1;
        const own = `own-${lastId}`;
        const answered = new Promise<Fields>((resolve) => asked.set(own, resolve));
        tell({ jsonrpc: '2.0', id: own, method, params: fields });
        const answer = await raceAbort(answered, signal);
        asked.delete(own);
        if (answer === ABORTED) throw new Error('The call was taken back.');
        const { error, result } = answer;
        if (isRecord(error)) throw new Error(String(error['message'] ?? `${method} was refused.`));
        return result;
      },
    });
    return async (message, signal) => {
      const { id, method } = message;
      const params = isRecord(message['params']) ? message['params'] : {};
      if (method === 'notifications/cancelled') calls.get(params['requestId'])?.abort();
      if (method === undefined) asked.get(id)?.(message);
      if (id === undefined || id === null || method === undefined) return HEARD;
      const { controller, release } = linkAbort(signal);
      calls.set(id, controller);
      try {
        return await answerRpc(server, message, params, extraOf(id, params, controller.signal));
      } finally {
        calls.delete(id);
        release();
      }
    };
  };
}

/** A server of the published libraries: it hears the messages themselves, and each handshake begins anew. */
export function linkedServerRpc(server: ConnectableMcpServer): OpenServerRpc {
  return (tell) => {
    const waiting = new Map<unknown, (answer: object) => void>();
    let link: McpTransport | null = null;
    const connect = async (signal: AbortSignal): Promise<McpTransport> => {
      await link?.close();
      const made = createLinkedTransport(server);
      const listeners = {
        onMessage(message: unknown) {
          const { id, method } = isRecord(message) ? message : {};
          if (typeof method === 'string') tell(message as Fields);
          else waiting.get(id)?.(message as object);
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
        // What has no answer: a notification, or the answer to a request of the server's.
        if (id === undefined || id === null || method === undefined) {
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
  };
}

async function answerRpc(
  server: McpSdkServer,
  { id, method }: Fields,
  params: Fields,
  extra: McpCallExtra,
): Promise<object> {
  try {
    const result = await resultOf(server, String(method), params, extra);
    if (result === null) return failure(id, NO_METHOD, `Method not found: ${String(method)}`);
    return { jsonrpc: '2.0', id, result };
  } catch (error) {
    return failure(id, FAILED, errorText(error));
  }
}

async function resultOf(server: McpSdkServer, method: string, params: Fields, extra: McpCallExtra) {
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
      return server.callTool(String(params['name']), params['arguments'] ?? {}, extra);
    default:
      return null;
  }
}

function failure(id: unknown, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
