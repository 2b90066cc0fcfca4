// Pages over loopback: what is followed, what is handed back, what is read, and which limits end it.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPageCache, fetchPage, upgraded } from '../../../src/providers/web/fetch-page.js';
import { httpProxy } from '../../support/proxy-server.js';
import { NO_RULES, PUBLIC, page, startWeb } from '../../support/web-server.js';

const HTML = '<html><title>A page</title><body><h1>Hello</h1><p>World</p></body></html>';

describe('a page', () => {
  it('is Markdown, asked for by an honest name, without cookies', async () => {
    let headers: Readonly<Record<string, unknown>> = {};
    const web = await startWeb((request, response) => {
      headers = request.headers;
      response.setHeader('set-cookie', 'a=b');
      page(HTML)(request, response);
    });
    const got = await web.get('http://example.com:8080/a?b#c');
    expect(got).toMatchObject({
      kind: 'text',
      url: 'http://example.com:8080/a?b',
      status: 200,
      text: '# Hello\n\nWorld',
      title: 'A page',
      isPlain: false,
      isWhole: true,
    });
    await web.get('http://example.com:8080/again');
    expect(headers['user-agent']).toMatch(/^turnwright\/\d/);
    expect(headers).not.toHaveProperty('cookie');
    expect(web.dialled).toEqual([`${PUBLIC}:8080`, `${PUBLIC}:8080`]);
  });

  it.each([
    ['text', 'a <b>\n', 'text/plain', 'a <b>\n'],
    ['JSON', '{"a":1}', 'application/json', '{"a":1}'],
    ['Markdown', '# A', 'text/markdown; charset=utf-8', '# A'],
    ['a feed', '<rss/>', 'application/rss+xml', '<rss/>'],
    ['no type', 'plain', '', 'plain'],
  ])('that is %s stays as it is', async (_, text, type, expected) => {
    const web = await startWeb((_request, response) => {
      if (type !== '') response.setHeader('content-type', type);
      response.end(text);
    });
    expect(await web.get('http://example.com:8080/')).toMatchObject({ kind: 'text', text: expected, isPlain: true });
  });

  it.each([
    ['its server', 'text/html; charset=iso-8859-1', '<p>caf\xe9', 'café'],
    ['itself', 'text/html', '<meta charset="windows-1251"><p>\xcf', 'П'],
    ['nobody that is known', 'text/html; charset=x-none', '<p>a', 'a'],
  ])('is in the encoding that %s names', async (_, type, latin1, text) => {
    const web = await startWeb((_request, response) => {
      response.writeHead(200, { 'content-type': type }).end(Buffer.from(latin1, 'latin1'));
    });
    expect(await web.get('http://example.com:8080/')).toMatchObject({ text });
  });

  it('without a type is what its first bytes say', async () => {
    const web = await startWeb((request, response) => {
      response.end(request.url === '/pdf' ? '%PDF-1.7\n…' : request.url === '/html' ? HTML : Buffer.from([0, 1, 2]));
    });
    expect(await web.get('http://example.com:8080/pdf')).toMatchObject({ kind: 'file', extension: 'pdf' });
    expect(await web.get('http://example.com:8080/html')).toMatchObject({ kind: 'text', title: 'A page' });
    await expect(web.get('http://example.com:8080/binary')).rejects.toThrow('binary data');
  });

  it('that fails is given with its status', async () => {
    const web = await startWeb(page('{"error":"none"}', 'application/json', 404));
    expect(await web.get('http://example.com:8080/')).toMatchObject({ status: 404, text: '{"error":"none"}' });
  });

  it('of another kind is not read', async () => {
    let isRead = true;
    const web = await startWeb((_, response) => {
      response.writeHead(200, { 'content-type': 'application/zip', 'content-length': 1e9 });
      response.write('PK');
      response.on('close', () => {
        isRead = response.writableFinished;
      });
    });
    await expect(web.get('http://example.com:8080/')).rejects.toThrow('"application/zip", which is not a page');
    await expect.poll(() => isRead).toBe(false);
  });
});

