// Signing in to an MCP server on loopback: the whole way, refreshes, steps up, and endpoints that must not be used.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import { type HttpTerms, readHttpTerms } from '../../../src/mcp/http/http-definition.js';
import { openHttpServer } from '../../../src/mcp/http/open-http-server.js';
import { openLastingServer } from '../../../src/mcp/lasting-server.js';
import { checkEndpoint, type ServerAuth } from '../../../src/mcp/oauth/signing-in.js';
import { readDefinition } from '../../../src/mcp/server-definition.js';
import type { TransportPlace } from '../../../src/mcp/transport.js';
import { storedTokens } from '../../../src/session/models/credentials-file.js';
import { temporaryFolder } from '../../support/engine.js';
import { type HttpMcpServer, startHttpMcp } from '../../support/mcp-http-server.js';
import { type OAuthOptions, type OAuthServer, startOAuth } from '../../support/oauth-server.js';

type Call = (params: object, options: { readonly signal: AbortSignal }) => Promise<{ content: { text: string }[] }>;

interface Protected {
  readonly oauth: OAuthServer;
  readonly mcp: HttpMcpServer;
}

/** An MCP server that wants tokens. `add` with a b of 9 wants the scope `write`. */
async function protectedServer(options: OAuthOptions = {}): Promise<Protected> {
  const oauth = await startOAuth(options);
  const mcp = await startHttpMcp({
    intercept: (incoming, outgoing, body) =>
      oauth.answersMetadata(incoming, outgoing) ||
      !oauth.guard(incoming, outgoing, body.includes('"b":9') ? 'write' : undefined),
  });
  return { oauth, mcp };
}

async function placeIn(home: string, now = () => Date.now()) {
  const host = createNodeHost({ env: { TURNWRIGHT_HOME: home } });
  const { exec, ids, env } = host;
  const clock: typeof host.clock = Object.assign(Object.create(host.clock), { now });
  const secrets: string[] = [];
  const place: TransportPlace = {
    exec,
    clock,
    cwd: home,
    env,
    sandbox: null,
    hide: async (text) => text,
    network: async () => ({
      clock,
      ids,
      exec,
      env: {},
      routeTo: async () => undefined,
      tokens: storedTokens(host, env),
      onSecret: (value) => secrets.push(value),
    }),
  };
  return { host, place, secrets, file: path.join(home, 'credentials.json') };
}

/** As a session has it. */
async function session(url: string, home: string, more: object = {}, now = () => Date.now()) {
  const { host, place, secrets, file } = await placeIn(home, now);
  const definition = readDefinition('s', { type: 'http', url, ...more });
  if (typeof definition === 'string' || !('open' in definition)) throw new Error(String(definition));
  const server = openLastingServer(definition, {
    ...place,
    monotonic: () => host.clock.monotonic(),
    startTimeoutMs: 30_000,
    onNotice: () => undefined,
    asked: { elicit: null, roots: () => [] } as never,
  });
  onTestFinished(() => server.close());
  await server.started;
  const auth = (await definition.auth?.(place)) as ServerAuth;
  onTestFinished(() => auth?.close());
  const status = async () => {
    await server.refresh(new AbortController().signal);
    return server.offer().connection;
  };
  const call = async (args: object) => {
    const { client } = server.offer().connection;
    const { content } = await (client as unknown as { callTool: Call }).callTool(
      { name: 'add', arguments: args },
      { signal: new AbortController().signal },
    );
    return content[0]?.text;
  };
  return { server, auth, status, call, secrets, file };
}

