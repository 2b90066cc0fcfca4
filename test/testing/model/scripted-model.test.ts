import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AssistantBlock, ModelEvent } from '../../../src/protocol/content.js';
import { ModelError } from '../../../src/protocol/errors.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import { collect, foldEvents } from '../../../src/testing/model/collect.js';
import { reply, type ScriptedBlock, text, thinking, toolCall } from '../../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { WireViolationError } from '../../../src/testing/wire/wire-violation.js';
import { ask, LIMITS, modelRequest } from '../support.js';

const HELLO = modelRequest([ask('hello')]);

function run(model: ScriptedModel, request: ModelRequest = HELLO, signal = new AbortController().signal) {
  return collect<ModelEvent>(model.stream(request, LIMITS, signal));
}

/** The events before a failure, and the failure. */
async function runToFailure(model: ScriptedModel, signal = new AbortController().signal) {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(HELLO, LIMITS, signal)) events.push(event);
  } catch (error) {
    return { events, error };
  }
  throw new Error('The stream ended normally.');
}

const blocks: fc.Arbitrary<ScriptedBlock> = fc.oneof(
  fc.string({ unit: 'binary' }).map(text),
  fc
    .string({ unit: fc.constantFrom('a', '\ud800', '\udc00', '\u{1f600}', '\0', '\u202e') })
    .map((value) => thinking(value, `sig ${value}`)),
  fc.string().map((data): ScriptedBlock => ({ type: 'redacted_thinking', data })),
  fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()).map((input) => toolCall('Read', input)),
);

describe('scriptedModel', () => {
  it('streams the contract: start, blocks, delta, stop', async () => {
    const model = scriptedModel([reply(text('Reading it.'), toolCall('Read', { file_path: '/a' }))], { chunkSize: 8 });
    const events = await run(model);
    expect(events.map((event) => event.type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(foldEvents(events)).toMatchObject({
      id: 'msg_0001',
      model: 'test-model',
      stop_reason: 'tool_use',
      content: [text('Reading it.'), { type: 'tool_use', id: 'toolu_0001', name: 'Read', input: { file_path: '/a' } }],
    });
    model.assertDone();
  });

  it('folds to exactly its blocks, whatever they hold and however they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(blocks, { maxLength: 5 }), fc.integer({ min: 1, max: 9 }), async (list, chunkSize) => {
        const events = await run(scriptedModel([reply(...list)], { chunkSize }));
        let calls = 0;
        const expected = list.map((block): AssistantBlock => {
          if (block.type !== 'tool_use') return block;
          const id = `toolu_${String(++calls).padStart(4, '0')}`;
          return { type: 'tool_use', id, name: block.name, input: JSON.parse(JSON.stringify(block.input)) };
        });
        expect(foldEvents(events).content).toEqual(expected);
        for (const event of events) {
          if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') continue;
          expect(event.delta.text.length).toBeLessThanOrEqual(chunkSize + 1);
        }
      }),
      { seed: 42, numRuns: 300 },
    );
  });

  it('ends no delta within a character', async () => {
    const events = await run(scriptedModel([text('\u{1f600}'.repeat(5))], { chunkSize: 1 }));
    const deltas = events.flatMap((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? [event.delta.text] : [],
    );
    expect(deltas).toEqual(Array.from({ length: 5 }, () => '\u{1f600}'));
  });

  it('takes bare blocks, equal deltas and functions as steps', async () => {
    const model = scriptedModel([
      text('one'),
      { deltas: 3, delta: 'ab', stopReason: 'max_tokens' },
      (request, callIndex) => text(`${request.model} ${callIndex}`),
      async () => reply(text('later')),
    ]);
    const replies = [];
    for (let index = 0; index < 4; index++) replies.push(foldEvents(await run(model)));
    expect(replies.map(({ content, stop_reason }) => [content, stop_reason])).toEqual([
      [[text('one')], 'end_turn'],
      [[text('ababab')], 'max_tokens'],
      [[text('test-model 2')], 'end_turn'],
      [[text('later')], 'end_turn'],
    ]);
    model.assertDone();
  });

  it('reports the scripted usage, and an estimate for the rest', async () => {
    const model = scriptedModel(
      [{ ...text('x'.repeat(400)) }, { ...reply(text('x')), usage: { input_tokens: 7, cache_read_input_tokens: 5 } }],
      {
        usage: { cache_creation_input_tokens: 3 },
      },
    );
    const first = foldEvents(await run(model)).usage;
    expect(first).toMatchObject({ output_tokens: 100, cache_creation_input_tokens: 3 });
    expect(first.input_tokens).toBeGreaterThan(10);
    expect(foldEvents(await run(model)).usage).toEqual({
      input_tokens: 7,
      output_tokens: 1,
      cache_creation_input_tokens: 3,
      cache_read_input_tokens: 5,
    });
  });

  it('streams raw input as it is', async () => {
    const model = scriptedModel([{ ...toolCall('Write'), rawInput: '{"content": "hal' }]);
    const events = await run(model);
    const json = events.map((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'input_json_delta' ? event.delta.partial_json : '',
    );
    expect(json.join('')).toBe('{"content": "hal');
    expect(() => foldEvents(events)).toThrow('not JSON');
  });
});

