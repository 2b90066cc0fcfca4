// Ways to a server on loopback that fail as networks do: one that swallows everything without closing a connection, as
// after a peer vanished, and a proxy that holds streams back.
import { createServer, request, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface VanishingWay {
  /** Of the server, by this way. */
  readonly url: string;
  /** From now on nothing passes, on old connections and on new ones, and none is closed. */
  vanish(): void;
  /** New connections pass again; those that were open stay dead. */
  comeBack(): void;
  /** What is open towards the client. */
  readonly open: ReadonlySet<Socket>;
}

export async function vanishingWay(url: string): Promise<VanishingWay> {
  const { port, hostname } = new URL(url);
  const open = new Set<Socket>();
  let isGone = false;
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy());
    // Swallowed to the end: nobody answers, and nobody says goodbye.
    if (isGone) return void socket.resume();
    const inner = net.connect(Number(port), hostname);
    inner.on('error', () => socket.destroy());
    socket.on('data', (data) => !dead.has(socket) && inner.write(data));
    inner.on('data', (data) => !dead.has(socket) && socket.write(data));
    inner.on('end', () => !dead.has(socket) && socket.end());
    socket.on('close', () => inner.destroy());
  });
  const dead = new Set<Socket>();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: at(url, server),
    open,
    vanish() {
      isGone = true;
      for (const socket of open) dead.add(socket);
    },
    comeBack() {
      isGone = false;
    },
  };
}

/** Heads of streams pass at once, their bodies only by `blockBytes`, and what is left at their end. */
export async function bufferingProxy(url: string, blockBytes: number): Promise<string> {
  const { port, hostname } = new URL(url);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const passed = request({ host: hostname, port, method, path, headers }, (got) => {
      outgoing.writeHead(got.statusCode ?? 500, got.headers);
      if (got.headers['content-type'] !== 'text/event-stream') return void got.pipe(outgoing);
      outgoing.flushHeaders();
      inBlocks(got, outgoing, blockBytes);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return at(url, server);
}

function at(url: string, server: net.Server): string {
  const way = new URL(url);
  way.port = String((server.address() as AddressInfo).port);
  return way.href;
}

function inBlocks(from: NodeJS.ReadableStream, to: ServerResponse, blockBytes: number): void {
  let held = Buffer.alloc(0);
  from.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    const whole = held.length - (held.length % blockBytes);
    if (whole === 0) return;
    to.write(held.subarray(0, whole));
    held = held.subarray(whole);
  });
  from.on('end', () => to.end(held));
}
