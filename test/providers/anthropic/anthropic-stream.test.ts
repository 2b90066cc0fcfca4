// What a whole reply becomes, over both transports: content, chunk borders, order, connections.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  API_KEY,
  attempt,
  blockDelta,
  blockStart,
  blockStop,
  connect,
  messageDelta,
  messageStart,
  messageStop,
  reply,
  serve,
  TRANSPORTS,
  textBlock,
  textReply,
  thinkingBlock,
  toolBlock,
  type WireEvent,
  wire,
} from '../../support/anthropic-replies.js';
import { frame, sendChunks, stream } from '../../support/sse-server.js';

async function streamOf(events: readonly WireEvent[]) {
  const { provider } = await serve(stream(wire(events)));
  return attempt(provider);
}

describe.each(TRANSPORTS)('a reply over %s', (transport) => {
  it.each([
    ['text', textReply('Hel', 'lo')],
    ['thinking and its signature', reply(thinkingBlock(0, 'so then', 'c2ln'), textBlock(1, 'done'))],
    ['parallel tools', reply(toolBlock(0, 'toolu_a', '{"a":', '1}'), toolBlock(1, 'toolu_b', '{}'))],
    ['redacted thinking', reply([blockStart(0, { type: 'redacted_thinking', data: 'b64' }), blockStop(0)])],
    ['no block at all', reply()],
  ])('passes on %s as it came', async (_, events) => {
    const { provider } = await serve(stream(wire(events)), transport);
    const outcome = await attempt(provider);
    expect(outcome.error).toBeNull();
    expect(outcome.events.map((event) => event.type)).toEqual(events.map((event) => event.type));
    expect(outcome.events.filter((event) => event.type === 'content_block_delta')).toEqual(
      events.filter((event) => event.type === 'content_block_delta'),
    );
  });

  it('sends the key, the version and the body to /v1/messages', async () => {
    const { server, provider } = await serve(stream(wire(textReply('x'))), transport);
    await attempt(provider);
    const [seen] = server.requests;
    expect(seen).toMatchObject({ method: 'POST', path: '/v1/messages' });
    expect(seen?.headers).toMatchObject({
      'x-api-key': API_KEY,
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^turnwright\/\d/),
    });
    expect(JSON.parse(seen?.body ?? '')).toMatchObject({ model: 'claude-test', max_tokens: 1000, stream: true });
  });

  it('passes 20,000 deltas to a slow reader without losing one', async () => {
    const text = 'x'.repeat(400);
    const events = textReply(...Array.from({ length: 20_000 }, (_, at) => `${at} ${text}`));
    const { provider } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(wire(events));
    }, transport);
    const texts: string[] = [];
    for await (const event of provider.stream(
      { model: 'm', system: [], tools: [], messages: [], maxTokens: 1 },
      { requestTimeoutMs: 10_000, streamIdleMs: 10_000 },
      new AbortController().signal,
    )) {
      if (texts.length % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') texts.push(event.delta.text);
    }
    expect(texts.map((value) => Number.parseInt(value, 10))).toEqual(Array.from({ length: 20_000 }, (_, at) => at));
  });
});

