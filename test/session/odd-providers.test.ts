// Providers and streams that do not keep to the protocol: what they cost, and what of them never runs.
import { describe, expect, it } from 'vitest';
import type { AssistantMessage, ModelEvent } from '../../src/protocol/content.js';
import { ModelError } from '../../src/protocol/errors.js';
import type { Provider } from '../../src/providers/contract/provider.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { createScriptIds, planReply, reply, streamReply, text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, testEngine } from '../support/engine.js';

const priced = {
  'scripted/scripted': { contextWindow: 100_000, maxOutputTokens: 64_000, price: { input: 3, output: 15 } },
};
const noWait = { retryBaseMs: 0, retryMaxMs: 0, maxRetries: 1 };

/** Streams what is left of each reply after `change`, and ends without a word. */
function oddProvider(
  answers: readonly Parameters<typeof planReply>[0][],
  change: (events: ModelEvent[]) => ModelEvent[],
) {
  const ids = createScriptIds();
  let calls = 0;
  const provider: Provider & { readonly calls: number } = {
    id: 'scripted',
    get calls() {
      return calls;
    },
    async *stream(request) {
      const plan = planReply(answers[calls++] ?? text('done'));
      if (plan === null) return;
      const context = { model: request.model, ids, requestSize: 4_000, chunkSize: 16 };
      yield* change([...streamReply(plan, context)]);
    },
  };
  return provider as unknown as ScriptedModel;
}

const without =
  (...types: ModelEvent['type'][]) =>
  (events: ModelEvent[]) =>
    events.filter(({ type }) => !types.includes(type));

describe('a stream that ends before its reply did', () => {
  it.each<[string, (events: ModelEvent[]) => ModelEvent[]]>([
    ['without message_stop', without('message_stop')],
    ['without the end of a block', without('content_block_stop')],
    [
      'after the block of the call',
      (events) =>
        events.slice(
          0,
          events.findIndex(({ type }) => type === 'message_delta'),
        ),
    ],
    ['at once', () => []],
  ])('%s is tried again, and nothing of it runs', async (_name, change) => {
    const probe = probeTool();
    const model = oddProvider([toolCall('Probe', { value: 'a' }), toolCall('Probe', { value: 'b' })], change);
    const { engine } = await testEngine(model, { tools: [probe], limits: noWait });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'api_error' });
    expect(messages.filter((message) => message.type === 'assistant').map(({ error }) => error)).toEqual([
      'server_error',
    ]);
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'api_retry', reason: 'stream_cut' }));
    expect(probe.runs).toEqual([]);
    expect(model.calls).toBe(2);
  });
});

describe('a stream that breaks the protocol of its events', () => {
  const at = (events: readonly ModelEvent[], type: ModelEvent['type']) =>
    events.findIndex((event) => event.type === type);
  const behind = (events: ModelEvent[], type: ModelEvent['type'], ...more: unknown[]) =>
    events.toSpliced(at(events, type) + 1, 0, ...(more as ModelEvent[]));
  const delta = (fields: object) => ({ type: 'content_block_delta', index: 0, delta: fields });
  const again = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'other' } };
  const far = { ...again, index: 1_000_000_000 };

  it.each<[string, RegExp, (events: ModelEvent[]) => ModelEvent[]]>([
    [
      'input after the end of its block',
      /block 0, which is not open/,
      (events) => behind(events, 'content_block_stop', delta({ type: 'input_json_delta', partial_json: ' ' })),
    ],
    ['a block in place of another', /block 0 opened twice/, (events) => behind(events, 'content_block_stop', again)],
    ['a block far away', /the index 1000000000/, (events) => behind(events, 'content_block_stop', far)],
    ['a second beginning', /a second message_start/, (events) => behind(events, 'message_start', events[0])],
    [
      'a text in a call',
      /a text_delta that its block cannot take/,
      (events) => behind(events, 'content_block_start', delta({ type: 'text_delta', text: 'x' })),
    ],
    [
      'a delta without its text',
      /a input_json_delta that its block cannot take/,
      (events) => behind(events, 'content_block_start', delta({ type: 'input_json_delta' })),
    ],
  ])('by %s is tried again, and nothing of it runs', async (_name, why, change) => {
    const probe = probeTool();
    const model = oddProvider([toolCall('Probe', { value: 'a' }), toolCall('Probe', { value: 'b' })], change);
    const { engine } = await testEngine(model, { tools: [probe], limits: noWait });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({ terminal_reason: 'api_error', errors: [expect.stringMatching(why)] });
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'api_retry', reason: 'malformed' }));
    expect(probe.runs).toEqual([]);
  });

  it('only behind its end is heard no more', async () => {
    const late = { ...again, index: 1 } as ModelEvent;
    const model = oddProvider([text('whole')], (events) => [...events, late]);
    const { engine } = await testEngine(model, { includePartialMessages: true });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({ result: 'whole' });
    const streamed = messages.flatMap((message) => (message.type === 'stream_event' ? [message.event] : []));
    expect(streamed.at(-1)).toEqual({ type: 'message_stop' });
  });

  it('by giving up though nobody ended it is no abort', async () => {
    let calls = 0;
    const provider = {
      id: 'scripted',
      stream: () => {
        calls += 1;
        throw new ModelError('aborted', 'Stopped.');
      },
    };
    const { engine } = await testEngine(provider as unknown as ScriptedModel, { limits: noWait });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({
      terminal_reason: 'api_error',
      errors: [expect.stringMatching(/gave the request up, though nobody ended it\. Stopped\./)],
    });
    expect(calls).toBe(2);
  });
});

