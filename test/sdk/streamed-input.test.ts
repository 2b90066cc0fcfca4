// What becomes of messages that a stream of prompts gives while a prompt runs.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError, type SDKMessage, type SDKUserMessage } from '../../src/protocol/index.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';
import { EXPECTED, endInput } from '../support/soak/ended-input.js';

const said = (content: string, more: Partial<SDKUserMessage> = {}): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  ...more,
});

async function options(provider: ScriptedModel, more: Options = {}): Promise<Options> {
  return { provider, cwd: await temporaryFolder(), persistSession: false, ...more };
}

const results = (messages: readonly SDKMessage[]) => messages.filter((message) => message.type === 'result');

/** A promise to open from outside. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** The second message comes when the first request is under way, and the tool call waits until it was read. */
async function second(message: SDKUserMessage, answers: Parameters<typeof scriptedModel>[0]) {
  const started = gate();
  const read = gate();
  async function* prompts() {
    yield said('first', { uuid: '11111111-1111-4111-8111-111111111111' });
    await started.passed;
    yield message;
    read.open();
  }
  const model = scriptedModel([
    () => {
      started.open();
      return { blocks: [toolCall('Glob', { pattern: '*' })], waitFor: read.passed };
    },
    ...(answers as []),
  ]);
  const messages = await collect(query({ prompt: prompts(), options: await options(model) }));
  model.assertDone();
  return { messages, model };
}

it('that ended takes nothing away: tools, hooks and questions of the host are heard in the prompt, and in one that a task begins', async () => {
  const cwd = await temporaryFolder();
  for (let round = 0; round < 10; round++) expect(await endInput(cwd)).toEqual(EXPECTED);
});

describe('a message that comes while a prompt runs', () => {
  it('without a priority is a prompt of its own: each message has a result', async () => {
    const { messages, model } = await second(said('second'), [text('one'), text('two')]);
    expect(results(messages).map((result) => result.result)).toEqual(['one', 'two']);
    expect(results(messages)[0]).toMatchObject({ queued_turn_count: 1 });
    expect(model.requests[1]?.messages).toHaveLength(3);
  });

  it('with next is delivered inside the prompt, whose result answers both', async () => {
    const uuid = '22222222-2222-4222-8222-222222222222';
    const { messages, model } = await second(said('second', { priority: 'next', uuid }), [text('both')]);
    expect(results(messages)).toMatchObject([
      { result: 'both', user_message_uuids: ['11111111-1111-4111-8111-111111111111', uuid] },
    ]);
    expect(model.requests[1]?.messages.at(-1)?.content).toMatchObject([{ type: 'tool_result' }, { text: 'second' }]);
  });

  it('with next is the prompt after it if the prompt ends before a place for it', async () => {
    async function* prompts() {
      yield said('first');
      yield said('second', { priority: 'next' });
    }
    const model = scriptedModel([text('one'), text('two')]);
    const messages = await collect(query({ prompt: prompts(), options: await options(model) }));
    expect(results(messages).map((result) => result.result)).toEqual(['one', 'two']);
  });

  it('with now interrupts the prompt and is the next', async () => {
    const started = gate();
    async function* prompts() {
      yield said('first');
      await started.passed;
      yield said('waits');
      yield said('at once', { priority: 'now' });
    }
    const model = scriptedModel([
      () => {
        started.open();
        return { stall: true };
      },
      text('urgent'),
      text('the other'),
    ]);
    const messages = await collect(query({ prompt: prompts(), options: await options(model) }));
    expect(results(messages).map((result) => result.result)).toEqual(['Aborted', 'urgent', 'the other']);
  });

  it('with now as the first of a session interrupts nothing', async () => {
    async function* prompts() {
      yield said('at once', { priority: 'now' });
    }
    const messages = await collect(query({ prompt: prompts(), options: await options(scriptedModel([text('one')])) }));
    expect(results(messages).map((result) => result.result)).toEqual(['one']);
  });

  it('survives an interrupt, which names it', async () => {
    const started = gate();
    async function* prompts() {
      yield said('first');
      await started.passed;
      yield said('second', { uuid: '22222222-2222-4222-8222-222222222222', priority: 'next' });
      receipt = await running.interrupt();
    }
    let receipt: unknown;
    const model = scriptedModel([
      () => {
        started.open();
        return { stall: true };
      },
      text('two'),
    ]);
    const running = query({ prompt: prompts(), options: await options(model) });
    expect(results(await collect(running)).map((result) => result.result)).toEqual(['Aborted', 'two']);
    expect(receipt).toEqual({ still_queued: ['22222222-2222-4222-8222-222222222222'] });
  });

  it('is answered by exactly one result, whatever comes when', async () => {
    const todo = (index: number) => ({ todos: [{ content: `${index}`, status: 'pending' }] });
    const given = await options(scriptedModel([]));
    const moment = fc.record({
      priority: fc.constantFrom(undefined, 'now', 'next', 'later'),
      afterRequest: fc.nat({ max: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(moment, { maxLength: 6 }), fc.nat({ max: 3 }), async (moments, turns) => {
        const uuid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
        let requests = 0;
        let wake: () => void = () => undefined;
        // Each message comes once the model was asked that often, or else when nothing runs any more.
        async function* prompts() {
          yield said('first', { uuid: uuid(0) });
          for (const [index, { priority, afterRequest }] of moments.entries()) {
            while (requests < afterRequest && !isIdle) await new Promise<void>((resolve) => (wake = resolve));
            isIdle = false;
            yield said(`message ${index + 1}`, {
              uuid: uuid(index + 1),
              ...(priority === undefined ? {} : { priority: priority as 'now' | 'next' | 'later' }),
            });
          }
        }
        let isIdle = false;
        const model = scriptedModel((_request, index) => {
          requests += 1;
          wake();
          return index % (turns + 1) < turns ? toolCall('TodoWrite', todo(index)) : text(`answer ${index}`);
        });
        const answered: string[] = [];
        const running = query({ prompt: prompts(), options: { ...given, provider: model } });
        for await (const message of running) {
          if (message.type !== 'result') continue;
          answered.push(...(message.user_message_uuids ?? []));
          isIdle = (message.queued_turn_count ?? 0) === 0;
          wake();
        }
        expect([...answered].sort()).toEqual(Array.from({ length: moments.length + 1 }, (_, index) => uuid(index)));
      }),
      { numRuns: 100 },
    );
  });

  it('with a priority that does not exist, or that is none, ends the stream with an error', async () => {
    for (const wrong of [said('x', { priority: 'soon' as never }), 'text' as never]) {
      async function* prompts() {
        yield wrong;
      }
      const running = collect(query({ prompt: prompts(), options: await options(scriptedModel([])) }));
      await expect(running).rejects.toBeInstanceOf(ConfigError);
    }
  });
});
