// A definition of a server that is reached by HTTP, as the session opens it. What speaks HTTP is loaded with the first one.
import type { TransportServerDefinition } from '../server-definition.js';
import type { HttpTerms } from './http-definition.js';
import type { OpenedHttpServer } from './open-http-server.js';

export function httpServer(terms: HttpTerms, toolTimeoutMs: number | undefined): TransportServerDefinition {
  let opened: Promise<OpenedHttpServer> | null = null;
  const server = (place: Parameters<TransportServerDefinition['open']>[0]): Promise<OpenedHttpServer> => {
    opened ??= import('./open-http-server.js').then(({ openHttpServer }) => openHttpServer(terms, place));
    return opened;
  };
  return {
    name: terms.name,
    isRemote: true,
    ...(toolTimeoutMs === undefined ? {} : { toolTimeoutMs }),
    open: async (place) => (await server(place)).connect(),
    ...(terms.oauth === null ? {} : { auth: async (place) => (await server(place)).auth }),
  };
}
