// Servers by HTTP as a session opens them, over real sockets: what works, what breaks, and what is sent where.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import { openLastingServer } from '../../../src/mcp/lasting-server.js';
import { readDefinition } from '../../../src/mcp/server-definition.js';
import type { NetworkPlace } from '../../../src/mcp/transport.js';
import type { McpServerConfig } from '../../../src/protocol/mcp.js';
import type { UserAnswer } from '../../../src/tools/tool.js';
import { InMemoryEventStore } from '../../support/event-store.js';
import { bufferingProxy } from '../../support/faulty-ways.js';
import { type HttpMcpOptions, startHttpMcp } from '../../support/mcp-http-server.js';
import { httpProxy } from '../../support/proxy-server.js';

type Result = { readonly content: readonly { readonly text?: string }[] };
type Call = (params: object, options: { readonly signal: AbortSignal }) => Promise<Result>;

interface OpenOptions extends Partial<NetworkPlace> {
  readonly answer?: UserAnswer;
  readonly startTimeoutMs?: number;
}

async function open(config: McpServerConfig, { answer, startTimeoutMs = 30_000, ...network }: OpenOptions = {}) {
  const { exec, clock, ids, env } = createNodeHost();
  const notices: string[] = [];
  const secrets: string[] = [];
  const definition = readDefinition('s', config);
  if (typeof definition === 'string') throw new Error(definition);
  const server = openLastingServer(definition, {
    exec,
    clock,
    monotonic: () => clock.monotonic(),
    cwd: process.cwd(),
    env,
    sandbox: null,
    startTimeoutMs,
    hide: async (text) => text,
    onNotice: ({ message }) => notices.push(message),
    asked: { elicit: answer === undefined ? null : async () => answer, roots: () => [process.cwd()] } as never,
    network: async () => ({
      clock,
      ids,
      exec,
      env: { PATH: env['PATH'] ?? '' },
      routeTo: async () => undefined,
      tokens: { read: async () => null, write: async () => undefined },
      onSecret: (value) => secrets.push(value),
      ...network,
    }),
  });
  onTestFinished(() => server.close());
  await server.started;
  const offer = () => server.offer();
  // It is the same for as long as the server is.
  const { client } = offer().connection;
  const call = (name: string, args: object = {}, signal = new AbortController().signal) =>
    (client as unknown as { callTool: Call }).callTool({ name, arguments: args }, { signal });
  const tools = () => offer().tools?.map(({ name }) => name);
  return { server, offer, call, tools, notices, secrets };
}

const TOOLS = ['add', 'wait', 'ask', 'grow'];
const KINDS: [string, HttpMcpOptions][] = [
  ['with sessions', { kind: 'stateful' }],
  ['with sessions, answering in JSON', { kind: 'stateful', json: true }],
  ['without sessions', { kind: 'stateless' }],
  ['of the older kind', { kind: 'sse' }],
];

const configOf = (url: string, kind = url.endsWith('/sse') ? 'sse' : 'http') =>
  ({ type: kind, url }) as McpServerConfig;

describe.each(KINDS)('a server by HTTP %s', (_, options) => {
  it('lists its tools and answers', async () => {
    const { url, seen } = await startHttpMcp(options);
    const { tools, call, offer, notices } = await open(configOf(url));
    expect(offer().connection).toMatchObject({ type: 'connected' });
    expect(tools()).toEqual(TOOLS);
    expect((await call('add', { a: 1, b: 2 })).content).toEqual([{ type: 'text', text: '3' }]);
    expect(await call('add', { a: 'x' })).toMatchObject({ isError: true });
    expect(notices).toEqual([]);
    const last = seen.at(-1);
    expect(last?.headers['mcp-protocol-version']).toBe('2025-11-25');
  });

  it('gives up a call that is aborted, and goes on', async () => {
    const { url, seen } = await startHttpMcp(options);
    const { call } = await open(configOf(url));
    const controller = new AbortController();
    const waiting = call('wait', {}, controller.signal);
    await expect.poll(() => seen.filter(({ rpc }) => rpc === 'tools/call').length).toBe(1);
    controller.abort();
    await expect(waiting).rejects.toThrow('it was told to stop');
    await expect.poll(() => seen.filter(({ rpc }) => rpc === 'notifications/cancelled').length).toBe(1);
    expect((await call('add', { a: 2, b: 2 })).content[0]?.text).toBe('4');
  });

  it('that is not there fails in words, and is used once it is', async () => {
    const server = await startHttpMcp(options);
    await server.stop();
    const { offer, server: lasting, tools } = await open(configOf(server.url));
    expect(offer().connection).toMatchObject({ type: 'failed', error: expect.stringContaining('ECONNREFUSED') });
    await server.listen();
    await expect
      .poll(async () => {
        await lasting.refresh(new AbortController().signal);
        return tools();
      })
      .toEqual(TOOLS);
  });

  it('leaves nothing open at the end', async () => {
    const { url, sockets, sessions } = await startHttpMcp(options);
    const { server, call } = await open(configOf(url));
    await call('add', { a: 1, b: 1 });
    await server.close();
    await expect.poll(() => [sockets.size, sessions()]).toEqual([0, 0]);
  });
});

