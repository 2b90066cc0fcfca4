// Signed thinking of any characters: from the bytes of a stream, cut at every byte, through transcript and resume into
// the next request. One rule: not a character of it may change, or the API refuses the conversation for good.
import { expect } from 'vitest';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import type { AssistantBlock, MessageParam, ModelEvent } from '../../../src/protocol/content.js';
import { createEventDecoder } from '../../../src/providers/anthropic/anthropic.js';
import { createBodyBuilder } from '../../../src/providers/anthropic/request-body.js';
import type { Provider } from '../../../src/providers/contract/provider.js';
import { streamEvents } from '../../../src/providers/http/event-stream.js';
import type { HttpTransport } from '../../../src/providers/http/http-exchange.js';
import { query } from '../../../src/sdk/query.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { bodyText } from '../body-text.js';
import { createRandom, type Random } from './random.js';

const SESSION = '22222222-2222-4222-8222-222222222222';
/** Replies of a session: more would only make its requests longer. */
const REPLIES = 10;
const PIECES = ['a', ' ', '\n', '\u0000', '\ud800', '\udfff', '\udc00\ud800', '😀', '測試', 'שלום', '\u202e', '\ufeff'];
const MORE_PIECES = [
  '"',
  '\\',
  '\u2028',
  'e\u0301',
  '\u{10ffff}',
  '\uffff',
  '</thinking>',
  '\\ud800',
  '&amp;',
  '\u007f',
];

export interface SignedThinking {
  /** Signed blocks that made the whole way. */
  readonly blocks: number;
  /** Bytes at which a stream was cut into pieces. */
  readonly cuts: number;
}

export async function checkSignedThinking(blocks: number, seed: number): Promise<SignedThinking> {
  const random = createRandom(seed);
  let [done, cuts] = [0, 0];
  while (done < blocks) {
    const replies = Array.from({ length: REPLIES }, () => randomReply(random));
    const wire = byteByByte(replies);
    const host = createMemoryHost();
    for (const at of [...replies.keys(), REPLIES]) {
      const resume = at === 0 ? { sessionId: SESSION } : { resume: SESSION };
      const options = { provider: wire.provider, host, cwd: '/project', tools: [], redactSecrets: true, ...resume };
      expect(lastResult(await collect(query({ prompt: `prompt ${at}`, options }))).subtype).toBe('success');
    }
    // The last request, from a session that was read back, holds every reply; so do the bytes of its body.
    const sent = replies.map((reply) => JSON.stringify(reply.filter(isSigned)));
    expect(signedIn(wire.lastMessages())).toEqual(sent);
    expect(signedIn((JSON.parse(wire.lastBody()) as { messages: MessageParam[] }).messages)).toEqual(sent);
    done += replies.flat().filter(isSigned).length;
    cuts += wire.cuts();
  }
  return { blocks: done, cuts };
}

function isSigned({ type }: AssistantBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function signedIn(messages: readonly MessageParam[]): string[] {
  const replies = messages.filter(({ role }) => role === 'assistant');
  return replies.map(({ content }) =>
    // As the wire has it: the order of keys does not count, a lone surrogate is an escape.
    JSON.stringify(typeof content === 'string' ? [] : (content as AssistantBlock[]).filter(isSigned).map(bare)),
  );
}

/** Without what the request says of caching. */
function bare(block: AssistantBlock): AssistantBlock {
  if (block.type === 'thinking')
    return { type: 'thinking', thinking: block.thinking, signature: block.signature ?? '' };
  return block.type === 'redacted_thinking' ? { type: 'redacted_thinking', data: block.data } : block;
}

function randomReply(random: Random): AssistantBlock[] {
  const thoughts = Array.from({ length: random.int(1, 3) }, (): AssistantBlock => {
    const signature = Buffer.from(Array.from({ length: random.int(1, 60) }, () => random.int(0, 255))).toString(
      'base64',
    );
    if (random.chance(0.15)) return { type: 'redacted_thinking', data: signature };
    return { type: 'thinking', thinking: randomText(random), signature };
  });
  return [...thoughts, { type: 'text', text: 'answer' }];
}

function randomText(random: Random): string {
  const length = random.pick([0, 1, 2, 8, 40]);
  return Array.from({ length }, () =>
    random.chance(0.1) ? String.fromCharCode(random.int(0, 0xffff)) : random.pick([...PIECES, ...MORE_PIECES]),
  ).join('');
}

/** The Messages API, each byte of its replies in a chunk of its own. */
function byteByByte(replies: readonly AssistantBlock[][]) {
  const bodies = createBodyBuilder();
  let [calls, cuts, body] = [0, 0, ''];
  let messages: readonly MessageParam[] = [];
  const transport: HttpTransport = {
    send(_request, sink) {
      const bytes = Buffer.from(wireText(calls, replies[calls] ?? [{ type: 'text', text: 'the end' }]), 'utf8');
      calls += 1;
      cuts += bytes.length - 1;
      queueMicrotask(() => {
        sink.head(200, (name) => (name === 'content-type' ? 'text/event-stream' : null));
        for (const byte of bytes) sink.data(Uint8Array.of(byte));
        sink.end();
      });
      const nothing = (): void => undefined;
      return { pause: nothing, resume: nothing, release: nothing, cancel: nothing };
    },
    close: () => undefined,
  };
  const clock = createMemoryHost().clock;
  const provider: Provider = {
    id: 'anthropic',
    stream(request, limits, signal) {
      messages = request.messages;
      body = bodyText(bodies.build(request));
      return streamEvents<ModelEvent>({
        transport: async () => transport,
        request: () => ({ url: new URL('http://127.0.0.1/v1/messages'), headers: {}, body }),
        limits,
        clock,
        signal,
        decode: createEventDecoder([]).decode,
        classify: ({ text }) => {
          throw new Error(`A plain answer: ${text}`);
        },
      });
    },
  };
  return { provider, cuts: () => cuts, lastMessages: () => messages, lastBody: () => body };
}

function wireText(call: number, blocks: readonly AssistantBlock[]): string {
  const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const head = { id: `msg_${call}`, type: 'message', role: 'assistant', model: 'claude-test', content: [] };
  const events: ({ readonly type: string } & Record<string, unknown>)[] = [
    { type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null, usage } },
  ];
  for (const [index, block] of blocks.entries()) {
    const deltas = deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta }));
    const empty =
      block.type === 'thinking' ? { type: 'thinking', thinking: '', signature: '' } : { ...block, text: '' };
    const start = block.type === 'redacted_thinking' ? block : empty;
    events.push({ type: 'content_block_start', index, content_block: start }, ...deltas);
    events.push({ type: 'content_block_stop', index });
  }
  events.push({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage });
  events.push({ type: 'message_stop' });
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function deltasOf(block: AssistantBlock): object[] {
  if (block.type === 'text') return [{ type: 'text_delta', text: block.text }];
  if (block.type !== 'thinking') return [];
  // Cut between the halves of a pair too.
  const middle = Math.floor(block.thinking.length / 2);
  return [
    { type: 'thinking_delta', thinking: block.thinking.slice(0, middle) },
    { type: 'thinking_delta', thinking: block.thinking.slice(middle) },
    { type: 'signature_delta', signature: block.signature ?? '' },
  ];
}
