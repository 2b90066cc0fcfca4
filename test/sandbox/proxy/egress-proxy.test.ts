// The proxy over loopback: what it lets out, what it refuses and tells, and that it goes where it looked.
import { createServer, request } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseDomain } from '../../../src/sandbox/domain-pattern.js';
import type { Resolve } from '../../../src/sandbox/proxy/egress.js';
import { startEgressProxy } from '../../../src/sandbox/proxy/egress-proxy.js';

const LOGIN = { user: 'sandbox', password: 'secret' };
const BASIC = `Basic ${Buffer.from('sandbox:secret').toString('base64')}`;

/** A server that says what it was asked. */
async function startServer() {
  const asked: string[] = [];
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.headers.host} ${incoming.url}`);
    incoming.resume().on('end', () => response.end(`hello ${JSON.stringify(incoming.headers)}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

interface Settings {
  readonly allowed?: readonly string[];
  readonly denied?: readonly string[];
  readonly names?: Readonly<Record<string, readonly string[]>>;
}

async function startProxy({ allowed = [], denied = [], names = {} }: Settings = {}) {
  const refused: string[] = [];
  const looked: string[] = [];
  const resolve: Resolve = async (name) => {
    looked.push(name);
    const found = names[name];
    if (found === undefined) throw new Error('no such name');
    return found;
  };
  const read = (list: readonly string[]) => list.map((source) => parseDomain(source, 'test'));
  const proxy = await startEgressProxy({
    at: 0,
    rules: { allowed: read(allowed), denied: read(denied) },
    login: LOGIN,
    resolve,
    onRefused: (target, why) => refused.push(`${target}: ${why}`),
  });
  onTestFinished(() => proxy.close());
  return { port: proxy.port, refused, looked, close: proxy.close };
}

/** Sends bytes, and gives what came until `end`, or the end of the connection. */
function talk(port: number, bytes: string | Buffer, end = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    let got = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (data) => {
      got += data.toString('latin1');
      if (end !== '' && got.includes(end)) socket.destroy();
    });
    socket.on('close', () => resolve(got));
    socket.on('error', reject);
  });
}

