// Which machine a web address may lead to: looked up once, and what was looked at is what is connected to. One rule: one
// address of a name that may not be reached refuses them all, so that no choice between them is left to anybody.

import type { Agent } from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import type { HostClock } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import { addressBytes, carriedAddress, isPublicAddress, isPublicHost, sharesBits } from '../../util/web-address.js';
import type { NodeHttp } from '../http/index.js';

/** What the host and the user say of hosts. A project says nothing here but what is denied. */
export interface WebRules {
  /** True for a host or an address that may be reached although it is not public. @param host without brackets */
  mayBePrivate(host: string, port: number): boolean;
  /** What denies a host or an address; null if nothing does. */
  whyDenied(host: string, port: number): string | null;
}

/** All addresses of a name. Rejects if there are none. */
export type Lookup = (name: string) => Promise<readonly string[]>;

export interface Admitted {
  /** To connect to, and no others; null if a proxy looks the name up. */
  readonly addresses: readonly string[] | null;
  /** True if all of it is on the public internet. */
  readonly isPublic: boolean;
}

/** What tells a machine its secrets is reached by nobody who does not name the very address. */
const NEVER_BY_NAME = [
  { first: [169, 254, 0, 0], bits: 16 },
  { first: [168, 63, 129, 16], bits: 32 },
  { first: [100, 100, 100, 200], bits: 32 },
  { first: [0xfe, 0x80, ...new Array<number>(14).fill(0)], bits: 10 },
  { first: [0xfd, 0, 0x0e, 0xc2, ...new Array<number>(12).fill(0)], bits: 32 },
];

/** Ports of other protocols, which a page is never on: a request there could be read as something else. */
const OTHER_PROTOCOLS: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211, 27017,
]);

/**
 * @param host as `readAddress` gives it
 * @param isLookedUpElsewhere a proxy connects: what cannot be looked up here is its business
 * @throws ToolError for what may not be reached, or has no address
 */
export async function admitAddress(
  host: string,
  port: number,
  { rules, lookup, isLookedUpElsewhere }: { rules: WebRules; lookup: Lookup; isLookedUpElsewhere: boolean },
): Promise<Admitted> {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const denied = rules.whyDenied(bare, port);
  if (denied !== null) throw new ToolError(`${host} is not fetched: ${denied}.`);
  if (OTHER_PROTOCOLS.has(port))
    throw new ToolError(`${host}:${port} is not fetched: port ${port} is not for web pages.`);
  const isNamed = rules.mayBePrivate(bare, port);
  if (!isPublicHost(host) && !isNamed && !isLiteral(bare)) throw notPublic(host);
  const addresses = isLiteral(bare) ? [bare] : await lookUp(bare, lookup, isLookedUpElsewhere);
  if (addresses === null) return { addresses: null, isPublic: isPublicHost(host) };
  for (const address of addresses) {
    const why = rules.whyDenied(address, port);
    if (why !== null) throw new ToolError(`${host} is not fetched: it leads to ${address}, and ${why}.`);
    if (!mayConnect(address, port, isNamed, rules)) throw notPublic(host, address === bare ? undefined : address);
  }
  const isPublic = addresses.every((address) => isPublicAddress(addressBytes(address) ?? []));
  return { addresses: isLookedUpElsewhere && !isLiteral(bare) ? null : addresses, isPublic };
}

function isLiteral(host: string): boolean {
  return addressBytes(host) !== null;
}

/** Contract: what is no plain address is not connected to. */
function mayConnect(address: string, port: number, isNamed: boolean, rules: WebRules): boolean {
  const bytes = addressBytes(address);
  if (bytes === null) return false;
  if (isPublicAddress(bytes) || rules.mayBePrivate(address, port)) return true;
  return isNamed && !NEVER_BY_NAME.some(({ first, bits }) => sharesBits(carriedAddress(bytes) ?? bytes, first, bits));
}

/** Null if only a proxy can tell. */
async function lookUp(name: string, lookup: Lookup, isElsewhere: boolean): Promise<readonly string[] | null> {
  const found = await lookup(name).catch(() => []);
  if (found.length > 0) return found;
  if (isElsewhere) return null;
  throw new ToolError(`${name} has no address: the name does not exist, or cannot be looked up from here.`);
}

function notPublic(host: string, address?: string): ToolError {
  const leads = address === undefined ? `${host} is` : `${host} leads to ${address}, which is`;
  return new ToolError(
    `${leads} not on the public internet, so it is not fetched. Only the user can allow that: ${host} in the setting web.privateHosts.`,
  );
}

/** Opens a connection. Contract: `address` is an address, not a name. */
export type Dial = (address: string, port: number) => net.Socket;

export const dialAddress: Dial = (address, port) => net.connect({ host: address, port });

/** A connection that does not come about is not waited for: the next address is tried beside it. Milliseconds. */
const NEXT_AFTER_MS = 300;

export interface Dialling {
  readonly dial: Dial;
  readonly clock: Pick<HostClock, 'after'>;
}

type OnSocket = (error: Error | null, socket?: net.Socket) => void;

/**
 * @param host whom the certificate must be for
 * @param authorities in PEM form; null: those that come with the runtime
 */
export function pinnedAgent(
  http: NodeHttp,
  url: URL,
  addresses: readonly string[],
  authorities: readonly string[] | null,
  { dial, clock }: Dialling,
): Agent {
  const agent = new http.Agent({ keepAlive: false });
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const opening = new Set<net.Socket>();
  const destroy = agent.destroy.bind(agent);
  return Object.assign(agent, {
    createConnection(_: unknown, onSocket: OnSocket): undefined {
      dialFirst(addresses, port, { dial, clock }, opening).then(
        (socket) => onSocket(null, url.protocol === 'https:' ? secure(socket, host, authorities) : socket),
        (error: Error) => onSocket(error),
      );
    },
    destroy() {
      for (const socket of opening) socket.destroy();
      destroy();
    },
  });
}

function secure(socket: net.Socket, host: string, authorities: readonly string[] | null): net.Socket {
  return tls.connect({
    socket,
    host,
    ALPNProtocols: ['http/1.1'],
    ...(net.isIP(host) === 0 ? { servername: host } : {}),
    ...(authorities === null ? {} : { ca: [...authorities] }),
  });
}

/** The first connection that comes about; the others are closed. Rejects if none does. */
function dialFirst(
  addresses: readonly string[],
  port: number,
  { dial, clock }: Dialling,
  opening: Set<net.Socket>,
): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    let next = 0;
    let left = addresses.length;
    let isSettled = false;
    let cancel: () => void = () => undefined;
    const settle = (kept: net.Socket | null): void => {
      isSettled = true;
      cancel();
      for (const socket of opening) if (socket !== kept) socket.destroy();
      opening.clear();
    };
    const tryNext = (): void => {
      cancel();
      const address = addresses[next];
      if (isSettled || address === undefined) return;
      next += 1;
      const socket = dial(address, port);
      opening.add(socket);
      let isDone = false;
      const failed = (error: Error): void => {
        if (isDone) return;
        isDone = true;
        opening.delete(socket);
        left -= 1;
        if (isSettled) return;
        if (left > 0) {
          tryNext();
          return;
        }
        settle(null);
        reject(error);
      };
      socket.once('connect', () => {
        isDone = true;
        if (isSettled) return void socket.destroy();
        settle(socket);
        resolve(socket);
      });
      // Stays, so that no error of a connection that lost is ever unhandled.
      socket.on('error', failed);
      socket.once('close', () => failed(new Error('the connection was closed')));
      cancel = clock.after(NEXT_AFTER_MS, tryNext);
    };
    tryNext();
  });
}
