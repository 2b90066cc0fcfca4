// Chat Completions replies over a real server, as OpenAI and as the many others stream them.
import { describe, expect, it } from 'vitest';
import type { AssistantBlock } from '../../../src/protocol/content.js';
import type { ChatQuirks } from '../../../src/protocol/model-options.js';
import { CHAT_QUIRKS } from '../../../src/providers/choice/known-providers.js';
import { foldEvents } from '../../../src/testing/model/collect.js';
import { attempt, REQUEST } from '../../support/anthropic-replies.js';
import {
  type Chunk,
  callDelta,
  chatReply,
  chunkFrame,
  DONE,
  delta,
  serveChat,
  usageChunk,
} from '../../support/chat-replies.js';
import { plain } from '../../support/sse-server.js';

async function read(body: string, quirks: ChatQuirks = {}) {
  const { provider } = await serveChat(body, { quirks });
  return await attempt(provider);
}

/** The message that a reply folds to; `foldEvents` throws where the events break their contract. */
async function fold(body: string, quirks: ChatQuirks = {}) {
  const { events, error } = await read(body, quirks);
  expect(error).toBeNull();
  return foldEvents(events);
}

async function blocks(finish: string, ...deltas: Chunk[]): Promise<readonly AssistantBlock[]> {
  return (await fold(chatReply(finish, ...deltas))).content;
}

const call = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input });

describe('a reply', () => {
  it('is text, with its usage and the names of model and request', async () => {
    const { provider } = await serveChat((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_abc' });
      response.end(chatReply('stop', { content: 'Hel' }, { content: 'lo' }));
    });
    const { events, error } = await attempt(provider);
    expect(error).toBeNull();
    expect(foldEvents(events)).toEqual({
      id: 'chatcmpl-1',
      type: 'message',
      role: 'assistant',
      model: 'gpt-test',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 15,
        output_tokens: 9,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 4,
      },
      request_id: 'req_abc',
    });
  });

  it.each(['reasoning_content', 'reasoning'])('shows %s as thinking', async (field) => {
    const content = await blocks('stop', { [field]: 'Hm' }, { [field]: ', so', content: null }, { content: 'Yes.' });
    expect(content).toMatchObject([
      { type: 'thinking', thinking: 'Hm, so' },
      { type: 'text', text: 'Yes.' },
    ]);
  });

  it('may hold its content as a list of parts', async () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] };
    const content = await blocks('stop', { content: [thinking] }, { content: [{ type: 'text', text: 'Yes.' }] });
    expect(content).toMatchObject([
      { type: 'thinking', thinking: 'Hm' },
      { type: 'text', text: 'Yes.' },
    ]);
  });

  it('may be empty', async () => {
    expect(await blocks('stop')).toEqual([]);
  });

  it('ignores other choices, comments, unknown fields and chunks without choices', async () => {
    const other = { choices: [{ index: 1, delta: { content: 'other' } }] };
    const body = `: OPENROUTER PROCESSING\n\n${chunkFrame({ type: 'ping' })}${chunkFrame(other)}${chatReply('stop', { content: 'x', odd: 1 })}`;
    expect((await fold(body)).content).toEqual([{ type: 'text', text: 'x' }]);
  });
});

describe('why it ended', () => {
  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['model_length', 'model_context_window_exceeded'],
    ['brand_new', 'end_turn'],
    ['tool_calls', 'end_turn'],
  ])('%s is %s', async (finish, reason) => {
    expect((await fold(chatReply(finish, { content: 'x' }))).stop_reason).toBe(reason);
  });

  it.each(['stop', 'tool_calls', 'function_call'])('%s with calls is tool_use', async (finish) => {
    const entry = { index: 0, id: 'call_1', function: { name: 'Read', arguments: '{}' } };
    expect((await fold(chatReply(finish, callDelta(entry)))).stop_reason).toBe('tool_use');
  });

  it('a refusal is told as text', async () => {
    const message = await fold(chatReply('stop', { refusal: 'I can' }, { refusal: 'not.' }));
    expect(message).toMatchObject({ stop_reason: 'refusal', content: [{ type: 'text', text: 'I cannot.' }] });
  });

  it.each([
    ['error', 'server'],
    ['insufficient_system_resource', 'overloaded'],
    ['abort', 'stream_cut'],
  ])('%s is a failure', async (finish, kind) => {
    expect((await read(chatReply(finish, { content: 'x' }))).error).toMatchObject({ kind, retryable: true });
  });
});

