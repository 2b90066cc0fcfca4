import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHistoryRepairer } from '../../../src/engine/history/repair-history.js';
import type { MessageParam } from '../../../src/protocol/content.js';
import { sealReasoning } from '../../../src/providers/contract/provider.js';
import { validateModelRequest } from '../../../src/testing/wire/wire-validator.js';

const repair = (messages: readonly MessageParam[]) => createHistoryRepairer().prepare(messages);

const violations = (messages: readonly MessageParam[]) =>
  validateModelRequest({ model: 'm', system: [], tools: [], messages, maxTokens: 100 });

const user = (content: MessageParam['content']): MessageParam => ({ role: 'user', content }) as MessageParam;
const assistant = (...content: unknown[]): MessageParam => ({ role: 'assistant', content }) as MessageParam;
const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} });
const other = (id: string) => ({ ...call(id), input: { path: 'other' } });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' }) as const;
const text = (value: string) => ({ type: 'text', text: value });

describe('repairing a history', () => {
  it('passes a valid history through as the same objects', () => {
    const messages = [
      user('go'),
      assistant(text('x'), call('a'), call('b')),
      user([result('a'), result('b')]),
      assistant(text('done')),
      user('more'),
    ];
    const { messages: prepared, repairs } = repair(messages);
    expect(repairs).toEqual([]);
    expect(prepared).toHaveLength(5);
    for (const [index, message] of prepared.entries()) expect(message).toBe(messages[index]);
  });

  it('leaves reasoning of another API than Messages where it stood', () => {
    const thought = (value: string) => ({
      type: 'thinking',
      thinking: value,
      signature: sealReasoning('openai-responses', '{}'),
    });
    const between = assistant(thought('a'), text('x'), thought('b'), call('c'));
    const { messages, repairs } = repair([user('go'), between, user([result('c')])]);
    expect(repairs).toEqual([]);
    expect(messages[1]).toBe(between);
    expect(violations(messages)).toEqual([]);
    const signed = { ...thought('b'), signature: 'c2ln' };
    expect(repair([user('go'), assistant(text('x'), signed, call('c')), user([result('c')])]).repairs).toHaveLength(1);
  });

  it('joins results that came as messages of their own', () => {
    const { messages, repairs } = repair([
      user('go'),
      assistant(call('a'), call('b')),
      user([result('a')]),
      user([result('b')]),
      user('and?'),
    ]);
    expect(repairs).toEqual([]);
    expect(messages.at(-1)).toEqual({
      role: 'user',
      content: [result('a'), result('b'), { type: 'text', text: 'and?' }],
    });
  });

  it.each([
    ['a missing result', [user('go'), assistant(call('a')), user('and?')], ['missing_tool_result']],
    ['a missing last result', [user('go'), assistant(call('a'))], ['missing_tool_result']],
    [
      'an orphan result',
      [user('go'), assistant(text('x')), user([result('z')])],
      ['orphan_tool_result', 'empty_message'],
    ],
    ['a result twice', [user('go'), assistant(call('a')), user([result('a'), result('a')])], ['duplicate_tool_result']],
    [
      'a call id twice',
      [user('go'), assistant(call('a')), user([result('a')]), assistant(call('a'), text('x')), user('m')],
      ['duplicate_tool_use'],
    ],
    [
      'an id that another call had',
      [user('go'), assistant(call('a')), user([result('a')]), assistant(other('a')), user([result('a')])],
      ['duplicate_tool_use'],
    ],
    [
      'two calls of one id in a reply, each with its result',
      [user('go'), assistant(call('a'), other('a')), user([result('a'), { ...result('a'), content: 'other' }])],
      ['duplicate_tool_use'],
    ],
    ['an empty text', [user('go'), assistant(text(''), text('x')), user('m')], ['empty_block']],
    ['an empty reply', [user('go'), assistant(), user('m')], ['empty_message']],
    [
      'unsigned thinking',
      [user('go'), assistant({ type: 'thinking', thinking: 'h' }, text('x')), user('m')],
      ['unsigned_thinking'],
    ],
    ['a reply first', [assistant(text('x')), user('m')], ['role_order']],
    ['two replies in a row', [user('go'), assistant(text('x')), assistant(text('y')), user('m')], ['role_order']],
    [
      'lone surrogates',
      [
        user('go'),
        assistant({ ...call('a'), input: { path: '\ud800' } }),
        user([result('a'), text('\udc00x') as never]),
      ],
      ['invalid_text', 'invalid_text'],
    ],
    [
      'an image of no known type',
      [user([{ type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'AAAA' } }])],
      ['media_removed'],
    ],
    ['a field that is not sent', [user([{ type: 'text', text: 'x', odd: 1 } as never])], ['invalid_block']],
  ])('mends %s and says so', (_name, messages, kinds) => {
    const { messages: prepared, repairs } = repair(messages as MessageParam[]);
    expect(repairs.map((one) => one.kind)).toEqual(kinds);
    expect(violations(prepared)).toEqual([]);
  });

  it('loses nothing of calls that share an id', () => {
    const turn = (n: number) => [
      assistant({ ...call('call_1'), input: { path: `f${n}` } }),
      user([{ ...result('call_1'), content: `content of f${n}` }]),
    ];
    const { messages } = repair([user('go'), ...turn(1), ...turn(2), ...turn(2), ...turn(3)]);
    const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : [...content]));
    expect(
      blocks.flatMap((block) =>
        block.type === 'tool_use' ? [[block.id, (block.input as { path: string }).path]] : [],
      ),
    ).toEqual([
      ['call_1', 'f1'],
      ['call_1_2', 'f2'],
      ['call_1_3', 'f2'],
      ['call_1_4', 'f3'],
    ]);
    expect(
      blocks.flatMap((block) => (block.type === 'tool_result' ? [[block.tool_use_id, block.content]] : [])),
    ).toEqual([
      ['call_1', 'content of f1'],
      ['call_1_2', 'content of f2'],
      ['call_1_3', 'content of f2'],
      ['call_1_4', 'content of f3'],
    ]);
    expect(violations(messages)).toEqual([]);
    expect(repair(messages).repairs).toEqual([]);
  });

  it('keeps signed thinking byte for byte, lone surrogates and all', () => {
    const thinking = { type: 'thinking', thinking: 'a\ud800b\u0000', signature: 'sig' };
    const messages = [user('go'), assistant(thinking, call('a')), user([result('a')])];
    expect(repair(messages).messages[1]).toBe(messages[1]);
  });

  it('looks only at what is new when the history grows', () => {
    const repairer = createHistoryRepairer();
    const history: MessageParam[] = [user('go')];
    for (let turn = 0; turn < 50; turn++) {
      history.push(assistant(call(`c${turn}`)), user([result(`c${turn}`)]));
      const grown = repairer.prepare([...history]);
      expect(grown.repairs).toEqual([]);
      expect(grown.messages).toEqual(createHistoryRepairer().prepare(history).messages);
    }
  });

  it('sees a message that was replaced in the middle, with both ends as they were', () => {
    const repairer = createHistoryRepairer();
    const history = [user('go'), assistant(call('a')), user([result('a')]), assistant(call('b')), user([result('b')])];
    repairer.prepare([...history, assistant(text('x')), user('and?')]);
    const elided = user([{ ...result('a'), content: 'removed' }]);
    const { messages } = repairer.prepare([...history.with(2, elided), assistant(text('x')), user('and?')]);
    expect(messages[2]).toBe(elided);
  });
});

