// A model object of the AI SDK (v4) that follows the scripts of the mock server, and keeps what it was asked.
import { ReadableStream } from 'node:stream/web';
import type { StopReason, Usage } from '../../src/protocol/content.js';
import type { ContentBlockStart, ModelEvent } from '../../src/protocol/model-events.js';
import type { AiSdkLanguageModel, Fields } from '../../src/providers/ai-sdk/language-model.js';
import { streamReply } from '../../src/testing/script-events.js';
import { createScriptIds, planReply, type ScriptedAnswer, text } from '../../src/testing/script-steps.js';

export interface ScriptedAiSdkModel extends AiSdkLanguageModel {
  /** What was asked, as JSON has it: bytes are base64. */
  readonly requests: { readonly body: unknown }[];
  readonly supportedUrls: unknown;
}

export function scriptedAiSdkModel(answer: () => ScriptedAnswer | Record<string, never>): ScriptedAiSdkModel {
  const requests: { readonly body: unknown }[] = [];
  const ids = createScriptIds();
  return {
    specificationVersion: 'v4',
    provider: 'fake.chat',
    modelId: 'gpt-5.2',
    supportedUrls: { 'image/*': [/^https:/] },
    requests,
    async doStream(options: never) {
      requests.push({ body: plainJson(options) });
      const requestId = ids.next('req');
      const step = answer();
      const plan = planReply(Object.keys(step).length === 0 ? text('ok') : (step as ScriptedAnswer));
      const events = plan === null ? [] : streamReply(plan, { model: 'gpt-5.2', ids, requestSize: 100, chunkSize: 16 });
      const parts = [...events].flatMap(createWriter());
      const stream = new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream, response: { headers: { 'x-request-id': requestId } } };
    },
  };
}

function plainJson(options: unknown): unknown {
  const bytes = (_key: string, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
  return JSON.parse(JSON.stringify(options, bytes));
}

const REASONS: Readonly<Record<StopReason, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content-filter',
};

/** The parts that an event becomes. */
function createWriter(): (event: ModelEvent) => Fields[] {
  let usage: Partial<Usage> = {};
  let reason = 'stop';
  let open: { readonly start: ContentBlockStart; signature: string; json: string } | null = null;
  return (event) => {
    switch (event.type) {
      case 'message_start':
        usage = event.message.usage;
        return [{ type: 'response-metadata', id: event.message.id, modelId: event.message.model }];
      case 'content_block_start': {
        open = { start: event.content_block, signature: '', json: '' };
        const id = String(event.index);
        if (open.start.type === 'text') return [{ type: 'text-start', id }];
        if (open.start.type !== 'tool_use') return [{ type: 'reasoning-start', id }];
        return [{ type: 'tool-input-start', id: open.start.id, toolName: open.start.name }];
      }
      case 'content_block_delta': {
        const { delta } = event;
        const id = String(event.index);
        if (delta.type === 'text_delta') return [{ type: 'text-delta', id, delta: delta.text }];
        if (delta.type === 'thinking_delta') return [{ type: 'reasoning-delta', id, delta: delta.thinking }];
        if (open === null) return [];
        if (delta.type === 'signature_delta') open.signature += delta.signature;
        if (delta.type !== 'input_json_delta' || open.start.type !== 'tool_use') return [];
        open.json += delta.partial_json;
        return [{ type: 'tool-input-delta', id: open.start.id, delta: delta.partial_json }];
      }
      case 'content_block_stop':
        return open === null ? [] : closeBlock(open, String(event.index));
      case 'message_delta':
        usage = { ...usage, ...event.usage };
        reason = REASONS[event.delta.stop_reason ?? 'end_turn'];
        return [];
      case 'message_stop':
        return [{ type: 'finish', finishReason: { unified: reason, raw: reason }, usage: usageOf(usage) }];
      default:
        return event satisfies never;
    }
  };
}

function closeBlock(
  { start, signature, json }: { readonly start: ContentBlockStart; readonly signature: string; readonly json: string },
  id: string,
): Fields[] {
  if (start.type === 'text') return [{ type: 'text-end', id }];
  if (start.type !== 'tool_use') return [{ type: 'reasoning-end', id, providerMetadata: { fake: { signature } } }];
  const call = { type: 'tool-call', toolCallId: start.id, toolName: start.name, input: json === '' ? '{}' : json };
  return [{ type: 'tool-input-end', id: start.id }, call];
}

function usageOf(usage: Partial<Usage>): Fields {
  const { input_tokens = 0, output_tokens = 0, cache_creation_input_tokens = 0, cache_read_input_tokens = 0 } = usage;
  return {
    inputTokens: {
      total: input_tokens + cache_creation_input_tokens + cache_read_input_tokens,
      noCache: input_tokens,
      cacheRead: cache_read_input_tokens,
      cacheWrite: cache_creation_input_tokens,
    },
    outputTokens: { total: output_tokens, text: output_tokens, reasoning: 0 },
  };
}
