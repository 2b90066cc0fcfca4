// What lets sandboxed commands of one session out: the proxies, the bridge to them, and the variables that tell
// programs of it. Made with the first command that needs it.

import path from 'node:path';
import type { Host } from '../host/host.js';
import { ToolError } from '../protocol/errors.js';
import type { SandboxViolation } from './command-sandbox.js';
import { type Bridge, openBridge } from './network-bridge.js';
import type { NetworkPolicy } from './policy.js';
import type { EgressProxy } from './proxy/egress-proxy.js';
import { startEgressProxy, startRelay } from './proxy/egress-proxy.js';

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

/** Where programs find the proxies, inside. */
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