describe('a redirect', () => {
  it('within the host is followed, and the name is looked up once', async () => {
    let lookups = 0;
    const web = await startWeb((request, response) => {
      if (request.url === '/c') page(HTML)(request, response);
      else response.writeHead(302, { location: request.url === '/a' ? '/b' : 'http://example.com:8080/c' }).end();
    });
    const lookup = async () => {
      lookups += 1;
      return [PUBLIC];
    };
    expect(await web.get('http://example.com:8080/a', { lookup })).toMatchObject({ url: 'http://example.com:8080/c' });
    expect(lookups).toBe(1);
  });

  it('to another host is handed back, upgraded', async () => {
    const web = await startWeb((_, response) => response.writeHead(301, { location: 'http://other.test/x' }).end());
    expect(await web.get('http://example.com:8080/')).toEqual({
      kind: 'redirect',
      url: 'http://example.com:8080/',
      status: 301,
      to: 'https://other.test/x',
    });
    expect(web.requests).toHaveLength(1);
  });

  it.each([
    ['file:///etc/passwd', 'file: is not http or https'],
    ['https://a:b@example.com/', 'a name or password'],
    ['http://[', 'not a web address'],
    ['', 'names no address'],
  ])('to %j is refused', async (location, why) => {
    const web = await startWeb((_, response) => response.writeHead(302, { location }).end());
    await expect(web.get('http://example.com:8080/')).rejects.toThrow(why);
  });

  it('that goes round is given up', async () => {
    const web = await startWeb((_, response) => response.writeHead(307, { location: '/' }).end());
    await expect(web.get('http://example.com:8080/')).rejects.toThrow('redirects more than 10 times');
    expect(web.requests).toHaveLength(11);
  });
});

describe('limits', () => {
  it('a text without an end is cut', async () => {
    const web = await startWeb((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        response.once('drain', more);
      };
      more();
    });
    const got = await web.get('http://example.com:8080/', { limits: { maxBytes: 300_000 } });
    expect(got).toMatchObject({ kind: 'text', isWhole: false });
    expect(got).toHaveProperty('text.length', 300_000);
  });

  it('what unpacks to far more is cut, and what does not unpack is told', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'a'));
    const web = await startWeb((request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
      response.end(request.url === '/bomb' ? bomb : 'no gzip');
    });
    expect(await web.get('http://example.com:8080/bomb')).toMatchObject({ isWhole: false });
    await expect(web.get('http://example.com:8080/')).rejects.toThrow('cannot be unpacked');
  });

  it.each([
    ['its head', (response: { writeHead(status: number): unknown }) => void response],
    ['its body', (response: import('node:http').ServerResponse) => response.writeHead(200).write('a')],
  ])('a server that does not come to the end of %s is left', async (_, begin) => {
    const web = await startWeb((_request, response) => void begin(response));
    await expect(web.get('http://example.com:8080/', { limits: { totalMs: 200 } })).rejects.toThrow('within 0.2 s');
  });

  it('a cut answer, a long head and an answer that is no HTTP are told', async () => {
    const web = await startWeb((request, response) => {
      if (request.url === '/cut')
        response.writeHead(200, { 'content-length': 100 }).write('a', () => response.destroy());
      else if (request.url === '/head') response.writeHead(200, { long: 'x'.repeat(100_000) }).end();
      else response.socket?.end('hello\r\n\r\n');
    });
    await expect(web.get('http://example.com:8080/cut')).rejects.toThrow('in the middle of its answer');
    await expect(web.get('http://example.com:8080/head')).rejects.toThrow('not HTTP');
    await expect(web.get('http://example.com:8080/no')).rejects.toThrow('not HTTP');
  });

  it('an abort ends it', async () => {
    const controller = new AbortController();
    const web = await startWeb(() => controller.abort());
    await expect(web.get('http://example.com:8080/', {}, controller.signal)).rejects.toThrow('aborted');
  });
});