const blockOf = fc.oneof(
  fc.constantFrom(text('hello'), text(''), text(' '), text('\ud800')),
  fc.constantFrom('a', 'b', 'c', 'd').map(call),
  fc.constantFrom('a', 'b', 'c', 'z').map(result),
  fc.constantFrom<unknown>(
    { type: 'thinking', thinking: 'x', signature: 's' },
    { type: 'thinking', thinking: 'x' },
    { type: 'redacted_thinking', data: 'd' },
    { type: 'tool_use', id: 'bad id', name: 'Read', input: {} },
    { type: 'tool_use', id: 'e', name: 'Read', input: 'text' },
    { type: 'tool_result', tool_use_id: 'a', content: [text(''), { type: 'image', source: {} }] },
    { type: 'tool_result', tool_use_id: 'b' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAA' } },
    { type: 'server_tool_use' },
    null,
    7,
  ),
);
const messageOf = fc.oneof(
  fc.array(blockOf, { maxLength: 5 }).map((content) => user(content as never)),
  fc.array(blockOf, { maxLength: 5 }).map((content) => assistant(...content)),
  fc.constantFrom(user('hi'), user(''), user('\udfff'), null as never, { role: 'system', content: 'x' } as never),
);

describe('any history', () => {
  it('is valid to send once repaired, and repairing it again changes nothing', () => {
    fc.assert(
      fc.property(fc.array(messageOf, { minLength: 1, maxLength: 12 }), (messages) => {
        const { messages: prepared } = repair(messages);
        expect(violations(prepared)).toEqual([]);
        const again = repair(prepared);
        expect(again.repairs).toEqual([]);
        expect(again.messages).toEqual(prepared);
      }),
      { seed: 42, numRuns: 5_000 },
    );
  });

  it('is repaired the same whether it came at once or grew', () => {
    fc.assert(
      fc.property(fc.array(messageOf, { minLength: 1, maxLength: 10 }), (messages) => {
        const repairer = createHistoryRepairer();
        let grown: readonly MessageParam[] = [];
        for (let length = 1; length <= messages.length; length++)
          grown = repairer.prepare(messages.slice(0, length)).messages;
        expect(grown).toEqual(repair(messages).messages);
      }),
      { seed: 42, numRuns: 2_000 },
    );
  });
});
