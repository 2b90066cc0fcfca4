// The way out of the sandbox: a proxy of this process, on a socket that only this user can open, for HTTP (CONNECT and
// whole addresses) and for SOCKS 5. Rule: every connection is admitted on its own, and goes to the address that was
// admitted.
import { timingSafeEqual } from 'node:crypto';
import dns from 'node:dns/promises';
import http from 'node:http';
import net, { type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type Admission,
  admitHost,
  type Egress,
  type EgressRules,
  joinSockets,
  type ProxyLogin,
  type Refusal,
  type Resolve,
  whyNotNamed,
} from './egress.js';

const VERSION = 5;
const LOGIN = 2;
const NO_METHOD = 0xff;
const CONNECT = 1;
const REPLY = { done: 0, failed: 4, refused: 2, notACommand: 7, notAnAddress: 8 } as const;

/** Contract: rejects, or ends the socket, if the other side does not keep to the protocol. */
async function serveSocks(socket: Socket, egress: Egress): Promise<void> {
  const { read, release } = createReader(socket);
  const [, methodCount = 0] = await read(2);
  const methods = await read(methodCount);
  if (!methods.includes(LOGIN)) {
    socket.end(Buffer.from([VERSION, NO_METHOD]));
    return;
  }
  socket.write(Buffer.from([VERSION, LOGIN]));
  if (!(await hasLogin(read, egress))) {
    socket.end(Buffer.from([1, 1]));
    return;
  }
  socket.write(Buffer.from([1, 0]));
  const [version, command, , kind] = await read(4);
  if (version !== VERSION) throw new Error('This is not SOCKS 5.');
  const host = await readHost(read, kind ?? 0);
  const port = (await read(2)).readUInt16BE(0);
  if (command !== CONNECT || host === null) {
    answer(socket, host === null ? REPLY.notAnAddress : REPLY.notACommand).end();
    return;
  }
  const opened = await egress.open(host, port);
  if (!(opened instanceof net.Socket)) {
    answer(socket, opened.isRefused ? REPLY.refused : REPLY.failed).end();
    return;
  }
  answer(socket, REPLY.done);
  release();
  joinSockets(socket, opened, egress.nameCheck(host, port));
}

type Read = (length: number) => Promise<Buffer>;

async function hasLogin(read: Read, { login }: Egress): Promise<boolean> {
  const [, userLength = 0] = await read(2);
  const user = (await read(userLength)).toString();
  const [passwordLength = 0] = await read(1);
  const password = (await read(passwordLength)).toString();
  return user === login.user && password === login.password;
}

async function readHost(read: Read, kind: number): Promise<string | null> {
  if (kind === 1) return (await read(4)).join('.');
  if (kind === 3) {
    const [length = 0] = await read(1);
    return (await read(length)).toString('latin1');
  }
  if (kind !== 4) return null;
  const bytes = await read(16);
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16));
  return `[${groups.join(':')}]`;
}

function answer(socket: Socket, reply: number): Socket {
  socket.write(Buffer.from([VERSION, reply, 0, 1, 0, 0, 0, 0, 0, 0]));
  return socket;
}

interface Reader {
  read: Read;
  /** Gives back what was taken and not asked for. */
  release(): void;
}

function createReader(socket: Socket): Reader {
  let taken: Buffer = Buffer.alloc(0);
  return {
    async read(length) {
      while (taken.length < length) {
        const chunk = socket.read() as Buffer | null;
        if (chunk === null) await moreOf(socket);
        else taken = Buffer.concat([taken, chunk]);
      }
      const wanted = taken.subarray(0, length);
      taken = taken.subarray(length);
      return wanted;
    },
    release() {
      if (taken.length > 0) socket.unshift(taken);
    },
  };
}

/** Rejects if nothing more comes. */
function moreOf(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      socket.off('readable', more);
      socket.off('end', gone);
      socket.off('close', gone);
      act();
    };
    const more = (): void => settle(resolve);
    const gone = (): void => settle(() => reject(new Error('The connection ended too soon.')));
    if (socket.destroyed || socket.readableEnded) return gone();
    socket.on('readable', more);
    socket.on('end', gone);
    socket.on('close', gone);
  });
}

