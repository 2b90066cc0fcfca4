// Requests through proxies, and certificates that the user believes: over loopback, with real TLS.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { HttpRoute } from '../../../src/providers/http/http-tunnel.js';
import { attempt, connect, textReply, wire } from '../../support/anthropic-replies.js';
import { httpProxy, type ProxyBehaviour, socksProxy } from '../../support/proxy-server.js';
import { type SseServer, startSseServer, stream } from '../../support/sse-server.js';

const FIXTURES = path.join(import.meta.dirname, '../../fixtures/tls');
const CERTIFICATE = readFileSync(path.join(FIXTURES, 'certificate.pem'), 'utf8');
const KEY = readFileSync(path.join(FIXTURES, 'key.pem'), 'utf8');
const GOOD = stream(wire(textReply('through')));

async function plainServer(): Promise<SseServer> {
  const server = await startSseServer(GOOD);
  onTestFinished(() => server.close());
  return server;
}

/** A TLS server whose certificate is for `model.test`, `localhost` and 127.0.0.1. */
async function tlsServer(): Promise<{ port: number; paths: string[] }> {
  const paths: string[] = [];
  const server = createServer({ cert: CERTIFICATE, key: KEY }, (request, response) => {
    paths.push(`${request.headers.host}${request.url}`);
    request.resume();
    request.on('end', () => void GOOD(response, { method: '', path: '', headers: {}, body: '', connection: 0 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, paths };
}

const route = (proxy: string | null, authorities: readonly string[] | null = null): HttpRoute => ({
  proxy: proxy === null ? null : new URL(proxy),
  authorities,
});
const send = (url: string, transport: HttpRoute) => attempt(connect(url, { transport }));

describe('through an HTTP proxy', () => {
  it('a plain server is asked for by its whole address', async () => {
    const server = await plainServer();
    const proxy = await httpProxy({ target: server.url });
    const { error } = await send('http://model.test:81/base', route(`http://127.0.0.1:${proxy.port}`));
    expect(error).toBeNull();
    expect(proxy.asked).toEqual(['POST http://model.test:81/base/v1/messages']);
    expect(server.requests[0]?.headers).toMatchObject({ host: 'model.test:81', 'x-api-key': expect.any(String) });
  });

  it('a TLS server is reached by a tunnel, which is used again', async () => {
    const { port, paths } = await tlsServer();
    const proxy = await httpProxy({ target: `http://127.0.0.1:${port}` });
    const transport = route(`http://127.0.0.1:${proxy.port}`, [CERTIFICATE]);
    const provider = connect('https://model.test', { transport });
    for (let at = 0; at < 10; at++) expect((await attempt(provider)).error).toBeNull();
    // The next request may start before the last one's connection is free.
    expect(proxy.asked.length).toBeLessThan(10);
    expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT model.test:443']));
    expect(paths).toEqual(Array(10).fill('model.test/v1/messages'));
    provider.close();
  });

  it('the certificate inside the tunnel is checked', async () => {
    const { port } = await tlsServer();
    const proxy = await httpProxy({ target: `http://127.0.0.1:${port}` });
    const through = `http://127.0.0.1:${proxy.port}`;
    expect((await send('https://model.test', route(through))).error).toMatchObject({
      kind: 'connection',
      retryable: false,
      message: expect.stringMatching(/certificate of model.test:443 is not accepted.*NODE_EXTRA_CA_CERTS/),
    });
    const other = await send('https://another.test', route(through, [CERTIFICATE]));
    expect(other.error?.message).toMatch(/certificate of another.test:443 is not accepted/);
  });

  it('with user and password', async () => {
    const server = await plainServer();
    const { port } = await tlsServer();
    const login = 'me:p@ss/word';
    const [plain, tunnel] = [
      await httpProxy({ target: server.url, login }),
      await httpProxy({ target: `http://127.0.0.1:${port}`, login }),
    ];
    const at = (to: number, who = 'me:p%40ss%2Fword@') => route(`http://${who}127.0.0.1:${to}`, [CERTIFICATE]);
    expect((await send('http://model.test', at(plain.port))).error).toBeNull();
    expect((await send('https://model.test', at(tunnel.port))).error).toBeNull();
    expect(server.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
    const refused = await send('https://model.test', at(tunnel.port, 'me:secretword@'));
    expect(refused.error).toMatchObject({
      kind: 'connection',
      message: expect.stringMatching(/wants a user.*\(407\)/),
    });
    expect(refused.error?.message).not.toMatch(/secretword/);
  });

  it.each<[string, Partial<ProxyBehaviour>, RegExp]>([
    [
      'a refusal',
      { answer: 'HTTP/1.1 403 Forbidden\r\n\r\nno' },
      /proxy 127.0.0.1:\d+ refused the connection \(403 Forbidden\)/,
    ],
    ['nonsense', { answer: 'SSH-2.0-x\r\n\r\n' }, /answered with something that is not HTTP/],
    ['endless nonsense', { answer: 'x'.repeat(100_000) }, /answered with something that is not HTTP/],
    ['an end', { answer: '' }, /closed the connection/],
  ])('%s is told with the proxy’s name', async (_, behaviour, why) => {
    const proxy = await httpProxy({ target: 'http://127.0.0.1:1', ...behaviour });
    const { error } = await send('https://model.test', route(`http://127.0.0.1:${proxy.port}`));
    expect(error).toMatchObject({ kind: 'connection', message: expect.stringMatching(why) });
    expect(error?.message).toMatch(/^No connection to model.test:443/);
  });

  it.each(['http://model.test', 'https://model.test'])('a proxy that is not there is told, to %s', async (url) => {
    const { error } = await send(url, route('http://127.0.0.1:1'));
    expect(error?.message).toMatch(/the proxy 127.0.0.1:1 cannot be reached \(ECONNREFUSED\)/);
  });

  it('a proxy that says nothing is given up, and leaves nothing open', async () => {
    const proxy = await httpProxy({ target: 'http://127.0.0.1:1', isSilent: true });
    const host = createNodeHost();
    const waits: number[] = [];
    const clock = {
      ...host.clock,
      after: (ms: number, callback: () => void) => {
        if (ms === 30_000) waits.push(ms);
        return host.clock.after(ms === 30_000 ? 50 : ms, callback);
      },
    };
    const provider = connect('https://model.test', { clock, transport: route(`http://127.0.0.1:${proxy.port}`) });
    const { error } = await attempt(provider);
    expect(waits).toEqual([30_000]);
    expect(error?.message).toMatch(/the proxy 127.0.0.1:\d+ did not answer within 30 s/);
    await expect.poll(() => proxy.open.size).toBe(0);
  });

  it('closing the provider ends a handshake that is under way', async () => {
    const proxy = await httpProxy({ target: 'http://127.0.0.1:1', isSilent: true });
    const provider = connect('https://model.test', { transport: route(`http://127.0.0.1:${proxy.port}`) });
    const outcome = attempt(provider);
    await expect.poll(() => proxy.asked.length).toBe(1);
    provider.close();
    expect((await outcome).error?.kind).toBe('aborted');
    await expect.poll(() => proxy.open.size).toBe(0);
  });
});

describe('through a SOCKS 5 proxy', () => {
  it.each<[string, string, string]>([
    ['http://model.test:82', 'socks5', 'model.test:82'],
    ['http://10.1.2.3', 'socks5h', '10.1.2.3:80'],
    ['http://[fd00::a1:2]', 'socks5', `fd00${'0'.repeat(20)}00a10002:80`],
  ])('%s by %s', async (url, scheme, asked) => {
    const server = await plainServer();
    const proxy = await socksProxy({ target: server.url });
    expect((await send(url, route(`${scheme}://127.0.0.1:${proxy.port}`))).error).toBeNull();
    expect(proxy.asked).toEqual([asked]);
  });

  it('TLS inside, with user and password', async () => {
    const { port, paths } = await tlsServer();
    const proxy = await socksProxy({ target: `http://127.0.0.1:${port}`, login: 'me:word' });
    const through = (who: string) => route(`socks5://${who}127.0.0.1:${proxy.port}`, [CERTIFICATE]);
    expect((await send('https://model.test', through('me:word@'))).error).toBeNull();
    expect(paths).toEqual(['model.test/v1/messages']);
    expect((await send('https://model.test', through('me:wrong@'))).error?.message).toMatch(/refused the user/);
    expect((await send('https://model.test', through(''))).error?.message).toMatch(/wants a user and a password/);
  });

  it.each([
    [2, /does not allow the connection/],
    [4, /cannot reach the host/],
    [99, /failed \(99\)/],
  ])('refusal %i is told in words', async (reply, why) => {
    const proxy = await socksProxy({ target: 'http://127.0.0.1:1' }, reply);
    const { error } = await send('https://model.test', route(`socks5://127.0.0.1:${proxy.port}`));
    expect(error).toMatchObject({ kind: 'connection', message: expect.stringMatching(why) });
  });

  it('something else that listens there is told', async () => {
    const server = await plainServer();
    const { error } = await send('https://model.test', route(server.url.replace('http', 'socks5')));
    expect(error?.message).toMatch(/the proxy 127.0.0.1:\d+ (answered with something that is not SOCKS 5|closed)/);
  });
});

describe('authorities of the user', () => {
  it('are believed without a proxy too, and nobody else’s are not', async () => {
    const { port } = await tlsServer();
    const url = `https://127.0.0.1:${port}`;
    expect((await send(url, route(null, [CERTIFICATE]))).error).toBeNull();
    expect((await attempt(connect(url))).error?.message).toMatch(/certificate.*is not accepted/);
  });
});
