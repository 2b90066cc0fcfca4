// The body of a Responses request: stateless, valid whatever history it is made of, reasoning back where it came from.
import { describe, expect, it } from 'vitest';
import type { AssistantBlock, MessageParam, UserBlock } from '../../../src/protocol/content.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import { createCallIds, createWireNames } from '../../../src/providers/openai/request-parts.js';
import { createResponsesBodyBuilder, sealItem } from '../../../src/providers/openai-responses/request-body.js';
import { ONE_PIXEL_PNG } from '../../../src/testing/wire/wire-blocks.js';
import { validateResponsesRequest } from '../../../src/testing/wire/wire-responses.js';
import { formatViolations } from '../../../src/testing/wire/wire-violation.js';

const BASE: ModelRequest = { model: 'gpt-5.2', system: [], tools: [], messages: [], maxTokens: 100 };
const ASK: MessageParam = { role: 'user', content: 'hello' };
const image: UserBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: ONE_PIXEL_PNG } };
const use: AssistantBlock = { type: 'tool_use', id: 'call_a', name: 'Read', input: { k: 1 } };

function builder() {
  return createResponsesBodyBuilder({ server: 'openai', ids: createCallIds(), names: createWireNames(64) });
}

function build(request: Partial<ModelRequest>) {
  const body = JSON.parse(builder().build({ ...BASE, messages: [ASK], ...request })) as {
    readonly input: readonly Readonly<Record<string, unknown>>[];
    readonly [field: string]: unknown;
  };
  expect(formatViolations(validateResponsesRequest(body))).toBe('');
  return body;
}

function answered(content: string | readonly UserBlock[], is_error = false): MessageParam {
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_a', content, is_error } as UserBlock] };
}

const thought = (id: string, model = 'gpt-5.2', server = 'openai'): AssistantBlock => ({
  type: 'thinking',
  thinking: 'Hm.',
  signature: sealItem({ server, model, id, encrypted: `secret ${id}` }),
});

describe('input', () => {
  it('is the conversation, item by item', () => {
    const { input, ...rest } = build({
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [ASK, { role: 'assistant', content: [{ type: 'text', text: 'Looking.' }, use] }, answered('A')],
    });
    expect(rest).toMatchObject({
      instructions: 'Be brief.',
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
    });
    expect(input).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
      { type: 'message', role: 'assistant', content: 'Looking.' },
      { type: 'function_call', call_id: 'call_a', name: 'Read', arguments: '{"k":1}' },
      { type: 'function_call_output', call_id: 'call_a', output: 'A' },
    ]);
  });

  it('holds images in results, and tells a failed call', () => {
    const [, , output] = build({
      messages: [ASK, { role: 'assistant', content: [use] }, answered([image], true)],
    }).input;
    expect(output?.['output']).toMatchObject([
      { type: 'input_text', text: 'The call failed.' },
      { type: 'input_image', image_url: `data:image/png;base64,${ONE_PIXEL_PNG}` },
    ]);
    expect(build({ messages: [ASK, { role: 'assistant', content: [use] }, answered('')] }).input[2]?.['output']).toBe(
      '(no output)',
    );
  });

  it('holds documents by data and by URL', () => {
    const source = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } as const;
    const content: UserBlock[] = [
      { type: 'document', source, title: 'Plan' },
      { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } },
      { type: 'document', source: { ...source, media_type: 'text/csv' } },
    ];
    expect(build({ messages: [{ role: 'user', content }] }).input[0]?.['content']).toMatchObject([
      { type: 'input_file', filename: 'Plan.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      { type: 'input_file', file_url: 'https://x.test/a.pdf' },
      { type: 'input_text', text: expect.stringContaining('text/csv') },
    ]);
  });
});

describe('reasoning', () => {
  const types = (content: AssistantBlock[], model = BASE.model) =>
    build({ model, messages: [ASK, { role: 'assistant', content }, answered('A')] }).input.map(({ type }) => type);

  it('goes back where it stood, with what it led to', () => {
    const text: AssistantBlock = { type: 'text', text: 'So.' };
    expect(types([thought('rs_1'), text, thought('rs_2'), use])).toEqual([
      'message',
      'reasoning',
      'message',
      'reasoning',
      'function_call',
      'function_call_output',
    ]);
    const { input } = build({ messages: [ASK, { role: 'assistant', content: [thought('rs_1'), use] }, answered('A')] });
    expect(input[1]).toEqual({
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      encrypted_content: 'secret rs_1',
    });
  });

  it('that led to nothing is left out', () => {
    expect(types([use, thought('rs_1')])).toEqual(['message', 'function_call', 'function_call_output']);
  });

  it('of another model, server or API is left out', () => {
    const signed: AssistantBlock = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
    const redacted: AssistantBlock = { type: 'redacted_thinking', data: 'x' };
    const foreign = [thought('a', 'gpt-5'), thought('b', 'gpt-5.2', 'other'), signed, redacted];
    expect(types([...foreign, use])).toEqual(['message', 'function_call', 'function_call_output']);
  });

  it('is written again for another model', () => {
    const responses = builder();
    const messages: MessageParam[] = [ASK, { role: 'assistant', content: [thought('rs_1'), use] }, answered('A')];
    expect(responses.build({ ...BASE, messages })).toContain('secret rs_1');
    expect(responses.build({ ...BASE, model: 'gpt-5', messages })).not.toContain('secret rs_1');
    expect(responses.build({ ...BASE, messages })).toContain('secret rs_1');
  });

  it.each<[Partial<ModelRequest>, object]>([
    [{ effort: 'high' }, { effort: 'high' }],
    [{ thinking: { type: 'adaptive' } }, { summary: 'auto' }],
    [{ thinking: { type: 'enabled', budgetTokens: 20_000 } }, { effort: 'high', summary: 'auto' }],
    [{ thinking: { type: 'disabled' } }, { effort: 'none' }],
  ])('is asked for: %j', (request, reasoning) => {
    expect(build(request)['reasoning']).toEqual(reasoning);
  });

  it('is not asked of a model without', () => {
    const body = build({ model: 'gpt-4.1', thinking: { type: 'enabled', budgetTokens: 2_000 } });
    expect(body).not.toHaveProperty('reasoning');
    expect(body).not.toHaveProperty('include');
  });
});

describe('fields', () => {
  it('are within what the API takes', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    const tools = [
      { name: 'x'.repeat(100), description: 'Reads.', input_schema: { type: 'object' } },
      { name: 'x'.repeat(100), description: 'Again.', input_schema: { type: 'object' } },
    ];
    const body = build({ outputSchema: schema, maxTokens: 1, tools, toolChoice: 'none' });
    expect(body).toMatchObject({
      max_output_tokens: 16,
      tool_choice: 'none',
      text: { format: { type: 'json_schema', name: 'answer', strict: true, schema } },
    });
    expect(body['tools']).toMatchObject([{ type: 'function', description: 'Reads.', strict: false }]);
  });

  it('keep what was serialised', () => {
    const responses = builder();
    const whole = { ...BASE, messages: [ASK] };
    expect(responses.build(whole)).toBe(responses.build(whole));
  });
});