describe('chunk borders', () => {
  const events = reply(
    thinkingBlock(0, 'Grüße, 世界 🎉', 'c2ln'),
    textBlock(1, 'naïve \u2028 e\u0301', '👩‍👩‍👧'),
    toolBlock(2, 'toolu_a', '{"k":"é', '"}'),
  );
  const bytes = Buffer.from(`: hello\n\n${wire(events)}`);

  it('may lie at any byte', async () => {
    let cut = 0;
    const { provider } = await serve(async (response) => {
      await sendChunks(response, [bytes.subarray(0, cut), bytes.subarray(cut)]);
      response.end();
    });
    const whole = await attempt(provider);
    expect(whole.error).toBeNull();
    for (cut = 1; cut < bytes.length; cut++) expect(await attempt(provider)).toEqual(whole);
  });

  it('may lie anywhere, with any line ends', async () => {
    let pieces: Uint8Array[] = [];
    const { provider } = await serve((response, seen) => stream(...pieces)(response, seen));
    pieces = [bytes];
    const whole = await attempt(provider);
    const lineEnds = fc.constantFrom('\n', '\r\n', '\r');
    const cuts = fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(lineEnds, cuts, async (lineEnd, at) => {
        const body = Buffer.from(bytes.toString('utf8').replaceAll('\n', lineEnd));
        const borders = [0, ...[...new Set(at)].sort((a, b) => a - b), body.length];
        pieces = borders.slice(1).map((end, n) => body.subarray(borders[n], end));
        expect(await attempt(provider)).toEqual(whole);
      }),
      { seed: 42, numRuns: 100 },
    );
  });

  it('do not matter to one delta of 20 MB', async () => {
    const text = 'ä'.repeat(10 * 1024 * 1024);
    const { provider } = await serve(stream(wire(textReply(text))));
    const { events: got, error } = await attempt(provider);
    expect(error).toBeNull();
    const delta = got.find((event) => event.type === 'content_block_delta');
    expect(delta?.delta.type === 'text_delta' && delta.delta.text === text).toBe(true);
  });

  it('a byte order mark before the first event is no part of it', async () => {
    const { provider } = await serve(stream(`\ufeff${wire(textReply('\ufeffx'))}`));
    const { events: got, error } = await attempt(provider);
    expect(error).toBeNull();
    expect(got[2]).toEqual(blockDelta(0, { type: 'text_delta', text: '\ufeffx' }));
  });
});

describe('tolerance', () => {
  it('ignores pings, comments, unknown events and unknown fields', async () => {
    const clean = textReply('a', 'b');
    const noisy = clean.map(
      (event) => `: comment\n\nid: 7\nretry: 5\nfoo: bar\n${frame(event)}${frame({ type: 'ping' })}`,
    );
    const { provider } = await serve(stream(noisy.join(frame({ type: 'brand_new', index: 4 }))));
    expect(await attempt(provider)).toEqual(await streamOf(clean));
  });

  it('drops blocks and deltas of unknown kinds and numbers the others without a gap', async () => {
    const { events, error } = await streamOf(
      reply(
        [
          blockStart(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
          blockDelta(0, { type: 'input_json_delta', partial_json: '{}' }),
          blockStop(0),
        ],
        textBlock(1, 'seen'),
        [blockStart(2, { type: 'web_search_tool_result', content: [] }), blockStop(2)],
        [
          blockStart(3, { type: 'text', text: '' }),
          blockDelta(3, { type: 'citations_delta', citation: {} }),
          blockDelta(3, { type: 'text_delta', text: 'too' }),
          blockStop(3),
        ],
      ),
    );
    expect(error).toBeNull();
    expect(events.slice(1, -2)).toEqual([
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'seen' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'too' } },
      { type: 'content_block_stop', index: 1 },
    ]);
  });

  it('counts missing usage as zero and keeps only real counts', async () => {
    const { events } = await streamOf([
      { type: 'message_start', message: { id: 'm', role: 'assistant', model: 'x' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: -1, input_tokens: null } },
      messageStop,
    ]);
    const zeros = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    expect(events[0]).toMatchObject({ message: { id: 'm', content: [], usage: zeros } });
    expect(events[1]).toEqual({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: {},
    });
  });

  it('tells how long cache writes are kept, if some cost more', async () => {
    const started = (cache_creation: unknown) => ({
      type: 'message_start',
      message: { id: 'm', role: 'assistant', model: 'x', usage: { cache_creation_input_tokens: 9, cache_creation } },
    });
    const usageOf = async (creation: unknown) => {
      const { events } = await streamOf([
        started(creation),
        { type: 'message_delta', delta: {}, usage: {} },
        messageStop,
      ]);
      return events[0]?.type === 'message_start' ? events[0].message.usage.cache_creation : 'no reply';
    };
    const parts = { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 };
    expect(await usageOf(parts)).toEqual(parts);
    expect(await usageOf({ ephemeral_1h_input_tokens: 5 })).toEqual({ ...parts, ephemeral_5m_input_tokens: 0 });
    expect(await usageOf({ ephemeral_5m_input_tokens: 9, ephemeral_1h_input_tokens: 0 })).toBeUndefined();
    for (const odd of [null, 'x', { ephemeral_1h_input_tokens: -1 }]) expect(await usageOf(odd)).toBeUndefined();
  });

  it('takes the type from the event line if the data has none, and still gives it', async () => {
    const lines = textReply('x').map(({ type, ...fields }) => `event: ${type}\ndata: ${JSON.stringify(fields)}\n\n`);
    const { provider } = await serve(stream(lines.join('')));
    expect(await attempt(provider)).toEqual(await streamOf(textReply('x')));
  });

  it('ends at message_stop although more follows and the connection stays open', async () => {
    const { provider } = await serve((response) =>
      sendChunks(response, [wire(textReply('x')), frame(messageStart), 'data: {broken\n\n']),
    );
    const { events, error } = await attempt(provider);
    expect(error).toBeNull();
    expect(events.at(-1)).toEqual({ type: 'message_stop' });
  });
});

