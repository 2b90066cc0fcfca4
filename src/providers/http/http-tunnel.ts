// Which way a request takes: straight, or through a proxy (CONNECT over http or https, SOCKS 5), and whose certificates are
// believed. Loaded if a variable or an option says something about it. One rule: a handshake ends, and nothing of one that
// failed stays open.

import type { Agent, RequestOptions } from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import type { Host, HostClock } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { AgentOptions, NodeHttp, Via } from './http-node.js';

type Env = Host['env'];

/** The way of the requests to one address. */
export interface HttpRoute {
  /** An http, https or socks5 URL, with user and password if the proxy wants them. */
  readonly proxy: URL | null;
  /** Authorities in PEM form; null: those that come with the runtime. */
  readonly authorities: readonly string[] | null;
}

/** A user or password that cannot be decoded. */
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
const SCHEMES = ['http:', 'https:', 'socks5:', 'socks5h:'];

/**
 * The proxy for an address; null if it is reached straight. An option is for every address that NO_PROXY does not
 * name. Variables are for addresses of their scheme, and never for this machine itself.
 * @throws ConfigError for a proxy that cannot be used; its text shows no password
 */
export function chooseProxy(url: URL, env: Env, option: string | undefined): URL | null {
  if (isExcepted(url, variable(env, 'NO_PROXY') ?? '')) return null;
  if (option !== undefined) return option.trim() === '' ? null : readProxy(option.trim(), 'The option proxy');
  if (isThisMachine(url.hostname)) return null;
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const used = variable(env, name) === undefined ? 'ALL_PROXY' : name;
  const text = variable(env, used);
  return text === undefined ? null : readProxy(text, used);
}

/** An empty text means straight. @throws ConfigError for what is not the address of a proxy */
export function checkProxy(text: string, where: string): void {
  if (text.trim() !== '') readProxy(text.trim(), where);
}

function readProxy(text: string, where: string): URL {
  const address = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  const isWhole = url !== null && url.hostname !== '' && !BROKEN_ESCAPE.test(url.username + url.password);
  if (isWhole && SCHEMES.includes(url.protocol)) return url;
  throw new ConfigError(`${where} is not the address of a proxy. Write it as http://host:port or socks5://host:port.`);
}

/** Entries as curl reads them: a host and all under it, with or without a leading dot or a port; `*` is every one. */
function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const host = bare(hostname);
  const actualPort = port || (protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = entry, entryPort = actualPort] = (isAddress6(entry) ? null : /^(.*):(\d+)$/.exec(entry)) ?? [];
      const wanted = bare(name).replace(/^\*?\./, '');
      return entryPort === actualPort && (host === wanted || host.endsWith(`.${wanted}`));
    });
}

function isAddress6(entry: string): boolean {
  return (entry.match(/:/g) ?? []).length > 1;
}

function bare(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

function isThisMachine(hostname: string): boolean {
  const host = bare(hostname);
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The lower-case spelling first, as everywhere. */
function variable(env: Env, name: string): string | undefined {
  const text = (env[name.toLowerCase()] ?? env[name])?.trim();
  return text === '' ? undefined : text;
}

// The client's side of SOCKS 5 (RFC 1928, 1929): a greeting, a login if the proxy wants one, and the target. Names
// are given to the proxy as they are: it looks them up.

// How a proxy failed, told apart from what the system says of a connection.

/** What a proxy did, in words that follow "the proxy HOST". */

class ProxyAnswer extends Error {}

const VERSION = 5;
const LOGIN_VERSION = 1;
const NO_LOGIN = 0;
const WITH_LOGIN = 2;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;

const REFUSALS: ReadonlyMap<number, string> = new Map([
  [1, 'failed'],
  [2, 'does not allow the connection'],
  [3, 'cannot reach the network'],
  [4, 'cannot reach the host'],
  [5, 'was refused by the host'],
  [6, 'waited too long'],
  [7, 'does not know the command'],
  [8, 'does not know such addresses'],
]);

/**
 * Resolves when what is written to the socket reaches the target. Nothing behind the handshake is taken from it.
 * @throws ProxyAnswer
 */
async function socksHandshake(
  socket: net.Socket,
  host: string,
  port: number,
  login: { readonly user: string; readonly password: string } | null,
): Promise<void> {
  const methods = login === null ? [NO_LOGIN] : [NO_LOGIN, WITH_LOGIN];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await take(socket, 2);
  if (version !== VERSION) throw new ProxyAnswer('answered with something that is not SOCKS 5');
  if (method === WITH_LOGIN && login !== null) await logIn(socket, login);
  else if (method !== NO_LOGIN) throw new ProxyAnswer('wants a user and a password; write them into its address');

  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressBytes(host), portBytes(port)]));
  const [, reply = 1, , kind] = await take(socket, 4);
  if (reply !== 0) throw new ProxyAnswer(REFUSALS.get(reply) ?? `failed (${reply})`);
  const length = kind === IPV4 ? 4 : kind === IPV6 ? 16 : ((await take(socket, 1))[0] ?? 0);
  await take(socket, length + 2);
}

