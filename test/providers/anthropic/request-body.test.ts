// The body of a request: equal to plain JSON.stringify of the same thing, and never more than four breakpoints.
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages/messages.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AssistantBlock, MessageParam, UserBlock } from '../../../src/protocol/content.js';
import { createBodyBuilder } from '../../../src/providers/anthropic/request-body.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import { bodyText } from '../../support/body-text.js';

const BASE: ModelRequest = { model: 'claude-test', system: [], tools: [], messages: [], maxTokens: 100 };
const MARK = { type: 'ephemeral' };

/** A builder of bodies as texts. */
function createBuilder() {
  const builder = createBodyBuilder();
  return { build: (request: ModelRequest) => bodyText(builder.build(request)) };
}

/** What the body is without any breakpoint, written the plain way. */
function plainBody(request: ModelRequest): string {
  const { thinking } = request;
  const system = request.system.filter((block) => block.text !== '');
  return JSON.stringify({
    model: request.model,
    max_tokens: request.maxTokens,
    ...(system.length > 0 ? { system } : {}),
    ...(request.tools.length > 0 ? { tools: request.tools } : {}),
    messages: request.messages,
    stream: true,
    ...(thinking?.type === 'enabled'
      ? { thinking: { type: 'enabled', budget_tokens: thinking.budgetTokens } }
      : thinking?.type === 'adaptive'
        ? { thinking: { type: 'adaptive' } }
        : {}),
  });
}

/** A body without its breakpoints. Breakpoints turn a text into a block; that is turned back. */
function unmark(body: string): string {
  return JSON.stringify(JSON.parse(body), (key, value: unknown) => {
    if (key === 'cache_control') return undefined;
    const isTextOfString = Array.isArray(value) && key === 'content' && value.length === 1 && value[0].fromString;
    return isTextOfString ? value[0].text : value;
  });
}

function marks(body: string): number {
  let count = 0;
  JSON.parse(body, (key, value: unknown) => {
    if (key === 'cache_control') count++;
    return value;
  });
  return count;
}

function build(request: Partial<ModelRequest>): { [field: string]: unknown } {
  return JSON.parse(createBuilder().build({ ...BASE, ...request })) as { [field: string]: unknown };
}

const text = fc.record({
  type: fc.constant('text' as const),
  text: fc.oneof(fc.constant(''), fc.string({ unit: 'binary' })),
});
const toolResult = fc.record(
  {
    type: fc.constant('tool_result' as const),
    tool_use_id: fc.string(),
    content: fc.oneof(fc.string({ unit: 'binary' }), fc.array(text, { maxLength: 3 })),
    is_error: fc.boolean(),
  },
  { requiredKeys: ['type', 'tool_use_id', 'content'] },
);
const image = fc.constant<UserBlock>({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'AA==' },
});
const thinking = fc.record({ type: fc.constant('thinking' as const), thinking: fc.string(), signature: fc.string() });
const toolUse = fc.record({
  type: fc.constant('tool_use' as const),
  id: fc.string(),
  name: fc.string(),
  input: fc.jsonValue(),
});
// Always two blocks or more, so that a body can be compared without its breakpoints.
const user: fc.Arbitrary<MessageParam> = fc.record({
  role: fc.constant('user' as const),
  content: fc.array(fc.oneof<fc.Arbitrary<UserBlock>[]>(text, toolResult, image), { minLength: 2, maxLength: 5 }),
});
const assistant: fc.Arbitrary<MessageParam> = fc.record({
  role: fc.constant('assistant' as const),
  content: fc.array(fc.oneof<fc.Arbitrary<AssistantBlock>[]>(text, thinking, toolUse), { maxLength: 5 }),
});
const request: fc.Arbitrary<ModelRequest> = fc.record({
  model: fc.string(),
  maxTokens: fc.nat(),
  system: fc.array(text, { maxLength: 3 }),
  tools: fc.array(
    fc.record({
      name: fc.string(),
      description: fc.string(),
      input_schema: fc.dictionary(fc.string(), fc.jsonValue()),
    }),
    { maxLength: 4 },
  ),
  messages: fc.array(fc.oneof(user, assistant), { maxLength: 12 }),
  thinking: fc.constantFrom(undefined, { type: 'disabled' } as const, { type: 'adaptive' } as const, {
    type: 'enabled' as const,
    budgetTokens: 2_000,
  }),
});

