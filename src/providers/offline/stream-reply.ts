// A reply as the stream of a model: words of text, then tool calls in fragments of JSON.
import type { Usage } from '../../protocol/content.js';
import type { ModelEvent } from '../../protocol/model-events.js';
import type { Call } from './flow.js';

export interface Reply {
  readonly messageId: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly call: Call }[];
  readonly stopReason: 'tool_use' | 'refusal' | 'end_turn';
  readonly inputTokens: number;
  readonly outputTokens: number;
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
  const head = { id: reply.messageId, type: 'message', role: 'assistant', model: 'offline', content: [] } as const;
  yield { type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null, usage } };
  if (reply.text !== '') {
    yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
    for (const text of wordsOf(reply.text))
      yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
    yield { type: 'content_block_stop', index: 0 };
  }
  for (const [position, { id, call }] of reply.calls.entries()) {
    const index = position + (reply.text === '' ? 0 : 1);
    yield { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: call.name, input: {} } };
    const json = JSON.stringify(call.input);
    const size = Math.max(JSON_PIECE, Math.ceil(json.length / MAX_DELTAS));
    for (let start = 0; start < json.length; start += size) {
      const partial_json = json.slice(start, start + size);
      yield { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } };
    }
    yield { type: 'content_block_stop', index };
  }
  const delta = { stop_reason: reply.stopReason, stop_sequence: null };
  yield { type: 'message_delta', delta, usage: { ...usage, output_tokens: reply.outputTokens } };
  yield { type: 'message_stop' };
}

/** Words with the space behind them, several at once if there are very many. */
function wordsOf(text: string): readonly string[] {
  const words = text.match(/\s*\S+\s?|\s+/g) ?? [];
  const size = Math.ceil(words.length / MAX_DELTAS);
  return words.flatMap((_, index) => (index % size === 0 ? [words.slice(index, index + size).join('')] : []));
}
