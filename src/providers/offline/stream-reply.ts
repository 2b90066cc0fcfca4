// A reply as the stream of a model: words of text, then tool calls in fragments of JSON. Pure, but for the ids given.
import type { StopReason, Usage } from '../../protocol/content.js';
import type { ModelEvent } from '../../protocol/model-events.js';
import type { Call } from './flow.js';

export interface Reply {
  readonly messageId: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly call: Call }[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The request, or a part of it, was not understood: the reply says so, and the prompt is no success. */
  readonly refuses: boolean;
}

/** Deltas of one block at most; longer text comes in longer pieces. */
const MAX_DELTAS = 800;
const JSON_PIECE = 48;

/** Contract: a valid sequence of model events; the pieces of a block join to exactly its content. */
export function* replyEvents(reply: Reply): Generator<ModelEvent> {
  const usage: Usage = {
    input_tokens: reply.inputTokens,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  const head = {
    id: reply.messageId,
    type: 'message',
    role: 'assistant',
    model: 'offline',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  } as const;
  yield { type: 'message_start', message: head };
  let index = 0;
  if (reply.text !== '') {
    yield { type: 'content_block_start', index, content_block: { type: 'text', text: '' } };
    for (const text of pieces(reply.text))
      yield { type: 'content_block_delta', index, delta: { type: 'text_delta', text } };
    yield { type: 'content_block_stop', index };
    index += 1;
  }
  for (const { id, call } of reply.calls) {
    yield { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: call.name, input: {} } };
    for (const partial_json of slices(JSON.stringify(call.input))) {
      yield { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } };
    }
    yield { type: 'content_block_stop', index };
    index += 1;
  }
  const stop_reason: StopReason = reply.calls.length > 0 ? 'tool_use' : reply.refuses ? 'refusal' : 'end_turn';
  yield {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { ...usage, output_tokens: reply.outputTokens },
  };
  yield { type: 'message_stop' };
}

/** Words with the space behind them, several at once where there are very many. */
function* pieces(text: string): Generator<string> {
  const least = Math.ceil(text.length / MAX_DELTAS);
  let piece = '';
  for (const [word] of text.matchAll(/\s*\S+\s?|\s+/g)) {
    piece += word;
    if (piece.length < least) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function* slices(json: string): Generator<string> {
  const size = Math.max(JSON_PIECE, Math.ceil(json.length / MAX_DELTAS));
  for (let start = 0; start < json.length; start += size) yield json.slice(start, start + size);
}