interface EgressProxyOptions {
  /** Where it listens: the path of a socket, or a port of loopback (0: any). */
  readonly at: string | number;
  readonly rules: EgressRules;
  readonly login: ProxyLogin;
  /** Default: as the machine resolves names. */
  readonly resolve?: Resolve;
  /** Told of each connection that is not let out. Contract: must not throw. */
  readonly onRefused: (target: string, why: string) => void;
}

export interface EgressProxy {
  /** The port; 0 on a socket. */
  readonly port: number;
  /** Contract: nothing of it is open when this resolves; may be called twice. */
  close(): Promise<void>;
}

const CONNECT_MS = 15_000;
const FIRST_BYTE_MS = 30_000;
const MAX_CONNECTIONS = 512;
const SOCKS_VERSION = 5;
/** Of one hop only, or about the proxy itself. */
const HOP_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export async function startEgressProxy(options: EgressProxyOptions): Promise<EgressProxy> {
  const sockets = new Set<Duplex>();
  const track = <S extends Duplex>(socket: S): S => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    return socket;
  };
  const egress = createEgress(options, track);
  const web = httpServer(egress);
  const server = net.createServer({ allowHalfOpen: false, pauseOnConnect: false }, (socket) => {
    track(socket);
    socket.setTimeout(FIRST_BYTE_MS, () => socket.destroy());
    socket.once('data', (first: Buffer) => {
      socket.setTimeout(0);
      socket.pause();
      socket.unshift(first);
      if (first[0] === SOCKS_VERSION) {
        void serveSocks(socket, egress).catch(() => socket.destroy());
        return;
      }
      web.emit('connection', socket);
      socket.resume();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, options.at);
  server.unref();
  const address = server.address();
  let closing: Promise<void> | null = null;
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close() {
      closing ??= new Promise((resolve) => {
        server.close(() => resolve());
        web.close();
        for (const socket of sockets) socket.destroy();
      });
      return closing;
    },
  };
}

/** A plain way to a port of loopback: the proxy there decides. */
export async function startRelay(at: string | number, port: number): Promise<EgressProxy> {
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    const other = net.connect(port, '127.0.0.1');
    for (const end of [socket, other]) {
      sockets.add(end);
      end.on('close', () => {
        sockets.delete(end);
        socket.destroy();
        other.destroy();
      });
      end.on('error', () => end.destroy());
    }
    socket.pipe(other).pipe(socket);
  });
  await listen(server, at);
  server.unref();
  return {
    port: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function listen(server: net.Server, at: string | number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const place = typeof at === 'string' ? { path: at } : { port: at, host: '127.0.0.1' };
    server.listen(place, () => {
      server.off('error', reject);
      server.on('error', () => undefined); // a connection that could not be taken; the others go on
      resolve();
    });
  });
}

function createEgress(options: EgressProxyOptions, track: (socket: Socket) => Socket): Egress {
  const { rules, login, onRefused, resolve = lookUp } = options;
  const admit = async (host: string, port: number): Promise<Admission> => {
    const admission = await admitHost(host, port, rules, resolve);
    if (admission.kind === 'refused') onRefused(`${admission.host}:${port}`, admission.why);
    return admission;
  };
  return {
    login,
    admit,
    async open(host, port) {
      const admission = await admit(host, port);
      if (admission.kind !== 'admitted') return { isRefused: admission.kind === 'refused', why: admission.why };
      for (const address of admission.addresses) {
        const socket = await connect(address, port);
        if (socket !== null) return track(socket);
      }
      return { isRefused: false, why: 'the host cannot be reached' };
    },
    nameCheck: (host, port) => (name) => {
      const why = whyNotNamed(host, port, name, rules);
      if (why !== null) onRefused(`${host}:${port}`, why);
      return why;
    },
  };
}

async function lookUp(name: string): Promise<string[]> {
  return (await dns.lookup(name, { all: true })).map(({ address }) => address);
}

function connect(address: string, port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: address, port });
    const settle = (result: Socket | null): void => {
      socket.setTimeout(0);
      socket.removeAllListeners();
      if (result === null) socket.destroy();
      // The next listener comes with the next tick at the latest.
      socket.on('error', () => socket.destroy());
      resolve(result);
    };
    socket.once('connect', () => settle(socket));
    socket.once('error', () => settle(null));
    socket.setTimeout(CONNECT_MS, () => settle(null));
  });
}

