import { describe, expect, it } from 'vitest';
import type { AssistantBlock, MessageParam, ThinkingBlock } from '../../../src/protocol/content.js';
import { createSessionWireValidator } from '../../../src/testing/wire/wire-session.js';
import type { WireViolation } from '../../../src/testing/wire/wire-violation.js';
import { ask, modelRequest, wireBody } from '../support.js';

const signed: ThinkingBlock = { type: 'thinking', thinking: 'I should \ud83d read', signature: 'sig-1' };
const call: AssistantBlock = { type: 'tool_use', id: 'toolu_1', name: 'Read', input: {} };
const answer: MessageParam = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }],
};

function historyWith(...opening: AssistantBlock[]): MessageParam[] {
  return [ask('go'), { role: 'assistant', content: [...opening, call] }, answer];
}

const codes = (check: { violations: readonly WireViolation[] }) => check.violations.map(({ code }) => code);

describe('signed thinking across requests', () => {
  const redacted: AssistantBlock = { type: 'redacted_thinking', data: 'opaque' };

  it.each<[string, AssistantBlock[], AssistantBlock[], string[]]>([
    ['the same', [signed], [{ ...signed }], []],
    [
      'a changed text',
      [signed],
      [{ ...signed, thinking: 'I should \ufffd read' }],
      ['thinking_changed', 'thinking_changed'],
    ],
    ['a changed signature', [signed], [{ ...signed, signature: 'sig-2' }], ['thinking_changed', 'thinking_changed']],
    ['all of it stripped', [signed, redacted], [], []],
    ['a part of it stripped', [signed, redacted], [signed], ['thinking_changed']],
    ['changed redacted data', [redacted], [{ ...redacted, data: 'Opaque' } as AssistantBlock], ['thinking_changed']],
  ])('%s', (_name, before, after, expected) => {
    const session = createSessionWireValidator();
    expect(codes(session.checkModelRequest(modelRequest(historyWith(...before))))).toEqual([]);
    expect(codes(session.checkModelRequest(modelRequest(historyWith(...after))))).toEqual(expected);
    expect(codes(session.checkBody(wireBody(historyWith(...after))))).toEqual(expected);
  });

  it('knows a reply before it comes back for the first time', () => {
    const session = createSessionWireValidator();
    session.noteReply({ content: [signed, call] });
    expect(codes(session.checkModelRequest(modelRequest(historyWith({ ...signed, thinking: 'trimmed' }))))).toContain(
      'thinking_changed',
    );
  });

  it('takes two replies a script signed alike', () => {
    const session = createSessionWireValidator();
    session.noteReply({ content: [{ ...signed, thinking: 'a' }] });
    session.noteReply({ content: [{ ...signed, thinking: 'b' }] });
    expect(codes(session.checkModelRequest(modelRequest(historyWith({ ...signed, thinking: 'b' }))))).toEqual([]);
  });
});

describe('appendOnly', () => {
  const marked: MessageParam = {
    role: 'user',
    content: [{ type: 'text', text: 'go', cache_control: { type: 'ephemeral' } } as never],
  };

  it.each<[string, MessageParam[], string[]]>([
    ['grows', [...historyWith(), { role: 'assistant', content: [{ type: 'text', text: 'done' }] }, ask('more')], []],
    [
      'the last message grew',
      [
        ...historyWith().slice(0, 2),
        { role: 'user', content: [...(answer.content as []), { type: 'text', text: 'also' }] },
      ],
      [],
    ],
    ['only a cache breakpoint moved, and text became a block', [marked, ...historyWith().slice(1)], []],
    ['an early message changed', [ask('GO'), ...historyWith().slice(1)], ['prefix_changed']],
    [
      'an early message grew',
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'go' },
            { type: 'text', text: 'x' },
          ],
        },
        ...historyWith().slice(1),
      ],
      ['prefix_changed'],
    ],
    ['messages are gone', [ask('go')], ['prefix_changed']],
  ])('%s', (_name, next, expected) => {
    const first: MessageParam[] = [{ role: 'user', content: 'go' }, ...historyWith().slice(1)];
    const session = createSessionWireValidator({ appendOnly: true });
    session.checkModelRequest(modelRequest(first));
    expect(codes(session.checkModelRequest(modelRequest(next)))).toEqual(expected);
    const free = createSessionWireValidator();
    free.checkModelRequest(modelRequest(first));
    expect(codes(free.checkModelRequest(modelRequest(next)))).toEqual([]);
  });
});