describe('tool calls', () => {
  const head = (index: number, id: string, args = '', name = 'Read') =>
    callDelta({ index, id, type: 'function', function: { name, arguments: args } });
  const more = (index: number, args: string) => callDelta({ index, function: { arguments: args } });

  it.each<[string, Chunk[], unknown[]]>([
    ['in pieces', [head(0, 'a'), more(0, '{"k"'), more(0, ':1}')], [call('a', 'Read', { k: 1 })]],
    ['whole', [head(0, 'a', '{"k":1}')], [call('a', 'Read', { k: 1 })]],
    ['empty', [head(0, 'a')], [call('a', 'Read', {})]],
    [
      'as an object',
      [callDelta({ index: 0, id: 'a', function: { name: 'Read', arguments: { k: 1 } } })],
      [call('a', 'Read', { k: 1 })],
    ],
    [
      'one after the other',
      [head(0, 'a'), more(0, '{"k":1}'), head(1, 'b'), more(1, '{"k":2}')],
      [call('a', 'Read', { k: 1 }), call('b', 'Read', { k: 2 })],
    ],
    [
      'mixed',
      [head(0, 'a'), head(1, 'b'), more(0, '{"k"'), more(1, '{"k":'), more(0, ':1}'), more(1, '2}')],
      [call('a', 'Read', { k: 1 }), call('b', 'Read', { k: 2 })],
    ],
    [
      'all in one chunk',
      [
        {
          tool_calls: [0, 1].map((index) => ({ index, id: `c${index}`, function: { name: 'Read', arguments: '{}' } })),
        },
      ],
      [call('c0', 'Read', {}), call('c1', 'Read', {})],
    ],
    [
      'all with index 0 and no id',
      [head(0, '', '{"k":1}'), head(0, '', '{"k":2}')],
      [call('call', 'Read', { k: 1 }), call('call_2', 'Read', { k: 2 })],
    ],
    [
      'with index 0 and ids of their own',
      [head(0, 'a', '{"k":1}'), head(0, 'b', '{"k":2}')],
      [call('a', 'Read', { k: 1 }), call('b', 'Read', { k: 2 })],
    ],
    [
      'without an index',
      [
        callDelta({ id: 'a', function: { name: 'Read', arguments: '{"k":1}' } }),
        callDelta({ id: 'b', function: { name: 'Read', arguments: '{"k"' } }),
        callDelta({ id: 'b', function: { arguments: ':2}' } }),
      ],
      [call('a', 'Read', { k: 1 }), call('b', 'Read', { k: 2 })],
    ],
    [
      'with one id for two',
      [head(0, 'same', '{"k":1}'), head(1, 'same', '{"k":2}')],
      [call('same', 'Read', { k: 1 }), call('same_2', 'Read', { k: 2 })],
    ],
    ['with the name in each piece', [head(0, 'a', '{"k"'), head(0, 'a', ':1}')], [call('a', 'Read', { k: 1 })]],
    ['with the name after the arguments', [more(0, '{"k"'), head(0, 'a', ':1}')], [call('call', 'Read', { k: 1 })]],
  ])('%s', async (_, deltas, expected) => {
    expect(await blocks('tool_calls', ...deltas)).toEqual(expected);
  });

  it('stand behind the text before them, and before the text behind them', async () => {
    const content = await blocks('tool_calls', { content: 'a' }, head(0, 'x', '{}'), { content: 'b' });
    expect(content.map((block) => block.type)).toEqual(['text', 'tool_use', 'text']);
  });

  it('are open for as long as they are not whole, and over when the next begins', async () => {
    const { events } = await read(chatReply('tool_calls', head(0, 'a', '{"k":1}'), head(1, 'b', '{')));
    const shape = events.slice(1, -2).map((event) => event.type.replace('content_block_', ''));
    expect(shape).toEqual(['start', 'delta', 'stop', 'start', 'delta', 'stop']);
  });

  it('keep a key named __proto__ as a key', async () => {
    const [first] = await blocks('tool_calls', head(0, 'a', '{"__proto__":{"x":1}}'));
    const input = first?.type === 'tool_use' ? (first.input as object) : {};
    expect(Object.hasOwn(input, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
  });

  it('get ids that any history may hold', async () => {
    const content = await blocks('tool_calls', head(0, 'functions.Read:0', '{}'), head(1, 'x'.repeat(200), '{}'));
    for (const block of content) expect(block.type === 'tool_use' && block.id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  it('of the next reply get other ids, though the server counts from 0 again', async () => {
    const { provider } = await serveChat(chatReply('tool_calls', head(0, 'call_0', '{}')));
    const ids: unknown[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const [block] = foldEvents((await attempt(provider)).events).content;
      ids.push(block?.type === 'tool_use' && block.id);
    }
    expect(new Set(ids).size).toBe(3);
    expect(ids[0]).toBe('call_0');
  });

  it.each<[string, Chunk[]]>([
    ['without a name', [more(0, '{}')]],
    ['that go on when they were over', [head(0, 'a', '{}'), head(1, 'b', '{}'), more(0, '{}')]],
    ['that are no objects', [{ tool_calls: ['x'] }]],
  ])('%s are malformed', async (_, deltas) => {
    expect((await read(chatReply('tool_calls', ...deltas))).error?.kind).toBe('malformed');
  });
});

describe('the end', () => {
  const whole = chatReply('stop', { content: 'x' });

  it.each<[string, string, string]>([
    ['neither end marker nor finish reason', chunkFrame(delta({ content: 'x' })), 'stream_cut'],
    ['no finish reason', `${chunkFrame(delta({ content: 'x' }))}${DONE}`, 'malformed'],
    ['an end marker alone', DONE, 'malformed'],
    [
      'more after the finish reason',
      `${chunkFrame(delta({}, 'stop'))}${chunkFrame(delta({ content: 'x' }))}${DONE}`,
      'malformed',
    ],
    ['an event that is not JSON', `${chunkFrame(delta({ content: 'x' }))}data: {"id\n\n`, 'malformed'],
    ['an event that is not an object', `${chunkFrame(delta({ content: 'x' }))}data: [1]\n\n`, 'malformed'],
  ])('%s is a failure', async (_, body, kind) => {
    expect((await read(body)).error).toMatchObject({ kind, retryable: true });
  });

  it('is the end of the body without a marker, once there was a finish reason', async () => {
    expect((await fold(whole.replace(DONE, ''))).stop_reason).toBe('end_turn');
    const usage = { prompt_tokens: 5, completion_tokens: 2 };
    const counted = `${chunkFrame(delta({ content: 'x' }, 'stop'))}${chunkFrame({ choices: [], usage })}`;
    expect((await fold(counted)).usage).toMatchObject({ input_tokens: 5, output_tokens: 2 });
  });

  it('is no end if the connection breaks off, though there was a finish reason', async () => {
    const { provider } = await serveChat((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(whole.replace(DONE, ''), () => response.socket?.destroy());
    });
    expect((await attempt(provider)).error).toMatchObject({ kind: 'stream_cut', retryable: true });
  });

  it('comes with the marker, though the connection stays open', async () => {
    const { provider } = await serveChat((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`${whole}data: {broken\n\n`);
    });
    expect((await attempt(provider)).error).toBeNull();
  });
});

describe('usage', () => {
  const used = async (usage: unknown, quirks: ChatQuirks = {}) => {
    const body = `${chunkFrame(delta({ content: 'x' }, 'stop'))}${chunkFrame({ choices: [], usage })}${DONE}`;
    return (await fold(body, quirks)).usage;
  };

  it.each<[string, unknown, [number, number, number, number], ChatQuirks?]>([
    ['without details', { prompt_tokens: 5, completion_tokens: 2 }, [5, 2, 0, 0]],
    ['of DeepSeek', { prompt_tokens: 5, completion_tokens: 2, prompt_cache_hit_tokens: 3 }, [2, 2, 0, 3]],
    [
      'with cache writes',
      { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 4 } },
      [2, 2, 4, 3],
    ],
    [
      'with reasoning within',
      { prompt_tokens: 5, completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 6 } },
      [5, 7, 0, 0],
    ],
    [
      'with reasoning apart',
      { prompt_tokens: 5, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 6 } },
      [5, 7, 0, 0],
      CHAT_QUIRKS.xai,
    ],
    [
      'with reasoning in the total only',
      { prompt_tokens: 5, completion_tokens: 1, total_tokens: 12 },
      [5, 7, 0, 0],
      CHAT_QUIRKS.gemini,
    ],
    [
      'with more cached than asked',
      { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 50 } },
      [0, 1, 0, 5],
    ],
    ['that is missing', null, [0, 0, 0, 0]],
    ['that is odd', { prompt_tokens: -1, completion_tokens: 'x' }, [0, 0, 0, 0]],
  ])('%s', async (_, usage, [input, output, write, cached], quirks) => {
    expect(await used(usage, quirks)).toEqual({
      input_tokens: input,
      output_tokens: output,
      cache_creation_input_tokens: write,
      cache_read_input_tokens: cached,
    });
  });

  it('that comes with each chunk counts once', async () => {
    const counted = (n: number) => ({ ...delta({ content: 'x' }), usage: { prompt_tokens: 5, completion_tokens: n } });
    const body = [counted(1), counted(2), delta({}, 'stop'), counted(3), usageChunk].slice(0, 3);
    expect((await fold(body.map(chunkFrame).join('') + DONE)).usage).toMatchObject({
      input_tokens: 5,
      output_tokens: 2,
    });
  });
});