function httpServer(egress: Egress): http.Server {
  const server = http.createServer((request, response) => {
    void forward(request, response, egress).catch(() => response.destroy());
  });
  server.on('connect', (request: http.IncomingMessage, socket: Socket, head: Buffer) => {
    void tunnel(request, socket, head, egress).catch(() => socket.destroy());
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  return server;
}

async function tunnel(request: http.IncomingMessage, socket: Socket, head: Buffer, egress: Egress): Promise<void> {
  if (!isKnown(request, egress.login)) {
    socket.end(`${STATUS_LINES[407]}\r\n${CHALLENGE}\r\nContent-Length: 0\r\n\r\n`);
    return;
  }
  const target = splitTarget(request.url ?? '', null);
  const opened = await egress.open(target.host, target.port);
  if (!(opened instanceof net.Socket)) {
    const text = explain(opened);
    const status = STATUS_LINES[opened.isRefused ? 403 : 502];
    socket.end(`${status}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    return;
  }
  socket.write(`${STATUS_LINES[200]}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
  joinSockets(socket, opened, egress.nameCheck(target.host, target.port));
}

/** A request with a whole address, to a plain server. Where it goes is what the address says, never a header. */
async function forward(request: http.IncomingMessage, response: http.ServerResponse, egress: Egress): Promise<void> {
  const say = (status: number, text: string, headers: http.OutgoingHttpHeaders = {}): void => {
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close', ...headers }).end(text);
  };
  if (!isKnown(request, egress.login)) return say(407, '', { 'proxy-authenticate': 'Basic realm="sandbox"' });
  const [, authority, rest = ''] = /^http:\/\/([^/?#]*)(.*)$/is.exec(request.url ?? '') ?? [];
  if (authority === undefined) return say(400, 'This is a proxy: it takes whole addresses that begin with http://.\n');
  const target = splitTarget(authority, 80);
  const admission = await egress.admit(target.host, target.port);
  if (admission.kind !== 'admitted') {
    const isRefused = admission.kind === 'refused';
    return say(isRefused ? 403 : 502, explain({ isRefused, why: admission.why }));
  }
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !HOP_HEADERS.has(name)));
  const passed = http.request({
    host: admission.addresses[0],
    port: target.port,
    method: request.method,
    path: rest.startsWith('/') ? rest : `/${rest}`,
    // What has no length keeps its chunks: a body without an end would be read as a request of its own.
    headers: { ...headers, host: authority, ...(isChunked(request) ? { 'transfer-encoding': 'chunked' } : {}) },
    agent: false,
    timeout: CONNECT_MS * 4,
  });
  passed.on('response', (got) => {
    const kept = Object.entries(got.headers).filter(([name]) => !HOP_HEADERS.has(name));
    response.writeHead(got.statusCode ?? 502, Object.fromEntries(kept));
    got.pipe(response);
    got.on('error', () => response.destroy());
  });
  passed.on('timeout', () => passed.destroy());
  passed.on('error', () => (response.headersSent ? response.destroy() : say(502, 'The host cannot be reached.\n')));
  response.on('close', () => passed.destroy());
  request.pipe(passed);
}

function isChunked({ headers }: http.IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined;
}

const CHALLENGE = 'Proxy-Authenticate: Basic realm="sandbox"';
const STATUS_LINES = {
  200: 'HTTP/1.1 200 Connection established',
  403: 'HTTP/1.1 403 Forbidden',
  407: 'HTTP/1.1 407 Proxy Authentication Required',
  502: 'HTTP/1.1 502 Bad Gateway',
} as const;

function explain({ isRefused, why }: Refusal): string {
  return isRefused ? `Refused by the sandbox: ${why}.\n` : `${why[0]?.toUpperCase()}${why.slice(1)}.\n`;
}

function isKnown(request: http.IncomingMessage, login: ProxyLogin): boolean {
  const wanted = Buffer.from(`Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`);
  const given = Buffer.from(request.headers['proxy-authorization'] ?? '');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** `host:port`, if the host is left as it was written; port 0 if there is none. */
function splitTarget(text: string, fallback: number | null): { host: string; port: number } {
  const [, host = text, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  return { host, port: port === undefined ? (fallback ?? 0) : Number(port) };
}
