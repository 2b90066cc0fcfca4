// Sends a text as a model's reply through the wrapper.

import type { ModelEvent } from '../../../src/protocol/content.js';
import type { ModelRequest, Provider } from '../../../src/providers/contract/provider.js';
import type { ToolCallProfile } from '../../../src/providers/text-calls/call-form.js';
import { withToolCallText } from '../../../src/providers/text-calls/tool-call-text.js';
import { collect, foldEvents } from '../../../src/testing/model/collect.js';
import { reply, type ScriptedBlock, text } from '../../../src/testing/model/script.js';
import { type ScriptedStep, scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { ask, LIMITS, modelRequest } from '../../testing/support.js';
import { TOOLS } from './corpus.js';

export const REQUEST: ModelRequest = modelRequest([ask('Go on.')], { tools: TOOLS });

export async function eventsOf(
  provider: Provider,
  request: ModelRequest = REQUEST,
  profile: ToolCallProfile = 'auto',
): Promise<ModelEvent[]> {
  const wrapped = withToolCallText(provider, profile);
  return await collect<ModelEvent>(wrapped.stream(request, LIMITS, new AbortController().signal));
}

/** The message that a reply of these blocks becomes. */
export async function readBlocks(blocks: readonly ScriptedBlock[], request?: ModelRequest, chunkSize = 7) {
  const step: ScriptedStep = reply(...blocks);
  return foldEvents(await eventsOf(scriptedModel([step], { chunkSize }), request));
}

/** The same for one text. */
export async function readText(value: string, chunkSize?: number) {
  return await readBlocks([text(value)], REQUEST, chunkSize);
}

/** The calls of a message, without their ids. */
export function callsIn(message: { readonly content: readonly { readonly type: string }[] }): unknown[] {
  return message.content.flatMap((block) => {
    if (block.type !== 'tool_use') return [];
    const { name, input } = block as unknown as { name: string; input: unknown };
    return [{ name, input }];
  });
}

/** The text of a message. */
export function textIn(message: { readonly content: readonly { readonly type: string }[] }): string {
  return message.content
    .map((block) => (block.type === 'text' ? (block as unknown as { text: string }).text : ''))
    .join('');
}

/** A reply whose text comes in just these pieces. */
export function piecesProvider(pieces: readonly string[]): Provider {
  return {
    id: 'pieces',
    async *stream(request) {
      yield {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: request.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: 1,
            output_tokens: 1,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
          },
        },
      };
      yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
      for (const piece of pieces)
        yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } };
      yield { type: 'content_block_stop', index: 0 };
      yield { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: {} };
      yield { type: 'message_stop' };
    },
  };
}