async function logIn(socket: net.Socket, { user, password }: { user: string; password: string }): Promise<void> {
  const [name, word] = [Buffer.from(user), Buffer.from(password)];
  if (name.length > 255 || word.length > 255) throw new ProxyAnswer('takes no user or password of more than 255 bytes');
  socket.write(Buffer.concat([Buffer.from([LOGIN_VERSION, name.length]), name, Buffer.from([word.length]), word]));
  const [, status] = await take(socket, 2);
  if (status !== 0) throw new ProxyAnswer('refused the user or the password');
}

function addressBytes(host: string): Buffer {
  const family = net.isIP(host);
  if (family === 4) return Buffer.from([IPV4, ...host.split('.').map(Number)]);
  if (family === 6) return Buffer.from([IPV6, ...bytesOfIpv6(host)]);
  const name = Buffer.from(host);
  if (name.length > 255) throw new ProxyAnswer('takes no name of more than 255 bytes');
  return Buffer.concat([Buffer.from([NAME, name.length]), name]);
}

function bytesOfIpv6(host: string): number[] {
  // URL writes an address in its shortest form, and an IPv4 part in hexadecimal: only groups and one gap are left.
  const [head = '', tail] = new URL(`http://[${host}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16));
  const [before, behind] = [groups(head), groups(tail ?? '')];
  const all = [...before, ...new Array<number>(8 - before.length - behind.length).fill(0), ...behind];
  return all.flatMap((group) => [group >> 8, group & 255]);
}

function portBytes(port: number): Buffer {
  return Buffer.from([port >> 8, port & 255]);
}

/** Exactly so many bytes. @throws ProxyAnswer if the connection ends before */
function take(socket: net.Socket, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (length === 0) {
      resolve(Buffer.alloc(0));
      return;
    }
    const settle = (act: () => void): void => {
      socket.off('readable', onReadable);
      socket.off('error', onError);
      socket.off('close', onClose);
      act();
    };
    const onReadable = (): void => {
      const bytes = socket.read(length) as Buffer | null;
      if (bytes === null) return;
      if (bytes.length === length) settle(() => resolve(bytes));
      else settle(() => reject(new ProxyAnswer('closed the connection')));
    };
    const onError = (error: Error): void => settle(() => reject(error));
    const onClose = (): void => settle(() => reject(new ProxyAnswer('closed the connection')));
    socket.on('readable', onReadable);
    socket.on('error', onError);
    socket.on('close', onClose);
    onReadable();
  });
}

/** How long a proxy may take until it lets the first byte through. */
const HANDSHAKE_MS = 30_000;
/** A proxy that says more before it lets anything through is none. Bytes. */
const MAX_ANSWER = 16 * 1024;

const NOT_HTTP = 'answered with something that is not HTTP';

type OnSocket = (error: Error | null, socket?: net.Socket) => void;
/** What node:http gives `createConnection`, as far as it is used. */
interface Target {
  readonly host?: string | null;
  readonly port?: string | number | null;
  readonly servername?: string;
}

/** The way of requests to `url` along `route`. */
export function openRoute(
  http: NodeHttp,
  url: URL,
  { proxy, authorities }: HttpRoute,
  options: AgentOptions,
  clock: Pick<HostClock, 'after'>,
): Via {
  // Made once: taking a store of authorities apart takes longer than a handshake.
  const trust = authorities === null ? {} : { secureContext: tls.createSecureContext({ ca: [...authorities] }) };
  if (proxy === null) return { agent: new http.Agent({ ...options, ...trust }) };
  if (proxy.protocol === 'http:' && url.protocol === 'http:') {
    const explain = (error: Error): Error => unreachable(proxy, error);
    return { agent: new http.Agent(options), adapt: (request, to) => forwarded(request, to, proxy), explain };
  }
  const agent = new http.Agent(options);
  const opening = new Set<net.Socket>();
  const isTls = url.protocol === 'https:';
  Object.assign(agent, {
    createConnection(target: Target, onSocket: OnSocket): undefined {
      connectThrough(proxy, target, trust, { opening, clock }).then(
        (socket) => (isTls ? secure(socket, target, trust, onSocket) : onSocket(null, socket)),
        (error: Error) => onSocket(error),
      );
    },
  });
  return { agent, close: () => closeAll(opening, agent) };
}

function closeAll(opening: ReadonlySet<net.Socket>, agent: Agent): void {
  for (const socket of opening) socket.destroy();
  agent.destroy();
}

/** To a plain server a proxy takes the request itself, with the whole address. */
function forwarded(request: RequestOptions, to: URL, proxy: URL): RequestOptions {
  return {
    ...request,
    hostname: hostOf(proxy),
    port: portOf(proxy),
    path: `${to.origin}${to.pathname}${to.search}`,
    headers: { ...request.headers, host: to.host, ...authorization(proxy) } as Record<string, string | number>,
  };
}

/** Whom to believe; empty: those that come with the runtime. */
type Trust = Pick<tls.ConnectionOptions, 'secureContext'>;

interface Handshake {
  /** Sockets that are no agent's yet. */
  readonly opening: Set<net.Socket>;
  readonly clock: Pick<HostClock, 'after'>;
}

/** A socket whose other end is the target. Rejects with an error that names the proxy, and never a password. */
async function connectThrough(
  proxy: URL,
  target: Target,
  trust: Trust,
  { opening, clock }: Handshake,
): Promise<net.Socket> {
  const socket = dial(proxy, trust);
  opening.add(socket);
  let isLate = false;
  const stopTimer = clock.after(HANDSHAKE_MS, () => {
    isLate = true;
    socket.destroy();
  });
  try {
    await once(socket, proxy.protocol === 'https:' ? 'secureConnect' : 'connect');
    const host = target.host ?? '';
    const port = Number(target.port);
    if (proxy.protocol.startsWith('socks5')) await socksHandshake(socket, host, port, loginOf(proxy));
    else await askToConnect(socket, `${host.includes(':') ? `[${host}]` : host}:${port}`, proxy);
    return socket;
  } catch (error) {
    socket.destroy();
    if (isLate) throw new Error(`the proxy ${proxy.host} did not answer within ${HANDSHAKE_MS / 1_000} s`);
    throw unreachable(proxy, error);
  } finally {
    stopTimer();
    opening.delete(socket);
  }
}

function dial(proxy: URL, trust: Trust): net.Socket {
  const at = { host: hostOf(proxy), port: portOf(proxy) };
  if (proxy.protocol !== 'https:') return net.connect(at);
  return tls.connect({ ...at, ...trust, ...(net.isIP(at.host) === 0 ? { servername: at.host } : {}) });
}

function once(socket: net.Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    socket.once('error', reject);
    socket.once('close', () => reject(new ProxyAnswer('closed the connection')));
  });
}

async function askToConnect(socket: net.Socket, target: string, proxy: URL): Promise<void> {
  const headers = Object.entries({ host: target, ...authorization(proxy) });
  socket.write(`CONNECT ${target} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  const answer = await readUntil(socket, '\r\n\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})(?: ([\x20-\x7e]{0,80}))?/.exec(answer);
  if (status === null) throw new ProxyAnswer(NOT_HTTP);
  if (status[1] === '407') throw new ProxyAnswer('wants a user and a password (407); write them into its address');
  if (!status[1]?.startsWith('2')) throw new ProxyAnswer(`refused the connection (${status[1]} ${status[2] ?? ''})`);
}

/** What comes up to and including `end`; nothing behind it is taken from the socket. */
function readUntil(socket: net.Socket, end: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let taken = Buffer.alloc(0);
    const settle = (act: () => void): void => {
      socket.off('readable', onReadable);
      socket.off('error', onError);
      socket.off('close', onClose);
      act();
    };
    const onReadable = (): void => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
        taken = Buffer.concat([taken, chunk as Buffer]);
        const at = taken.indexOf(end);
        if (at === -1 && taken.length <= MAX_ANSWER) continue;
        if (at === -1) settle(() => reject(new ProxyAnswer(NOT_HTTP)));
        else settle(() => resolve(taken.toString('latin1', 0, at + end.length)));
        if (at !== -1 && taken.length > at + end.length) socket.unshift(taken.subarray(at + end.length));
        return;
      }
    };
    const onError = (error: Error): void => settle(() => reject(error));
    const onClose = (): void => settle(() => reject(new ProxyAnswer('closed the connection')));
    socket.on('readable', onReadable);
    socket.on('error', onError);
    socket.on('close', onClose);
    onReadable();
  });
}