describe('counts that are none', () => {
  const counted = (usage: object) => (events: ModelEvent[]) =>
    events.map((event) => {
      if (event.type === 'message_start') return { ...event, message: { ...event.message, usage } } as ModelEvent;
      return event.type === 'message_delta' ? ({ ...event, usage } as ModelEvent) : event;
    });

  it.each([
    [{ input_tokens: Number.NaN, output_tokens: Number.NaN }],
    [{ input_tokens: -1_000_000, output_tokens: -5, cache_read_input_tokens: Number.POSITIVE_INFINITY }],
    [{ input_tokens: '5', output_tokens: null, cache_creation: { ephemeral_1h_input_tokens: 'x' } }],
    [null],
  ])('are not counted, and what streamed is: %o', async (usage) => {
    const model = oddProvider([text('word '.repeat(400)), text('again')], counted(usage as object));
    const { engine } = await testEngine(model, { catalogueOverrides: priced, maxBudgetUsd: 1 });
    for (let prompt = 0; prompt < 2; prompt++) {
      const result = lastResult(await collect(engine.submitMessage('go')));
      expect(result.subtype).toBe('success');
      expect(result.usage).toMatchObject({ input_tokens: 0, cache_read_input_tokens: 0 });
      expect(result.usage.output_tokens).toBeGreaterThanOrEqual(300);
      expect(result.total_cost_usd).toBeGreaterThan(0);
    }
  });
});

describe('output whose count never came', () => {
  const long = 'It was the best of times, it was the worst of times. '.repeat(200);

  it('is estimated from what was streamed before the cut', async () => {
    const usage = { input_tokens: 1_000 };
    const model = scriptedModel([
      { blocks: [text(long)], cutAfterEvents: 600, usage },
      { blocks: [text('whole')], usage: { ...usage, output_tokens: 7 } },
    ]);
    const { engine } = await testEngine(model, { catalogueOverrides: priced, limits: noWait });
    const { usage: told, total_cost_usd: cost } = lastResult(await collect(engine.submitMessage('go')));
    const streamed = (598 * 16) / 4;
    expect(told.output_tokens).toBeGreaterThanOrEqual(streamed + 7);
    expect(told.output_tokens).toBeLessThan(1.6 * streamed);
    expect(cost).toBeCloseTo((2_000 * 3 + told.output_tokens * 15) / 1e6, 12);
  });

  it('counts if an abort cut it, in the reply that is kept too', async () => {
    const abort = new AbortController();
    const model = scriptedModel([{ blocks: [text(long)], stallAfterEvents: 400, usage: { input_tokens: 10 } }]);
    const { engine } = await testEngine(model, { abortController: abort, includePartialMessages: true });
    let kept: AssistantMessage | null = null;
    let events = 0;
    for await (const message of engine.submitMessage('go')) {
      if (message.type === 'stream_event' && ++events === 400) abort.abort();
      if (message.type === 'assistant') kept = message.message;
    }
    expect(engine.getUsage().output_tokens).toBeGreaterThanOrEqual((398 * 16) / 4);
    expect((kept as AssistantMessage | null)?.usage.output_tokens).toBe(engine.getUsage().output_tokens);
  });

  it('never makes less of it than the API said', async () => {
    const start = (events: ModelEvent[]): ModelEvent[] =>
      without('message_delta')(events).map((event) =>
        event.type === 'message_start'
          ? { ...event, message: { ...event.message, usage: { ...event.message.usage, output_tokens: 900 } } }
          : event,
      );
    const { engine } = await testEngine(oddProvider([text('short')], start));
    expect(lastResult(await collect(engine.submitMessage('go'))).usage.output_tokens).toBe(900);
  });

  it('does not overspend a budget, attempt after attempt', async () => {
    const model = scriptedModel(() => ({ blocks: [text(long)], cutAfterEvents: 600, usage: { input_tokens: 10 } }));
    const { engine } = await testEngine(model, {
      catalogueOverrides: priced,
      maxBudgetUsd: 0.2,
      limits: { ...noWait, maxRetries: 50 },
    });
    const result = lastResult(await collect(engine.submitMessage('go')));
    const reallySpent = (model.calls * (10 * 3 + ((598 * 16) / 4) * 15)) / 1e6;
    expect(reallySpent).toBeLessThanOrEqual(0.2);
    expect(result.total_cost_usd).toBeGreaterThanOrEqual(reallySpent);
    expect(result.subtype).toBe('error_max_budget_usd');
  });
});

describe('a reply that the API pauses', () => {
  const paused = (value: string) => ({ ...reply(text(value)), stopReason: 'pause_turn' }) as const;

  it('goes on as one answer', async () => {
    const { engine } = await testEngine(scriptedModel([paused('Hello '), paused('wide '), text('world')]));
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({ result: 'Hello wide world' });
  });

  it('again and again ends the prompt', async () => {
    const model = scriptedModel(() => paused('hm'));
    const { engine } = await testEngine(model);
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({
      subtype: 'error_during_execution',
      terminal_reason: 'api_error',
      errors: [expect.stringMatching(/paused the reply 11 times/)],
    });
    expect(model.calls).toBe(11);
  });
});

describe('a provider that throws where it must not', () => {
  it('ends each prompt with one result that says so', async () => {
    const outputSchema = () => {
      throw new TypeError('broken');
    };
    const model = scriptedModel(() => text('ok'), { outputSchema });
    const { engine } = await testEngine(model, { jsonSchema: { type: 'object' } });
    for (const prompt of ['one', 'two']) {
      expect(lastResult(await collect(engine.submitMessage(prompt)))).toMatchObject({
        subtype: 'error_during_execution',
        terminal_reason: 'engine_error',
        errors: ['The engine failed: broken'],
      });
    }
    expect(model.calls).toBe(0);
  });
});