describe('a server by HTTP', () => {
  it('that forgot the session gets a new one, and the call is made there', async () => {
    const server = await startHttpMcp();
    const { call, notices } = await open(configOf(server.url));
    await server.forget();
    expect((await call('add', { a: 20, b: 3 })).content[0]?.text).toBe('23');
    expect(server.seen.filter(({ rpc }) => rpc === 'initialize').length).toBe(2);
    expect(notices).toEqual(['The MCP server s had ended and was started again.']);
  });

  it.each(['stateful', 'sse'] as const)('tells of tools that changed (%s)', async (kind) => {
    const { url } = await startHttpMcp({ kind });
    const { server, call, tools, notices } = await open(configOf(url));
    await call('grow');
    await expect
      .poll(async () => {
        await server.refresh(new AbortController().signal);
        return tools();
      })
      .toContain('more');
    expect(notices).toEqual([expect.stringContaining('more')]);
  });

  it.each(['stateful', 'sse'] as const)('may ask the user during a call (%s)', async (kind) => {
    const { url } = await startHttpMcp({ kind });
    const { call } = await open(configOf(url), { answer: { action: 'accept', content: { which: 'this' } } });
    expect(JSON.stringify(await call('ask'))).toContain('this');
  });

  it.each(['stateful', 'sse'] as const)(
    'whose connections break in a call fails that call, and goes on (%s)',
    async (kind) => {
      const server = await startHttpMcp({ kind });
      const { call } = await open(configOf(server.url));
      const waiting = call('wait');
      await expect.poll(() => server.seen.filter(({ rpc }) => rpc === 'tools/call').length).toBe(1);
      server.cut();
      await expect(waiting).rejects.toThrow(/broke off|was lost|closed/);
      await expect.poll(async () => (await call('add', { a: 1, b: 1 }).catch(() => null))?.content[0]?.text).toBe('2');
    },
  );

  it('goes on with a stream that broke, from its last event on', async () => {
    const eventStore = new InMemoryEventStore();
    const server = await startHttpMcp({ eventStore, retryInterval: 10 });
    const { call } = await open(configOf(server.url), { answer: { action: 'accept', content: { which: 'that' } } });
    let isCut = false;
    eventStore.onStored = (message) => {
      // After its question, and before its answer.
      if (isCut || !JSON.stringify(message).includes('elicitation/create')) return;
      isCut = true;
      setImmediate(() => server.cut());
    };
    expect(JSON.stringify(await call('ask'))).toContain('that');
    expect(server.seen.some(({ method, headers }) => method === 'GET' && headers['last-event-id'] !== undefined)).toBe(
      true,
    );
  });

  it('sends its headers, also those of a command, to its own origin only', async () => {
    const elsewhere: string[] = [];
    const other = createServer((incoming, outgoing) => {
      elsewhere.push(JSON.stringify(incoming.headers));
      outgoing.end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const target = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    const { url, seen } = await startHttpMcp({
      intercept(_, outgoing, body) {
        if (!body.includes('"b":9')) return false;
        outgoing.writeHead(307, { location: target }).end();
        return true;
      },
    });
    const headersHelper = `echo '{"x-two": "'$TURNWRIGHT_MCP_SERVER_NAME'"}'`;
    const config = { type: 'http', url, headers: { 'x-one': '1', 'x-api-key': 'secret-word' }, headersHelper } as const;
    const { call, secrets } = await open(config);
    await call('add', { a: 1, b: 1 });
    for (const { headers } of seen) expect(headers).toMatchObject({ 'x-one': '1', 'x-two': 's' });
    expect(secrets).toContain('secret-word');
    await expect(call('add', { a: 1, b: 9 })).rejects.toThrow(/redirect/i);
    expect(elsewhere).toEqual([]);
  });

  it.each([
    ['exit 3', /headersHelper failed \(exit code 3\)/],
    ['echo secret-word', /headersHelper printed something else than a JSON object/],
    [`echo '{"a b": "1"}'`, /headersHelper printed a header "a b", which is not a name/],
    ['yes', /headersHelper printed more than/],
  ])('is not reached where its headersHelper does %s', async (headersHelper, why) => {
    const { url, seen } = await startHttpMcp();
    const { offer } = await open({ type: 'http', url, headersHelper });
    expect(offer().connection.error).toMatch(why);
    expect(offer().connection.error).not.toContain('secret-word');
    expect(seen).toEqual([]);
  });

  it('is reached through a proxy', async () => {
    const { url } = await startHttpMcp();
    const proxy = await httpProxy({ target: url });
    const { call } = await open(configOf('http://tickets.example/mcp'), {
      routeTo: async () => ({ proxy: new URL(`http://127.0.0.1:${proxy.port}`), authorities: null }),
    });
    expect((await call('add', { a: 1, b: 1 })).content[0]?.text).toBe('2');
    expect(proxy.asked[0]).toBe('POST http://tickets.example/mcp');
  });

  it.each([
    [500, 'text/plain', 'out of memory', /HTTP 500: out of memory/],
    [503, 'text/html', '<html><style>p{}</style><p>Gone &amp; away</p></html>', /HTTP 503: Gone/],
    [200, 'text/html', '<p>a login page</p>', /content type/i],
    [200, 'application/json', '{ no json', /JSON/],
    [400, 'application/json', '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"odd"}}', /HTTP 400: odd/],
    [204, '', '', /content type|broke off/i],
  ])('that answers %i %s fails that call in words', async (status, type, text, why) => {
    const { url } = await startHttpMcp({
      intercept(_, outgoing, body) {
        if (!body.includes('"b":9')) return false;
        outgoing.writeHead(status, type === '' ? {} : { 'content-type': type }).end(text);
        return true;
      },
    });
    const { call } = await open(configOf(url));
    await expect(call('add', { a: 1, b: 9 })).rejects.toThrow(why);
    expect((await call('add', { a: 1, b: 1 })).content[0]?.text).toBe('2');
  });

  it.each([['application/json'], ['text/event-stream']])(
    'that answers more than 16 MiB (%s) fails that call',
    async (type) => {
      const { url } = await startHttpMcp({
        intercept(_, outgoing, body) {
          if (!body.includes('"b":9')) return false;
          outgoing.writeHead(200, { 'content-type': type });
          const line = 'x'.repeat(1024 * 1024);
          outgoing.write('data: ');
          const more = () => {
            if (!outgoing.destroyed) outgoing.write(line, more);
          };
          more();
          return true;
        },
      });
      const { call } = await open(configOf(url));
      await expect(call('add', { a: 1, b: 9 })).rejects.toThrow(/more than 16777216 bytes|broke off/);
      expect((await call('add', { a: 1, b: 1 })).content[0]?.text).toBe('2');
    },
  );

  it('that wants nobody to sign in, and refuses, says so', async () => {
    const { url } = await startHttpMcp({
      intercept(_, outgoing) {
        outgoing.writeHead(401).end();
        return true;
      },
    });
    const { offer } = await open({ type: 'http', url, headers: { Authorization: 'Bearer wrong-token' } });
    expect(offer().connection).toMatchObject({
      type: 'failed',
      error: expect.stringContaining('refuses the credentials'),
    });
    expect(offer().connection.error).not.toContain('wrong-token');
  });
});

describe.each([
  ['at its end', Number.POSITIVE_INFINITY],
  ['by 64 KB', 65_536],
])('a proxy that lets streams of events through %s', (_, blockBytes) => {
  it.each<[string, HttpMcpOptions]>([
    ['with sessions', { kind: 'stateful' }],
    ['without sessions', { kind: 'stateless' }],
  ])('leaves a server %s usable: answers come whole', async (_kind, options) => {
    const { url } = await startHttpMcp(options);
    const { call, tools, offer } = await open(configOf(await bufferingProxy(url, blockBytes)));
    expect([offer().connection.type, tools()]).toEqual(['connected', TOOLS]);
    expect((await call('add', { a: 1, b: 1 })).content[0]?.text).toBe('2');
  });

  it('keeps a question of the server from anybody: its call is given up, and the next is answered', async () => {
    const { url } = await startHttpMcp();
    const { call } = await open(configOf(await bufferingProxy(url, blockBytes)), {
      answer: { action: 'accept', content: { which: 'this' } },
    });
    await expect(call('ask', {}, AbortSignal.timeout(200))).rejects.toThrow('it was told to stop');
    expect((await call('add', { a: 1, b: 1 })).content[0]?.text).toBe('2');
  });

  it('makes a server of the older kind fail in time, with words that say why', async () => {
    const { url } = await startHttpMcp({ kind: 'sse' });
    const { offer } = await open(configOf(await bufferingProxy(url, blockBytes), 'sse'), { startTimeoutMs: 200 });
    expect(offer().connection).toMatchObject({
      type: 'failed',
      error: expect.stringMatching(/did not get ready within 200 ms.*perhaps a proxy on the way holds it back/),
    });
  });
});
