// What lets sandboxed commands of one session out: the proxies, the bridge to them, and the variables that tell
// programs of it. Made with the first command that needs it.
import path from 'node:path';
import { type Host, isFileError } from '../host/host.js';
import { ToolError } from '../protocol/errors.js';
import type { SandboxViolation } from './command-sandbox.js';
import type { NetworkPolicy } from './policy.js';
import { type EgressProxy, startEgressProxy, startRelay } from './proxy/index.js';

export interface EgressOptions {
  readonly host: Host;
  readonly network: NetworkPolicy;
  /** A folder that only this user can enter. */
  readonly folder: string;
  readonly bwrap: string;
  readonly onRefused: (violation: SandboxViolation) => void;
}

export interface OpenedEgress {
  readonly pid: number;
  readonly isClosed: boolean;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The ports at which programs find the proxies, inside. */
const HTTP_PORT = 39_128;
const SOCKS_PORT = 39_080;
const USER = 'sandbox';
const LOCAL = 'localhost,127.0.0.1,::1';

/** @throws ToolError if there is no way to be had */
export async function openEgress(options: EgressOptions): Promise<OpenedEgress> {
  const { host, network, folder, bwrap } = options;
  const login = { user: USER, password: host.ids.uuid() };
  const own = `${USER}:${login.password}@`;
  const proxies: EgressProxy[] = [];
  const ways: { readonly port: number; readonly socket: string }[] = [];
  const add = async (port: number, theirs: number | null): Promise<string | null> => {
    const socket = path.join(folder, `way-${port}`);
    if (theirs !== null) proxies.push(await startRelay(socket, theirs));
    else if (network.allowed.length > 0) {
      const rules = { allowed: network.allowed, denied: network.denied };
      proxies.push(await startEgressProxy({ at: socket, rules, login, onRefused: tell(options) }));
    } else return null;
    ways.push({ port, socket });
    return `${theirs === null ? own : ''}127.0.0.1:${port}`;
  };
  try {
    const web = await add(HTTP_PORT, network.httpProxyPort);
    const socks = await add(SOCKS_PORT, network.socksProxyPort);
    const bridge = await openBridge({ host, bwrap, ways });
    return toEgress(bridge, proxies, proxyVariables(web, socks));
  } catch (error) {
    await Promise.all(proxies.map((proxy) => proxy.close()));
    if (error instanceof ToolError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolError(`The sandbox has no way to the network, so nothing was run. ${why}`);
  }
}

function toEgress(bridge: Bridge, proxies: readonly EgressProxy[], env: OpenedEgress['env']): OpenedEgress {
  return {
    pid: bridge.pid,
    env,
    get isClosed() {
      return bridge.isClosed;
    },
    async close() {
      await Promise.all([bridge.close(), ...proxies.map((proxy) => proxy.close())]);
    },
  };
}

function tell({ onRefused }: EgressOptions) {
  return (target: string, why: string): void =>
    onRefused({ kind: 'network', target, message: `A connection to ${target} was refused: ${why}.` });
}

function proxyVariables(web: string | null, socks: string | null): Record<string, string> {
  const env: Record<string, string> = { NO_PROXY: LOCAL, no_proxy: LOCAL, NODE_USE_ENV_PROXY: '1' };
  const set = (names: readonly string[], value: string): void => {
    for (const name of names) {
      env[name] = value;
      env[name.toLowerCase()] = value;
    }
  };
  if (web !== null) set(['HTTP_PROXY', 'HTTPS_PROXY'], `http://${web}`);
  if (socks !== null) set(['ALL_PROXY'], `socks5h://${socks}`);
  else if (web !== null) set(['ALL_PROXY'], `http://${web}`);
  return env;
}

// The network that sandboxed commands of a session join: without a way out, but for ports of loopback that lead to
// sockets of this process. One helper process holds it; commands cannot see it, for they have process numbers of their
// own. Rule: once it ends, no command starts any more.

interface Bridge {
  /** The process that holds the network. */
  readonly pid: number;
  /** Contract: the helper is gone when this resolves. */
  close(): Promise<void>;
  /** True once the helper is gone. */
  readonly isClosed: boolean;
}

interface BridgeOptions {
  readonly host: Host;
  readonly bwrap: string;
  /** Port of loopback inside, and the socket it leads to. */
  readonly ways: readonly { readonly port: number; readonly socket: string }[];
}

const START_MS = 10_000;
const MAX_SAID = 4_000;
const READY = 'bridge ready';

/** Runs in Node, in the network of the commands: joins ports with sockets, and nothing else. */
const PROGRAM = `
const net = require('node:net');
const ways = JSON.parse(process.argv[1]);
let left = ways.length;
for (const { port, socket } of ways) {
  const server = net.createServer((inner) => {
    const outer = net.connect(socket);
    const end = () => { inner.destroy(); outer.destroy(); };
    for (const one of [inner, outer]) one.on('error', end).on('close', end);
    inner.pipe(outer).pipe(inner);
  });
  server.listen(port, '127.0.0.1', () => { left -= 1; if (left === 0) process.stdout.write('${READY}'); });
}
`;

/** Tells the number of the process by descriptor 3, which is its output. */
const WITH_NUMBER = 'exec "$@" 3>&1';

/** @throws ToolError if there is no bridge to be had: then no command may run */
async function openBridge({ host, bwrap, ways }: BridgeOptions): Promise<Bridge> {
  const { node } = host.platform;
  if (node === undefined)
    throw new ToolError('The sandbox has no way to the network: this host names no program for it.');
  const stop = new AbortController();
  let said = '';
  let isClosed = false;
  let tell: () => void = () => undefined;
  const spoke = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const take = (chunk: Uint8Array): void => {
    if (said.length < MAX_SAID) said += new TextDecoder().decode(chunk);
    if (said.includes(READY)) tell();
  };
  const running = host.exec
    .run({
      command: ['/bin/sh', '-c', WITH_NUMBER, 'sh', bwrap, ...HELD, node, '-e', PROGRAM, JSON.stringify(ways)],
      cwd: '/',
      // For programs that have Node in them and would start as themselves.
      env: { PATH: '/usr/bin:/bin', ELECTRON_RUN_AS_NODE: '1' },
      signal: stop.signal,
      timeoutMs: 0,
      onStdout: take,
      onStderr: take,
    })
    .catch((error: unknown) => {
      if (!isFileError(error)) throw error;
      said += error.message;
    })
    .finally(() => {
      isClosed = true;
      tell();
    });
  const cancel = host.clock.after(START_MS, tell);
  await spoke;
  cancel();
  const pid = Number(/"child-pid":\s*(\d+)/.exec(said)?.[1] ?? 0);
  const close = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  if (isClosed || !said.includes(READY) || pid === 0) {
    await close();
    throw new ToolError(`The sandbox has no way to the network, so nothing was run. ${said.trim().slice(0, 300)}`);
  }
  return {
    pid,
    close,
    get isClosed() {
      return isClosed;
    },
  };
}

const HELD = [
  '--info-fd',
  '3',
  '--unshare-user',
  '--unshare-net',
  '--unshare-pid',
  '--unshare-ipc',
  '--die-with-parent',
  '--new-session',
  '--cap-drop',
  'ALL',
  '--ro-bind',
  '/',
  '/',
  // Not a /dev of its own: for that bubblewrap makes a second user namespace, and the first would own the network.
  '--dev-bind',
  '/dev',
  '/dev',
  '--proc',
  '/proc',
  '--',
] as const;
