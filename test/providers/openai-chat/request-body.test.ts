// The body of a Chat Completions request: valid whatever history it is made of, and each message serialised once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MessageParam, UserBlock } from '../../../src/protocol/content.js';
import type { ChatQuirks } from '../../../src/protocol/model-options.js';
import { CHAT_QUIRKS } from '../../../src/providers/choice/known-providers.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import { createCallIds, createWireNames } from '../../../src/providers/openai/request-parts.js';
import { createChatBodyBuilder, sealCarried } from '../../../src/providers/openai-chat/request-body.js';
import { ONE_PIXEL_PNG } from '../../../src/testing/wire/wire-blocks.js';
import { validateChatRequest } from '../../../src/testing/wire/wire-chat.js';
import { formatViolations } from '../../../src/testing/wire/wire-violation.js';

interface WireMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
  readonly [field: string]: unknown;
}

const BASE: ModelRequest = { model: 'gpt-4.1', system: [], tools: [], messages: [], maxTokens: 100 };
const ASK: MessageParam = { role: 'user', content: 'hello' };

function builder(quirks: ChatQuirks = {}) {
  return createChatBodyBuilder({ server: 'openai', quirks, ids: createCallIds(), names: createWireNames(64) });
}

function build(request: Partial<ModelRequest>, quirks: ChatQuirks = {}) {
  const body = JSON.parse(builder(quirks).build({ ...BASE, messages: [ASK], ...request })) as {
    readonly messages: readonly WireMessage[];
    readonly [field: string]: unknown;
  };
  if (Object.keys(quirks).length === 0) expect(formatViolations(validateChatRequest(body))).toBe('');
  return body;
}

function called(
  ...uses: readonly { readonly id: string; readonly name?: string; readonly input?: unknown }[]
): MessageParam {
  return {
    role: 'assistant',
    content: uses.map(({ id, name = 'Read', input = {} }) => ({ type: 'tool_use', id, name, input })),
  };
}

function answered(id: string, content: string | readonly UserBlock[], is_error = false): UserBlock {
  return { type: 'tool_result', tool_use_id: id, content, ...(is_error ? { is_error } : {}) } as UserBlock;
}

const image: UserBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: ONE_PIXEL_PNG } };
const pdf: UserBlock = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
  title: 'Plan: A/B',
};

