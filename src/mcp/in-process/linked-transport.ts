// A server of the published libraries that runs in this process: an `McpServer` or `Server` of either version, linked to
// our side. Nothing of the libraries is loaded. One rule: what crosses is JSON, so neither side holds objects of the other.
import type { ConnectableMcpServer } from '../../protocol/mcp.js';
import { isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import type { McpTransport, TransportListeners } from '../transport.js';

interface ConnectableServer extends ConnectableMcpServer {
  /** Of an `McpServer`. */
  isConnected?(): boolean;
  /** Of a `Server`: what it is connected to. */
  readonly transport?: unknown;
}

/** True for servers of the published libraries; their clients have a `callTool`. */
export function isConnectableServer(instance: unknown): instance is ConnectableMcpServer {
  if (typeof instance !== 'object' || instance === null) return false;
  const { connect, close, callTool } = instance as Record<string, unknown>;
  return typeof connect === 'function' && typeof close === 'function' && callTool === undefined;
}

/** What the library calls and sets. */
interface LinkEnd {
  onmessage?: (message: unknown, extra?: object) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
}

/** Contract: the server is connected by `start` and free again after `close`. */
export function createLinkedTransport(server: ConnectableMcpServer): McpTransport {
  let listeners: TransportListeners | null = null;
  let settle: (how: string) => void = () => undefined;
  let isOver = false;
  let isLinked = false;
  const ended = new Promise<string>((resolve) => {
    settle = resolve;
  });
  const end = (how: string): void => {
    isOver = true;
    settle(how);
  };
  const link: LinkEnd = {
    start: async () => undefined,
    async send(message) {
      if (isOver) throw new Error('the session ended');
      const text = JSON.stringify(message);
      // As over any other way, an answer never comes while its request is being sent.
      queueMicrotask(() => {
        if (!isOver) listeners?.onMessage(JSON.parse(text));
      });
    },
    async close() {
      if (isOver) return;
      end('it was closed by the program.');
      link.onclose?.();
    },
  };
  return {
    ended,
    async start(given) {
      if (isOver) throw new Error('the session ended');
      listeners = given;
      if (isInUse(server))
        throw new Error('its instance is connected already. Give each session, or client, an instance of its own.');
      try {
        isLinked = true;
        await server.connect(link as never);
      } catch (error) {
        end(errorText(error));
        throw error;
      }
    },
    send(message) {
      const { id } = message as { id?: unknown };
      const fail = (error: unknown) =>
        listeners?.onLost(JSON.stringify({ id }), error instanceof Error ? error : new Error(errorText(error)));
      let copy: unknown;
      try {
        copy = JSON.parse(JSON.stringify(message));
      } catch (error) {
        return fail(error);
      }
      queueMicrotask(() => {
        if (isOver) return;
        try {
          link.onmessage?.(copy);
        } catch (error) {
          fail(error);
        }
      });
    },
    async close() {
      const wasOver = isOver;
      end('the session ended.');
      if (wasOver || !isLinked) return;
      try {
        await server.close();
      } catch {
        // What the program's own server does at its end is its own business.
      }
      link.onclose?.();
    },
  };
}

function isInUse(server: ConnectableServer): boolean {
  if (typeof server.isConnected === 'function') return server.isConnected();
  return isRecord(server.transport);
}