describe('a body', () => {
  it('is JSON.stringify of the whole request plus breakpoints, in every turn of a conversation', () => {
    fc.assert(
      fc.property(request, (whole) => {
        const builder = createBuilder();
        for (let length = 0; length <= whole.messages.length; length++) {
          const turn = { ...whole, messages: whole.messages.slice(0, length) };
          const body = builder.build(turn);
          expect(unmark(body)).toBe(JSON.stringify(JSON.parse(plainBody(turn))));
          expect(body).toBe(createBuilder().build(turn));
          expect(marks(body)).toBeLessThanOrEqual(4);
        }
      }),
      { seed: 42, numRuns: 300 },
    );
  });

  it('escapes lone surrogates, so it is valid UTF-8', () => {
    const body = createBuilder().build({ ...BASE, messages: [{ role: 'user', content: 'x\ud800y' }] });
    expect(body).toContain('x\\ud800y');
  });

  it('has no field that was not asked for', () => {
    expect(Object.keys(build({ thinking: { type: 'disabled' } }))).toEqual([
      'model',
      'max_tokens',
      'messages',
      'stream',
    ]);
  });

  it('carries thinking, effort and the schema of the answer as the API names them', () => {
    const schema = { type: 'object', properties: {} };
    const body = build({ thinking: { type: 'enabled', budgetTokens: 2_048 }, effort: 'high', outputSchema: schema });
    const expected: Partial<MessageCreateParamsStreaming> = {
      thinking: { type: 'enabled', budget_tokens: 2_048 },
      output_config: { effort: 'high', format: { type: 'json_schema', schema } },
    };
    expect(body).toMatchObject(expected);
    expect(build({ thinking: { type: 'adaptive' } })['thinking']).toEqual({ type: 'adaptive' });
    expect(build({ effort: 'low' })['output_config']).toEqual({ effort: 'low' });
  });
});

describe('cache breakpoints', () => {
  const tool = { name: 'Read', description: '', input_schema: { type: 'object' } };

  it('stand on the last tool, the last system block and the last two user messages', () => {
    const body = build({
      system: [
        { type: 'text', text: 'stable' },
        { type: 'text', text: 'changing' },
        { type: 'text', text: '' },
      ],
      tools: [tool, { ...tool, name: 'Write' }],
      messages: [
        { role: 'user', content: 'first' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'so' }] },
        { role: 'user', content: 'last' },
      ],
    });
    expect(body).toMatchObject({
      system: [{ text: 'stable' }, { text: 'changing', cache_control: MARK }],
      tools: [{ name: 'Read' }, { name: 'Write', cache_control: MARK }],
      messages: [
        { content: 'first' },
        {},
        { content: [{ type: 'tool_result', content: 'ok', cache_control: MARK }] },
        {},
        { content: [{ type: 'text', text: 'last', cache_control: MARK }] },
      ],
    });
    expect(marks(JSON.stringify(body))).toBe(4);
  });

  it('are never on an empty text', () => {
    const content: UserBlock[] = [
      { type: 'text', text: 'full' },
      { type: 'text', text: '' },
    ];
    const body = build({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: '' },
        { role: 'user', content },
      ],
    });
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'a', cache_control: MARK }] },
      { role: 'user', content: '' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'full', cache_control: MARK },
          { type: 'text', text: '' },
        ],
      },
    ]);
  });

  it('of a history that brings its own are replaced', () => {
    const own = { type: 'ephemeral', ttl: '1h' } as const;
    const marked = { type: 'text' as const, text: 'x', cache_control: own };
    const message: MessageParam = {
      role: 'user',
      content: [marked, { type: 'tool_result', tool_use_id: 'a', content: [marked] }, marked],
    };
    const builder = createBuilder();
    const body = builder.build({ ...BASE, messages: Array.from({ length: 5 }, () => message) });
    expect(marks(body)).toBe(2);
    expect(body).not.toContain('1h');
    expect(marked.cache_control).toBe(own);
  });

  it('move on with the conversation and leave the earlier messages as they were', () => {
    const builder = createBuilder();
    const messages: MessageParam[] = Array.from({ length: 6 }, (_, at) => ({ role: 'user', content: `message ${at}` }));
    for (let length = 1; length <= 6; length++) {
      const body = builder.build({ ...BASE, messages: messages.slice(0, length) });
      const { messages: sent } = JSON.parse(body) as { messages: MessageParam[] };
      const isMarked = sent.map((message) => typeof message.content !== 'string');
      expect(isMarked).toEqual(sent.map((_, at) => at >= length - 2));
    }
  });
});

