// Replies of the Responses API over a real server.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import { createOpenAIResponsesProvider } from '../../../src/providers/openai-responses/openai-responses.js';
import { openItem } from '../../../src/providers/openai-responses/request-body.js';
import { foldEvents } from '../../../src/testing/model/collect.js';
import { API_KEY, attempt } from '../../support/anthropic-replies.js';
import { type Answer, frame, startSseServer, stream } from '../../support/sse-server.js';

type Event = Parameters<typeof frame>[0];

async function serve(answer: Answer | readonly Event[]) {
  const server = await startSseServer(typeof answer === 'function' ? answer : stream(answer.map(frame).join('')));
  const { clock } = createNodeHost();
  const provider = createOpenAIResponsesProvider({
    id: 'openai',
    apiKey: API_KEY,
    baseUrl: `${server.url}/v1/`,
    clock,
  });
  onTestFinished(async () => {
    provider.close();
    await server.close();
  });
  return { server, provider };
}

async function read(events: readonly Event[]) {
  return await attempt((await serve(events)).provider);
}

async function fold(events: readonly Event[]) {
  const { events: got, error } = await read(events);
  expect(error).toBeNull();
  return foldEvents(got);
}

const created: Event = {
  type: 'response.created',
  response: { id: 'resp_1', model: 'gpt-test', status: 'in_progress' },
};
const usage = {
  input_tokens: 19,
  output_tokens: 9,
  total_tokens: 28,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens_details: { reasoning_tokens: 5 },
};
const completed: Event = { type: 'response.completed', response: { id: 'resp_1', status: 'completed', usage } };

function incomplete(reason: string): Event {
  return { type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: { reason }, usage } };
}

const added = (output_index: number, item: object): Event => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const done = (output_index: number, item: object): Event => ({ type: 'response.output_item.done', output_index, item });
const textDelta = (output_index: number, delta: string): Event => ({
  type: 'response.output_text.delta',
  output_index,
  delta,
});
const argsDelta = (output_index: number, delta: string): Event => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  delta,
});

function text(index: number, ...deltas: string[]): Event[] {
  const item = { type: 'message', role: 'assistant' };
  const content = [{ type: 'output_text', text: deltas.join('') }];
  return [
    added(index, { ...item, content: [] }),
    ...deltas.map((delta) => textDelta(index, delta)),
    done(index, { ...item, content }),
  ];
}

function call(index: number, call_id: string, ...deltas: string[]): Event[] {
  const item = { type: 'function_call', call_id, name: 'Read' };
  const whole = deltas.join('');
  return [
    added(index, { ...item, arguments: '' }),
    ...deltas.map((delta) => argsDelta(index, delta)),
    { type: 'response.function_call_arguments.done', output_index: index, arguments: whole },
    done(index, { ...item, arguments: whole }),
  ];
}

