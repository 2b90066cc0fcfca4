// An authorization server on loopback for one MCP server: discovery, registration, PKCE, codes and refresh tokens that are
// good once, scopes. A test can bend each of its answers.
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface OAuthServer {
  readonly issuer: string;
  /** What was asked for, as `POST /token grant_type=refresh_token`. */
  readonly asked: string[];
  /** Whether a request to the MCP server may pass; else it was answered. */
  guard(incoming: IncomingMessage, outgoing: ServerResponse, scope?: string): boolean;
  /** The metadata of the MCP server, at its well-known address. */
  answersMetadata(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  /** No access token that was given is good any more. */
  expire(): void;
  /** Nor any refresh token. */
  revoke(): void;
  /** What the user's browser would do at such an address: the address that it is sent back to. */
  visit(authUrl: string): Promise<string>;
  readonly tokens: ReadonlyMap<string, { readonly scope: string }>;
}

export interface OAuthOptions {
  /** Changes the metadata of the authorization server. */
  metadata?(metadata: Record<string, unknown>): Record<string, unknown>;
  /** Changes the metadata of the MCP server. */
  resource?(metadata: Record<string, unknown>): Record<string, unknown>;
  /** Changes the address that the browser is sent back to. */
  redirect?(address: URL): URL;
  /** `expires_in`, whatever it may be. */
  readonly expiresIn?: unknown;
  /** What time it is there. */
  readonly date?: Date;
  /** Answers a refresh with this status instead. */
  refreshStatus?: number;
  /** Called before a refresh is answered. */
  onRefresh?(): Promise<void>;
  /** Clients that are known, with their secrets. */
  readonly clients?: Readonly<Record<string, string>>;
  readonly isClosed?: boolean;
}

export async function startOAuth(options: OAuthOptions = {}): Promise<OAuthServer> {
  const asked: string[] = [];
  const clients = new Map<string, { readonly redirectUris: readonly string[] | null }>();
  for (const id of Object.keys(options.clients ?? {})) clients.set(id, { redirectUris: null });
  const codes = new Map<string, Record<string, string>>();
  const tokens = new Map<string, { readonly scope: string }>();
  const refreshTokens = new Map<string, { readonly scope: string; readonly client: string }>();
  let issuer = '';

  const give = (client: string, scope: string) => {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    tokens.set(access, { scope });
    refreshTokens.set(refresh, { scope, client });
    const { expiresIn: expires_in = 3_600 } = options;
    return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in, scope };
  };
  const grant = async (form: URLSearchParams): Promise<object | string> => {
    const client = form.get('client_id') ?? '';
    if (!clients.has(client)) return 'invalid_client';
    if (form.get('grant_type') === 'refresh_token') {
      await options.onRefresh?.();
      const kept = refreshTokens.get(form.get('refresh_token') ?? '');
      if (kept === undefined || kept.client !== client) return 'invalid_grant';
      refreshTokens.delete(form.get('refresh_token') ?? '');
      return give(client, kept.scope);
    }
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (code === undefined || code['code_challenge'] !== challenge) return 'invalid_grant';
    if (code['redirect_uri'] !== form.get('redirect_uri') || code['client_id'] !== client) return 'invalid_grant';
    return give(client, code['scope'] ?? '');
  };
  const json = (outgoing: ServerResponse, status: number, value: object) =>
    void outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const { pathname, searchParams } = new URL(incoming.url ?? '/', issuer);
    if (options.date !== undefined) outgoing.setHeader('date', options.date.toUTCString());
    const form = new URLSearchParams(pathname === '/token' ? body : '');
    asked.push(
      `${incoming.method} ${pathname}${form.has('grant_type') ? ` grant_type=${form.get('grant_type')}` : ''}`,
    );
    if (pathname === '/.well-known/oauth-authorization-server') {
      const metadata = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        ...(options.isClosed ? {} : { registration_endpoint: `${issuer}/register` }),
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
        authorization_response_iss_parameter_supported: true,
      };
      return json(outgoing, 200, options.metadata?.(metadata) ?? metadata);
    }
    if (pathname === '/register') {
      const client = `client-${clients.size}`;
      const metadata = JSON.parse(body) as { redirect_uris: string[] };
      clients.set(client, { redirectUris: metadata.redirect_uris });
      return json(outgoing, 201, { ...metadata, client_id: client });
    }
    if (pathname === '/authorize') {
      const request = Object.fromEntries(searchParams);
      const client = clients.get(request['client_id'] ?? '');
      const isKnown = client?.redirectUris === null || client?.redirectUris.includes(request['redirect_uri'] ?? '');
      if (!isKnown) return json(outgoing, 400, { error: 'invalid_request' });
      const code = randomUUID();
      codes.set(code, request);
      const back = new URL(request['redirect_uri'] ?? '');
      for (const [name, value] of Object.entries({ code, state: request['state'] ?? '', iss: issuer }))
        back.searchParams.set(name, value);
      return void outgoing.writeHead(302, { location: (options.redirect?.(back) ?? back).href }).end();
    }
    if (pathname === '/token' && form.get('grant_type') === 'refresh_token' && options.refreshStatus !== undefined)
      return void outgoing.writeHead(options.refreshStatus).end('try again later');
    if (pathname === '/token') {
      const given = await grant(form);
      return typeof given === 'string' ? json(outgoing, 400, { error: given }) : json(outgoing, 200, given);
    }
    outgoing.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    issuer,
    asked,
    tokens,
    guard({ headers }, outgoing, scope) {
      const given = tokens.get(headers.authorization?.replace('Bearer ', '') ?? '');
      const metadata = `resource_metadata="http://${headers.host}/.well-known/oauth-protected-resource/mcp"`;
      if (given === undefined) {
        outgoing.writeHead(401, { 'www-authenticate': `Bearer ${metadata}, scope="read"` }).end();
        return false;
      }
      if (scope === undefined || given.scope.split(' ').includes(scope)) return true;
      const challenge = `Bearer error="insufficient_scope", scope="${scope}", ${metadata}`;
      outgoing.writeHead(403, { 'www-authenticate': challenge }).end();
      return false;
    },
    answersMetadata({ url = '', headers }, outgoing) {
      if (!url.startsWith('/.well-known/')) return false;
      if (!url.startsWith('/.well-known/oauth-protected-resource')) {
        outgoing.writeHead(404).end();
        return true;
      }
      const metadata = { resource: `http://${headers.host}/mcp`, authorization_servers: [issuer] };
      json(outgoing, 200, options.resource?.(metadata) ?? metadata);
      return true;
    },
    expire: () => tokens.clear(),
    revoke: () => refreshTokens.clear(),
    async visit(authUrl) {
      const response = await fetch(authUrl, { redirect: 'manual' });
      return response.headers.get('location') ?? '';
    },
  };
}