/** TLS with the target, inside the tunnel. */
function secure(socket: net.Socket, target: Target, trust: Trust, onSocket: OnSocket): void {
  const host = target.host ?? '';
  const secured = tls.connect({
    socket,
    ...trust,
    ALPNProtocols: ['http/1.1'],
    host,
    ...(net.isIP(host) === 0 ? { servername: target.servername || host } : {}),
  });
  // Errors from here on are the target's: its certificate, for example.
  onSocket(null, secured);
}

/** Without a code of its own: the code of a proxy's failure is no fact about the target. */
function unreachable(proxy: URL, error: unknown): Error {
  if (error instanceof ProxyAnswer) return new Error(`the proxy ${proxy.host} ${error.message.trim()}`);
  const code = (error as { code?: unknown } | null)?.code;
  return new Error(`the proxy ${proxy.host} cannot be reached${typeof code === 'string' ? ` (${code})` : ''}`);
}

function authorization(proxy: URL): Readonly<Record<string, string>> {
  const login = loginOf(proxy);
  if (login === null) return {};
  return { 'proxy-authorization': `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}` };
}

function loginOf({ username, password }: URL): { readonly user: string; readonly password: string } | null {
  if (username === '' && password === '') return null;
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol.startsWith('socks5') ? 1080 : protocol === 'https:' ? 443 : 80;
}

// The certificate authorities that come with the runtime.

export function builtInAuthorities(): readonly string[] {
  return tls.rootCertificates;
}