describe('the way', () => {
  it('what is public is upgraded on the usual port alone', () => {
    const to = (url: string, isPublic: boolean) => upgraded(new URL(url), isPublic).href;
    expect(to('http://a.test/x?y', true)).toBe('https://a.test/x?y');
    expect(to('http://a.test:8080/', true)).toBe('http://a.test:8080/');
    expect(to('http://localhost/', false)).toBe('http://localhost/');
  });

  it('tries the next address if one does not answer', async () => {
    const web = await startWeb(page('ok', 'text/plain'), { 'two.test': ['93.184.215.1', PUBLIC] });
    const { dial } = web.reach;
    const got = await web.get('http://two.test:8080/', {
      // Nothing listens on port 1 of this machine.
      dial: (address, port) => (address === PUBLIC ? dial?.(address, port) : dial?.(address, port).destroy()) as never,
    });
    expect(got).toMatchObject({ text: 'ok' });
    expect(web.dialled).toEqual(['93.184.215.1:8080', `${PUBLIC}:8080`]);
  });

  it('is TLS for the name, with the authorities of the user, to the address that was admitted', async () => {
    const fixtures = path.join(import.meta.dirname, '../../fixtures/tls');
    const [cert, key] = ['certificate.pem', 'key.pem'].map((name) => readFileSync(path.join(fixtures, name), 'utf8'));
    const server = createTlsServer({ cert, key }, page('secure', 'text/plain'));
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const dialled: string[] = [];
    const dial = (address: string, wanted: number) => {
      dialled.push(`${address}:${wanted}`);
      return net.connect({ host: '127.0.0.1', port });
    };
    const web = await startWeb(page(''));
    const get = (url: string, authorities: readonly string[] | null) =>
      web.get(url, { dial, routeTo: async () => ({ proxy: null, authorities }) });
    // http is upgraded, and the certificate is for the name.
    expect(await get('http://model.test/x', [cert ?? ''])).toMatchObject({
      url: 'https://model.test/x',
      text: 'secure',
    });
    expect(dialled).toEqual([`${PUBLIC}:443`]);
    await expect(get('https://another.test/', [cert ?? ''])).rejects.toThrow(
      'certificate of another.test:443 is not accepted',
    );
    await expect(get('https://model.test/', null)).rejects.toThrow('certificate of model.test:443 is not accepted');
  });

  it('leads through the proxy, which looks the name up; what is known to be private stays refused', async () => {
    const web = await startWeb(page('ok', 'text/plain'), { 'inside.test': ['10.0.0.1'], 'gone.test': [] });
    const proxy = await httpProxy({ target: `http://127.0.0.1:${web.port}` });
    const route = { proxy: new URL(`http://127.0.0.1:${proxy.port}`), authorities: null };
    const get = (url: string) => web.get(url, { routeTo: async () => route });
    expect(await get('http://gone.test:8080/x')).toMatchObject({ text: 'ok' });
    expect(proxy.asked).toEqual(['GET http://gone.test:8080/x']);
    await expect(get('http://inside.test:8080/')).rejects.toThrow('not on the public internet');
    await expect(get('http://10.1.1.1:8080/')).rejects.toThrow('not on the public internet');
    expect(proxy.asked).toHaveLength(1);
    expect(web.dialled).toEqual([]);
  });

  it('hosts that the user opened are reached by a real connection; others are not', async () => {
    let connections = 0;
    const server = createServer(page('here', 'text/plain')).on('connection', () => (connections += 1));
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const web = await startWeb(page(''));
    const { dial: _, lookup: __, ...plain } = web.reach;
    const signal = new AbortController().signal;
    const get = (host: string, rules = NO_RULES) => fetchPage(`http://${host}:${port}/`, { ...plain, rules }, signal);
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])
      await expect(get(host)).rejects.toThrow('not on the public internet');
    expect(connections).toBe(0);
    const opened = { ...NO_RULES, mayBePrivate: (host: string) => host === 'localhost' };
    expect(await get('localhost', opened)).toMatchObject({ text: 'here' });
    await expect(get('127.0.0.1', opened)).rejects.toThrow('web.privateHosts');
  });
});

it('pages are kept for a quarter of an hour, within a limit of bytes', () => {
  let now = 0;
  const cache = createPageCache({ monotonic: () => now });
  const made = (length: number) => ({
    kind: 'text' as const,
    url: 'u',
    status: 200,
    text: 'x'.repeat(length),
    title: '',
    isPlain: true,
    isWhole: true,
  });
  cache.set('a', made(4_200_000));
  cache.set('b', made(4_200_000));
  expect([cache.get('a')?.url, cache.get('b')?.url]).toEqual([undefined, 'u']);
  cache.set('huge', made(9_000_000));
  expect([cache.get('huge')?.url, cache.get('b')?.text.length]).toEqual([undefined, 4_200_000]);
  now = 15 * 60_000;
  expect(cache.get('b')?.url).toBeUndefined();
});
