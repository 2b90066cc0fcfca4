// The mock server's Chat Completions: the same scripts as chunks. Written from the API reference and apart from the
// provider's own decoder, so that a test can hold one against the other.
import type { AssistantMessage, ModelEvent, StopReason, Usage } from '../../protocol/content.js';
import { createChatCheck } from '../wire/index.js';
import { createFrames, type MockWire, openAIErrorBody } from './mock-wire.js';

const DONE = 'data: [DONE]\n\n';
const BROKEN_FRAME = 'data: {"id":"chatcmpl-1","choices":[{"index":0,"del\n\n';

const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};

/** The Chat Completions API. */
export const CHAT_WIRE: MockWire = {
  path: '/chat/completions',
  requestIdHeader: 'x-request-id',
  ping: ': keep-alive\n\n',
  frames: createFrames({
    broken: BROKEN_FRAME,
    // The finish reason stands before the first delta.
    isMoved: (text) => /"finish_reason":"/.test(text),
    createWriter: (withUsage) => {
      const write = createWriter(withUsage);
      return (event) => {
        const text = write(event);
        return text === null ? [] : [text];
      };
    },
  }),
  errorBody: openAIErrorBody,
  errorFrame: (type, message) => frame(openAIErrorBody(500, type, message)),
  document: toDocument,
  createCheck: createChatCheck,
};

function frame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The frames an event becomes; null for one that Chat Completions has no word for. */
function createWriter(withUsage: boolean): (event: ModelEvent) => string | null {
  let head: Record<string, unknown> = {};
  let usage: Partial<Usage> = {};
  let calls = -1;
  const chunk = (delta: unknown, finish: string | null = null) =>
    frame({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
  return (event) => {
    switch (event.type) {
      case 'message_start':
        head = {
          id: `chatcmpl-${event.message.id}`,
          object: 'chat.completion.chunk',
          created: 0,
          model: event.message.model,
        };
        usage = event.message.usage;
        return chunk({ role: 'assistant', content: '' });
      case 'content_block_start': {
        const block = event.content_block;
        if (block.type !== 'tool_use') return null;
        calls++;
        const called = { name: block.name, arguments: '' };
        return chunk({ tool_calls: [{ index: calls, id: block.id, type: 'function', function: called }] });
      }
      case 'content_block_delta':
        return writeDelta(event.delta, calls, chunk);
      case 'content_block_stop':
        return null;
      case 'message_delta':
        usage = { ...usage, ...event.usage };
        return chunk({}, FINISH_REASONS[event.delta.stop_reason ?? 'end_turn']);
      case 'message_stop':
        return withUsage ? frame({ ...head, choices: [], usage: chatUsage(usage) }) + DONE : DONE;
      default:
        return event satisfies never;
    }
  };
}

function writeDelta(
  delta: Extract<ModelEvent, { type: 'content_block_delta' }>['delta'],
  call: number,
  chunk: (delta: unknown) => string,
): string | null {
  if (delta.type === 'text_delta') return chunk({ content: delta.text });
  if (delta.type === 'thinking_delta') return chunk({ reasoning_content: delta.thinking });
  if (delta.type === 'signature_delta') return null;
  return chunk({ tool_calls: [{ index: call, function: { arguments: delta.partial_json } }] });
}

function chatUsage(usage: Partial<Usage>): unknown {
  const { input_tokens = 0, output_tokens = 0, cache_creation_input_tokens = 0, cache_read_input_tokens = 0 } = usage;
  const prompt = input_tokens + cache_creation_input_tokens + cache_read_input_tokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: output_tokens,
    total_tokens: prompt + output_tokens,
    prompt_tokens_details: { cached_tokens: cache_read_input_tokens, cache_write_tokens: cache_creation_input_tokens },
  };
}

function toDocument(message: AssistantMessage): unknown {
  const content = message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  const finish = FINISH_REASONS[message.stop_reason ?? 'end_turn'];
  return {
    id: `chatcmpl-${message.id}`,
    object: 'chat.completion',
    model: message.model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }],
    usage: chatUsage(message.usage),
  };
}
