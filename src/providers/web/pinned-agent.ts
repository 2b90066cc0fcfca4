// Connections to addresses that were admitted, and to no others. One rule: nothing is looked up here.
import type { Agent } from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import type { HostClock } from '../../host/host.js';
import type { NodeHttp } from '../http/index.js';

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