describe('a reply', () => {
  it('is text, with its usage and the names of model and request', async () => {
    const { provider, server } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_abc' });
      response.end([created, { type: 'response.in_progress' }, ...text(0, 'Hel', 'lo'), completed].map(frame).join(''));
    });
    const { events } = await attempt(provider);
    expect(foldEvents(events)).toEqual({
      id: 'resp_1',
      type: 'message',
      role: 'assistant',
      model: 'gpt-test',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 15, output_tokens: 9, cache_creation_input_tokens: 0, cache_read_input_tokens: 4 },
      request_id: 'req_abc',
    });
    expect(server.requests[0]).toMatchObject({
      path: '/v1/responses',
      headers: { authorization: `Bearer ${API_KEY}` },
    });
  });

  it('holds reasoning, as it goes back', async () => {
    const at = { output_index: 0, item_id: 'rs_1' };
    const message = await fold([
      created,
      added(0, { type: 'reasoning', id: 'rs_1', summary: [] }),
      { type: 'response.reasoning_summary_part.added', ...at, summary_index: 0 },
      { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: 'First ' },
      { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: 'this.' },
      { type: 'response.reasoning_summary_part.added', ...at, summary_index: 1 },
      { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 1, delta: 'Then that.' },
      done(0, { type: 'reasoning', id: 'rs_1', encrypted_content: 'c2VjcmV0' }),
      ...call(1, 'call_1', '{}'),
      completed,
    ]);
    const [first] = message.content;
    if (first?.type !== 'thinking') throw new Error('no thinking');
    expect(first.thinking).toBe('First this.\n\nThen that.');
    expect(openItem(first.thinking, first.signature, 'openai', 'claude-test')).toEqual({
      type: 'reasoning',
      id: 'rs_1',
      summary: [
        { type: 'summary_text', text: 'First this.' },
        { type: 'summary_text', text: 'Then that.' },
      ],
      encrypted_content: 'c2VjcmV0',
    });
    for (const [server, model] of [
      ['openai', 'gpt-other'],
      ['other', 'claude-test'],
    ] as const) {
      expect(openItem(first.thinking, first.signature, server, model)).toBeNull();
    }
  });

  it('keeps reasoning without a summary, and shows reasoning that cannot go back', async () => {
    const message = await fold([
      created,
      added(0, { type: 'reasoning', id: 'rs_1' }),
      done(0, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }),
      added(1, { type: 'reasoning', id: 'rs_2' }),
      done(1, { type: 'reasoning', id: 'rs_2', summary: [{ type: 'summary_text', text: 'Shown.' }] }),
      added(2, { type: 'reasoning', id: 'rs_3' }),
      done(2, { type: 'reasoning', id: 'rs_3', summary: [] }),
      ...text(3, 'x'),
      completed,
    ]);
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: '' },
      { type: 'thinking', thinking: 'Shown.' },
      { type: 'text', text: 'x' },
    ]);
    const shown = message.content[1];
    expect(shown?.type === 'thinking' && openItem('Shown.', shown.signature, 'openai', 'claude-test')).toBeNull();
  });

  it.each<[string, Event[], object[]]>([
    ['in pieces', call(0, 'a', '{"k"', ':1}'), [{ type: 'tool_use', id: 'a', name: 'Read', input: { k: 1 } }]],
    ['whole', call(0, 'a', '{"k":1}'), [{ type: 'tool_use', id: 'a', name: 'Read', input: { k: 1 } }]],
    [
      'at the end only',
      [
        added(0, { type: 'function_call', call_id: 'a', name: 'Read', arguments: '' }),
        done(0, { type: 'function_call', call_id: 'a', name: 'Read', arguments: '{"k":1}' }),
      ],
      [{ type: 'tool_use', id: 'a', name: 'Read', input: { k: 1 } }],
    ],
    [
      'two at a time, with one id',
      [
        added(0, { type: 'function_call', call_id: 'same', name: 'Read' }),
        added(1, { type: 'function_call', call_id: 'same', name: 'Read' }),
        argsDelta(1, '{"k"'),
        argsDelta(0, '{"k":1'),
        argsDelta(1, ':2}'),
        argsDelta(0, '}'),
        done(1, { type: 'function_call', arguments: '{"k":2}' }),
        done(0, { type: 'function_call', arguments: '{"k":1}' }),
      ],
      [
        { type: 'tool_use', id: 'same', name: 'Read', input: { k: 1 } },
        { type: 'tool_use', id: 'same_2', name: 'Read', input: { k: 2 } },
      ],
    ],
  ])('holds calls: %s', async (_, events, content) => {
    expect(await fold([created, ...events, completed])).toMatchObject({ content, stop_reason: 'tool_use' });
  });

  it('drops items and events that are newer than this engine', async () => {
    const message = await fold([
      created,
      added(0, { type: 'web_search_call', id: 'ws_1' }),
      { type: 'response.web_search_call.searching', output_index: 0 },
      done(0, { type: 'web_search_call', id: 'ws_1' }),
      ...text(1, 'x'),
      { type: 'response.output_text.annotation.added', output_index: 1 },
      completed,
    ]);
    expect(message.content).toEqual([{ type: 'text', text: 'x' }]);
  });
});

