// Random valid histories, and mutations that always make one invalid.
import fc from 'fast-check';
import type { AssistantBlock, MessageParam, ToolUseBlock, UserBlock } from '../../src/protocol/content.js';
import { ONE_PIXEL_PNG } from '../../src/testing/wire/wire-blocks.js';
import type { WireViolationCode } from '../../src/testing/wire/wire-violation.js';

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((text) => `w${text}`);
const inputs = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.jsonValue(), { maxKeys: 3 });

/** One turn before ids are given: opening thinking, text, calls and how each is answered. */
const turns = fc.record({
  thinking: fc.option(fc.string({ unit: 'binary', maxLength: 20 }), { nil: null }),
  said: fc.array(words, { maxLength: 2 }),
  calls: fc.array(fc.record({ input: inputs, output: fc.option(words, { nil: null }), isError: fc.boolean() }), {
    maxLength: 4,
  }),
  added: fc.option(words, { nil: null }),
});

/** A valid history: a prompt, then turns, each with its results and sometimes more text of the user. */
export const validHistories: fc.Arbitrary<MessageParam[]> = fc
  .tuple(words, fc.array(turns, { minLength: 1, maxLength: 8 }))
  .map(([prompt, list]) => {
    const messages: MessageParam[] = [{ role: 'user', content: prompt }];
    for (const [number, turn] of list.entries()) {
      const calls: ToolUseBlock[] = turn.calls.map(({ input }, index) => ({
        type: 'tool_use',
        id: `toolu_${number}_${index}`,
        name: 'Read',
        input,
      }));
      const said: AssistantBlock[] = turn.said.map((text) => ({ type: 'text', text }));
      if (said.length + calls.length === 0) said.push({ type: 'text', text: 'Nothing to add.' });
      const signed: AssistantBlock[] =
        turn.thinking === null ? [] : [{ type: 'thinking', thinking: turn.thinking, signature: `signature ${number}` }];
      messages.push({ role: 'assistant', content: [...signed, ...said, ...calls] });
      const results: UserBlock[] = turn.calls.map(({ output, isError }, index) => ({
        type: 'tool_result',
        tool_use_id: calls[index]?.id ?? '',
        is_error: isError,
        content:
          output === null && !isError
            ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: ONE_PIXEL_PNG } }]
            : (output ?? ''),
      }));
      const added: UserBlock[] =
        turn.added === null && results.length > 0 ? [] : [{ type: 'text', text: turn.added ?? 'Go on.' }];
      messages.push({ role: 'user', content: [...results, ...added] });
    }
    return messages;
  });

export interface Mutation {
  readonly name: string;
  readonly code: WireViolationCode;
  /** The damaged history, or null where this one has nothing to damage. `pick` chooses the place. */
  readonly apply: (messages: readonly MessageParam[], pick: (length: number) => number) => MessageParam[] | null;
}

type Pick = (length: number) => number;
type Place = { readonly message: number; readonly block: number };

export const mutations: readonly Mutation[] = [
  {
    name: 'drop a result',
    code: 'tool_result_missing',
    apply: atBlock('tool_result', (content, block) => withFallback(content.toSpliced(block, 1))),
  },
  {
    name: 'repeat a result',
    code: 'tool_result_duplicate',
    apply: atBlock('tool_result', (content, block) => content.toSpliced(block, 0, ...content.slice(block, block + 1))),
  },
  {
    name: 'drop a call',
    code: 'tool_result_orphan',
    apply: atBlock('tool_use', (content, block) => withFallback(content.toSpliced(block, 1))),
  },
  {
    name: 'put text before a result',
    code: 'tool_result_order',
    apply: atBlock('tool_result', (content, block) => content.toSpliced(block, 0, { type: 'text', text: 'first' })),
  },
  {
    name: 'duplicate an id',
    code: 'tool_use_duplicate',
    apply: atBlock('tool_use', (content, block) => content.toSpliced(block, 0, ...content.slice(block, block + 1))),
  },
  {
    name: 'empty a text',
    code: 'text_empty',
    apply: atBlock('text', (content, block) => content.with(block, { type: 'text', text: '' })),
  },
  {
    name: 'blank a text',
    code: 'text_blank',
    apply: atBlock('text', (content, block) => content.with(block, { type: 'text', text: ' \t\n' })),
  },
  {
    name: 'lone surrogate',
    code: 'lone_surrogate',
    apply: atBlock('text', (content, block) => content.with(block, { type: 'text', text: 'half \udc00' })),
  },
  {
    name: 'lone surrogate in an input',
    code: 'lone_surrogate',
    apply: atBlock('tool_use', (content, block) =>
      content.with(block, { ...(content[block] as ToolUseBlock), input: { deep: [{ '\ud800': 1 }] } }),
    ),
  },
  {
    name: 'unsign a thinking block',
    code: 'thinking_unsigned',
    apply: atBlock('thinking', (content, block) => content.with(block, { type: 'thinking', thinking: 'x' })),
  },
  {
    name: 'move thinking behind',
    code: 'thinking_order',
    apply: atBlock('thinking', (content, block) => [
      ...content.toSpliced(block, 1),
      ...content.slice(block, block + 1),
    ]),
  },
  {
    name: 'end with thinking',
    code: 'thinking_last',
    apply: atBlock('thinking', (content, block) => [...content, ...content.slice(block, block + 1)]),
  },
  {
    name: 'swap two messages',
    code: 'role_order',
    apply: (messages, pick) => swap(messages, pick(messages.length - 1)),
  },
  {
    name: 'drop a message',
    code: 'role_order',
    apply: (messages, pick) => messages.toSpliced(pick(messages.length - 1), 1),
  },
  {
    name: 'empty a message',
    code: 'content_empty',
    apply: (messages, pick) => replace(messages, pick(messages.length), []),
  },
];

/** Damages one block of a type, chosen by `pick`. */
function atBlock(
  type: string,
  damage: (content: readonly (AssistantBlock | UserBlock)[], block: number) => readonly unknown[],
) {
  return (messages: readonly MessageParam[], pick: Pick): MessageParam[] | null => {
    const places: Place[] = [];
    for (const [message, { content }] of messages.entries()) {
      if (typeof content === 'string') continue;
      for (const [block, candidate] of content.entries()) if (candidate.type === type) places.push({ message, block });
    }
    const place = places[places.length === 0 ? 0 : pick(places.length)];
    if (place === undefined) return null;
    const content = messages[place.message]?.content;
    return replace(
      messages,
      place.message,
      damage(typeof content === 'string' || content === undefined ? [] : content, place.block),
    );
  };
}

function withFallback(content: readonly unknown[]): readonly unknown[] {
  return content.length === 0 ? [{ type: 'text', text: 'instead' }] : content;
}

function replace(messages: readonly MessageParam[], at: number, content: readonly unknown[]): MessageParam[] {
  return messages.with(at, { role: messages[at]?.role ?? 'user', content } as MessageParam);
}

function swap(messages: readonly MessageParam[], at: number): MessageParam[] {
  const [one, two] = messages.slice(at, at + 2);
  return one === undefined || two === undefined ? [...messages] : messages.toSpliced(at, 2, two, one);
}