describe('a server that wants somebody to sign in', () => {
  it('needs it, takes the browser that comes back, and is used then', async () => {
    const { oauth, mcp } = await protectedServer();
    const home = await temporaryFolder();
    const { server, auth, status, call, secrets, file } = await session(mcp.url, home);
    expect(server.offer().connection).toMatchObject({
      type: 'needs-auth',
      error: expect.stringContaining('sign in'),
    });
    const { authUrl, done } = await auth.begin();
    expect(Object.fromEntries(new URL(authUrl).searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: mcp.url,
      scope: 'read',
    });
    const back = await oauth.visit(authUrl);
    expect(back).toMatch(/^http:\/\/localhost:\d+\/callback\?/);
    const page = await fetch(back.replace('localhost', '127.0.0.1'));
    expect(await page.text()).toContain('You are signed in');
    await done;
    await expect.poll(async () => (await status()).type).toBe('connected');
    expect(await call({ a: 1, b: 2 })).toBe('3');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    for (const token of oauth.tokens.keys()) expect(secrets).toContain(token);
  });

  it('takes a token that the host got elsewhere, for as long as it is good, and keeps it nowhere', async () => {
    const { oauth, mcp } = await protectedServer();
    const other = await session(mcp.url, await temporaryFolder());
    await other.auth
      .begin('https://host.example/back')
      .then(async ({ authUrl }) => other.auth.submit(await oauth.visit(authUrl)));
    const [accessToken = ''] = oauth.tokens.keys();
    const { server, auth, status, call, secrets, file } = await session(mcp.url, await temporaryFolder());
    auth.use({ accessToken });
    await server.reconnect(new AbortController().signal);
    expect((await status()).type).toBe('connected');
    expect(await call({ a: 1, b: 2 })).toBe('3');
    expect(secrets).toContain(accessToken);
    expect(await readFile(file, 'utf8').catch(() => '')).not.toContain(accessToken);
    auth.use({ accessToken: 'another' });
    await expect(server.reconnect(new AbortController().signal)).rejects.toThrow();
    expect((await status()).type).toBe('needs-auth');
  });

  it('takes the address that somebody pastes, and that of another sign-in not', async () => {
    const { oauth, mcp } = await protectedServer();
    const { auth, status } = await session(mcp.url, await temporaryFolder());
    const older = await oauth.visit((await auth.begin()).authUrl);
    const { authUrl } = await auth.begin('https://host.example/back');
    expect(new URL(authUrl).searchParams.get('redirect_uri')).toBe('https://host.example/back');
    const back = await oauth.visit(authUrl);
    await expect(auth.submit(older)).rejects.toThrow(/not the address you were sent back to/);
    await expect(auth.submit(`?${new URL(older).searchParams}`)).rejects.toThrow(/its state is a different one/);
    await expect(auth.submit('https://host.example/back?state=1&code=x')).rejects.toThrow(
      /its state is a different one/,
    );
    await auth.submit(back);
    await expect(auth.submit(back)).rejects.toThrow(/no sign-in was begun/);
    await expect.poll(async () => (await status()).type).toBe('connected');
  });

  it('refreshes a token that is over, once for all who wait, in other sessions too', async () => {
    const { oauth, mcp } = await protectedServer();
    const home = await temporaryFolder();
    const one = await session(mcp.url, home);
    await one.auth
      .begin('https://host.example/back')
      .then(async ({ authUrl }) => one.auth.submit(await oauth.visit(authUrl)));
    await expect.poll(async () => (await one.status()).type).toBe('connected');
    const two = await session(mcp.url, home);
    expect((await two.status()).type).toBe('connected');
    oauth.expire();
    const sums = await Promise.all([1, 2, 3].flatMap((a) => [one.call({ a, b: 1 }), two.call({ a, b: 1 })]));
    expect(sums).toEqual(['2', '2', '3', '3', '4', '4']);
    expect(oauth.asked.filter((line) => line.includes('refresh_token'))).toHaveLength(1);
  });

  it('needs it again if the refresh is refused, and keeps the client', async () => {
    const { oauth, mcp } = await protectedServer();
    const home = await temporaryFolder();
    const { auth, status, call, file } = await session(mcp.url, home);
    await auth.submit(await oauth.visit((await auth.begin('https://host.example/back')).authUrl));
    await expect.poll(async () => (await status()).type).toBe('connected');
    oauth.expire();
    oauth.revoke();
    await expect(call({ a: 1, b: 1 })).rejects.toThrow(/sign in again/);
    expect(await readFile(file, 'utf8')).not.toMatch(/access-|refresh-/);
    await auth.submit(await oauth.visit((await auth.begin('https://host.example/back')).authUrl));
    expect(oauth.asked.filter((line) => line === 'POST /register')).toHaveLength(1);
    expect(await call({ a: 1, b: 1 })).toBe('2');
  });

  it('asks for more rights with the next sign-in after a call that lacked them', async () => {
    const { oauth, mcp } = await protectedServer();
    const { auth, status, call } = await session(mcp.url, await temporaryFolder());
    await auth.submit(await oauth.visit((await auth.begin('https://host.example/back')).authUrl));
    await expect.poll(async () => (await status()).type).toBe('connected');
    await expect(call({ a: 1, b: 9 })).rejects.toThrow(/needs more rights than you gave it \(write\).*mcp login s/);
    expect(await call({ a: 1, b: 1 })).toBe('2');
    const { authUrl } = await auth.begin('https://host.example/back');
    expect(new URL(authUrl).searchParams.get('scope')).toBe('read write');
    await auth.submit(await oauth.visit(authUrl));
    expect(await call({ a: 1, b: 9 })).toBe('10');
  });

  it('uses a client that somebody registered, at the port of its address', async () => {
    const { oauth, mcp } = await protectedServer({ isClosed: true, clients: { mine: 'x' } });
    const home = await temporaryFolder();
    const plain = await session(mcp.url, home);
    await expect(plain.auth.begin()).rejects.toThrow(/does not make programs known by itself.*--client-id/);
    const { auth, status } = await session(mcp.url, home, { oauth: { clientId: 'mine', scopes: 'read mail' } });
    const { authUrl } = await auth.begin('https://host.example/back');
    const { client_id, scope } = Object.fromEntries(new URL(authUrl).searchParams);
    expect([client_id, scope]).toEqual(['mine', 'read mail']);
    await auth.submit(await oauth.visit(authUrl));
    await expect.poll(async () => (await status()).type).toBe('connected');
  });

  it('uses the address of a document as its id if the server takes such ids, and else makes itself known', async () => {
    const document = 'https://client.example/metadata.json';
    for (const takesIds of [true, false]) {
      const { oauth, mcp } = await protectedServer({
        metadata: (metadata) => ({ ...metadata, client_id_metadata_document_supported: takesIds }),
        clients: { [document]: '' },
      });
      const { auth } = await session(mcp.url, await temporaryFolder(), { oauth: { clientMetadataUrl: document } });
      const { authUrl } = await auth.begin('https://host.example/back');
      expect(new URL(authUrl).searchParams.get('client_id') === document).toBe(takesIds);
      expect(oauth).toBeDefined();
    }
  });

  it('is forgotten whole', async () => {
    const { oauth, mcp } = await protectedServer();
    const { auth, file } = await session(mcp.url, await temporaryFolder());
    await auth.submit(await oauth.visit((await auth.begin('https://host.example/back')).authUrl));
    await stat(file);
    await auth.clear();
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('gets no token of a server of the same name elsewhere', async () => {
    const { oauth, mcp } = await protectedServer();
    const home = await temporaryFolder();
    const first = await session(mcp.url, home);
    await first.auth.submit(await oauth.visit((await first.auth.begin('https://host.example/back')).authUrl));
    const other = await startHttpMcp();
    await session(other.url, home);
    expect(other.seen.length).toBeGreaterThan(0);
    expect(other.seen.map(({ headers }) => headers.authorization).filter((header) => header !== undefined)).toEqual([]);
  });
});

const HOUR_MS = 3_600_000;

describe('clocks that differ', () => {
  /** Signed in at a machine whose clock can be set. */
  async function signedIn(options: OAuthOptions = {}) {
    const { oauth, mcp } = await protectedServer(options);
    const [set, start] = [{ aheadMs: 0 }, Date.now()];
    const one = await session(mcp.url, await temporaryFolder(), {}, () => start + set.aheadMs);
    await one.auth.submit(await oauth.visit((await one.auth.begin('https://host.example/back')).authUrl));
    await expect.poll(async () => (await one.status()).type).toBe('connected');
    const refreshes = () => oauth.asked.filter((line) => line.includes('refresh_token')).length;
    const sums = async () => [await one.call({ a: 1, b: 1 }), await one.call({ a: 2, b: 1 })];
    return { oauth, set, refreshes, sums };
  }

  it.each([-6, 6])('a server whose Date is %i hours off: its tokens last as long as it says', async (hours) => {
    const { refreshes, sums } = await signedIn({ date: new Date(Date.now() + hours * HOUR_MS) });
    expect([await sums(), refreshes()]).toEqual([['2', '3'], 0]);
  });

  it('a clock that was set ahead: the token is refreshed once, and lasts from then on', async () => {
    const { set, refreshes, sums } = await signedIn();
    set.aheadMs = 6 * HOUR_MS;
    expect([await sums(), refreshes()]).toEqual([['2', '3'], 1]);
  });

  it('a clock that was set ahead, and nobody refreshes: the token is used as it is', async () => {
    const { set, refreshes, sums } = await signedIn({ refreshStatus: 503 });
    set.aheadMs = 6 * HOUR_MS;
    expect(await sums()).toEqual(['2', '3']);
    expect(refreshes()).toBeGreaterThan(0);
  });

  it('a clock that was set back: the token is refreshed once the server refuses it', async () => {
    const { oauth, set, refreshes, sums } = await signedIn();
    set.aheadMs = -6 * HOUR_MS;
    oauth.expire();
    expect([await sums(), refreshes()]).toEqual([['2', '3'], 1]);
  });

  it.each([0, -5, 1e300, null, '3600'])('a life of %j seconds asks for no refresh', async (expiresIn) => {
    const { refreshes, sums } = await signedIn({ expiresIn });
    expect([await sums(), refreshes()]).toEqual([['2', '3'], 0]);
  });

  it.each([
    [3_600, 3_570_000],
    [40, 20_000],
  ])('a token that lasts %i seconds is refreshed after %i ms, before it ends', async (expiresIn, afterMs) => {
    const { set, refreshes, sums } = await signedIn({ expiresIn });
    set.aheadMs = afterMs - 1;
    expect([await sums(), refreshes()]).toEqual([['2', '3'], 0]);
    set.aheadMs = afterMs;
    expect([await sums(), refreshes()]).toEqual([['2', '3'], 1]);
  });
});

describe('a sign-in', () => {
  it.each<[string, OAuthOptions, RegExp]>([
    ['an issuer that is another', { metadata: (it) => ({ ...it, issuer: 'https://evil.example' }) }, /issuer/i],
    [
      'an address to sign in at that is a script',
      { metadata: (it) => ({ ...it, authorization_endpoint: 'javascript:alert(1)' }) },
      /.*/,
    ],
    [
      'one without TLS',
      { metadata: (it) => ({ ...it, authorization_endpoint: 'http://evil.example/a' }) },
      /does not begin with https/,
    ],
    [
      'one with words for a shell',
      { metadata: (it) => ({ ...it, authorization_endpoint: 'file:///$(touch x)' }) },
      /does not begin with https/,
    ],
    [
      'tokens without TLS',
      { metadata: (it) => ({ ...it, token_endpoint: 'http://evil.example/t' }) },
      /address for tokens does not begin with https/,
    ],
    [
      'to register without TLS',
      { metadata: (it) => ({ ...it, registration_endpoint: 'http://evil.example/r' }) },
      /to register at does not begin with https/,
    ],
    [
      'a resource that is another server',
      { resource: (it) => ({ ...it, resource: 'https://bank.example/' }) },
      /which is another server/,
    ],
    [
      'an authorization server without TLS',
      { resource: (it) => ({ ...it, authorization_servers: ['http://evil.example'] }) },
      /does not begin with https/,
    ],
    ['no PKCE', { metadata: (it) => ({ ...it, code_challenge_methods_supported: ['plain'] }) }, /challenge/],
  ])('is not begun with %s', async (_, options, why) => {
    const { mcp } = await protectedServer(options);
    const { auth } = await session(mcp.url, await temporaryFolder());
    await expect(auth.begin('https://host.example/back')).rejects.toThrow(why);
  });

  it.each<[string, (back: URL) => URL, RegExp]>([
    ['another issuer', (back) => withParameter(back, 'iss', 'https://evil.example'), /issuer/i],
    ['no issuer, though it was promised', (back) => withParameter(back, 'iss', null), /iss/i],
    [
      'a refusal',
      (back) => withParameter(withParameter(back, 'code', null), 'error', 'access_denied'),
      /refused \(access_denied\)/,
    ],
    ['no code', (back) => withParameter(back, 'code', null), /has no code/],
    ['another state', (back) => withParameter(back, 'state', 'x'), /state is a different one/],
  ])('is not finished by %s', async (_, redirect, why) => {
    const { oauth, mcp } = await protectedServer({ redirect });
    const { auth, file } = await session(mcp.url, await temporaryFolder());
    const back = await oauth.visit((await auth.begin('https://host.example/back')).authUrl);
    await expect(auth.submit(back)).rejects.toThrow(why);
    expect(oauth.asked.filter((line) => line.startsWith('POST /token'))).toEqual([]);
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('listens to this machine, for the name of this machine', async () => {
    const { oauth, mcp } = await protectedServer();
    const { auth } = await session(mcp.url, await temporaryFolder());
    const back = new URL(await oauth.visit((await auth.begin()).authUrl));
    const at = `http://127.0.0.1:${back.port}`;
    const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status;
    expect(await status(`${at}/other`)).toBe(404);
    expect(await status(`${at}/callback?state=x`)).toBe(400);
    expect(await status(`${at}/callback${back.search}`, { method: 'POST' })).toBe(404);
    auth.close();
    await expect(fetch(`${at}/callback${back.search}`)).rejects.toThrow();
  });
});

function withParameter(url: URL, name: string, value: string | null): URL {
  const changed = new URL(url);
  if (value === null) changed.searchParams.delete(name);
  else changed.searchParams.set(name, value);
  return changed;
}

describe('an endpoint', () => {
  it.each([
    ['https://auth.example/a', 'https://mcp.example/', true],
    ['http://auth.example/a', 'https://mcp.example/', false],
    ['http://127.0.0.1:9/a', 'https://mcp.example/', false],
    ['https://localhost/a', 'https://mcp.example/', false],
    ['http://[::1]/a', 'http://localhost/', true],
    ['http://2130706433/', 'https://mcp.example/', false],
    ['https://user:word@auth.example/', 'https://mcp.example/', false],
    ['file:///etc/passwd', 'http://localhost/', false],
    ['x', 'http://localhost/', false],
  ])('%s of %s', (address, server, isGood) => {
    const check = () => checkEndpoint(address, 'to sign in at', new URL(server));
    if (isGood) expect(check().href).toBe(new URL(address).href);
    else expect(check).toThrow();
  });

  it('over plain HTTP elsewhere has nobody sign in', async () => {
    const terms = readHttpTerms('s', { type: 'http', url: 'http://mcp.example/' }) as HttpTerms;
    expect(terms.oauth).toBeNull();
    const { place } = await placeIn(await temporaryFolder());
    expect((await openHttpServer(terms, place)).auth).toBeNull();
  });
});
