// Proxies on loopback: one that speaks HTTP (CONNECT, and whole addresses), one that speaks SOCKS 5. They note what they
// were asked for, and send every connection to the test's own server, so that names need not exist.
import { createServer, type IncomingMessage, request } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TestProxy {
  readonly port: number;
  /** `CONNECT host:port`, `POST http://…`, or `host:port` of SOCKS. */
  readonly asked: readonly string[];
  readonly open: ReadonlySet<Socket>;
}

export interface ProxyBehaviour {
  /** Where every connection goes, whatever it asks for. */
  readonly target: string;
  /** `user:password` that it wants. */
  readonly login?: string;
  /** Sent instead of an answer. */
  readonly answer?: string;
  /** Accepts connections and says nothing. */
  readonly isSilent?: boolean;
}

async function listen(server: net.Server): Promise<{ port: number; open: Set<Socket> }> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, open };
}

export async function httpProxy({ target, login, answer, isSilent }: ProxyBehaviour): Promise<TestProxy> {
  const asked: string[] = [];
  const to = new URL(target);
  const isAllowed = ({ headers }: IncomingMessage): boolean =>
    login === undefined || headers['proxy-authorization'] === `Basic ${Buffer.from(login).toString('base64')}`;
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    if (!isAllowed(incoming)) {
      response.writeHead(407).end('{"error":{"message":"who are you"}}');
      return;
    }
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const path = new URL(incoming.url ?? '').pathname;
    const passed = request({ host: to.hostname, port: to.port, method: incoming.method, path, headers }, (got) => {
      response.writeHead(got.statusCode ?? 500, got.headers);
      got.pipe(response);
    });
    incoming.pipe(passed);
  });
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    if (isSilent) {
      socket.on('end', () => socket.end()).resume();
      return;
    }
    if (answer !== undefined) socket.end(answer);
    else if (!isAllowed(incoming)) socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    else {
      const inner = net.connect(Number(to.port), to.hostname, () => {
        socket.write('HTTP/1.1 200 Connection established\r\nX-Note: fine\r\n\r\n');
        inner.pipe(socket).pipe(inner);
      });
      inner.on('error', () => socket.destroy());
      socket.on('close', () => inner.destroy());
    }
  });
  return { ...(await listen(server)), asked };
}

/** Answers byte by byte, so that no reader may count on whole messages. */
export async function socksProxy({ target, login }: ProxyBehaviour, reply = 0): Promise<TestProxy> {
  const asked: string[] = [];
  const to = new URL(target);
  const server = net.createServer((socket) => {
    void serveSocks(socket, { to, login, reply, asked }).catch(() => socket.destroy());
  });
  return { ...(await listen(server)), asked };
}

interface SocksPlan {
  readonly to: URL;
  readonly login: string | undefined;
  readonly reply: number;
  readonly asked: string[];
}

async function serveSocks(socket: Socket, { to, login, reply, asked }: SocksPlan): Promise<void> {
  const say = (...bytes: number[]) => {
    for (const byte of bytes) socket.write(Buffer.from([byte]));
  };
  const [, count = 0] = await take(socket, 2);
  const methods = [...(await take(socket, count))];
  const method = login === undefined ? 0 : 2;
  if (!methods.includes(method)) {
    say(5, 255);
    socket.end();
    return;
  }
  say(5, method);
  if (login !== undefined) {
    const [, nameLength = 0] = await take(socket, 2);
    const name = await take(socket, nameLength);
    const [wordLength = 0] = await take(socket, 1);
    const given = `${name.toString()}:${(await take(socket, wordLength)).toString()}`;
    say(1, given === login ? 0 : 1);
    if (given !== login) return;
  }
  const [, , , kind] = await take(socket, 4);
  const length = kind === 1 ? 4 : kind === 4 ? 16 : ((await take(socket, 1))[0] ?? 0);
  const address = await take(socket, length);
  const port = (await take(socket, 2)).readUInt16BE();
  asked.push(`${kind === 3 ? address.toString() : kind === 1 ? address.join('.') : address.toString('hex')}:${port}`);
  if (reply !== 0) {
    say(5, reply, 0, 1, 0, 0, 0, 0, 0, 0);
    return;
  }
  const inner = net.connect(Number(to.port), to.hostname, () => {
    say(5, 0, 0, 3, 2, 97, 98, 0, 0);
    inner.pipe(socket).pipe(inner);
  });
  socket.on('close', () => inner.destroy());
}

async function take(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const bytes = length === 0 ? Buffer.alloc(0) : (socket.read(length) as Buffer | null);
    if (bytes !== null) return bytes;
    await new Promise((resolve, reject) => {
      socket.once('readable', resolve);
      socket.once('close', () => reject(new Error('closed')));
    });
  }
}
