// Calls that a model writes as text, through the wrapper and as the loop gets them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { query } from '../../../src/index.js';
import { toolCallProfile } from '../../../src/providers/text-calls/call-form.js';
import { withToolCallText } from '../../../src/providers/text-calls/tool-call-text.js';
import { fakeHost } from '../../../src/testing/fake-host.js';
import { collect, foldEvents, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, thinking, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { ask, LIMITS, modelRequest } from '../../testing/support.js';
import { BY_HAND, corpus, TOOLS } from '../tool-call-text/corpus.js';
import { PROSE } from '../tool-call-text/prose.js';
import {
  callsIn,
  eventsOf,
  piecesProvider,
  REQUEST,
  readBlocks,
  readText,
  textIn,
} from '../tool-call-text/read-text.js';

const CASES = [...corpus(), ...BY_HAND];
const CALL = '{"name": "Read", "arguments": {"file_path": "a.txt"}}';
const TAGGED = `<tool_call>${CALL}</tool_call>`;
const A_CALL = [{ name: 'Read', input: { file_path: 'a.txt' } }];

describe('calls in a text', () => {
  it('are recovered from the forms of the model families', async () => {
    const missed: string[] = [];
    for (const { title, text: written, calls, lead } of CASES) {
      const message = await readText(written);
      const isRight =
        JSON.stringify(callsIn(message)) === JSON.stringify(calls) && textIn(message).trimEnd() === lead.trimEnd();
      if (!isRight) missed.push(`${title}\n${written}\n${JSON.stringify(callsIn(message))}`);
    }
    expect(CASES.length).toBeGreaterThanOrEqual(300);
    expect(new Set(CASES.map(({ family }) => family)).size).toBeGreaterThanOrEqual(12);
    expect(missed).toEqual([]);
  });

  it('are not seen if a text only shows JSON', async () => {
    const wrong: string[] = [];
    for (const prose of PROSE) {
      const message = await readText(prose);
      if (callsIn(message).length > 0 || textIn(message) !== prose) wrong.push(prose);
    }
    expect(PROSE.length).toBeGreaterThanOrEqual(100);
    expect(wrong).toEqual([]);
  });

  it('give the same blocks however the stream is split, and no part of a call is shown', async () => {
    const texts = [...CASES.map((one) => one.text), ...PROSE];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...texts),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }),
        async (written, sizes) => {
          const whole = foldEvents(await eventsOf(piecesProvider([written])));
          const pieces: string[] = [];
          for (let at = 0, turn = 0; at < written.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            pieces.push(written.slice(at, at + size));
            at += size;
          }
          // `foldEvents` spells the text from the deltas: what was shown is what the block holds.
          expect(foldEvents(await eventsOf(piecesProvider(pieces)))).toEqual(whole);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are never made of a part of one', async () => {
    for (const { text: written, calls } of CASES.filter(
      (_, at) => at % 6 === 0 || at >= CASES.length - BY_HAND.length,
    )) {
      for (let end = 0; end < written.length; end += 3) {
        const found = callsIn(foldEvents(await eventsOf(piecesProvider([written.slice(0, end)]))));
        expect(calls.slice(0, found.length)).toEqual(found);
      }
    }
  });

  it('come with the stop reason of a call and with ids of their own', async () => {
    const request = modelRequest([ask('Go on.')], { tools: TOOLS });
    const message = await readBlocks([text(TAGGED + TAGGED)], request);
    expect(message.stop_reason).toBe('tool_use');
    const ids = message.content.map((block) => (block.type === 'tool_use' ? block.id : ''));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[\w-]{1,64}$/);
  });

  it('may have a name in another letter case only between marks, and if one tool alone has it', async () => {
    const [read, ...others] = TOOLS;
    if (read === undefined) throw new Error('There are no tools.');
    const tools = [read, { ...read, name: 'READ' }, ...others];
    const written = '<tool_call>{"name": "NAME", "arguments": {"file_path": "a.txt"}}</tool_call>';
    const callsOf = async (name: string, offered: typeof TOOLS) => {
      const request = modelRequest([ask('Go on.')], { tools: offered });
      return callsIn(await readBlocks([text(written.replace('NAME', name))], request));
    };
    expect(await callsOf('rEAD', TOOLS)).toEqual(A_CALL);
    expect(await callsOf('rEAD', tools)).toEqual([]);
    expect(await callsOf('Read', tools)).toEqual(A_CALL);
  });

  it('get ids that the conversation does not have yet', async () => {
    const first = await readText(TAGGED);
    const [used] = first.content;
    const id = used?.type === 'tool_use' ? used.id : '';
    const history = [
      ask('Go on.'),
      { role: 'assistant' as const, content: [{ type: 'tool_use' as const, id, name: 'Read', input: {} }] },
      { role: 'user' as const, content: [{ type: 'tool_result' as const, tool_use_id: id, content: 'x' }] },
    ];
    const again = foldEvents(await eventsOf(piecesProvider([TAGGED]), modelRequest(history, { tools: TOOLS })));
    const [second] = again.content;
    expect(second?.type === 'tool_use' && second.id !== id).toBe(true);
  });
});

