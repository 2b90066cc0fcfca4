// Chooses how a provider reaches the network: node:http(s) where it exists, fetch elsewhere.
// Rule: only what is used is loaded, because loading dominates a cold start.
import type { HostClock } from '../host/host.js';
import type { HttpTransport } from './http-exchange.js';
import { createNodeTransport, type NodeHttp } from './http-node.js';

export type TransportKind = 'node' | 'fetch';

/**
 * A transport for requests to `url`'s origin. Opens no connection yet.
 * @param kind forces one; absent: node:http(s), or fetch where the runtime has none
 */
export async function loadTransport(
  url: URL,
  clock: Pick<HostClock, 'after'>,
  kind?: TransportKind,
): Promise<HttpTransport> {
  const http = kind === 'fetch' ? null : await importNodeHttp(url);
  if (http === null) {
    const { createFetchTransport } = await import('./http-fetch.js');
    return createFetchTransport();
  }
  return createNodeTransport(http, clock);
}

async function importNodeHttp(url: URL): Promise<NodeHttp | null> {
  try {
    return url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  } catch {
    return null; // not a Node-like runtime: fetch is there instead
  }
}
