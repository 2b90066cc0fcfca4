// A definition of a server that is reached by HTTP, as the session opens it. What speaks HTTP is loaded with the first one.
import type { TransportPlace } from '../transport.js';
import type { HttpTerms } from './http-definition.js';
import type { OpenedHttpServer } from './open-http-server.js';

/** A `TransportServerDefinition`. */
export function httpServer(terms: HttpTerms, toolTimeoutMs: number | undefined) {
  let opened: Promise<OpenedHttpServer> | null = null;
  const server = (place: TransportPlace): Promise<OpenedHttpServer> => {
    opened ??= import('./open-http-server.js').then(({ openHttpServer }) => openHttpServer(terms, place));
    return opened;
  };
  return {
    name: terms.name,
    identity: terms.url.href,
    isRemote: true,
    ...(toolTimeoutMs === undefined ? {} : { toolTimeoutMs }),
    open: async (place: TransportPlace) => (await server(place)).connect(),
    ...(terms.oauth === null ? {} : { auth: async (place: TransportPlace) => (await server(place)).auth }),
  };
}
