// The offline provider as a provider: its stream, usage, aborts, structured output, and that nothing makes it throw.
import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import type { MessageParam } from '../../../src/protocol/content.js';
import { ModelError } from '../../../src/protocol/errors.js';
import type { JsonSchema } from '../../../src/protocol/json.js';
import { createOfflineProvider } from '../../../src/providers/offline/index.js';
import { ALL_TOOLS, drive, firstCalls, LIMITS, newProvider, numbered, requestOf, sample, toolNamed } from './drive.js';

const prompt = (text: string): MessageParam[] => [{ role: 'user', content: text }];
const idle = new AbortController().signal;

describe('the stream', () => {
  it('is a whole message with its own name, estimated usage and valid ids', async () => {
    const { events, blocks, usage, stopReason } = await sample(newProvider(), requestOf(prompt('show README.md')));
    const [start] = events;
    if (start?.type !== 'message_start') throw new Error('no start');
    expect(start.message).toMatchObject({ model: 'offline', role: 'assistant', stop_reason: null });
    expect(start.message.usage.input_tokens).toBeGreaterThan(20);
    expect(usage.output_tokens).toBeGreaterThan(5);
    expect(stopReason).toBe('tool_use');
    expect(blocks.map((block) => block.type)).toEqual(['text', 'tool_use']);
    expect(JSON.stringify(blocks[1])).toMatch(/"id":"toolu_[0-9a-zA-Z_-]+"/);
  });

  it('comes in pieces: words of text and fragments of input', async () => {
    const { events } = await sample(newProvider(), requestOf(prompt(`create a.txt with "${'word '.repeat(60)}"`)));
    const deltas = events.flatMap((event) => (event.type === 'content_block_delta' ? [event.delta.type] : []));
    expect(deltas.filter((type) => type === 'text_delta').length).toBeGreaterThan(1);
    expect(deltas.filter((type) => type === 'input_json_delta').length).toBeGreaterThan(3);
    const answer = await sample(newProvider(), requestOf(prompt('hello')));
    expect(answer.events.filter((event) => event.type === 'content_block_delta').length).toBeGreaterThan(50);
    expect(answer.stopReason).toBe('refusal');
  });

  it('keeps a long answer to a bounded number of pieces, and within the limit of the reply', async () => {
    const long = numbered(
      Array.from({ length: 350 }, (_, index) => `line ${index} of a text with several words`).join('\n'),
    );
    const { messages } = await drive('show a.txt', () => long);
    const { events } = await sample(newProvider(), requestOf(messages.slice(0, -1)));
    expect(events.length).toBeLessThan(1_000);
    const short = await sample(newProvider(), requestOf(messages.slice(0, -1), { maxTokens: 100 }));
    expect(short.usage.output_tokens).toBeLessThan(150);
    expect(JSON.stringify(short.blocks)).toMatch(/the answer was cut here/);
  });

  it('counts the tokens of earlier messages too', async () => {
    const provider = newProvider();
    const first = await sample(provider, requestOf(prompt('hello')));
    const longer: MessageParam[] = [
      ...prompt('a long story '.repeat(200)),
      { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
      ...prompt('hello'),
    ];
    const second = await sample(provider, requestOf(longer));
    const tokens = (reply: typeof first): number => {
      const [start] = reply.events;
      return start?.type === 'message_start' ? start.message.usage.input_tokens : 0;
    };
    expect(tokens(second)).toBeGreaterThan(tokens(first) + 300);
  });

  it('gives the same reply for the same request, whatever was asked between', async () => {
    const provider = newProvider();
    const request = requestOf(prompt('find the largest TypeScript file under src'));
    const strip = (reply: { blocks: unknown }): string => JSON.stringify(reply.blocks).replace(/toolu_\w+/g, '');
    const before = strip(await sample(provider, request));
    await sample(provider, requestOf(prompt('run `ls`')));
    expect(strip(await sample(provider, request))).toBe(before);
  });
});

describe('aborts', () => {
  it('throws a ModelError before it begins, and at the next event', async () => {
    const early = new AbortController();
    early.abort();
    await expect(sample(newProvider(), requestOf(prompt('hello')), early.signal)).rejects.toMatchObject({
      kind: 'aborted',
    });
    const late = new AbortController();
    const seen: string[] = [];
    const run = async (): Promise<void> => {
      for await (const event of newProvider().stream(requestOf(prompt('hello')), LIMITS, late.signal)) {
        seen.push(event.type);
        if (seen.length === 5) late.abort();
      }
    };
    await expect(run()).rejects.toBeInstanceOf(ModelError);
    expect(seen).toHaveLength(5);
  });

  it('lets timers run while it streams', async () => {
    const { clock, ids } = createMemoryHost();
    let time = 0;
    let pauses = 0;
    // A clock on which every look takes five milliseconds.
    const slow = {
      now: () => clock.now(),
      monotonic: () => (time += 5),
      after: (_ms: number, callback: () => void) => {
        pauses += 1;
        const timer = setImmediate(callback);
        return () => clearImmediate(timer);
      },
    };
    await sample(createOfflineProvider({ clock: slow, ids }), requestOf(prompt('hello')), idle);
    expect(pauses).toBeGreaterThan(10);
  });
});

describe('structured output', () => {
  const answers = ({ name }: { name: string }): string =>
    name === 'Grep'
      ? 'src/a.ts:12\nsrc/b.ts:30'
      : name === 'Glob'
        ? '/home/me/project/src/a.ts\n/home/me/project/src/b.ts'
        : 'ok';

  it('fills properties from what was found', async () => {
    const outputSchema = {
      type: 'object',
      properties: {
        largest_file: { type: 'string' },
        lineCount: { type: 'integer' },
        success: { type: 'boolean' },
        files: {
          type: 'array',
          items: {
            type: 'object',
            properties: { path: { type: 'string' }, lines: { type: 'integer' } },
            required: ['path', 'lines'],
          },
        },
        author: { type: 'string' },
        mood: { enum: ['good', 'unknown'] },
      },
      required: ['largest_file', 'lineCount', 'success', 'files', 'author', 'mood'],
      additionalProperties: false,
    };
    const { answer } = await drive('find the 2 largest TypeScript files under src', answers, { outputSchema });
    expect(JSON.parse(answer)).toEqual({
      largest_file: 'src/b.ts',
      lineCount: 30,
      success: true,
      files: [
        { path: 'src/b.ts', lines: 30 },
        { path: 'src/a.ts', lines: 12 },
      ],
      author: '',
      mood: 'unknown',
    });
  });

  it.each([
    ['list the TypeScript files', { type: 'array', items: { type: 'string' } }, ['src/a.ts', 'src/b.ts']],
    [
      'how many TypeScript files are there?',
      { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] },
      { count: 2 },
    ],
    ['how many TypeScript files are there?', { type: 'integer' }, 2],
    [
      'how many lines are in src?',
      { type: 'object', properties: { lines: { type: 'integer' }, success: { type: 'boolean' }, author: {} } },
      { lines: 42, success: true },
    ],
    [
      'list the TypeScript files',
      {
        type: 'object',
        properties: { names: { type: 'array', items: { type: 'string' }, maxItems: 1 } },
        required: ['names'],
      },
      { names: ['src/a.ts'] },
    ],
  ])('%s as %j', async (request, outputSchema, expected) => {
    const { answer } = await drive(request, answers, { outputSchema });
    expect(JSON.parse(answer)).toEqual(expected);
  });

  it('is no value of what was not understood: the reply says so, and is no success', async () => {
    const outputSchema = { type: 'object', properties: { success: { type: 'boolean' } }, required: ['success'] };
    const tools = [...ALL_TOOLS.map((name) => toolNamed(name)), toolNamed('StructuredOutput', outputSchema)];
    for (const way of [{ outputSchema }, { tools }]) {
      const told = expect.stringContaining('I did not understand "hello"');
      expect(await drive('hello', answers, way)).toMatchObject({ calls: [], answer: told, refuses: true });
    }
  });

  it('calls the tool for structured output last and once', async () => {
    const schema = {
      type: 'object',
      properties: { files: { type: 'array', items: { type: 'string' } } },
      required: ['files'],
    };
    const tools = [...ALL_TOOLS.map((name) => toolNamed(name)), toolNamed('StructuredOutput', schema)];
    const { calls } = await drive('list the TypeScript files', answers, { tools });
    expect(calls.map((call) => call.name)).toEqual(['Glob', 'StructuredOutput']);
    expect(calls[1]?.input).toEqual({ files: ['src/a.ts', 'src/b.ts'] });
    const refused = await drive(
      'list the TypeScript files',
      (call) => (call.name === 'StructuredOutput' ? { error: 'The value does not fit.' } : answers(call)),
      { tools },
    );
    expect(refused.calls).toHaveLength(2);
  });

  it('comes back to the request after a reminder to call the tool', async () => {
    const tools = [...ALL_TOOLS.map((name) => toolNamed(name)), toolNamed('StructuredOutput')];
    const messages: MessageParam[] = [
      ...prompt('list the TypeScript files'),
      { role: 'assistant', content: [{ type: 'text', text: 'Hm.' }] },
      ...prompt('Give the answer by calling the StructuredOutput tool; a text answer does not count.'),
    ];
    const { blocks } = await sample(newProvider(), requestOf(messages, { tools }));
    expect(blocks.find((block) => block.type === 'tool_use')).toMatchObject({ name: 'Glob' });
  });

  const property = fc.constantFrom(
    'files',
    'count',
    'path',
    'lines',
    'summary',
    'answer',
    'matches',
    'output',
    'result',
    'success',
    'x',
    'title',
    'error',
  );
  const schemas = fc.letrec<{ node: JsonSchema; leaf: JsonSchema; object: JsonSchema; array: JsonSchema }>((tie) => ({
    leaf: fc.oneof(
      fc.record({ type: fc.constant('string'), minLength: fc.nat(5), maxLength: fc.integer({ min: 5, max: 50 }) }),
      fc.record({
        type: fc.constantFrom('integer', 'number'),
        minimum: fc.integer({ min: -50, max: 3 }),
        maximum: fc.integer({ min: 3, max: 60 }),
      }),
      fc.record({
        type: fc.constant('integer'),
        exclusiveMinimum: fc.integer({ min: -50, max: 3 }),
        multipleOf: fc.integer({ min: 1, max: 7 }),
      }),
      fc.constantFrom<JsonSchema>(
        { type: 'string' },
        { type: 'number' },
        { type: 'integer' },
        { type: 'boolean' },
        { type: 'null' },
        { type: ['string', 'null'] },
        {},
        { const: 7 },
        { enum: ['a', 'b', 3] },
      ),
    ),
    object: fc
      .tuple(fc.dictionary(property, tie('node'), { maxKeys: 4 }), fc.boolean(), fc.boolean())
      .map(([properties, all, open]) => ({
        type: 'object',
        properties,
        required: Object.keys(properties).filter((_, index) => all || index % 2 === 0),
        ...(open ? {} : { additionalProperties: false }),
      })),
    array: fc.record({
      type: fc.constant('array'),
      items: tie('node'),
      minItems: fc.nat(2),
      maxItems: fc.integer({ min: 2, max: 5 }),
    }),
    node: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      tie('leaf'),
      tie('object'),
      tie('array'),
      tie('node').map((node) => ({ anyOf: [node, { type: 'null' }] })),
    ),
  }));
  const requests = fc.constantFrom(
    'find the 2 largest TypeScript files',
    'list the TypeScript files',
    'search for "12" in src',
    'show a.txt',
    'run `ls`',
    'how many lines are in a.ts',
  );

  it('fits any simple schema', async () => {
    await fc.assert(
      fc.asyncProperty(schemas.node, requests, async (outputSchema, request) => {
        const { answer } = await drive(
          request,
          (call) => (call.name === 'Read' ? numbered('# T\n\nText.') : answers(call)),
          { outputSchema },
        );
        const { valid, errors } = new Validator(outputSchema as object, '2020-12').validate(JSON.parse(answer));
        expect(valid, JSON.stringify({ outputSchema, answer, errors })).toBe(true);
      }),
      { seed: 42, numRuns: 300 },
    );
  });

  it('ends on a schema that refers to itself', async () => {
    const outputSchema = {
      $defs: {
        node: {
          type: 'object',
          properties: { name: { type: 'string' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
          required: ['name', 'next'],
        },
      },
      $ref: '#/$defs/node',
    };
    const { answer } = await drive('list the TypeScript files', answers, { outputSchema });
    expect(new Validator(outputSchema, '2020-12').validate(JSON.parse(answer)).valid).toBe(true);
    const endless = { type: 'object', properties: { child: { $ref: '#' } }, required: ['child'] };
    await drive('list the TypeScript files', answers, { outputSchema: endless });
  });
});

describe('any input', () => {
  const words = fc.constantFrom(
    'find',
    'the',
    'largest',
    'file',
    'in',
    'src',
    'then',
    'write',
    'its',
    'path',
    'to',
    'report.md',
    'and',
    'replace',
    '"',
    "'",
    '`',
    '```',
    'with',
    'it',
    '\n',
    ':',
    ';',
    '.',
    '*',
    '/',
    '(',
    '[',
    '\\',
    'lines',
    'of',
    'a.ts',
    'search',
    'for',
    'create',
    'containing',
    '\u{1F600}',
    '\uE0000\uE001',
    'constructor',
    '__proto__',
    '$&',
    '<context>',
    '</context>',
  );

  it('never throws on words in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(words, { maxLength: 25 }), fc.string({ maxLength: 200 }), async (list, result) => {
        const { answer } = await drive(list.join(' ') || 'x', () => result);
        expect(answer).not.toBe('');
      }),
      { seed: 42, numRuns: 400 },
    );
  });

  it('never throws on any text and any result', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), fc.boolean(), async (text, fails) => {
        await drive(`show ${text}`, () => (fails ? { error: text } : text));
        await drive(text, () => text);
      }),
      { seed: 42, numRuns: 200 },
    );
  });

  it('reads long garbage in bounded steps', async () => {
    for (const piece of [
      '“',
      '```x\n',
      '"',
      'in ',
      ', and ',
      'find the ',
      '\n'.repeat(3),
      '((((',
      ', ',
      'and please ',
      'the ',
      'its path and ',
      "'a ",
      '* ',
    ] as const) {
      expect((await firstCalls(piece.repeat(40_000))).length).toBeLessThan(2);
      // Just short enough to be looked at.
      expect((await firstCalls(piece.repeat(19_990 / piece.length))).length).toBeLessThan(2);
    }
  });

  it('never names an endpoint it was not given, and wraps a failure of its own', async () => {
    const broken = requestOf(prompt('show a.txt'), { tools: null as unknown as [] });
    await expect(sample(newProvider(), broken)).rejects.toMatchObject({ name: 'ModelError', kind: 'invalid_request' });
  });
});