const connect = (target: string, more = `Proxy-Authorization: ${BASIC}\r\n`) =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${more}\r\n`;
const get = (url: string, more = '') =>
  `GET ${url} HTTP/1.1\r\nHost: other.example\r\nProxy-Authorization: ${BASIC}\r\nConnection: close\r\n${more}\r\n`;
const status = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

describe('a request', () => {
  it('goes out by CONNECT, to the address that was looked up, once', async () => {
    const { port: server, asked } = await startServer();
    const proxy = await startProxy({
      allowed: [`web.example:${server}`, `127.0.0.1:${server}`],
      names: { 'web.example': ['127.0.0.1'] },
    });
    const inner = `GET /a HTTP/1.1\r\nHost: web.example\r\nConnection: close\r\n\r\n`;
    const answer = await talk(proxy.port, connect(`web.example:${server}`) + inner);
    expect(status(answer)).toBe(200);
    expect(answer).toContain('hello');
    expect(asked).toEqual(['GET web.example /a']);
    expect(proxy.looked).toEqual(['web.example']);
    expect(proxy.refused).toEqual([]);
  });

  it('goes out with a whole address; where to is what the address says, and no header of the proxy goes along', async () => {
    const { port: server, asked } = await startServer();
    const proxy = await startProxy({ allowed: [`127.0.0.1:${server}`] });
    const answer = await talk(proxy.port, get(`http://127.0.0.1:${server}/a?b`, 'Proxy-Connection: x\r\n'));
    expect(status(answer)).toBe(200);
    expect(answer).not.toContain(BASIC);
    expect(answer).not.toContain('proxy-');
    expect(asked).toEqual([`GET 127.0.0.1:${server} /a?b`]);
  });

  it('carries a body, and is followed by another on the same connection, which is admitted on its own', async () => {
    const { port: server, asked } = await startServer();
    const proxy = await startProxy({ allowed: [`127.0.0.1:${server}`] });
    const head = `Host: x\r\nProxy-Authorization: ${BASIC}\r\n`;
    const first = `POST http://127.0.0.1:${server}/one HTTP/1.1\r\n${head}Content-Length: 3\r\n\r\nabc`;
    const second = `GET http://denied.example/ HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
    const answer = await talk(proxy.port, first + second);
    expect(answer).toContain('hello');
    expect(answer).toContain('403 Forbidden');
    expect(asked).toEqual([`POST 127.0.0.1:${server} /one`]);
    expect(proxy.refused).toHaveLength(1);
  });

  it.each([
    ['no login', ''],
    ['another login', `Proxy-Authorization: Basic ${Buffer.from('sandbox:other').toString('base64')}\r\n`],
    ['a token', 'Proxy-Authorization: Bearer secret\r\n'],
  ])('is not answered with %s', async (_name, header) => {
    const proxy = await startProxy({ allowed: ['*'] });
    expect(status(await talk(proxy.port, connect('example.com:443', header)))).toBe(407);
    const plain = `GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n${header}\r\n`;
    expect(status(await talk(proxy.port, plain))).toBe(407);
    expect(proxy.looked).toEqual([]);
  });

  it('to a server instead of a proxy is answered as that', async () => {
    const proxy = await startProxy();
    expect(status(await talk(proxy.port, get('/path')))).toBe(400);
  });
});

/** Names of one proxy: each leads to a private address, but `public.example`. */
const NAMES = {
  'inner.example': ['10.0.0.5'],
  'both.example': ['10.0.0.5', 'fd00::1'],
  'meta.example': ['169.254.169.254'],
  'six.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  localhost: ['127.0.0.1'],
} as const;

const REFUSED: readonly string[] = [
  'denied.example:443',
  'example.com.:443',
  'www.example.com:443',
  'allowed.example:22',
  'allowed.example:0',
  'allowed.example',
  'evilallowed.example:443',
  'allowed.example.evil.org:443',
  'user@allowed.example:443',
  'user:pass@allowed.example:443',
  'allowed.example%00.evil.org:443',
  '127.0.0.1:443',
  '127.1:443',
  '2130706433:443',
  '0x7f000001:443',
  '0177.0.0.1:443',
  '0:443',
  '[::1]:443',
  '[::ffff:127.0.0.1]:443',
  '[::]:443',
  '169.254.169.254:80',
  'localhost:443',
  'inner.example:443',
  'both.example:443',
  'meta.example:80',
  'six.example:443',
  'mapped.example:443',
  'b\u00fccher.example:443',
  'blocked.example:443',
  ':443',
  '*:443',
];

describe('a name that TLS asks for', () => {
  /** A server that keeps what comes, and says nothing. */
  async function startSilent() {
    const got: Buffer[] = [];
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        got.push(data);
        socket.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { port: (server.address() as AddressInfo).port, got };
  }

  /** Speaks TLS in a tunnel. The error that the client sees. */
  async function greet(proxy: number, target: string, servername: string): Promise<string> {
    const tunnel = request({ port: proxy, host: '127.0.0.1', method: 'CONNECT', path: target });
    tunnel.setHeader('proxy-authorization', BASIC);
    return new Promise((resolve, reject) => {
      tunnel.on('error', reject);
      tunnel.on('connect', (_response, socket) => {
        const secure = tls.connect({ socket, servername });
        secure.on('error', (error) => resolve(error.message));
        secure.on('close', () => resolve('closed'));
      });
      tunnel.end();
    });
  }

  it.each([
    { asked: 'allowed.example', goesOn: true },
    { asked: 'a.below.example', goesOn: true },
    { asked: 'other.example', goesOn: false },
    { asked: 'below.example', goesOn: false },
    { asked: 'bad.below.example', goesOn: false },
    { asked: 'allowed.example.', goesOn: false },
  ])('$asked of a host by its name goes on: $goesOn', async ({ asked, goesOn }) => {
    const { port, got } = await startSilent();
    const proxy = await startProxy({
      allowed: [`allowed.example:${port}`, `*.below.example:${port}`, `127.0.0.1:${port}`],
      denied: ['bad.below.example'],
      names: { 'allowed.example': ['127.0.0.1'] },
    });
    const said = await greet(proxy.port, `allowed.example:${port}`, asked);
    expect(got.length > 0).toBe(goesOn);
    if (goesOn) return expect(proxy.refused).toEqual([]);
    expect(said).toMatch(/access denied/);
    expect(proxy.refused).toEqual([
      expect.stringMatching(new RegExp(`^allowed\\.example:${port}: TLS asks there for .*below|other|allowed`)),
    ]);
  });

  it('of an address that is allowed may be any, but for those that are denied', async () => {
    const { port, got } = await startSilent();
    const proxy = await startProxy({ allowed: [`127.0.0.1:${port}`], denied: ['bad.example'] });
    await greet(proxy.port, `127.0.0.1:${port}`, 'bad.example');
    expect(got.length).toBe(0);
    await greet(proxy.port, `127.0.0.1:${port}`, 'other.example');
    expect(got.length).toBeGreaterThan(0);
  });
});

describe('a request with a body', () => {
  it('of chunks has its end, so that what the body holds is no second request', async () => {
    const proxied = await startRaw();
    const proxy = await startProxy({ allowed: [`127.0.0.1:${proxied.port}`] });
    const inner = 'GET /second HTTP/1.1\r\nHost: other.example\r\n\r\n';
    const chunks = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
    await talk(proxy.port, `${get(`http://127.0.0.1:${proxied.port}/`, 'Transfer-Encoding: chunked\r\n')}${chunks}`);
    expect(proxied.got()).toMatch(/\r\ntransfer-encoding: chunked\r\n/i);
    expect(proxied.got()).toContain(`\r\n\r\n${chunks}`);
  });

  /** A server that keeps what comes, until a body ends. */
  async function startRaw() {
    let got = '';
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        got += data.toString('latin1');
        if (got.endsWith('\r\n\r\n') && got.includes('/second')) socket.end('HTTP/1.1 204 none\r\n\r\n');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { port: (server.address() as AddressInfo).port, got: () => got };
  }
});

describe('a connection is refused', () => {
  const settings = {
    allowed: [
      'allowed.example',
      'example.com',
      'blocked.example',
      ...Object.keys(NAMES).filter((name) => name !== 'localhost'),
    ],
    denied: ['blocked.example', 'denied.example'],
    names: { ...NAMES, 'blocked.example': ['1.1.1.1'] },
  };

  it.each(REFUSED)('by CONNECT to %s', async (target) => {
    const proxy = await startProxy(settings);
    const answer = await talk(proxy.port, Buffer.from(connect(target), 'latin1'));
    expect([0, 403]).toContain(status(answer));
    expect(answer).not.toContain('200');
  });

  it.each(REFUSED.filter((target) => !target.endsWith(':0')))('by a whole address to %s', async (target) => {
    const proxy = await startProxy(settings);
    const url = `http://${target.replace(/:443$/, '')}/`;
    const answer = await talk(
      proxy.port,
      Buffer.from(get(target === 'allowed.example' ? 'http://x@y/' : url), 'latin1'),
    );
    expect([0, 400, 403]).toContain(status(answer));
  });

  it('with the reason, to the command and to the session', async () => {
    const proxy = await startProxy(settings);
    const answer = await talk(proxy.port, connect('inner.example:443'));
    expect(answer).toContain('Refused by the sandbox: it leads to an address that is not of the public internet');
    expect(proxy.refused).toEqual(['inner.example:443: it leads to an address that is not of the public internet']);
  });

  it('if nothing is allowed, whatever it is', async () => {
    const proxy = await startProxy();
    expect(status(await talk(proxy.port, connect('example.com:443')))).toBe(403);
    expect(proxy.looked).toEqual([]);
  });
});

