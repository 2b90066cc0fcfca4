import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../../src/protocol/content.js';
import { ModelError, type ModelErrorKind } from '../../../src/protocol/errors.js';
import {
  type MockProvider,
  type MockProviderOptions,
  startMockProvider,
} from '../../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../../src/testing/mock/mock-wire.js';
import { foldEvents } from '../../../src/testing/model/collect.js';
import { reply, text, thinking, toolCall } from '../../../src/testing/model/script.js';
import { ask, parseEvents, post, wireBody } from '../support.js';

const BODY = wireBody([ask('hello')]);
const running: MockProvider[] = [];

async function start(options: MockProviderOptions = {}): Promise<MockProvider & { readonly endpoint: string }> {
  const provider = await startMockProvider(options);
  running.push(provider);
  return Object.assign(provider, { endpoint: `${provider.url}/v1/messages` });
}

afterEach(async () => {
  for (const provider of running.splice(0)) await provider.close();
});

/** One request to a server with one step. */
async function exchange(step: MockStep, options: { signal?: AbortSignal; onText?: (text: string) => void } = {}) {
  const provider = await start({ steps: [step] });
  return await post(provider.endpoint, BODY, options);
}

/** A request that is given up as soon as `when` says so of what came so far. */
async function exchangeUntil(step: MockStep, when: (seen: string) => boolean) {
  const provider = await start({ steps: [step] });
  const abort = new AbortController();
  let seen = '';
  const onText = (text: string) => {
    seen = text;
    if (when(seen)) abort.abort();
  };
  const failure = post(provider.endpoint, BODY, { signal: abort.signal, onText }).catch((error: Error) => error.name);
  await provider.waitForRequests(1);
  if (when('')) abort.abort();
  return { seen: () => seen, failure: await failure, ended: await provider.requests[0]?.ended };
}

describe('startMockProvider', () => {
  it('streams its steps in order, and remembers what it was asked', async () => {
    const provider = await start({
      steps: [reply(thinking('hm', 'sig'), text('Reading.'), toolCall('Read', { file_path: '/ä' })), text('done')],
    });
    const first = await post(`${provider.url}/some/prefix/v1/messages?beta=true`, BODY);
    expect(first).toMatchObject({ status: 200, complete: true });
    expect(first.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'request-id': 'req_0001',
    });
    expect(foldEvents(parseEvents<ModelEvent>(first.text)).content).toEqual([
      thinking('hm', 'sig'),
      text('Reading.'),
      { type: 'tool_use', id: 'toolu_0001', name: 'Read', input: { file_path: '/ä' } },
    ]);
    expect(provider.remaining).toBe(1);
    expect(() => provider.assertClean()).toThrow('1 steps were not asked for');
    await post(provider.endpoint, BODY);
    provider.assertClean();
    expect(provider.requests.map(({ index, path, connection, body }) => ({ index, path, connection, body }))).toEqual([
      { index: 0, path: '/some/prefix/v1/messages?beta=true', connection: 1, body: BODY },
      { index: 1, path: '/v1/messages', connection: 2, body: BODY },
    ]);
    expect(provider.requests[0]?.bytes).toBe(JSON.stringify(BODY).length);
    expect(await provider.requests[0]?.ended).toBe('answered');
  });

  it('answers one document if no stream is asked for', async () => {
    const answer = await start().then((provider) => post(provider.endpoint, { ...BODY, stream: false }));
    expect(JSON.parse(answer.text)).toMatchObject({
      type: 'message',
      stop_reason: 'end_turn',
      content: [{ type: 'text' }],
    });
  });

  it('serves many conversations by a function of the body', async () => {
    const provider = await start({
      steps: (body, index) =>
        text(`${JSON.stringify((body as { messages: unknown[] }).messages).length} ${index >= 0}`),
    });
    const bodies = Array.from({ length: 20 }, (_, index) => wireBody([ask('x'.repeat(index + 1))]));
    const answers = await Promise.all(bodies.map((body) => post(provider.endpoint, body)));
    for (const [index, answer] of answers.entries()) {
      const expected = `${JSON.stringify(bodies[index]?.['messages']).length} true`;
      expect(foldEvents(parseEvents<ModelEvent>(answer.text)).content).toEqual([text(expected)]);
    }
    expect(provider.connections).toBe(20);
    provider.assertClean();
  });

  it('estimates usage from the size of the request', async () => {
    const provider = await start({ usage: { cache_read_input_tokens: 9 } });
    const usageOf = async (body: unknown) =>
      foldEvents(parseEvents<ModelEvent>((await post(provider.endpoint, body)).text)).usage;
    const small = await usageOf(BODY);
    const large = await usageOf(wireBody([ask('x'.repeat(4000))]));
    expect(large.input_tokens - small.input_tokens).toBeGreaterThan(900);
    expect(large.cache_read_input_tokens).toBe(9);
  });

  it('streams 20,000 deltas whole', async () => {
    const answer = await exchange({ deltas: 20_000, delta: 'word ' });
    const message = foldEvents(parseEvents<ModelEvent>(answer.text));
    expect(message.content).toEqual([text('word '.repeat(20_000))]);
    expect(message.usage.output_tokens).toBe(25_000);
  });

  it('closes at once, whatever is still open, and twice', async () => {
    const provider = await start({ steps: () => ({ stall: true }) });
    const answers = [1, 2, 3].map(() => post(provider.endpoint, BODY).catch((error: Error) => error));
    await provider.waitForRequests(3);
    await provider.close();
    await provider.close();
    for (const answer of await Promise.all(answers)) expect(answer).toBeInstanceOf(Error);
    for (const request of provider.requests) expect(await request.ended).toBe('abandoned');
  });
});

