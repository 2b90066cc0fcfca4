// `outputFormat` by a schema of Zod: what the model is told, who has the last word, and the type of what comes out.
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z as z3 } from 'zod/v3';
import { z as z4 } from 'zod/v4';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

const common = async (provider: NonNullable<Options['provider']>): Promise<Options> => ({
  provider,
  cwd: await temporaryFolder(),
  persistSession: false,
  settingSources: [],
});
const value = (input: unknown) => toolCall('StructuredOutput', input);

describe.each([
  ['3', z3 as unknown as typeof z4],
  ['4', z4],
])('a schema of Zod %s', (_version, z) => {
  const person = () =>
    z.object({
      name: z.string().refine((name) => name !== 'nobody', 'name somebody'),
      age: z.string().transform(Number),
      tags: z.array(z.enum(['a', 'b'])).optional(),
    });

  it('is told to the model, has the last word, and gives what it makes of the value', async () => {
    const model = scriptedModel([
      value({ name: 'Ada' }),
      value({ name: 'nobody', age: '36' }),
      value({ name: 'Ada', age: '36' }),
    ]);
    const options = { ...(await common(model)), outputFormat: { type: 'json_schema', schema: person() } } as const;
    for await (const message of query({ prompt: 'who?', options })) {
      if (message.type !== 'result') continue;
      expect(message).toMatchObject({ subtype: 'success', structured_output: { name: 'Ada', age: 36 } });
      expect(message.result).toBe('{"name":"Ada","age":"36"}');
    }
    const tool = model.requests[0]?.tools.find(({ name }) => name === 'StructuredOutput');
    expect(tool?.input_schema).toMatchObject({
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'string' }, tags: { type: 'array' } },
      required: ['name', 'age'],
    });
    const answers = model.requests.slice(1).map(({ messages }) => JSON.stringify(messages.at(-1)));
    expect(answers[0]).toContain('does not fit the schema');
    expect(answers[1]).toContain('name somebody');
    model.assertDone();
  });

  it('never gives a success without a value that it takes', async () => {
    const model = scriptedModel(() => value({ name: 'nobody', age: '36' }));
    const options = { ...(await common(model)), outputFormat: { type: 'json_schema', schema: person() } } as const;
    for await (const message of query({ prompt: 'who?', options }))
      if (message.type === 'result')
        expect(message).toMatchObject({
          subtype: 'error_max_structured_output_retries',
          errors: [expect.stringContaining('name somebody')],
        });
  });

  it('may be of any type, and one that throws refuses', async () => {
    const list = z.array(z.number()).transform((numbers) => {
      if (numbers.length === 0) throw new Error('an empty list');
      return numbers.length;
    });
    const model = scriptedModel([value({ value: [] }), value({ value: [1, 2] })]);
    const options = { ...(await common(model)), outputFormat: { type: 'json_schema', schema: list } } as const;
    for await (const message of query({ prompt: 'how many?', options }))
      if (message.type === 'result') expect(message).toMatchObject({ subtype: 'success', structured_output: 2 });
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('an empty list');
  });
});

describe('the type of structured_output', () => {
  const provider = scriptedModel([text('never asked')]);

  it('is that of the schema if the prompt was completed, and absent beside it', () => {
    const schema = z4.object({ n: z4.string().transform(Number), list: z4.array(z4.literal('x')).optional() });
    const stream = () => query({ prompt: '', options: { provider, outputFormat: { type: 'json_schema', schema } } });
    type Message = ReturnType<typeof stream> extends AsyncGenerator<infer M> ? M : never;
    type Success = Extract<Message, { type: 'result'; subtype: 'success' }>;
    type Value = { n: number; list?: 'x'[] | undefined };
    const done = (message: Message) =>
      message.type === 'result' && message.subtype === 'success' && message.terminal_reason === 'completed'
        ? message.structured_output
        : null;
    expectTypeOf(done).returns.toEqualTypeOf<Value | null>();
    expectTypeOf<Success['structured_output']>().toEqualTypeOf<Value | undefined>();
    // The other messages are as ever.
    expectTypeOf<Extract<Message, { type: 'assistant' }>['message']['role']>().toEqualTypeOf<'assistant'>();
  });

  it('is that of Zod 3 too', () => {
    const schema = z3.object({ n: z3.number() });
    const stream = () => query({ prompt: '', options: { provider, outputFormat: { type: 'json_schema', schema } } });
    type Message = ReturnType<typeof stream> extends AsyncGenerator<infer M> ? M : never;
    type Success = Extract<Message, { type: 'result'; subtype: 'success' }>;
    expectTypeOf<Success['structured_output']>().toEqualTypeOf<{ n: number } | undefined>();
  });

  it('is not known of a JSON Schema, nor of options whose schema is not', () => {
    const plain = () =>
      query({ prompt: '', options: { provider, outputFormat: { type: 'json_schema', schema: { type: 'object' } } } });
    const any = (options: Options) => query({ prompt: '', options });
    type Of<T> = T extends AsyncGenerator<infer M> ? Extract<M, { type: 'result' }> : never;
    expectTypeOf<Of<ReturnType<typeof plain>>['structured_output']>().toEqualTypeOf<unknown>();
    expectTypeOf<Of<ReturnType<typeof any>>['structured_output']>().toEqualTypeOf<unknown>();
  });
});

describe('a schema without a word around it', () => {
  it('of Zod has the last word, and its type', async () => {
    const model = scriptedModel([value({ age: '36' })]);
    const options = { ...(await common(model)), outputFormat: z4.object({ age: z4.string().transform(Number) }) };
    for await (const message of query({ prompt: 'who?', options })) {
      if (message.type !== 'result' || message.subtype !== 'success' || message.terminal_reason !== 'completed')
        continue;
      expectTypeOf(message.structured_output).toEqualTypeOf<{ age: number }>();
      expect(message.structured_output).toEqual({ age: 36 });
    }
    model.assertDone();
  });

  it('that is JSON is what the value must fit', async () => {
    const outputFormat = { type: 'object', properties: { age: { type: 'number' } }, required: ['age'] };
    const model = scriptedModel([value({ age: 'old' }), value({ age: 36 })]);
    for await (const message of query({ prompt: 'who?', options: { ...(await common(model)), outputFormat } }))
      if (message.type === 'result') expect(message).toMatchObject({ structured_output: { age: 36 } });
    model.assertDone();
  });

  it.each([
    [{ type: 'text' }, /outputFormat cannot be used/],
    [{ type: 'json_schema' }, /outputFormat\.schema is undefined/],
    [{}, /`outputFormat` must be a schema of Zod, a JSON Schema/],
  ])('that is none is refused: %j', async (outputFormat, words) => {
    const running = query({ prompt: 'who?', options: { ...(await common(scriptedModel([]))), outputFormat } });
    await expect(running.next()).rejects.toThrow(words);
  });
});
