// A scripted model server on loopback: each test says, byte for byte, what a response does. It judges nothing.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Counts connections from 1: two requests with the same number shared one. */
  readonly connection: number;
}

/** Answers one request. `seen` is complete: the body has arrived. */
export type Answer = (response: ServerResponse, seen: SeenRequest) => void | Promise<void>;

export interface SseServer {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Whether any connection, or the one with this number, is open now. */
  isOpen(connection?: number): boolean;
  /** Resolves when a condition holds; asked again after each request and each closed connection. */
  until(condition: () => boolean): Promise<void>;
  close(): Promise<void>;
}

export async function startSseServer(answer: Answer): Promise<SseServer> {
  const requests: SeenRequest[] = [];
  const sockets = new Map<Socket, number>();
  const waiting = new Set<() => void>();
  let connections = 0;
  const changed = () => {
    for (const check of waiting) check();
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void receive(request).then((body) => {
      const { method = '', url = '', headers, socket } = request;
      const seen = { method, path: url, headers, body, connection: sockets.get(socket) ?? 0 };
      requests.push(seen);
      changed();
      return answer(response, seen);
    });
  });
  server.on('connection', (socket) => {
    sockets.set(socket, ++connections);
    socket.on('close', () => {
      sockets.delete(socket);
      changed();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    isOpen: (connection) => (connection === undefined ? sockets.size > 0 : [...sockets.values()].includes(connection)),
    until: (condition) =>
      new Promise((resolve) => {
        const check = () => {
          if (!condition()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets.keys()) socket.destroy();
      }),
  };
}

async function receive(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // The client went away in the middle of its request; what came is what the test may look at.
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Sends the head of a stream and then each piece as a chunk of its own; leaves the response open. */
export async function sendChunks(response: ServerResponse, pieces: Iterable<string | Uint8Array>): Promise<void> {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) {
      await new Promise<void>((resolve) => {
        const settle = () => {
          response.off('drain', settle).off('close', settle);
          resolve();
        };
        response.on('drain', settle).on('close', settle);
      });
    }
  }
}

/** An answer that streams these pieces and ends. */
export function stream(...pieces: (string | Uint8Array)[]): Answer {
  return async (response) => {
    await sendChunks(response, pieces);
    response.end();
  };
}

/** An answer with a status, headers and a whole body. */
export function plain(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };
}

/** One event as the Messages API sends it. */
export function frame(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