describe('what it refuses', () => {
  it('an invalid request: 400 in the words of the validator, and no step is used', async () => {
    const provider = await start({ steps: [text('ok')] });
    const answer = await post(provider.endpoint, wireBody([ask('')]));
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toEqual({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'messages.0.content.0.text: Text content blocks must be non-empty [text_empty]',
      },
    });
    expect(provider.violations.map(({ code }) => code)).toEqual(['text_empty']);
    expect(provider.remaining).toBe(1);
    expect(() => provider.assertClean()).toThrow('text_empty');
  });

  it('a changed thinking block it sent itself', async () => {
    const provider = await start({ steps: [reply(thinking('hm', 'sig'), toolCall('Read')), text('no')] });
    await post(provider.endpoint, BODY);
    const call = { type: 'tool_use', id: 'toolu_0001', name: 'Read', input: {} };
    const answer = await post(
      provider.endpoint,
      wireBody([
        ask('hello'),
        { role: 'assistant', content: [thinking('HM', 'sig'), call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_0001' }] },
      ]),
    );
    expect([answer.status, answer.text.includes('thinking_changed')]).toEqual([400, true]);
  });

  it('what is not JSON, what is too large, what is not there', async () => {
    const provider = await start();
    expect((await post(provider.endpoint, '{"model": ')).status).toBe(400);
    const tooLarge = await post(provider.endpoint, wireBody([ask('x'.repeat(34_000_000))]));
    expect([tooLarge.status, JSON.parse(tooLarge.text).error.type]).toEqual([413, 'request_too_large']);
    expect((await post(`${provider.url}/v1/models`, BODY)).status).toBe(404);
  });

  it('a request without a step, and a step that throws', async () => {
    const empty = await start({ steps: [] });
    const answer = await post(empty.endpoint, BODY);
    expect([answer.status, answer.text.includes('request 1 has no step')]).toEqual([400, true]);
    expect(() => empty.assertClean()).toThrow('has no step');
    const throwing = await start({
      steps: () => {
        throw new Error('no idea');
      },
    });
    expect((await post(throwing.endpoint, BODY)).status).toBe(400);
    expect(() => throwing.assertClean()).toThrow('no idea');
  });
});

describe('faults', () => {
  it('answers a status with its headers and body', async () => {
    const plain = await exchange({ status: 529, headers: { 'retry-after': '7' } });
    expect([plain.status, plain.headers['retry-after'], JSON.parse(plain.text).error.type]).toEqual([
      529,
      '7',
      'overloaded_error',
    ]);
    const redirect = await exchange({ status: 307, headers: { location: 'http://127.0.0.1:1/' }, body: 'elsewhere' });
    expect([redirect.status, redirect.headers['location'], redirect.text]).toEqual([
      307,
      'http://127.0.0.1:1/',
      'elsewhere',
    ]);
  });

  it.each<[ModelErrorKind, number, string]>([
    ['overloaded', 529, 'overloaded_error'],
    ['rate_limit', 429, 'rate_limit_error'],
    ['quota', 402, 'billing_error'],
    ['authentication', 401, 'authentication_error'],
    ['permission', 403, 'permission_error'],
    ['not_found', 404, 'not_found_error'],
    ['context_overflow', 400, 'prompt is too long'],
    ['request_too_large', 413, 'request_too_large'],
    ['invalid_request', 400, 'invalid_request_error'],
    ['server', 500, 'api_error'],
  ])('says a scripted %s as %i', async (kind, status, words) => {
    const answer = await exchange({ error: new ModelError(kind, 'as scripted', { retryAfterMs: 1500 }) });
    expect(answer).toMatchObject({ status, complete: true, headers: { 'retry-after': '2' } });
    expect(answer.text).toContain(words);
    expect(answer.text).toContain('as scripted');
  });

  it('refuses the connection for a scripted connection error', async () => {
    await expect(exchange({ error: new ModelError('connection', 'gone') })).rejects.toMatchObject({
      code: 'ECONNRESET',
    });
  });

  it.each([0, 1, 4])('cuts the socket after %i events, all of them delivered', async (cutAfterEvents) => {
    const answer = await exchange({ ...reply(text('hello')), cutAfterEvents });
    expect(answer).toMatchObject({ status: 200, complete: false });
    expect(parseEvents(answer.text)).toHaveLength(cutAfterEvents);
  });

  it.each([1, 100, 333])('cuts the socket after %i bytes', async (cutAfterBytes) => {
    const answer = await exchange({ cutAfterBytes });
    expect([answer.complete, answer.text.length]).toEqual([false, cutAfterBytes]);
  });

  it('ends a stream by an error event', async () => {
    const answer = await exchange({
      ...reply(text('hello')),
      cutAfterEvents: 2,
      cutWith: new ModelError('overloaded', 'Overloaded'),
    });
    expect(answer.complete).toBe(true);
    expect(parseEvents(answer.text).at(-1)).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    });
  });

  it('writes as few bytes at a time as it is told', async () => {
    const answer = await exchange({ ...reply(text('häßlich \u{1f600}')), writeBytes: 1 });
    expect(foldEvents(parseEvents<ModelEvent>(answer.text)).content).toEqual([text('häßlich \u{1f600}')]);
  });

  it('stalls in the middle until the client gives up', async () => {
    const step = { ...reply(text('hello')), stallAfterEvents: 2 };
    const { seen, failure, ended } = await exchangeUntil(step, (text) => text.split('\n\n').length > 2);
    expect(parseEvents<ModelEvent>(seen()).map((event) => event.type)).toEqual([
      'message_start',
      'content_block_start',
    ]);
    expect([failure, ended]).toEqual(['AbortError', 'abandoned']);
  });

  it('stalls before anything until the client gives up', async () => {
    const { seen, failure, ended } = await exchangeUntil({ stall: true }, () => true);
    expect([seen(), failure, ended]).toEqual(['', 'AbortError', 'abandoned']);
  });

  it('goes on with pings while it stalls', async () => {
    const isPinged = (text: string) => text.split('event: ping').length > 4;
    const { failure, ended } = await exchangeUntil({ stall: true, pings: true, pingEveryMs: 1 }, isPinged);
    expect([failure, ended]).toEqual(['AbortError', 'abandoned']);
  });

  it('puts pings between the events of a whole stream', async () => {
    const answer = await exchange({ ...reply(text('hello')), pings: true });
    const types = parseEvents<{ type: string }>(answer.text).map(({ type }) => type);
    expect(types.slice(0, 4)).toEqual(['message_start', 'ping', 'content_block_start', 'ping']);
    expect(types.filter((type) => type !== 'ping')).toHaveLength(6);
  });

  it('waits for its gate, and no longer than its client', async () => {
    let open: () => void = () => undefined;
    const waitFor = new Promise<void>((resolve) => {
      open = resolve;
    });
    const provider = await start({
      steps: [
        { ...reply(text('a')), waitFor },
        { status: 500, waitFor: new Promise(() => undefined) },
      ],
    });
    let answered = false;
    const first = post(provider.endpoint, BODY).finally(() => {
      answered = true;
    });
    await provider.waitForRequests(1);
    expect(answered).toBe(false);
    open();
    expect((await first).status).toBe(200);
    const abort = new AbortController();
    const second = post(provider.endpoint, BODY, { signal: abort.signal }).catch(() => 'gave up');
    await provider.waitForRequests(2);
    abort.abort();
    expect([await second, await provider.requests[1]?.ended]).toEqual(['gave up', 'abandoned']);
  });

  it('survives a client that leaves in the middle of its request', async () => {
    const provider = await start();
    const socket = connect(Number(new URL(provider.url).port), '127.0.0.1');
    socket.write('POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"mod');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.destroy();
    expect((await post(provider.endpoint, BODY)).status).toBe(200);
    expect([provider.connections, provider.requests.length]).toEqual([2, 1]);
    provider.assertClean();
  });
});

