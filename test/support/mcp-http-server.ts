// MCP servers over HTTP on loopback, made with the published library: Streamable HTTP with sessions or without, and the
// stream of events of older servers. A test can answer any request itself, forget all sessions, or go away and come back.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import {
  type EventStore,
  type JSONRPCMessage,
  McpServer,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The method of the message that was posted; '' for none. */
  readonly rpc: string;
}

export interface HttpMcpServer {
  readonly url: string;
  readonly seen: SeenRequest[];
  readonly sockets: ReadonlySet<Socket>;
  /** Sessions that live. */
  sessions(): number;
  /** As after a new start: no session is known any more. */
  forget(): Promise<void>;
  /** Breaks all connections. */
  cut(): void;
  /** Nothing listens any more. */
  stop(): Promise<void>;
  /** Listens again, at the same port. */
  listen(): Promise<void>;
}

export interface HttpMcpOptions {
  readonly kind?: 'stateful' | 'stateless' | 'sse';
  /** True: answers are JSON, not streams. */
  readonly json?: boolean;
  /** Makes what each session is served by. Default: `probeServer`. */
  make?(): McpServer;
  /** Answers a request itself: then it gives true. */
  intercept?(incoming: IncomingMessage, outgoing: ServerResponse, body: string): boolean | Promise<boolean>;
  readonly eventStore?: EventStore;
  readonly retryInterval?: number;
  /** Serves by TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** `add`, `wait` (until its call is given up), `ask` (a question), `grow` (one more tool). */
export function probeServer(): McpServer {
  const server = new McpServer({ name: 'probe', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  server.registerTool(
    'add',
    { description: 'Adds.', inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
  server.registerTool('wait', { description: 'Waits.', inputSchema: z.object({}) }, async (_, context) => {
    await new Promise((resolve) => context.mcpReq.signal.addEventListener('abort', resolve, { once: true }));
    return { content: [] };
  });
  server.registerTool('ask', { description: 'Asks.', inputSchema: z.object({}) }, async () => {
    const answer = await server.server.elicitInput({
      message: 'Which?',
      requestedSchema: { type: 'object', properties: { which: { type: 'string' } } },
    });
    return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
  });
  server.registerTool('grow', { description: 'Grows.', inputSchema: z.object({}) }, async () => {
    server.registerTool('more', { description: 'More.', inputSchema: z.object({}) }, async () => ({ content: [] }));
    return { content: [{ type: 'text', text: 'grown' }] };
  });
  return server;
}

export async function startHttpMcp(options: HttpMcpOptions = {}): Promise<HttpMcpServer> {
  const { kind = 'stateful', make = probeServer, intercept } = options;
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const sessions = new Map<string, { readonly transport: Transport; readonly server: McpServer }>();
  const serve = kind === 'sse' ? serveEvents(sessions, make) : serveStreamable(sessions, make, options);
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const { method = '', url = '', headers } = incoming;
    seen.push({ method, path: url, headers, rpc: rpcMethod(body) });
    if ((await intercept?.(incoming, outgoing, body)) === true) return;
    await serve(incoming, outgoing, body);
  };
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  };
  const http: Server = options.tls === undefined ? createServer(onRequest) : createTlsServer(options.tls, onRequest);
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  let port = 0;
  const listen = async () => {
    await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
    port = (http.address() as AddressInfo).port;
  };
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const forget = async () => {
    const all = [...sessions.values()];
    sessions.clear();
    await Promise.all(all.map(({ server }) => server.close()));
  };
  const stop = async () => {
    const closed = new Promise((resolve) => http.close(resolve));
    cut();
    await closed;
  };
  await listen();
  onTestFinished(async () => {
    await forget();
    if (http.listening) await stop();
  });
  const url = `http://127.0.0.1:${port}${kind === 'sse' ? '/sse' : '/mcp'}`;
  return { url, seen, sockets, sessions: () => sessions.size, forget, cut, stop, listen };
}

function rpcMethod(body: string): string {
  try {
    return String((JSON.parse(body) as { method?: unknown }).method ?? '');
  } catch {
    return '';
  }
}

type Sessions = Map<string, { readonly transport: Transport; readonly server: McpServer }>;
type Serve = (incoming: IncomingMessage, outgoing: ServerResponse, body: string) => Promise<void>;

function serveStreamable(sessions: Sessions, make: () => McpServer, options: HttpMcpOptions): Serve {
  return async (incoming, outgoing, body) => {
    const id = incoming.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    const isNew = known === undefined && (options.kind === 'stateless' || rpcMethod(body) === 'initialize');
    if (known === undefined && !isNew) return void outgoing.writeHead(404).end('no such session');
    let transport = known?.transport as WebStandardStreamableHTTPServerTransport | undefined;
    if (transport === undefined) {
      const server = make();
      const made = new WebStandardStreamableHTTPServerTransport({
        ...(options.kind === 'stateless'
          ? {}
          : {
              sessionIdGenerator: () => crypto.randomUUID(),
              onsessioninitialized: (sessionId: string) => void sessions.set(sessionId, { transport: made, server }),
              onsessionclosed: (sessionId: string) => void sessions.delete(sessionId),
            }),
        ...(options.json ? { enableJsonResponse: true } : {}),
        ...(options.eventStore === undefined ? {} : { eventStore: options.eventStore }),
        ...(options.retryInterval === undefined ? {} : { retryInterval: options.retryInterval }),
      });
      await server.connect(made);
      transport = made;
    }
    const { method = 'GET', url = '/', headers } = incoming;
    const request = new Request(`http://${headers.host}${url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]),
      ...(body === '' ? {} : { body }),
    });
    const response = await transport.handleRequest(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body === null) return void outgoing.end();
    outgoing.flushHeaders();
    const stream = Readable.fromWeb(response.body as never);
    outgoing.on('close', () => stream.destroy());
    stream.on('error', () => outgoing.destroy());
    stream.pipe(outgoing);
  };
}

/** As servers did before Streamable HTTP: one stream of events down, posts up. */
function serveEvents(sessions: Sessions, make: () => McpServer): Serve {
  return async (incoming, outgoing, body) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
    if (incoming.method === 'GET' && pathname === '/sse') {
      const id = crypto.randomUUID();
      outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      outgoing.write(`event: endpoint\ndata: /messages?sessionId=${id}\n\n`);
      const transport: Transport = {
        start: async () => undefined,
        send: async (message) => void outgoing.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
        close: async () => {
          outgoing.end();
          transport.onclose?.();
        },
      };
      const server = make();
      sessions.set(id, { transport, server });
      outgoing.on('close', () => sessions.delete(id));
      await server.connect(transport);
      return;
    }
    const session = sessions.get(searchParams.get('sessionId') ?? '');
    if (session === undefined) return void outgoing.writeHead(404).end('no such session');
    outgoing.writeHead(202).end('Accepted');
    session.transport.onmessage?.(JSON.parse(body) as JSONRPCMessage);
  };
}
