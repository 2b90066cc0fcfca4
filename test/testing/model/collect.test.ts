import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { collect, lastResult, textOf } from '../../../src/testing/model/collect.js';

const result = { type: 'result', subtype: 'success', result: 'done' } as SDKMessage;
const assistant = {
  type: 'assistant',
  message: {
    content: [
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 'x', name: 'Read', input: {} },
      { type: 'text', text: 'b' },
    ],
  },
} as unknown as SDKMessage;
const init = { type: 'system', subtype: 'init' } as SDKMessage;
const idle = { type: 'system', subtype: 'session_state_changed', state: 'idle' } as SDKMessage;

async function* streamOf(...messages: SDKMessage[]) {
  yield* messages;
}

describe('collect', () => {
  it('drains a stream, and throws what it throws', async () => {
    expect(await collect(streamOf(init, result))).toEqual([init, result]);
    async function* failing() {
      yield init;
      throw new Error('broken');
    }
    await expect(collect(failing())).rejects.toThrow('broken');
  });
});

describe('lastResult', () => {
  it('finds the one result at the end', () => {
    expect(lastResult([init, assistant, result])).toBe(result);
    expect(lastResult([init, result, idle])).toBe(result);
  });

  it.each<[string, SDKMessage[], string]>([
    ['none', [init], 'found 0 in: system/init'],
    ['two', [result, result], 'found 2'],
    ['one too early', [result, assistant], 'after it came: assistant'],
  ])('throws for %s', (_name, messages, words) => {
    expect(() => lastResult(messages)).toThrow(words);
  });
});

describe('textOf', () => {
  it.each<[SDKMessage, string]>([
    [assistant, 'ab'],
    [result, 'done'],
    [init, ''],
    [{ type: 'user', message: { role: 'user', content: 'hi' }, parent_tool_use_id: null }, 'hi'],
  ])('reads %o', (message, expected) => {
    expect(textOf(message)).toBe(expected);
  });
});