describe('malformed answers', () => {
  it('html, json and empty break the envelope', async () => {
    const html = await exchange({ malformed: 'html' });
    expect([html.status, html.headers['content-type'], html.text.startsWith('<html>')]).toEqual([
      200,
      'text/html',
      true,
    ]);
    const json = await exchange({ ...reply(text('hello')), malformed: 'json' });
    expect([json.headers['content-type'], JSON.parse(json.text).content]).toEqual([
      'application/json',
      [text('hello')],
    ]);
    const empty = await exchange({ malformed: 'empty' });
    expect(empty).toMatchObject({ status: 200, text: '', complete: true });
  });

  it('bad-json, out-of-order and no-usage break the stream', async () => {
    const badJson = await exchange({ malformed: 'bad-json' });
    expect(() => parseEvents(badJson.text)).toThrow(SyntaxError);
    const disordered = await exchange({ malformed: 'out-of-order' });
    expect(() => foldEvents(parseEvents<ModelEvent>(disordered.text))).toThrow('a delta for block 0, not open');
    const noUsage = await exchange({ ...reply(text('hello')), malformed: 'no-usage' });
    expect(noUsage.text).not.toContain('usage');
    expect(foldEvents(parseEvents<ModelEvent>(noUsage.text)).content).toEqual([text('hello')]);
  });
});