describe('a long reply', () => {
  it.each(['a line of words\n', 'words on one line, ', 'with `code` and <tags> [in it] '])(
    'of "%s" is text up to its calls',
    async (part) => {
      const pieces = Array.from({ length: 3_000 }, () => part);
      const message = foldEvents(
        await eventsOf(piecesProvider([...pieces, '\n', '<tool', '_call>', CALL, '</tool_call>'])),
      );
      expect(textIn(message)).toBe(`${part.repeat(3_000)}\n`);
      expect(callsIn(message)).toEqual(A_CALL);
    },
  );

  it('knows that it is in code if the beginning of the line or the fence is long gone', async () => {
    const inFence = `\`\`\`\n${'x\n'.repeat(20_000)}${TAGGED}`;
    const inCode = `\`${'x '.repeat(20_000)}${TAGGED}`;
    for (const written of [inFence, inCode]) {
      const pieces = written.match(/[\s\S]{1,50}/g) ?? [];
      expect(textIn(foldEvents(await eventsOf(piecesProvider(pieces))))).toBe(written);
    }
  });
});

describe('a reply', () => {
  it('is shown as it comes up to the first mark', async () => {
    const events = await eventsOf(
      piecesProvider(['I look', ' at it. <', 'b> and ', '<tool_', 'call>', CALL, '</tool_call>']),
    );
    const deltas = events.flatMap((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? [event.delta.text] : [],
    );
    expect(deltas).toEqual(['I look', ' at it. ', '<b> and ']);
  });

  it('keeps its text if it has calls of the API as well', async () => {
    const before = await readBlocks([text(TAGGED), toolCall('Bash', { command: 'ls' })]);
    expect(before.content.map(({ type }) => type)).toEqual(['text', 'tool_use']);
    expect(textIn(before)).toBe(TAGGED);
    const behind = await readBlocks([toolCall('Bash', { command: 'ls' }), text(TAGGED)]);
    expect(behind.content.map(({ type }) => type)).toEqual(['tool_use', 'text']);
  });

  it('keeps its text if more text follows', async () => {
    expect(callsIn(await readBlocks([text(TAGGED), text('So it goes.')]))).toEqual([]);
    expect(callsIn(await readBlocks([text('So it goes.'), text(TAGGED)]))).toEqual(A_CALL);
  });

  it('never calls by a thought', async () => {
    const message = await readBlocks([thinking(TAGGED, 'sig'), text('Done.')]);
    expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
  });

  it('calls behind a thought', async () => {
    const message = await readBlocks([thinking('Hm.', 'sig'), text(`\n\n${TAGGED}`)]);
    expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
  });

  it('keeps its text if the request allows no calls, or offers none', async () => {
    const none = { ...REQUEST, toolChoice: 'none' as const };
    expect(textIn(await readBlocks([text(TAGGED)], none))).toBe(TAGGED);
    expect(textIn(await readBlocks([text(TAGGED)], { ...REQUEST, tools: [] }))).toBe(TAGGED);
  });

  it('keeps an empty text and white space', async () => {
    expect((await readText('')).content).toEqual([{ type: 'text', text: '' }]);
    expect((await readText(' \n')).content).toEqual([{ type: 'text', text: ' \n' }]);
  });

  it('keeps a stop reason that says more', async () => {
    const step = { ...reply(text(TAGGED)), stopReason: 'max_tokens' as const };
    expect(foldEvents(await eventsOf(scriptedModel([step]))).stop_reason).toBe('max_tokens');
  });
});

describe('arguments of a call of the API', () => {
  const inputOf = async (name: string, rawInput: string) => {
    const [call] = callsIn(await readBlocks([{ type: 'tool_use', name, input: {}, rawInput }])) as { input: unknown }[];
    return call?.input;
  };

  it.each([
    ['a text', 'Read', '"{\\"file_path\\": \\"a.txt\\"}"', { file_path: 'a.txt' }],
    ['quotes of Python', 'Read', "{'file_path': 'a.txt',}", { file_path: 'a.txt' }],
    ['numbers as texts', 'Read', '{"file_path": "1", "limit": "5"}', { file_path: '1', limit: 5 }],
    ['a wrap', 'Read', '{"input": {"file_path": "a.txt"}}', { file_path: 'a.txt' }],
    [
      'keys in another case',
      'Edit',
      '{"filePath": "a", "OLD_STRING": "b", "new-string": "c"}',
      { file_path: 'a', old_string: 'b', new_string: 'c' },
    ],
    [
      'a text for a list',
      'TodoWrite',
      '{"todos": "[{\\"content\\": \\"a\\", \\"done\\": \\"true\\"}]"}',
      { todos: [{ content: 'a', done: true }] },
    ],
    ['no number in a text', 'Read', '{"file_path": "a", "limit": "many"}', { file_path: 'a', limit: 'many' }],
    ['a key that is there twice', 'Read', '{"filePath": "a", "file_path": "b"}', { filePath: 'a', file_path: 'b' }],
    ['a number that is not whole', 'Read', '{"file_path": "a", "limit": "1.5"}', { file_path: 'a', limit: '1.5' }],
    [
      'a name of JavaScript',
      'Read',
      '{"file_path": "a", "__proto__": {"x": 1}}',
      JSON.parse('{"file_path": "a", "__proto__": {"x": 1}}'),
    ],
  ])('with %s', async (_, name, raw, input) => {
    expect(await inputOf(name, raw)).toEqual(input);
  });

  it.each(['{"file_path": "a', '{"file_path": "a.txt"', '"a.txt"', '[1]', '{"a" "b"}'])(
    'stay as they are: %s',
    async (raw) => {
      const events = await eventsOf(scriptedModel([{ type: 'tool_use', name: 'Read', input: {}, rawInput: raw }]));
      const json = events.flatMap((event) =>
        event.type === 'content_block_delta' && event.delta.type === 'input_json_delta'
          ? [event.delta.partial_json]
          : [],
      );
      expect(json.join('')).toBe(raw);
    },
  );
});

describe('withToolCallText', () => {
  it('is the provider itself for a model that calls by its API', () => {
    const provider = scriptedModel([]);
    expect(withToolCallText(provider, 'native')).toBe(provider);
  });

  it('runs the call in the loop, and gives the model its result', async () => {
    const model = scriptedModel([
      text(`I will read it.\n${TAGGED}`),
      (request) => text(JSON.stringify(request.messages.at(-1)).includes('hello') ? 'Found.' : 'Not found.'),
    ]);
    const host = fakeHost({ files: { '/project/a.txt': 'hello\n' } });
    const messages = await collect(query({ prompt: 'Look.', options: { provider: withToolCallText(model), host } }));
    expect(lastResult(messages).result).toBe('Found.');
    model.assertDone();
  });

  it('tells a model without tools of them, and writes calls and results as text', async () => {
    const model = scriptedModel([
      text(TAGGED),
      (request) => text(JSON.stringify(request.messages).includes('<tool_response>') ? 'Found.' : 'Not found.'),
    ]);
    const host = fakeHost({ files: { '/project/a.txt': 'hello\n' } });
    const provider = withToolCallText(model, 'text');
    const messages = await collect(query({ prompt: 'Look.', options: { provider, host } }));
    expect(lastResult(messages).result).toBe('Found.');
    const [first, second] = model.requests;
    expect(first?.tools).toEqual([]);
    expect(first?.system.at(-1)?.text).toContain('"name":"Read"');
    expect(JSON.stringify(second?.messages)).not.toContain('tool_use');
    expect(JSON.stringify(second?.messages)).toContain('hello');
    // What was sent once is sent the same again.
    expect(second?.system).toEqual(first?.system);
    expect(second?.messages.slice(0, 1)).toEqual(first?.messages);
    model.assertDone();
  });

  it('passes failures on, and closes what it wraps', async () => {
    let closed = 0;
    const model = scriptedModel([{ ...reply(text(`Well. ${TAGGED}`)), cutAfterEvents: 4 }]);
    const wrapped = withToolCallText({ ...model, close: () => void closed++ });
    await expect(collect(wrapped.stream(REQUEST, LIMITS, new AbortController().signal))).rejects.toThrow(/cut/);
    wrapped.close?.();
    expect(closed).toBe(1);
  });
});

describe('toolCallProfile', () => {
  it.each([
    ['qwen3:8b', 'auto', 'auto'],
    ['openai/gpt-oss-120b', 'auto', 'auto'],
    ['anthropic/claude-sonnet-4-5', 'auto', 'native'],
    ['openai/gpt-6', 'auto', 'native'],
    ['o3-mini', 'auto', 'native'],
    ['olmo-2', 'auto', 'auto'],
    ['anything', undefined, 'native'],
    ['claude-like', 'text', 'text'],
  ] as const)('%s on a server with %s: %s', (model, ofServer, profile) => {
    expect(toolCallProfile(model, ofServer)).toBe(profile);
  });
});
