// What a failed request becomes, over both transports: cuts, silence, statuses, redirects, aborts.

import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryClock } from '../../../src/host/memory/memory-host.js';
import type { ModelErrorKind } from '../../../src/protocol/errors.js';
import {
  API_KEY,
  attempt,
  connect,
  messageDelta,
  messageStart,
  messageStop,
  REQUEST,
  reply,
  serve,
  TRANSPORTS,
  textBlock,
  textReply,
  toolBlock,
  wire,
} from '../../support/anthropic-replies.js';
import { type Answer, frame, plain, sendChunks, startSseServer, stream } from '../../support/sse-server.js';

function errorBody(type: string, message: string): string {
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_body' });
}

describe.each(TRANSPORTS)('a cut reply over %s', (transport) => {
  const frames = reply(textBlock(0, 'one', 'two'), toolBlock(1, 'toolu_a', '{}')).map(frame);

  it.each(['ends', 'is reset'])('that %s after any number of events is no normal end', async (how) => {
    let count = 0;
    const { provider } = await serve(async (response) => {
      await sendChunks(response, frames.slice(0, count));
      if (how === 'ends') response.end();
      else response.socket?.destroy();
    }, transport);
    for (count = 0; count < frames.length; count++) {
      const { error } = await attempt(provider);
      expect(error?.retryable, `after ${count} events`).toBe(true);
      if (count > 0 && how === 'ends') expect(error?.kind).toBe('stream_cut');
    }
  });
});

describe('a cut reply', () => {
  it('inside an event is no normal end, whatever byte is the last', async () => {
    const bytes = Buffer.from(wire(textReply('é')));
    let length = 0;
    const { provider } = await serve((response, seen) => stream(bytes.subarray(0, length))(response, seen));
    for (length = 1; length < bytes.length; length++) {
      const { error } = await attempt(provider);
      expect(error, `after ${length} bytes`).toMatchObject({ kind: 'stream_cut', retryable: true });
    }
  });

  it('gives what came before it', async () => {
    const { provider } = await serve(stream(wire([messageStart, ...textBlock(0, 'kept')])));
    const { events, error } = await attempt(provider);
    expect(events.map((event) => event.type)).toHaveLength(4);
    expect(error?.kind).toBe('stream_cut');
  });

  it('before any byte of the response is a failed connection', async () => {
    const { provider } = await serve((response) => void response.socket?.destroy());
    expect((await attempt(provider)).error).toMatchObject({ kind: 'connection', retryable: true, status: null });
  });

  it('on a kept connection that the server closes is a failed connection', async () => {
    const { server, provider } = await serve((response, seen) => {
      if (server.requests.length === 2) response.socket?.destroy();
      else return stream(wire(textReply('x')))(response, seen);
    });
    expect((await attempt(provider)).error).toBeNull();
    expect((await attempt(provider)).error?.kind).toBe('connection');
    expect((await attempt(provider)).error).toBeNull();
  });
});

