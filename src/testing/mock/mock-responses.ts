// The mock server's Responses API: the same scripts as its events. Written from the API reference and apart from the
// provider's own decoder, so that a test can hold one against the other.
import type { AssistantMessage, ContentBlockStart, ModelEvent, Usage } from '../../protocol/content.js';
import { createResponsesCheck } from '../wire/index.js';
import { createFrames, type MockWire, openAIError, openAIErrorBody } from './mock-wire.js';

const BROKEN_FRAME = 'event: response.output_text.delta\ndata: {"type":"response.output_text.del\n\n';

/** The Responses API. */
export const RESPONSES_WIRE: MockWire = {
  path: '/responses',
  requestIdHeader: 'x-request-id',
  ping: 'event: keepalive\ndata: {"type":"keepalive","sequence_number":0}\n\n',
  frames: createFrames({
    broken: BROKEN_FRAME,
    // The first delta stands before its item.
    isMoved: (text) => text.includes('.delta"'),
    createWriter,
  }),
  errorBody: openAIErrorBody,
  errorFrame(type, message) {
    const { code, message: text } = openAIError(type, message);
    return frame({ type: 'error', code, message: text, param: null });
  },
  document: (message) => ({
    ...head(message),
    status: 'completed',
    output: message.content.flatMap((block) =>
      block.type === 'text' ? [{ type: 'message', role: 'assistant', content: [textPart(block.text)] }] : [],
    ),
    usage: responsesUsage(message.usage),
  }),
  createCheck: () => createResponsesCheck(),
};

function frame(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The item that streams. */
interface Streamed {
  readonly start: ContentBlockStart;
  readonly index: number;
  /** The reply's own, because ids of items never come twice. */
  readonly reply: string;
  text: string;
  signature: string;
}

function createWriter(withUsage: boolean): (event: ModelEvent) => string[] {
  let response: Record<string, unknown> = {};
  let usage: Partial<Usage> = {};
  let end: 'completed' | 'incomplete' = 'completed';
  let item: Streamed | null = null;
  let index = -1;
  return (event) => {
    switch (event.type) {
      case 'message_start':
        response = head(event.message);
        usage = event.message.usage;
        return [frame({ type: 'response.created', response: { ...response, status: 'in_progress' } })];
      case 'content_block_start':
        item = { start: event.content_block, index: ++index, reply: String(response['id']), text: '', signature: '' };
        return openItem(item);
      case 'content_block_delta':
        return item === null ? [] : writeDelta(item, event.delta);
      case 'content_block_stop':
        return item === null ? [] : closeItem(item);
      case 'message_delta': {
        usage = { ...usage, ...event.usage };
        const { stop_reason: reason } = event.delta;
        end = reason === 'max_tokens' || reason === 'refusal' ? 'incomplete' : 'completed';
        const why = reason === 'refusal' ? 'content_filter' : 'max_output_tokens';
        response = { ...response, incomplete_details: end === 'incomplete' ? { reason: why } : null };
        return [];
      }
      case 'message_stop': {
        const whole = { ...response, status: end, ...(withUsage ? { usage: responsesUsage(usage) } : {}) };
        return [frame({ type: `response.${end}`, response: whole })];
      }
      default:
        return event satisfies never;
    }
  };
}

function openItem({ start, index, reply }: Streamed): string[] {
  const at = { output_index: index, item_id: `item_${index}` };
  const added = (item: object) => frame({ type: 'response.output_item.added', output_index: index, item });
  if (start.type === 'tool_use') {
    return [
      added({ type: 'function_call', id: `fc_${reply}_${index}`, call_id: start.id, name: start.name, arguments: '' }),
    ];
  }
  if (start.type !== 'text') return [added({ type: 'reasoning', id: `rs_${reply}_${index}`, summary: [] })];
  const part = { type: 'response.content_part.added', ...at, content_index: 0, part: textPart('') };
  return [added({ type: 'message', id: `msg_${reply}_${index}`, role: 'assistant', content: [] }), frame(part)];
}

function writeDelta(item: Streamed, delta: Extract<ModelEvent, { type: 'content_block_delta' }>['delta']): string[] {
  const at = { output_index: item.index, item_id: `item_${item.index}` };
  switch (delta.type) {
    case 'text_delta':
      item.text += delta.text;
      return [frame({ type: 'response.output_text.delta', ...at, content_index: 0, delta: delta.text })];
    case 'input_json_delta':
      item.text += delta.partial_json;
      return [frame({ type: 'response.function_call_arguments.delta', ...at, delta: delta.partial_json })];
    case 'thinking_delta': {
      const part = { type: 'response.reasoning_summary_part.added', ...at, summary_index: 0 };
      const text = { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: delta.thinking };
      const isFirst = item.text === '';
      item.text += delta.thinking;
      return isFirst ? [frame(part), frame(text)] : [frame(text)];
    }
    case 'signature_delta':
      item.signature += delta.signature;
      return [];
    default:
      return delta satisfies never;
  }
}

function closeItem({ start, index, reply, text, signature }: Streamed): string[] {
  const done = (item: object) => [frame({ type: 'response.output_item.done', output_index: index, item })];
  if (start.type === 'tool_use') {
    // The mock streams no delta for an input without content; the API says `{}`.
    const args = text === '' ? '{}' : text;
    const at = { output_index: index, item_id: `item_${index}` };
    return [
      frame({ type: 'response.function_call_arguments.done', ...at, arguments: args }),
      ...done({
        type: 'function_call',
        id: `fc_${reply}_${index}`,
        call_id: start.id,
        name: start.name,
        arguments: args,
      }),
    ];
  }
  if (start.type === 'text') {
    return done({ type: 'message', id: `msg_${reply}_${index}`, role: 'assistant', content: [textPart(text)] });
  }
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  const encrypted = start.type === 'redacted_thinking' ? start.data : signature;
  return done({
    type: 'reasoning',
    id: `rs_${reply}_${index}`,
    summary,
    encrypted_content: encrypted === '' ? null : encrypted,
  });
}

function textPart(text: string): object {
  return { type: 'output_text', text, annotations: [] };
}

function head(message: AssistantMessage): Record<string, unknown> {
  return { id: `resp_${message.id}`, object: 'response', created_at: 0, model: message.model, output: [] };
}

function responsesUsage(usage: Partial<Usage>): unknown {
  const { input_tokens = 0, output_tokens = 0, cache_creation_input_tokens = 0, cache_read_input_tokens = 0 } = usage;
  const input = input_tokens + cache_creation_input_tokens + cache_read_input_tokens;
  return {
    input_tokens: input,
    output_tokens,
    total_tokens: input + output_tokens,
    input_tokens_details: { cached_tokens: cache_read_input_tokens, cache_write_tokens: cache_creation_input_tokens },
    output_tokens_details: { reasoning_tokens: 0 },
  };
}