describe('a reply that breaks the protocol is malformed', () => {
  it.each<[string, readonly WireEvent[]]>([
    ['a delta before message_start', [blockDelta(0, { type: 'text_delta', text: 'x' })]],
    ['message_stop before message_start', [messageStop]],
    ['a second message_start', [messageStart, messageStart]],
    ['a message_start without a message', [{ type: 'message_start' }]],
    ['a delta for a block that was not opened', [messageStart, blockDelta(0, { type: 'text_delta', text: 'x' })]],
    [
      'a delta for a closed block',
      [messageStart, ...textBlock(0, 'x'), blockDelta(0, { type: 'text_delta', text: 'y' })],
    ],
    ['a block opened twice', [messageStart, ...textBlock(0, 'x'), ...textBlock(0, 'y')]],
    ['a block stopped twice', [messageStart, ...textBlock(0, 'x'), blockStop(0)]],
    ['a negative index', [messageStart, ...textBlock(-1, 'x')]],
    [
      'JSON of a tool in a text block',
      [messageStart, blockStart(0, { type: 'text' }), blockDelta(0, { type: 'input_json_delta', partial_json: '' })],
    ],
    [
      'a text delta without text',
      [messageStart, blockStart(0, { type: 'text' }), blockDelta(0, { type: 'text_delta' })],
    ],
    ['a tool without an id', [messageStart, blockStart(0, { type: 'tool_use', name: 'Read', input: {} })]],
    ['a tool without a name', [messageStart, blockStart(0, { type: 'tool_use', id: 'toolu_a', name: '', input: {} })]],
    [
      'message_stop while a block is open',
      [messageStart, blockStart(0, { type: 'text' }), messageDelta(), messageStop],
    ],
    ['message_stop without a stop reason', [messageStart, ...textBlock(0, 'x'), messageStop]],
    ['a stop reason of null', [messageStart, ...textBlock(0, 'x'), messageDelta(null), messageStop]],
  ])('%s', async (_, events) => {
    const { error } = await streamOf(events);
    expect(error).toMatchObject({ kind: 'malformed', retryable: true });
  });

  it.each([
    ['broken JSON', 'data: {"type":"mess\n\n'],
    ['JSON that is not an object', 'data: [1]\n\n'],
    ['the end marker of another API', 'data: [DONE]\n\n'],
  ])('%s', async (_, text) => {
    const { provider } = await serve(stream(frame(messageStart), text));
    const { events, error } = await attempt(provider);
    expect(error?.kind).toBe('malformed');
    expect(events).toHaveLength(1);
  });
});