describe.each(TRANSPORTS)('silence over %s', (transport) => {
  const short = { requestTimeoutMs: 10_000, streamIdleMs: 50 };

  it.each<[string, Answer, ModelErrorKind]>([
    ['after the first event', (response) => sendChunks(response, [frame(messageStart)]), 'stream_idle'],
    ['inside an event', (response) => sendChunks(response, [frame(messageStart), 'data: {"ty']), 'stream_idle'],
  ])('%s ends the attempt', async (_, answer, kind) => {
    const { server, provider } = await serve(answer, transport);
    const { events, error } = await attempt(provider, { limits: short });
    expect(events).toHaveLength(1);
    expect(error).toMatchObject({ kind, retryable: true });
    await server.until(() => !server.isOpen(1));
  });

  it('is not broken by pings and comments', async () => {
    const { provider } = await serve(async (response) => {
      await sendChunks(response, [frame(messageStart)]);
      const pings = setInterval(() => response.write(`: alive\n\n${frame({ type: 'ping' })}`), 10);
      response.on('close', () => clearInterval(pings));
    }, transport);
    expect((await attempt(provider, { limits: short })).error?.kind).toBe('stream_idle');
  });

  it('is broken by each event, and only by it', async () => {
    const clock = createMemoryClock(0);
    let response: ServerResponse | undefined;
    const server = await startSseServer((of) => {
      response = of;
      return sendChunks(of, [frame(messageStart)]);
    });
    const frames = textBlock(0, 'a', 'b', 'c', 'd', 'e').map(frame);
    const provider = connect(server.url, { transport, clock });
    onTestFinished(() => server.close());
    const stream = provider.stream(REQUEST, { requestTimeoutMs: 100, streamIdleMs: 100 }, new AbortController().signal);
    const events = stream[Symbol.asyncIterator]();
    for (const next of ['', ...frames]) {
      if (next !== '') response?.write(next);
      expect((await events.next()).done).toBe(false);
      await clock.advance(90);
    }
    const silent = expect(events.next()).rejects.toMatchObject({ kind: 'stream_idle' });
    response?.write(frame({ type: 'ping' }));
    await clock.advance(20);
    await silent;
    expect(clock.pending()).toBe(0);
  });

  it.each<[string, Answer]>([
    ['without a head', () => undefined],
    ['with a head only', (response) => sendChunks(response, [': head\n\n'])],
    ['with pings only', (response) => sendChunks(response, [frame({ type: 'ping' }).repeat(5)])],
  ])('before the first event is a timeout: %s', async (_, answer) => {
    const { server, provider } = await serve(answer, transport);
    const limits = { requestTimeoutMs: 50, streamIdleMs: 10_000 };
    expect((await attempt(provider, { limits })).error).toMatchObject({ kind: 'timeout', retryable: true });
    await server.until(() => !server.isOpen(1));
  });
});

describe.each(TRANSPORTS)('a packed reply over %s', (transport) => {
  const packedAs =
    (packing: string): Answer =>
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': packing });
      response.end(gzipSync(wire(textReply('x'))));
    };

  it('is read', async () => {
    const { provider } = await serve(packedAs('gzip'), transport);
    expect((await attempt(provider)).error).toBeNull();
  });

  it('is named if nothing can unpack it', async () => {
    const { provider } = await serve(packedAs('snappy'), transport);
    const { error } = await attempt(provider);
    expect(error).toMatchObject({ kind: 'malformed', retryable: false });
    expect(error?.message).toContain('packed as "snappy"');
  });
});

