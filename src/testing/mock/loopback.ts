// A server on this machine that answers with one function, for the recorder and the player of exchanges.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Loopback {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  /** Destroys every connection and stops listening. May be called twice. */
  close(): Promise<void>;
}

/** @param answer what it rejects with goes to `onFailure`, and the connection is destroyed */
export async function startLoopback(
  answer: (incoming: IncomingMessage, body: Buffer, response: ServerResponse) => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<Loopback> {
  const server = createServer((incoming, response) => {
    response.on('error', () => undefined); // a write that lost the race against the client's leaving
    readAll(incoming)
      .then((body) => (body === null ? undefined : answer(incoming, body, response)))
      .catch((error: unknown) => {
        onFailure(error);
        response.destroy();
      });
  });
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Null if the client went away. */
async function readAll(incoming: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    return null; // reset by the client: there is nobody to answer
  }
  return Buffer.concat(chunks);
}
