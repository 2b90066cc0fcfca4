import { describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../../src/protocol/content.js';
import { foldEvents } from '../../../src/testing/model/collect.js';
import {
  createScriptIds,
  type ScriptedBlock,
  streamReply,
  text,
  thinking,
  toolCall,
} from '../../../src/testing/model/script.js';

function eventsOf(...blocks: ScriptedBlock[]): ModelEvent[] {
  const context = { model: 'm', ids: createScriptIds(), requestSize: 40, chunkSize: 4 };
  return [...streamReply({ content: { blocks } }, context)];
}

describe('foldEvents', () => {
  it('adds the end of the message to its start', () => {
    expect(foldEvents(eventsOf(text('hello world')))).toEqual({
      id: 'msg_0001',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [text('hello world')],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    });
  });

  it('leaves a signature out if there was none', () => {
    expect(foldEvents(eventsOf(thinking('hm', ''))).content).toEqual([{ type: 'thinking', thinking: 'hm' }]);
  });

  const whole = eventsOf(text('hello'), toolCall('Read', { a: 1 }));
  const at = (type: string) => whole.findIndex((event) => event.type === type);

  it.each<[string, ModelEvent[], string]>([
    ['no events', [], 'first event must be message_start'],
    ['no start', whole.slice(1), 'first event must be message_start'],
    ['two starts', whole.toSpliced(1, 0, ...whole.slice(0, 1)), 'a second message_start'],
    ['no end', whole.slice(0, -1), 'without message_stop'],
    ['an event after the end', [...whole, { type: 'message_stop' }], 'after message_stop'],
    ['a delta before its block', whole.toSpliced(at('content_block_start'), 1), 'not open'],
    ['a block that stays open', whole.toSpliced(at('content_block_stop'), 1), 'inside another'],
    [
      'a block closed twice',
      whole.toSpliced(at('content_block_stop'), 0, { type: 'content_block_stop', index: 0 }),
      'not open',
    ],
    ['no message_delta', whole.toSpliced(at('message_delta'), 1), 'before message_delta'],
    [
      'a skipped index',
      [...whole.slice(0, 1), { type: 'content_block_start', index: 1, content_block: text('') }],
      '0 was next',
    ],
    [
      'a delta of another type',
      whole.with(at('content_block_delta'), {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'signature_delta', signature: 's' },
      }),
      'a signature_delta in a text block',
    ],
  ])('throws at %s', (_name, events, words) => {
    expect(() => foldEvents(events)).toThrow(words);
  });
});