describe.each(TRANSPORTS)('a response that is no stream over %s', (transport) => {
  it.each<[string, Answer, ModelErrorKind, RegExp]>([
    ['a JSON body', plain(200, '{"id":"msg_1","content":[]}'), 'malformed', /200 with application\/json/],
    ['a JSON body declared as a stream', stream('{"id":"msg_1"}'), 'malformed', /msg_1/],
    ['an HTML page', plain(200, '<html>Sign in</html>', { 'content-type': 'text/html' }), 'malformed', /Sign in/],
    ['an HTML page declared as a stream', stream('<html>Sign in</html>'), 'malformed', /Sign in/],
    ['an empty body', plain(200, '', { 'content-type': 'text/plain' }), 'malformed', /empty body/],
    ['an empty stream', stream(''), 'malformed', /empty body/],
    ['an error under 200', plain(200, errorBody('overloaded_error', 'Overloaded')), 'overloaded', /Overloaded/],
    [
      'an error event at once',
      stream(frame({ type: 'error', error: { type: 'api_error', message: 'Oh' } })),
      'server',
      /Oh/,
    ],
    ['400', plain(400, errorBody('invalid_request_error', 'bad field')), 'invalid_request', /bad field/],
    ['401', plain(401, errorBody('authentication_error', 'invalid x-api-key')), 'authentication', /ANTHROPIC_API_KEY/],
    ['403', plain(403, errorBody('permission_error', 'no')), 'permission', /no/],
    ['404', plain(404, errorBody('not_found_error', 'model: x')), 'not_found', /model: x/],
    ['408', plain(408, ''), 'timeout', /408/],
    ['409', plain(409, ''), 'server', /409/],
    ['413', plain(413, '<html>Too large</html>'), 'request_too_large', /Too large/],
    ['429', plain(429, errorBody('rate_limit_error', 'slow')), 'rate_limit', /slow/],
    ['500', plain(500, errorBody('api_error', 'Internal')), 'server', /Internal/],
    ['502', plain(502, 'Bad Gateway', { 'content-type': 'text/html' }), 'server', /Bad Gateway/],
    ['503', plain(503, ''), 'server', /503/],
    ['504', plain(504, ''), 'server', /504/],
    ['529', plain(529, errorBody('overloaded_error', 'Overloaded')), 'overloaded', /529/],
  ])('%s', async (_, answer, kind, text) => {
    const { provider } = await serve(answer, transport);
    const { events, error } = await attempt(provider);
    expect(events).toEqual([]);
    expect(error?.kind).toBe(kind);
    expect(error?.message).toMatch(text);
    // A web page comes from what is not the API, and will the next time.
    if (kind === 'malformed') expect(error?.retryable).toBe(!error?.message.includes('<html>'));
  });

  it('tells the request id and the wait that was asked for', async () => {
    const headers = { 'request-id': 'req_7', 'retry-after': '3' };
    const { provider } = await serve(plain(429, errorBody('rate_limit_error', 'slow'), headers), transport);
    expect((await attempt(provider)).error).toMatchObject({ status: 429, requestId: 'req_7', retryAfterMs: 3_000 });
  });

  it('never repeats the key', async () => {
    const echo: Answer = (response, seen) =>
      plain(401, errorBody('authentication_error', `bad key ${seen.headers['x-api-key']}`))(response, seen);
    const { provider } = await serve(echo, transport);
    const { error } = await attempt(provider);
    expect(error?.message).toContain('bad key');
    expect(error?.message).not.toContain(API_KEY);
  });

  it('may be endless', async () => {
    const { server, provider } = await serve(async (response) => {
      response.writeHead(500, { 'content-type': 'text/plain' });
      while (!response.destroyed) await sendChunks(response, ['x'.repeat(10_000)]);
    }, transport);
    expect((await attempt(provider)).error?.kind).toBe('server');
    provider.close();
    await server.until(() => !server.isOpen(1));
  });

  it('may break off', async () => {
    const { provider } = await serve((response) => {
      response.writeHead(529, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"type":"err');
      setImmediate(() => response.destroy());
    }, transport);
    expect((await attempt(provider)).error).toMatchObject({ kind: 'overloaded', status: 529 });
  });

  it('an error event in the middle of a reply ends it', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const { provider } = await serve(
      stream(wire([messageStart, ...textBlock(0, 'x'), error, messageDelta(), messageStop])),
    );
    const outcome = await attempt(provider);
    expect(outcome.events).toHaveLength(4);
    expect(outcome.error).toMatchObject({ kind: 'overloaded', retryable: true });
  });
});

describe.each(TRANSPORTS)('a redirect over %s', (transport) => {
  it.each([301, 302, 303, 307, 308])('%d to another origin never gets the key', async (status) => {
    const other = await startSseServer(stream(wire(textReply('stolen'))));
    const { provider } = await serve((response) => {
      response.writeHead(status, { location: `${other.url}/v1/messages` }).end();
    }, transport);
    onTestFinished(() => other.close());
    const { error } = await attempt(provider);
    expect(error).toMatchObject({ kind: 'invalid_request', retryable: false, status });
    expect(error?.message).toContain(other.url);
    expect(other.requests).toEqual([]);
  });

  it.each([307, 308])('%d within the origin is followed once, with the body', async (status) => {
    const { server, provider } = await serve((response, seen) => {
      if (seen.path === '/moved') return stream(wire(textReply('x')))(response, seen);
      response.writeHead(status, { location: '/moved' }).end();
    }, transport);
    expect((await attempt(provider)).error).toBeNull();
    expect(server.requests.map((seen) => seen.path)).toEqual(['/v1/messages', '/moved']);
    expect(server.requests[1]?.body).toBe(server.requests[0]?.body);
  });

  it('in a circle ends', async () => {
    const { server, provider } = await serve((response) => {
      response.writeHead(307, { location: '/v1/messages' }).end();
    }, transport);
    expect((await attempt(provider)).error?.kind).toBe('invalid_request');
    expect(server.requests).toHaveLength(2);
  });
});

