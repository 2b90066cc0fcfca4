// How the mock writes one long text in each protocol: what comes first, one delta, what comes last.
const USAGE = { input_tokens: 100, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
const WORD = 'word ';

/** A server-sent event of the Messages API. */
export function frame(type, fields) {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

export const MESSAGE_START = frame('message_start', {
  message: {
    id: 'msg_bench',
    type: 'message',
    role: 'assistant',
    model: 'mock-model',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: USAGE,
  },
});

/** What follows the blocks of a message. */
export function messageEnd(stopReason) {
  const delta = { stop_reason: stopReason, stop_sequence: null };
  return frame('message_delta', { delta, usage: { output_tokens: 20 } }) + frame('message_stop', {});
}

export const BLOCK_STOP = frame('content_block_stop', { index: 0 });

const messages = {
  path: '/v1/messages',
  head: MESSAGE_START + frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  delta: frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: WORD } }),
  tail: () => BLOCK_STOP + messageEnd('end_turn'),
};

const CHUNK = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 0, model: 'mock-model' };
const chunk = (fields) => `data: ${JSON.stringify({ ...CHUNK, ...fields })}\n\n`;
const choice = (delta, finish_reason = null) => chunk({ choices: [{ index: 0, delta, finish_reason }] });
const chat = {
  path: '/chat/completions',
  head: choice({ role: 'assistant', content: '' }),
  delta: choice({ content: WORD }),
  tail: () =>
    choice({}, 'stop') +
    chunk({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } }) +
    'data: [DONE]\n\n',
};

const AT = { output_index: 0, item_id: 'msg_bench' };
const RESPONSE = { id: 'resp_bench', object: 'response', created_at: 0, model: 'mock-model', output: [] };
const part = (text) => ({ type: 'output_text', text, annotations: [] });
const item = (content) => ({ type: 'message', id: AT.item_id, role: 'assistant', content });
const responses = {
  path: '/responses',
  head:
    frame('response.created', { response: { ...RESPONSE, status: 'in_progress' } }) +
    frame('response.output_item.added', { output_index: 0, item: item([]) }) +
    frame('response.content_part.added', { ...AT, content_index: 0, part: part('') }),
  delta: frame('response.output_text.delta', { ...AT, content_index: 0, delta: WORD }),
  tail(deltas) {
    const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
    return (
      frame('response.output_item.done', { output_index: 0, item: item([part(WORD.repeat(deltas))]) }) +
      frame('response.completed', { response: { ...RESPONSE, status: 'completed', usage } })
    );
  },
};

export const WIRES = [messages, chat, responses];