describe('a name', () => {
  it('that leads to a private address is let out if the address is named too', async () => {
    const { port: server } = await startServer();
    const names = { 'inner.example': ['10.255.255.1', '127.0.0.1'] };
    const proxy = await startProxy({ allowed: [`inner.example:${server}`, `127.0.0.0/8:${server}`], names });
    const inner = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    expect(await talk(proxy.port, connect(`inner.example:${server}`) + inner)).toContain('hello');
  });

  it('localhost is let out if it is named', async () => {
    const { port: server } = await startServer();
    const proxy = await startProxy({ allowed: [`localhost:${server}`], names: { localhost: ['127.0.0.1'] } });
    expect(status(await talk(proxy.port, connect(`localhost:${server}`), '200'))).toBe(200);
  });

  it('that is not there, and a host that does not answer, are no refusals', async () => {
    const { port: server } = await startServer();
    const proxy = await startProxy({ allowed: ['gone.example', `127.0.0.1:${server - 1}`] });
    expect(status(await talk(proxy.port, connect('gone.example:443')))).toBe(502);
    expect(proxy.refused).toEqual([]);
  });
});

describe('SOCKS 5', () => {
  const login = Buffer.concat([
    Buffer.from([5, 1, 2, 1, 7]),
    Buffer.from('sandbox'),
    Buffer.from([6]),
    Buffer.from('secret'),
  ]);
  const ask = (host: string, port: number, command = 1) =>
    Buffer.concat([
      login,
      Buffer.from([5, command, 0, 3, host.length]),
      Buffer.from(host, 'latin1'),
      Buffer.from([port >> 8, port & 255]),
    ]);
  const reply = (answer: string) => answer.charCodeAt(5);

  it('lets out what is allowed, byte by byte too', async () => {
    const { port: server } = await startServer();
    const proxy = await startProxy({ allowed: [`127.0.0.1:${server}`] });
    const inner = Buffer.from('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const bytes = Buffer.concat([ask('127.0.0.1', server), inner]);
    expect(await talk(proxy.port, bytes)).toContain('hello');
    const slow = await new Promise<string>((resolve) => {
      let got = '';
      const socket = net.connect(proxy.port, '127.0.0.1', () => {
        socket.setNoDelay(true);
        let at = 0;
        const send = (): void => {
          if (at >= bytes.length) return;
          socket.write(bytes.subarray(at, ++at), () => setImmediate(send));
        };
        send();
      });
      socket.on('data', (data) => {
        got += data.toString('latin1');
      });
      socket.on('close', () => resolve(got));
    });
    expect(slow).toContain('hello');
  });

  it.each(['denied.example', 'inner.example', '127.0.0.1', '0x7f.1', 'allowed.example.', 'allowed.example\0.evil.org'])(
    'refuses %j',
    async (host) => {
      const proxy = await startProxy({ allowed: ['allowed.example', 'inner.example'], names: NAMES });
      expect(reply(await talk(proxy.port, ask(host, 443)))).toBe(2);
      expect(proxy.refused).toHaveLength(1);
    },
  );

  it('refuses other commands, other logins and none', async () => {
    const proxy = await startProxy({ allowed: ['allowed.example'], names: NAMES });
    expect(reply(await talk(proxy.port, ask('allowed.example', 443, 2)))).toBe(7);
    expect(reply(await talk(proxy.port, ask('allowed.example', 443, 3)))).toBe(7);
    expect(await talk(proxy.port, Buffer.from([5, 1, 0]))).toBe('\x05\xff');
    const other = Buffer.concat([Buffer.from([5, 1, 2, 1, 1]), Buffer.from('x'), Buffer.from([1]), Buffer.from('y')]);
    expect(await talk(proxy.port, other)).toBe('\x05\x02\x01\x01');
    expect(proxy.looked).toEqual([]);
  });
});

describe('whatever comes', () => {
  it.each([
    ['nothing of a protocol', Buffer.from([0, 1, 2, 3, 255])],
    ['half a SOCKS', Buffer.from([5, 200, 1])],
    ['a long head', Buffer.from(`GET http://a/ HTTP/1.1\r\nX: ${'y'.repeat(200_000)}\r\n\r\n`)],
    ['two lengths', Buffer.from(get('http://allowed.example/', 'Content-Length: 1\r\nContent-Length: 2\r\n'))],
    [
      'a length and chunks',
      Buffer.from(get('http://allowed.example/', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n')),
    ],
  ])('%s does no harm', async (_name, bytes) => {
    const proxy = await startProxy({ allowed: ['allowed.example'] });
    const socket = net.connect(proxy.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.end(bytes);
    await new Promise((resolve) => socket.resume().on('close', resolve));
    expect(status(await talk(proxy.port, connect('x.example:443')))).toBe(403);
  });

  it('closing ends what is open, and may be done twice', async () => {
    const { port: server } = await startServer();
    const proxy = await startProxy({ allowed: [`127.0.0.1:${server}`] });
    const tunnel = request({
      port: proxy.port,
      host: '127.0.0.1',
      method: 'CONNECT',
      path: `127.0.0.1:${server}`,
      headers: { 'proxy-authorization': BASIC },
    });
    const ended = new Promise<void>((resolve) => {
      tunnel.on('connect', (_response, socket) => {
        socket.on('close', () => resolve());
        socket.resume();
        void proxy.close();
      });
    });
    tunnel.end();
    await ended;
    await proxy.close();
    await expect(talk(proxy.port, 'x')).rejects.toThrow(/ECONNREFUSED/);
  });
});