describe('connections', () => {
  it('are used again, one after the other', async () => {
    const { server, provider } = await serve(stream(wire(textReply('x'))));
    for (let n = 0; n < 5; n++) expect((await attempt(provider)).error).toBeNull();
    expect(server.requests.map((seen) => seen.connection)).toEqual([1, 1, 1, 1, 1]);
  });

  it('are not shared by requests under way at the same time', async () => {
    const { server, provider } = await serve(stream(wire(textReply('x'))));
    const outcomes = await Promise.all([attempt(provider), attempt(provider), attempt(provider)]);
    expect(outcomes.map((outcome) => outcome.error)).toEqual([null, null, null]);
    expect(new Set(server.requests.map((seen) => seen.connection)).size).toBe(3);
  });

  it('are closed by close, also the one that is in use', async () => {
    const { server, provider } = await serve((response) => sendChunks(response, [frame(messageStart)]));
    const outcome = await attempt(provider, { onEvent: () => provider.close() });
    expect(outcome.error?.kind).toBe('aborted');
    await server.until(() => !server.isOpen());
  });

  it('open again after close', async () => {
    const { server, provider } = await serve(stream(wire(textReply('x'))));
    await attempt(provider);
    provider.close();
    await server.until(() => !server.isOpen());
    expect((await attempt(provider)).error).toBeNull();
  });

  it('are dropped by a reader that leaves the loop', async () => {
    const { server, provider } = await serve((response) => sendChunks(response, [frame(messageStart)]));
    for await (const event of provider.stream(
      { model: 'm', system: [], tools: [], messages: [], maxTokens: 1 },
      { requestTimeoutMs: 10_000, streamIdleMs: 10_000 },
      new AbortController().signal,
    )) {
      expect(event.type).toBe('message_start');
      break;
    }
    await server.until(() => !server.isOpen());
    expect(server.requests).toHaveLength(1);
  });
});

describe('the base URL', () => {
  it.each([
    ['', '/v1/messages'],
    ['/', '/v1/messages'],
    ['/gate/way', '/gate/way/v1/messages'],
    ['/gate/way/', '/gate/way/v1/messages'],
    ['/v1', '/v1/messages'],
    ['/v1/', '/v1/messages'],
  ])('may end in "%s"', async (ending, path) => {
    const { server } = await serve(stream(wire(textReply('x'))));
    const provider = connect(server.url + ending);
    await attempt(provider);
    expect(server.requests[0]?.path).toBe(path);
  });

  it.each(['', 'nonsense', 'ftp://host', 'http://user:secretword@host'])('"%s" is refused', (baseUrl) => {
    expect(() => connect(baseUrl)).toThrow(/base URL/);
    expect(() => connect(baseUrl)).not.toThrow(/secretword/);
  });

  it('a key with a line break is refused without being shown', () => {
    expect(() => connect('http://host', { apiKey: 'secret\nword' })).toThrow(/API key or token/);
    expect(() => connect('http://host', { apiKey: 'secret\nword' })).not.toThrow(/secret/);
  });

  it('a token is sent as a bearer, further headers are added, the transport keeps its own', async () => {
    const { server } = await serve(stream(wire(textReply('x'))));
    const provider = connect(server.url, {
      apiKey: undefined,
      authToken: 'tok',
      headers: { 'Anthropic-Beta': 'b1', 'Content-Length': '1' },
    });
    expect((await attempt(provider)).error).toBeNull();
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer tok', 'anthropic-beta': 'b1' });
    expect(server.requests[0]?.headers['x-api-key']).toBeUndefined();
  });
});

describe('the name that the server gives a request', () => {
  const served = (headers: Record<string, string>) =>
    serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
      response.end(wire(textReply('x')));
    });
  const named = async (headers: Record<string, string>) => {
    const [start] = (await attempt((await served(headers)).provider)).events;
    return start?.type === 'message_start' ? start.message.request_id : 'no start';
  };

  it('goes with the reply, cleaned', async () => {
    expect(await named({ 'request-id': 'req_011' })).toBe('req_011');
    expect(await named({ 'x-request-id': 'abc' })).toBe('abc');
    expect(await named({ 'request-id': `${API_KEY}` })).not.toContain(API_KEY);
    expect(await named({})).toBeUndefined();
  });
});