describe.each(TRANSPORTS)('an abort over %s', (transport) => {
  it('before the request sends nothing', async () => {
    const { server, provider } = await serve(stream(wire(textReply('x'))), transport);
    const { error } = await attempt(provider, { signal: AbortSignal.abort() });
    expect(error).toMatchObject({ kind: 'aborted', retryable: false });
    expect(server.requests).toEqual([]);
  });

  it('in the same moment as the request sends nothing', async () => {
    const { server, provider } = await serve(stream(wire(textReply('x'))), transport);
    const controller = new AbortController();
    const running = attempt(provider, { signal: controller.signal });
    controller.abort();
    expect((await running).error?.kind).toBe('aborted');
    expect(server.requests).toEqual([]);
  });

  it.each<[string, Answer]>([
    ['before the head', () => undefined],
    ['after the head', (response) => sendChunks(response, [': head\n\n'])],
    ['in the body of a failure', (response) => void response.writeHead(500).write('x')],
  ])('%s settles at once and closes the connection', async (_, answer) => {
    const { server, provider } = await serve(answer, transport);
    const controller = new AbortController();
    const running = attempt(provider, { signal: controller.signal });
    await server.until(() => server.requests.length === 1);
    controller.abort();
    expect((await running).error?.kind).toBe('aborted');
    await server.until(() => !server.isOpen(1));
  });

  it('in the middle of the reply drops what was not read yet', async () => {
    const { server, provider } = await serve(
      (response) => sendChunks(response, [wire(textReply('a', 'b').slice(0, -1))]),
      transport,
    );
    const controller = new AbortController();
    const { events, error } = await attempt(provider, { signal: controller.signal, onEvent: () => controller.abort() });
    expect(events).toHaveLength(1);
    expect(error?.kind).toBe('aborted');
    await server.until(() => !server.isOpen(1));
  });

  it('while a large body is still being sent', async () => {
    const sockets = createServer((socket) => void socket.pause().on('error', () => undefined)); // accepts and never reads
    await new Promise<void>((resolve) => sockets.listen(0, '127.0.0.1', resolve));
    const provider = connect(`http://127.0.0.1:${(sockets.address() as AddressInfo).port}`, { transport });
    onTestFinished(() => void sockets.close());
    const controller = new AbortController();
    const content = 'x'.repeat(20_000_000);
    const request = { ...REQUEST, messages: [{ role: 'user' as const, content }] };
    const connected = new Promise((resolve) => sockets.once('connection', resolve));
    const running = attempt(provider, { request, signal: controller.signal });
    await connected;
    controller.abort();
    expect((await running).error?.kind).toBe('aborted');
  });

  it('leaves no listener on the signal', async () => {
    const { provider } = await serve(stream(wire(textReply('x'))), transport);
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
    await attempt(provider, { signal });
    expect(listeners).toBe(0);
  });
});

describe.each(TRANSPORTS)('no connection over %s', (transport) => {
  it('names host and port of an address if nothing listens', async () => {
    const server = await startSseServer(() => undefined);
    await server.close();
    const provider = connect(server.url, { transport });
    const { error } = await attempt(provider);
    expect(error).toMatchObject({ kind: 'connection', retryable: true });
    expect(error?.message).toContain(new URL(server.url).host);
    expect(error?.message).toContain('ECONNREFUSED');
  });

  it.each([
    ['something that is not HTTP', 'SSH-2.0-OpenSSH\r\n'],
    ['nothing and hangs up', ''],
  ])('a server that says %s', async (_, greeting) => {
    const sockets = createServer((socket) => void socket.on('error', () => undefined).end(greeting));
    await new Promise<void>((resolve) => sockets.listen(0, '127.0.0.1', resolve));
    const provider = connect(`http://127.0.0.1:${(sockets.address() as AddressInfo).port}`, { transport });
    onTestFinished(() => void sockets.close());
    expect((await attempt(provider)).error).toMatchObject({ kind: 'connection', status: null });
  });

  it('https to a server that speaks http', async () => {
    const { server } = await serve(() => undefined);
    const provider = connect(server.url.replace('http:', 'https:'), { transport });
    expect((await attempt(provider)).error?.kind).toBe('connection');
  });
});