describe('messages', () => {
  it('hold the system prompt first, as one text', () => {
    const system = [
      { type: 'text' as const, text: 'One "a".' },
      { type: 'text' as const, text: '' },
      { type: 'text' as const, text: 'Two\n' },
    ];
    expect(build({ system }).messages[0]).toEqual({ role: 'system', content: 'One "a".\n\nTwo\n' });
    expect(build({ system }, { systemRole: 'developer' }).messages[0]?.role).toBe('developer');
  });

  it('hold each result behind the reply that asked for it, then what the user said', () => {
    const { messages } = build({
      messages: [
        ASK,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Looking.' },
            ...(called({ id: 'a', input: { k: 1 } }, { id: 'b' }).content as never[]),
          ],
        },
        { role: 'user', content: [answered('a', 'A'), answered('b', 'no', true), { type: 'text', text: 'Go on.' }] },
      ],
    });
    expect(messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'Read', arguments: '{"k":1}' } },
          { id: 'b', type: 'function', function: { name: 'Read', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'A' },
      { role: 'tool', tool_call_id: 'b', content: 'The call failed.\nno' },
      { role: 'user', content: 'Go on.' },
    ]);
  });

  it('move images and documents of results behind all results, and say so', () => {
    const { messages } = build({
      messages: [
        ASK,
        called({ id: 'a' }, { id: 'b' }),
        { role: 'user', content: [answered('a', [{ type: 'text', text: 'Shot:' }, image]), answered('b', [pdf])] },
      ],
    });
    expect(messages.slice(2).map(({ role }) => role)).toEqual(['tool', 'tool', 'user']);
    expect(messages[2]?.content).toMatch(/^Shot:\n\[What this call gave/);
    expect(messages[4]?.content).toMatchObject([
      { type: 'text', text: 'From the result of the call a:' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${ONE_PIXEL_PNG}` } },
      { type: 'text', text: 'From the result of the call b:' },
      { type: 'file', file: { filename: 'Plan AB.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ]);
  });

  it('name what a server cannot take in place of it', () => {
    const url: UserBlock = { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } };
    const page: UserBlock = { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } };
    const plain: UserBlock = {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'Body' },
      title: 'Notes',
    };
    const content = [image, url, pdf, page, plain];
    const texts = String(
      build({ messages: [{ role: 'user', content }] }, { images: false, files: false }).messages[0]?.content,
    );
    expect(texts).toContain('[The image (image/png, 1 KB) is not shown');
    expect(texts).toContain('[The image at https://x.test/a.png is not shown');
    expect(texts).toContain('[The document "Plan: A/B" (application/pdf, 1 KB) is not shown');
    expect(texts).toContain('[The document at https://x.test/a.pdf is not shown');
    expect(texts).toContain('Notes\n\nBody');
    expect(build({ messages: [{ role: 'user', content: [url] }] }).messages[0]?.content).toEqual([
      { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
    ]);
  });

  it('have an assistant between results and user if the server wants one', () => {
    const messages: MessageParam[] = [
      ASK,
      called({ id: 'toolu_1' }),
      { role: 'user', content: [answered('toolu_1', 'A'), { type: 'text', text: 'b' }] },
    ];
    const roles = build({ messages }, CHAT_QUIRKS.mistral).messages.map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(build({ messages }, CHAT_QUIRKS.mistral).messages[1]?.tool_calls?.[0]?.id).toMatch(/^[a-z0-9]{9}$/);
  });
});

describe('names and ids that the API refuses', () => {
  const long = 'mcp__a_server_with_a_long_name__a_tool_with_an_even_longer_name_than_that';
  const tool = (name: string) => ({ name, description: '', input_schema: { type: 'object' } });

  it('are others on the wire, the same each time', () => {
    const ids = createCallIds();
    const names = createWireNames(64);
    const chat = createChatBodyBuilder({ server: 'openai', quirks: {}, ids, names });
    const messages: MessageParam[] = [
      ASK,
      called({ id: 'x'.repeat(64), name: long }),
      { role: 'user', content: [answered('x'.repeat(64), 'A')] },
    ];
    const body = JSON.parse(chat.build({ ...BASE, messages, tools: [tool(long), tool('Read')] }));
    expect(formatViolations(validateChatRequest(body))).toBe('');
    const onWire = body.tools[0].function.name as string;
    expect(onWire).toHaveLength(64);
    expect(body.messages[1].tool_calls[0].function.name).toBe(onWire);
    expect(body.messages[2].tool_call_id).toBe(body.messages[1].tool_calls[0].id);
    expect(names.fromWire(onWire)).toBe(long);
  });

  it('never collide, not even with a name made to', () => {
    const names = createWireNames(64);
    const made = names.toWire(long);
    expect(names.toWire(made)).not.toBe(made);
    expect(names.fromWire(names.toWire(made))).toBe(made);
  });

  it('given twice are sent once', () => {
    expect(build({ tools: [tool('Read'), tool('Read')] })['tools']).toHaveLength(1);
  });
});

describe('reasoning', () => {
  const own = sealCarried({
    server: 'openai',
    model: 'gpt-4.1',
    extra: [['a', { google: { thought_signature: 'c2ln' } }]],
    details: [{ type: 'reasoning.encrypted', data: 'x' }],
  });
  const history = (signature: string): MessageParam[] => [
    ASK,
    {
      role: 'assistant',
      content: [{ type: 'thinking', thinking: 'Hm.', signature }, ...(called({ id: 'a' }).content as never[])],
    },
    { role: 'user', content: [answered('a', 'A')] },
  ];

  it('of another API, server or model leaves no trace', () => {
    const plain = build({ messages: [ASK, called({ id: 'a' }), history(own)[2] as MessageParam] }).messages;
    const extra = [['a', { google: { thought_signature: 'c2ln' } }]] as const;
    const details = [{ type: 'reasoning.encrypted', data: 'x' }];
    const foreign = [
      'c2lnbmVk',
      'turnwright-reasoning:openai-chat:no JSON',
      sealCarried({ server: 'other', model: 'gpt-4.1', extra, details }),
      sealCarried({ server: 'openai', model: 'gpt-4o', extra, details }),
    ];
    for (const signature of foreign) {
      expect(build({ messages: history(signature) }).messages).toEqual(plain);
      expect(build({ messages: history(signature) }, { reasoningDetails: true }).messages).toEqual(plain);
    }
    const redacted: MessageParam = {
      role: 'assistant',
      content: [{ type: 'redacted_thinking', data: 'x' }, ...(called({ id: 'a' }).content as never[])],
    };
    expect(build({ messages: [ASK, redacted, history(own)[2] as MessageParam] }).messages).toEqual(plain);
  });

  it('goes back to where it came from, as the server wants it', () => {
    const wire = (quirks: ChatQuirks, signature = own) => build({ messages: history(signature) }, quirks).messages[1];
    expect(wire({ reasoningBack: 'reasoning_content' })?.['reasoning_content']).toBe('Hm.');
    expect(wire({ reasoningBack: 'reasoning_content' }, 'c2ln')?.['reasoning_content']).toBe('');
    expect(wire({ reasoningDetails: true })?.['reasoning_details']).toEqual([
      { type: 'reasoning.encrypted', data: 'x' },
    ]);
    expect(wire({})?.tool_calls?.[0]).toMatchObject({ extra_content: { google: { thought_signature: 'c2ln' } } });
    expect(wire(CHAT_QUIRKS.gemini, 'c2ln')?.tool_calls?.[0]).toMatchObject({
      extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } },
    });
    expect(wire({}, 'c2ln')?.tool_calls?.[0]).not.toHaveProperty('extra_content');
  });

  it.each<[string, Partial<ModelRequest>, ChatQuirks, object]>([
    ['effort', { effort: 'low' }, {}, { reasoning_effort: 'low' }],
    ['the highest effort of an older model', { model: 'o3', effort: 'max' }, {}, { reasoning_effort: 'high' }],
    ['the highest effort of a newer model', { model: 'gpt-5.2', effort: 'max' }, {}, { reasoning_effort: 'xhigh' }],
    [
      'a budget',
      { model: 'o3', thinking: { type: 'enabled', budgetTokens: 8_000 } },
      {},
      { reasoning_effort: 'medium' },
    ],
    ['none', { model: 'gpt-5', thinking: { type: 'disabled' } }, {}, { reasoning_effort: 'minimal' }],
    [
      'DeepSeek',
      { thinking: { type: 'enabled', budgetTokens: 8_000 } },
      CHAT_QUIRKS.deepseek,
      { thinking: { type: 'enabled' } },
    ],
    [
      'vLLM',
      { thinking: { type: 'disabled' } },
      CHAT_QUIRKS.vllm,
      { chat_template_kwargs: { enable_thinking: false } },
    ],
    ['Qwen', { thinking: { type: 'disabled' } }, CHAT_QUIRKS.qwen, { enable_thinking: false }],
    [
      'OpenRouter',
      { thinking: { type: 'enabled', budgetTokens: 8_000 } },
      CHAT_QUIRKS.openrouter,
      { reasoning: { max_tokens: 8_000 } },
    ],
  ])('is asked for: %s', (_, request, quirks, fields) => {
    expect(build(request, quirks)).toMatchObject(fields);
  });

  it.each([
    {},
    { thinking: { type: 'adaptive' as const } },
    { thinking: { type: 'enabled' as const, budgetTokens: 2_000 } },
  ])('is left to a model that is not known to reason: %j', (request) =>
    expect(build(request)).not.toHaveProperty('reasoning_effort'),
  );
});

describe('fields', () => {
  it('are those of OpenAI unless the server differs', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    const body = build({ outputSchema: schema });
    expect(body).toMatchObject({
      max_completion_tokens: 100,
      stream: true,
      stream_options: { include_usage: true },
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    });
    expect(body['prompt_cache_key']).toMatch(/^turnwright-/);
    const other = build({}, { ...CHAT_QUIRKS.mistral, extraBody: { safe_prompt: true } });
    expect(Object.keys(other).sort()).toEqual(['max_tokens', 'messages', 'model', 'safe_prompt', 'stream']);
  });

  it('tell the same conversation by the same key, and another by another', () => {
    const chat = builder();
    const key = (messages: MessageParam[]) => JSON.parse(chat.build({ ...BASE, messages }))['prompt_cache_key'];
    const reply: MessageParam = { role: 'assistant', content: [{ type: 'text', text: 'hi' }] };
    expect(key([ASK])).toBe(key([ASK, reply, { role: 'user', content: 'more' }]));
    expect(key([ASK])).not.toBe(key([{ role: 'user', content: 'other' }]));
  });

  it('forbid tools only if there are some', () => {
    const tools = [{ name: 'Read', description: 'Reads.', input_schema: { type: 'object', properties: {} } }];
    expect(build({ tools, toolChoice: 'none' })['tool_choice']).toBe('none');
    expect(build({ toolChoice: 'none' })).not.toHaveProperty('tool_choice');
  });

  it('mark the end of what stays the same, if the server takes marks', () => {
    const body = JSON.stringify(build({ system: [{ type: 'text', text: 'S' }] }, CHAT_QUIRKS.openrouter));
    expect(body.match(/"cache_control"/g)).toHaveLength(2);
  });
});

describe('a message that was sent', () => {
  it('is not serialised again, until the model is another', () => {
    const chat = builder();
    let reads = 0;
    const watched = new Proxy(ASK, {
      get(target, key) {
        if (key === 'content') reads++;
        return Reflect.get(target, key) as unknown;
      },
    });
    const messages = [watched];
    chat.build({ ...BASE, messages });
    const once = reads;
    chat.build({ ...BASE, messages });
    expect(reads).toBe(once);
    chat.build({ ...BASE, model: 'gpt-4o', messages });
    expect(reads).toBeGreaterThan(once);
  });

  it('is written the same whatever was written before', () => {
    const user = fc.string({ minLength: 1 }).map((content): MessageParam => ({ role: 'user', content }));
    fc.assert(
      fc.property(fc.array(user, { minLength: 1, maxLength: 8 }), (messages) => {
        const chat = builder();
        for (let length = 1; length <= messages.length; length++) {
          const turn = { ...BASE, messages: messages.slice(0, length) };
          expect(chat.build(turn)).toBe(builder().build(turn));
        }
      }),
      { seed: 42, numRuns: 100 },
    );
  });
});
