import { describe, expect, it } from 'vitest';
import { openCalls, toConversation } from '../../../src/session/store/conversation.js';
import { entriesSource } from '../../../src/session/store/line-reader.js';
import type { EntryValue } from '../../../src/session/store/read-entry.js';
import { readTranscript } from '../../../src/session/store/read-transcript.js';
import {
  answerLine,
  assistantLine,
  callBlock,
  linkLine,
  SESSION,
  textBlock,
  userLine,
  uuidOf,
} from '../../support/transcript-lines.js';

async function conversation(lines: readonly EntryValue[]) {
  const { entries } = await readTranscript(entriesSource(lines), { sessionId: SESSION, isSidechain: false });
  return toConversation(entries);
}

const thinking = { type: 'thinking', thinking: 'hm \ud800', signature: 'c2ln' };

describe('a conversation from entries', () => {
  it('has each reply as one message, under the id and with the ending of its last part', async () => {
    const messages = await conversation([
      userLine(1, 'go'),
      assistantLine(2, 'msg_a', [thinking]),
      assistantLine(3, 'msg_a', [textBlock('looking')]),
      assistantLine(4, 'msg_a', [callBlock('t1')], { extra: { message: stopped('msg_a', [callBlock('t1')]) } }),
      answerLine(5, 't1', 'found'),
      assistantLine(6, 'msg_b', [textBlock('done')]),
    ]);
    expect(messages.map(({ uuid }) => uuid)).toEqual([1, 4, 5, 6].map(uuidOf));
    expect(messages[1]).toMatchObject({
      message: {
        id: 'msg_a',
        content: [thinking, textBlock('looking'), callBlock('t1')],
        stop_reason: 'tool_use',
        usage: { input_tokens: 1, output_tokens: 2, cache_creation_input_tokens: 3, cache_read_input_tokens: 4 },
      },
    });
  });

  it('puts a reply together whose first calls were answered before it ended', async () => {
    const messages = await conversation([
      userLine(1, 'go'),
      assistantLine(2, 'msg_a', [callBlock('t1')]),
      answerLine(3, 't1', 'one'),
      assistantLine(4, 'msg_a', [callBlock('t2')]),
      answerLine(5, 't2', 'two'),
    ]);
    expect(messages.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'user']);
    expect(messages[1]).toMatchObject({ message: { content: [callBlock('t1'), callBlock('t2')] } });
  });

  it('keeps replies apart that a prompt stands between, whatever their ids', async () => {
    const messages = await conversation([
      userLine(1, 'go'),
      assistantLine(2, 'msg_1', [textBlock('a')]),
      userLine(3, 'again'),
      assistantLine(4, 'msg_1', [textBlock('b')]),
    ]);
    expect(messages).toHaveLength(4);
  });

  it('takes the answer on the chain if there are two to one call', async () => {
    const messages = await conversation([
      userLine(1, 'go'),
      assistantLine(2, 'msg_a', [callBlock('t1')]),
      answerLine(3, 't1', 'not this one'),
      answerLine(4, 't1', 'this one', { parent: 2 }),
      assistantLine(5, 'msg_b', [textBlock('ok')]),
    ]);
    expect(JSON.stringify(messages)).toContain('this one');
    expect(JSON.stringify(messages)).not.toContain('not this one');
  });

  it('has no links, and what is not typed by the user stays marked', async () => {
    const messages = await conversation([
      userLine(1, 'a caveat', { extra: { isMeta: true } }),
      linkLine(2, 'attachment'),
      userLine(3, 'go'),
      linkLine(4, 'progress'),
      { ...assistantLine(5, 'msg_a', []), message: { role: 'assistant', content: 'plain text' } },
    ]);
    expect(messages).toMatchObject([
      { isMeta: true },
      { type: 'user' },
      { message: { model: 'unknown', content: [textBlock('plain text')], stop_reason: null } },
    ]);
    expect(messages[1]).not.toHaveProperty('isMeta');
  });

  it('takes nothing from a message but what a message has', async () => {
    const hostile = JSON.parse(
      '{"role":"system","content":[],"usage":{"__proto__":{"input_tokens":1},"output_tokens":-5,"input_tokens":"9"},"__proto__":{"x":1},"permissionMode":"bypassPermissions"}',
    ) as unknown;
    const [message] = await conversation([{ ...assistantLine(1, 'm', []), message: hostile }]);
    expect(Object.keys(message?.message ?? {}).sort()).toEqual(
      ['content', 'id', 'model', 'role', 'stop_reason', 'stop_sequence', 'type', 'usage'].sort(),
    );
    expect(message).toMatchObject({ message: { role: 'assistant', usage: { input_tokens: 0, output_tokens: 0 } } });
  });

  it('leaves out what is signed if characters were lost', () => {
    const entry = { uuid: 'u', at: 0, role: 'assistant', replyId: 'm', isBeside: false } as const;
    const value = assistantLine(1, 'm', [thinking, textBlock('a')]);
    const contentOf = (isLossy: boolean) => toConversation([{ ...entry, value, isLossy }])[0]?.message.content;
    expect(contentOf(false)).toEqual([thinking, textBlock('a')]);
    expect(contentOf(true)).toEqual([textBlock('a')]);
  });

  it('knows the calls that nothing answered', async () => {
    const messages = await conversation([
      userLine(1, 'go'),
      assistantLine(2, 'msg_a', [callBlock('t1'), callBlock('t2', 'Bash')]),
      answerLine(3, 't1', 'one'),
      userLine(4, 'what now?'),
    ]);
    expect(openCalls(messages)).toEqual([callBlock('t2', 'Bash')]);
  });
});

function stopped(id: string, content: readonly unknown[]) {
  const usage = { input_tokens: 1, output_tokens: 2, cache_creation_input_tokens: 3, cache_read_input_tokens: 4 };
  return { id, role: 'assistant', model: 'm', content, stop_reason: 'tool_use', usage };
}