describe('faults', () => {
  it('fails before any event', async () => {
    const overloaded = new ModelError('overloaded', 'Overloaded', { status: 529 });
    const { events, error } = await runToFailure(scriptedModel([{ error: overloaded }]));
    expect([events, error]).toEqual([[], overloaded]);
  });

  it.each([0, 1, 3, 99])('cuts after %i events', async (cutAfterEvents) => {
    const { events, error } = await runToFailure(scriptedModel([{ ...reply(text('hello')), cutAfterEvents }]));
    expect(events).toHaveLength(Math.min(cutAfterEvents, 6));
    expect(error).toMatchObject({ name: 'ModelError', kind: 'stream_cut' });
  });

  it('cuts with the given error', async () => {
    const cutWith = new ModelError('overloaded', 'Overloaded');
    const { events, error } = await runToFailure(
      scriptedModel([{ ...reply(text('hello')), cutAfterEvents: 2, cutWith }]),
    );
    expect([events.length, error]).toEqual([2, cutWith]);
  });

  it.each([
    ['before any event', { stall: true } as const, 0],
    ['in the middle', { ...reply(text('hello')), stallAfterEvents: 2 }, 2],
    ['at a gate', { ...reply(text('hello')), waitFor: new Promise(() => undefined) }, 0],
    ['in a function', () => new Promise<never>(() => undefined), 0],
  ])('waits %s until it is aborted', async (_name, step, count) => {
    const abort = new AbortController();
    const model = scriptedModel([step]);
    const failure = runToFailure(model, abort.signal);
    setImmediate(() => abort.abort());
    const { events, error } = await failure;
    expect(events).toHaveLength(count);
    expect(error).toMatchObject({ name: 'ModelError', kind: 'aborted' });
  });

  it('stops between two events once aborted, and asks nothing once aborted before', async () => {
    const abort = new AbortController();
    const model = scriptedModel([text('hello')]);
    const stream = model.stream(HELLO, LIMITS, abort.signal)[Symbol.asyncIterator]();
    await stream.next();
    abort.abort();
    await expect(stream.next()).rejects.toMatchObject({ kind: 'aborted' });
    await expect(run(model, HELLO, abort.signal)).rejects.toMatchObject({ kind: 'aborted' });
    expect(model.calls).toBe(1);
  });

  it('answers when its gate opens', async () => {
    let open: () => void = () => undefined;
    const waitFor = new Promise<void>((resolve) => {
      open = resolve;
    });
    const model = scriptedModel([{ ...reply(text('hello')), waitFor }]);
    const first = model.stream(HELLO, LIMITS, new AbortController().signal)[Symbol.asyncIterator]().next();
    let started = false;
    const watched = first.then(() => {
      started = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toBe(false);
    open();
    await watched;
    expect(started).toBe(true);
  });
});

describe('what it demands of a test', () => {
  it('fails if steps are left', async () => {
    const model = scriptedModel([text('one'), text('two')]);
    await run(model);
    expect(model.remaining).toBe(1);
    expect(() => model.assertDone()).toThrow('1 of 2 steps were not asked for');
  });

  it('names what was asked past the last step, and does not forget it', async () => {
    const model = scriptedModel([]);
    await expect(run(model)).rejects.toThrow(/request 1: No step is left, 0 were scripted.*user: .*hello/);
    expect(() => model.assertDone()).toThrow('No step is left');
  });

  it('passes on what a step function throws, and does not forget it', async () => {
    const model = scriptedModel(() => {
      throw new Error('no idea');
    });
    await expect(run(model)).rejects.toThrow('request 1: no idea');
    expect(() => model.assertDone()).toThrow('no idea');
  });

  it('throws on an invalid request, and does not forget it', async () => {
    const model = scriptedModel([text('one')]);
    const failure = run(model, modelRequest([ask('')]));
    await expect(failure).rejects.toBeInstanceOf(WireViolationError);
    await expect(failure).rejects.not.toBeInstanceOf(ModelError);
    expect(model.violations.map(({ code }) => code)).toEqual(['text_empty']);
    expect(() => model.assertDone()).toThrow('messages.0.content.0.text');
  });

  it('demands its signed thinking back unchanged', async () => {
    const model = scriptedModel([reply(thinking('a\ud800', 'sig'), toolCall('Read')), text('done'), text('again')]);
    const { content } = foldEvents(await run(model));
    const back = (blocks: readonly AssistantBlock[]) =>
      modelRequest([
        ask('hello'),
        { role: 'assistant', content: blocks },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_0001', content: '' }] },
      ]);
    await run(model, back(content));
    const cleaned = content.map((block) => (block.type === 'thinking' ? { ...block, thinking: 'a\ufffd' } : block));
    await expect(run(model, back(cleaned))).rejects.toThrow('thinking_changed');
  });

  it('keeps requests as they were, and only as many as asked', async () => {
    const model = scriptedModel(() => text('ok'), { keepRequests: 2 });
    const messages = [ask('hello')];
    await run(model, modelRequest(messages));
    messages.push({ role: 'assistant', content: [text('ok')] }, ask('more'));
    await run(model, modelRequest(messages));
    expect(model.requests.map((request) => request.messages.length)).toEqual([1, 3]);
    expect(Object.isFrozen(model.requests[0]?.messages)).toBe(true);
    await run(model);
    expect(model.requests.map((request) => request.messages.length)).toEqual([3, 1]);
    model.assertDone();
  });

  it('appendOnly: each request must continue the one before', async () => {
    const model = scriptedModel(() => text('ok'), { appendOnly: true });
    await run(model);
    await expect(run(model, modelRequest([ask('other')]))).rejects.toThrow('prefix_changed');
  });
});