describe('what was serialised', () => {
  it('is not serialised again', () => {
    let written = 0;
    const input = {
      toJSON() {
        written++;
        return {};
      },
    };
    const builder = createBuilder();
    const message: MessageParam = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input }] };
    const tool = { name: 'Read', description: '', input_schema: { x: input } };
    for (let n = 0; n < 5; n++) builder.build({ ...BASE, tools: [tool], messages: [message] });
    expect(written).toBe(2);
  });

  it('is not serialised again if a breakpoint comes and goes', () => {
    let written = 0;
    const content = {
      toJSON() {
        written++;
        return 'ok';
      },
    };
    const builder = createBuilder();
    const result = { type: 'tool_result', tool_use_id: 'a', content: content as unknown as string } as const;
    const messages: MessageParam[] = [{ role: 'user', content: [result] }];
    for (let n = 0; n < 5; n++) {
      builder.build({ ...BASE, messages: [...messages] });
      messages.push({ role: 'user', content: `more ${n}` });
    }
    expect(written).toBe(1);
  });
});

describe('the bytes of a conversation', () => {
  const said = (text: string): MessageParam => ({ role: 'user', content: text });

  it('are what they were when they were given out, whatever was asked for since', () => {
    const builder = createBodyBuilder();
    const messages = Array.from({ length: 12 }, (_, at) => said(`message ${at}`));
    const given: { readonly pieces: readonly Uint8Array[]; readonly text: string }[] = [];
    const ask = (...asked: MessageParam[]) => {
      const pieces = builder.build({ ...BASE, messages: asked });
      given.push({ pieces, text: bodyText(pieces) });
      expect(bodyText(pieces)).toBe(bodyText(createBodyBuilder().build({ ...BASE, messages: asked })));
    };
    for (let length = 1; length <= 8; length++) ask(...messages.slice(0, length));
    // Set back, gone on in another way, and set back again; between them another conversation.
    ask(...messages.slice(0, 4));
    ask(...messages.slice(0, 4), said('in another way'), said('and on'), said('and on'), said('and on'));
    ask(said('another'), ...messages.slice(1, 6));
    ask(...messages);
    ask(...messages.toSpliced(2, 1, said('made shorter')));
    for (const { pieces, text } of given) expect(bodyText(pieces)).toBe(text);
  });

  it('are written once, in turns with those of another conversation', () => {
    let written = 0;
    const counted = (): MessageParam => {
      const input = { toJSON: () => ({ count: ++written }) };
      return { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input }] };
    };
    const builder = createBodyBuilder();
    const [one, other] = [[said('one')], [said('other')]];
    for (let turn = 0; turn < 10; turn++) {
      for (const messages of [one, other]) {
        messages.push(counted(), said('go on'));
        builder.build({ ...BASE, messages: [...messages] });
      }
    }
    expect(written).toBe(20);
  });
});
