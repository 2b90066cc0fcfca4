// Chooses how a provider reaches the network: node:http(s) where it exists, fetch elsewhere.
// Rule: only what is used is loaded, because loading dominates a cold start.
import type { HostClock } from '../../host/host.js';
import type { HttpTransport } from './http-exchange.js';
import { createNodeTransport, type NodeHttp } from './http-node.js';
import type { HttpRoute } from './http-route.js';

export type TransportKind = 'node' | 'fetch';
/**
 * Forces how requests travel, or which way they take; a function says which way the next request takes, undefined:
 * straight, and gives the same object for the same way.
 */
export type TransportChoice = TransportKind | HttpRoute | (() => Promise<HttpRoute | undefined>);

/** The connections of one provider. */
export interface Connections {
  /** The transport, loaded with the first call. */
  open(): Promise<HttpTransport>;
  /** Contract: ends all connections, also those in use; a later `open` makes new ones. */
  close(): void;
}

/**
 * For requests to `url`'s origin.
 * @param choice forces a transport, or the way; absent: straight by node:http(s), or by fetch where the runtime has no
 *   such thing
 */
export function createConnections(url: URL, clock: Pick<HostClock, 'after'>, choice?: TransportChoice): Connections {
  let transport: Promise<HttpTransport> | null = null;
  let way: TransportKind | HttpRoute | undefined;
  /** Of ways that requests took before: what is on its way ends there. */
  const left: Promise<HttpTransport>[] = [];
  const open = (next: typeof way): Promise<HttpTransport> => {
    if (transport !== null && next !== way) {
      left.push(transport);
      transport = null;
    }
    way = next;
    transport ??= loadTransport(url, clock, next);
    return transport;
  };
  return {
    open: () => (typeof choice === 'function' ? choice().then(open) : open(choice)),
    close() {
      const closing = [...left.splice(0), ...(transport === null ? [] : [transport])];
      transport = null;
      for (const each of closing)
        each.then(
          (opened) => opened.close(),
          () => undefined, // it never opened
        );
    },
  };
}

async function loadTransport(
  url: URL,
  clock: Pick<HostClock, 'after'>,
  choice?: TransportKind | HttpRoute,
): Promise<HttpTransport> {
  const route = typeof choice === 'object' ? choice : null;
  const http = choice === 'fetch' ? null : await importNodeHttp(url);
  if (http === null) {
    if (route !== null) throw new Error('A proxy, or a file of authorities, needs a runtime with node:http.');
    const { createFetchTransport } = await import('./http-fetch.js');
    return createFetchTransport();
  }
  if (route === null) return createNodeTransport(http, clock);
  const { openRoute } = await import('./http-tunnel.js');
  return createNodeTransport(http, clock, (options) => openRoute(http, url, route, options, clock));
}

async function importNodeHttp(url: URL): Promise<NodeHttp | null> {
  try {
    return url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  } catch {
    return null; // not a Node-like runtime: fetch is there instead
  }
}
