// What a session has of one server that is reached by HTTP: its connections, and signing in to it.

import type { HostExec } from '../../host/host.js';
import { createRoutedFetch } from '../../providers/http/index.js';
import { isRecord } from '../../util/json.js';
import { errorText, shorten } from '../../util/text.js';
import { type AuthPlace, createBearerTokens, createServerAuth } from '../oauth/index.js';
import type { NetworkPlace, TransportPlace } from '../transport.js';
import { type HttpTerms, type OpenedHttpServer, wrongHeaders } from './http-definition.js';
import { createHttpTransport, createServerFetch } from './http-transport.js';

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

// The headers that a command of the definition prints, before each connection. One rule: what it prints is shown nowhere.

interface HelperPlace {
  readonly exec: Pick<HostExec, 'run'>;
  readonly cwd: string;
  /** Without the keys of models. */
  readonly env: Readonly<Record<string, string>>;
}

const DEADLINE_MS = 10_000;
const MAX_BYTES = 64 * 1024;

/** @throws Error in words that follow the name of the server */
async function helperHeaders(
  { name, url, headersHelper }: HttpTerms,
  { exec, cwd, env }: HelperPlace,
): Promise<Record<string, string>> {
  if (headersHelper === null) return {};
  const out: Uint8Array[] = [];
  let size = 0;
  const controller = new AbortController();
  const outcome = await exec
    .run({
      command: ['/bin/sh', '-c', headersHelper],
      cwd,
      env: { ...env, TURNWRIGHT_MCP_SERVER_NAME: name, TURNWRIGHT_MCP_SERVER_URL: url.href },
      signal: controller.signal,
      timeoutMs: DEADLINE_MS,
      onStdout(chunk) {
        size += chunk.length;
        if (size > MAX_BYTES) controller.abort();
        else out.push(chunk.slice());
      },
      onStderr: () => undefined,
    })
    .catch((error: unknown) => {
      throw new Error(`its headersHelper could not be started: ${errorText(error)}`);
    });
  if (size > MAX_BYTES) throw new Error(`its headersHelper printed more than ${MAX_BYTES} bytes`);
  if (outcome.ended === 'timed_out') throw new Error(`its headersHelper did not end within ${DEADLINE_MS / 1_000} s`);
  if (outcome.exitCode !== 0)
    throw new Error(
      `its headersHelper failed (exit code ${outcome.exitCode ?? outcome.signal}). Run it by hand to see why`,
    );
  const headers = parse(out);
  const wrong = isRecord(headers) ? wrongHeaders(headers) : 'printed something else than a JSON object of texts';
  if (wrong !== null) throw new Error(`its headersHelper ${shorten(wrong.replace(/^has/, 'printed'), 200)}`);
  return headers as Record<string, string>;
}

function parse(chunks: readonly Uint8Array[]): unknown {
  const decoder = new TextDecoder();
  try {
    return JSON.parse(chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode());
  } catch {
    return null; // what the parser says may show a part of a secret
  }
}
