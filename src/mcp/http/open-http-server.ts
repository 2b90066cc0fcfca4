// What a session has of one server that is reached by HTTP: its connections, and signing in to it.
import { createRoutedFetch } from '../../providers/http/index.js';
import { createBearerTokens } from '../oauth/bearer-tokens.js';
import { createServerAuth } from '../oauth/server-auth.js';
import type { AuthPlace, ServerAuth } from '../oauth/signing-in.js';
import type { McpTransport, NetworkPlace, TransportPlace } from '../transport.js';
import { helperHeaders } from './headers-helper.js';
import type { HttpTerms } from './http-definition.js';
import { createHttpTransport } from './http-transport.js';
import { createServerFetch } from './server-fetch.js';

export interface OpenedHttpServer {
  /** A new connection, not started. */
  connect(): McpTransport;
  /** Null if nobody signs in to it. */
  readonly auth: ServerAuth | null;
}

/** @throws ConfigError */
export async function openHttpServer(terms: HttpTerms, place: TransportPlace): Promise<OpenedHttpServer> {
  const network = await place.network?.();
  if (network === undefined) throw new Error('there is no network here.');
  const { kind, url, oauth } = terms;
  const authPlace = oauth === null ? null : authPlaceOf(terms, oauth, network);
  const tokens = authPlace === null ? null : createBearerTokens(authPlace);
  const { cwd, hide } = place;
  const headers = async () => {
    const found = await helperHeaders(terms, { exec: network.exec, cwd, env: network.env });
    for (const [name, value] of Object.entries({ ...terms.headers, ...found }))
      if (isSecretHeader(name))
        network.onSecret(value.replace(/^bearer\s+/i, ''), `header of the MCP server ${terms.name}`);
    return { ...terms.headers, ...found };
  };
  return {
    connect: () =>
      createHttpTransport({
        kind,
        url,
        headers,
        tokens,
        fetch: createRoutedFetch({ clock: network.clock, routeTo: network.routeTo }),
        clock: network.clock,
        hide,
      }),
    auth: authPlace === null || tokens === null ? null : createServerAuth(authPlace, tokens),
  };
}

/** A request of a sign-in is given up after so long. */
const AUTH_TIMEOUT_MS = 10_000;

function authPlaceOf({ name, url }: HttpTerms, terms: AuthPlace['terms'], network: NetworkPlace): AuthPlace {
  const { clock, ids, tokens: store, onSecret, routeTo } = network;
  return {
    name,
    url,
    terms,
    store,
    clock,
    ids,
    onSecret,
    async fetch(address, init) {
      // One connection each: sign-ins are rare, and nothing of them stays open.
      const routed = createRoutedFetch({ clock, routeTo });
      const late = new AbortController();
      const cancel = clock.after(AUTH_TIMEOUT_MS, () => {
        late.abort(new TypeError(`${new URL(address).origin} did not answer within ${AUTH_TIMEOUT_MS / 1_000} s`));
      });
      try {
        const limited = createServerFetch(routed, url, {});
        const response = await limited(address, { ...init, signal: late.signal });
        const { status, headers } = response;
        return new Response(status === 204 ? null : await response.text(), { status, headers });
      } finally {
        cancel();
        routed.close();
      }
    },
  };
}

function isSecretHeader(name: string): boolean {
  return /authorization|cookie|key|token|secret|password/i.test(name);
}