describe('why it ended', () => {
  it.each<[Event[], string]>([
    [[...text(0, 'x'), incomplete('max_output_tokens')], 'max_tokens'],
    [[...text(0, 'x'), incomplete('content_filter')], 'refusal'],
    [
      [added(0, { type: 'message' }), { type: 'response.refusal.delta', output_index: 0, delta: 'No.' }, completed],
      'refusal',
    ],
    [
      [
        added(0, { type: 'function_call', call_id: 'a', name: 'Read' }),
        argsDelta(0, '{"k'),
        incomplete('max_output_tokens'),
      ],
      'max_tokens',
    ],
  ])('%#', async (events, reason) => {
    const { events: got, error } = await read([created, ...events]);
    expect(error).toBeNull();
    expect(got.at(-2)).toMatchObject({ type: 'message_delta', delta: { stop_reason: reason } });
  });
});

describe('a reply that breaks the protocol is malformed', () => {
  const item = { type: 'function_call', call_id: 'a', name: 'Read' };
  it.each<[string, Event[]]>([
    ['a delta before the response', [textDelta(0, 'x')]],
    ['a second response', [created, created]],
    ['a response that is none', [{ type: 'response.created' }]],
    ['a delta without its item', [created, textDelta(0, 'x')]],
    ['a delta behind its item', [created, ...text(0, 'x'), textDelta(0, 'y')]],
    ['a delta in an item of another kind', [created, added(0, item), textDelta(0, 'x')]],
    [
      'a delta without text',
      [created, added(0, { type: 'message' }), { type: 'response.output_text.delta', output_index: 0 }],
    ],
    ['an item added twice', [created, added(0, item), added(0, item)]],
    ['an item done twice', [created, ...text(0, 'x'), done(0, {})]],
    ['a call without a name', [created, added(0, { type: 'function_call', call_id: 'a' })]],
    [
      'a lost delta of a call',
      [created, added(0, item), argsDelta(0, '{"b":2}'), done(0, { ...item, arguments: '{"a":1,"b":2}' })],
    ],
    ['the end while a call is not done', [created, added(0, item), completed]],
    ['the end marker of another API', [created]],
  ])('%s', async (what, events) => {
    const marker = what.startsWith('the end marker') ? 'data: [DONE]\n\n' : '';
    const { provider } = await serve(stream(events.map(frame).join('') + marker));
    expect((await attempt(provider)).error).toMatchObject({ kind: 'malformed', retryable: true });
  });
});

describe('a failure inside the stream', () => {
  it.each<[Event, string]>([
    [{ type: 'response.failed', response: { error: { code: 'server_error', message: 'Oh' } } }, 'server'],
    [
      {
        type: 'response.failed',
        response: { error: { code: 'rate_limit_exceeded', message: 'Slow. Please try again in 1.5s.' } },
      },
      'rate_limit',
    ],
    [
      { type: 'response.failed', response: { error: { code: 'context_length_exceeded', message: 'Too long' } } },
      'context_overflow',
    ],
    [{ type: 'response.failed', response: { error: { code: 'invalid_prompt', message: 'No' } } }, 'invalid_request'],
    [{ type: 'error', code: 'server_overloaded', message: 'Busy', param: null }, 'overloaded'],
    [{ type: 'error', error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'Spent' } }, 'quota'],
    [{ type: 'response.cancelled' }, 'stream_cut'],
  ])('%j', async (event, kind) => {
    const { error } = await read([created, ...text(0, 'x'), event]);
    expect(error?.kind).toBe(kind);
    if (kind === 'rate_limit') expect(error?.retryAfterMs).toBe(1_500);
  });

  it('is also the end of the body without the end of the response', async () => {
    expect((await read([created, ...text(0, 'x')])).error).toMatchObject({ kind: 'stream_cut', retryable: true });
  });
});
