// What is said of an MCP server that is reached by HTTP. One rule: a definition is whole before anything is sent.

import { isRecord } from '../../util/json.js';
import { isLoopback, type OAuthTerms, type ServerAuth } from '../oauth/index.js';
import type { McpTransport } from '../transport.js';

export interface HttpTerms {
  readonly name: string;
  readonly kind: 'http' | 'sse';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** A line for the shell that prints more headers, as a JSON object; null for none. */
  readonly headersHelper: string | null;
  /** Null if the definition says that nobody signs in, or brings credentials in its headers. */
  readonly oauth: OAuthTerms | null;
}

export const HTTP_FIELDS = ['type', 'url', 'headers', 'headersHelper', 'oauth', 'timeout'];
/** Other names of the types. */
const KINDS: Readonly<Record<string, HttpTerms['kind']>> = {
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  sse: 'sse',
};
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Those that the connection sets itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...['host', 'content-length', 'content-type', 'transfer-encoding', 'connection', 'accept-encoding'],
  ...['mcp-session-id', 'mcp-protocol-version', 'last-event-id'],
]);

export function isHttpType(type: unknown): boolean {
  return typeof type === 'string' && Object.hasOwn(KINDS, type);
}

/** The terms, or what is wrong with them in words that follow "it". */
export function readHttpTerms(name: string, config: Readonly<Record<string, unknown>>): HttpTerms | string {
  const { type, url: address, headers = {}, headersHelper = null, oauth = {} } = config;
  const kind = KINDS[String(type)];
  if (kind === undefined) return `has the type ${JSON.stringify(type)}, which is neither http nor sse`;
  if (typeof address !== 'string' || address.trim() === '') return 'has no url';
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return 'has a url that is not one of http';
  if (url.username !== '' || url.password !== '') return 'has a user in its url; write credentials into its headers';
  const wrong = wrongHeaders(headers);
  if (wrong !== null) return wrong;
  if (headersHelper !== null && (typeof headersHelper !== 'string' || headersHelper.trim() === ''))
    return 'has a headersHelper that is no command';
  const terms = oauth === false ? null : readOAuthTerms(oauth);
  if (typeof terms === 'string') return terms;
  const given = headers as Record<string, string>;
  const hasOwn = Object.keys(given).some((header) => header.toLowerCase() === 'authorization');
  return {
    name,
    kind,
    url,
    headers: given,
    headersHelper: headersHelper as string | null,
    // A token over plain HTTP could be read on its way.
    oauth: hasOwn || (url.protocol === 'http:' && !isLoopback(url)) ? null : terms,
  };
}

/** What is wrong with headers, in words that follow "it"; null if nothing is. */
export function wrongHeaders(headers: unknown): string | null {
  if (!isRecord(headers)) return 'has headers that are not an object of texts';
  for (const [header, value] of Object.entries(headers)) {
    const shown = JSON.stringify(header.slice(0, 60));
    if (!HEADER_NAME.test(header)) return `has a header ${shown}, which is not a name of one`;
    if (OWN_HEADERS.has(header.toLowerCase())) return `has a header ${shown}, which the connection sets itself`;
    if (typeof value !== 'string' || /[\0\r\n]/.test(value))
      return `has a header ${shown} whose value is not a line of text`;
  }
  return null;
}

function readOAuthTerms(oauth: unknown): OAuthTerms | string {
  if (!isRecord(oauth)) return 'has an oauth that is not an object';
  const { clientId, clientSecret, clientMetadataUrl, callbackPort, scopes } = oauth;
  const texts = { clientId, clientSecret, clientMetadataUrl, scopes };
  for (const [key, value] of Object.entries(texts))
    if (value !== undefined && (typeof value !== 'string' || value.trim() === ''))
      return `has an oauth.${key} that is not a text`;
  if (clientSecret !== undefined && clientId === undefined) return 'has an oauth.clientSecret without a clientId';
  if (clientMetadataUrl !== undefined && !isDocument(String(clientMetadataUrl)))
    return 'has an oauth.clientMetadataUrl that is not the address of a document, by https';
  const isPort = Number.isInteger(callbackPort) && (callbackPort as number) > 0 && (callbackPort as number) < 65_536;
  if (callbackPort !== undefined && !isPort) return 'has an oauth.callbackPort that is no port';
  return {
    ...(Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)) as OAuthTerms),
    ...(callbackPort === undefined ? {} : { callbackPort: callbackPort as number }),
  };
}

function isDocument(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url?.protocol === 'https:' && url.pathname.length > 1 && url.hash === '' && url.username === '';
}

/** What `open-http-server.ts` makes of the terms. */
export interface OpenedHttpServer {
  /** A new connection, not started. */
  connect(): McpTransport;
  /** Null if nobody signs in to it. */
  readonly auth: ServerAuth | null;
}