describe('failures inside a stream', () => {
  it.each<[unknown, string]>([
    [{ error: { message: 'Overloaded', type: 'server_error', code: 'server_overloaded' } }, 'overloaded'],
    [{ error: { code: 429, message: 'Rate limited' } }, 'rate_limit'],
    [
      {
        error: { code: 502, message: 'Provider returned error' },
        choices: [{ index: 0, delta: {}, finish_reason: 'error' }],
      },
      'server',
    ],
    [{ error: 'the request exceeds the available context size' }, 'context_overflow'],
    [{ object: 'error', message: 'bad', code: 400 }, 'invalid_request'],
  ])('%j', async (event, kind) => {
    const { events, error } = await read(chunkFrame(delta({ content: 'x' })) + chunkFrame(event));
    expect(events.map(({ type }) => type)).toEqual(['message_start', 'content_block_start', 'content_block_delta']);
    expect(error?.kind).toBe(kind);
  });

  it('never repeat the key', async () => {
    const { provider, server } = await serveChat((response, seen) =>
      plain(401, JSON.stringify({ error: { message: `bad ${seen.headers.authorization}`, code: 'invalid_api_key' } }))(
        response,
        seen,
      ),
    );
    const { error } = await attempt(provider);
    expect(server.requests[0]?.path).toBe('/v1/chat/completions');
    expect(error).toMatchObject({ kind: 'authentication', retryable: false });
    expect(error?.message).toContain('"openai"');
    expect(error?.message).not.toContain('secret');
  });
});

describe('a server whose models may write calls as text', () => {
  const offered = { tools: [{ name: 'Read', description: 'Reads.', input_schema: { type: 'object' } }] };
  const written = '<tool_call>{"name": "Read", "arguments": {"file_path": "a"}}</tool_call>';

  it('gives them as calls, and texts of models that keep to the API as texts', async () => {
    const kinds = async (model: string, quirks: ChatQuirks) => {
      const { provider } = await serveChat(chatReply('stop', { content: written }), { quirks });
      const { events } = await attempt(provider, { request: { ...REQUEST, ...offered, model } });
      return foldEvents(events).content.map(({ type }) => type);
    };
    expect(await kinds('qwen3', CHAT_QUIRKS.ollama)).toEqual(['tool_use']);
    expect(await kinds('anthropic/claude-sonnet-4-5', CHAT_QUIRKS.openrouter)).toEqual(['text']);
    expect(await kinds('qwen3', {})).toEqual(['text']);
  });
});
