// Summaries that do not come: by an abort, by a failure that passes, by one that stays; and a caller that leaves.
import { describe, expect, it } from 'vitest';
import { getCommands } from '../../src/context/slash-commands.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { ModelError } from '../../src/protocol/errors.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { ModelRequest } from '../../src/providers/contract/provider.js';
import { resumeSession } from '../../src/session/store/resume.js';
import { placeIn, projectFolder } from '../../src/session/store/session-places.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, type ScriptedAnswer, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, testEngine } from '../support/engine.js';
import { isSummaryRequest } from '../support/summary-request.js';

const host = createNodeHost();
const ID = '44444444-4444-4444-8444-444444444444';
const long = 'It was the best of times, it was the worst of times. '.repeat(900);
const boundaries = (messages: readonly SDKMessage[]) =>
  messages.filter((message) => message.type === 'system' && message.subtype === 'compact_boundary').length;
const blocked = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'notice' && message.code === 'compaction_blocked'
      ? [`${message.reason}: ${message.message}`]
      : [],
  );
const noRetry = { maxRetries: 0, retryBaseMs: 0, retryMaxMs: 0 };

/** A conversation that fills its window with the second prompt. */
async function crowded(summaries: (index: number) => ScriptedAnswer) {
  let asked = 0;
  const model = scriptedModel((request) => (isSummaryRequest(request) ? summaries(asked++) : text('ok')));
  const test = await testEngine(model, { contextWindow: 40_000, limits: noRetry, commands: await getCommands() });
  await collect(test.engine.submitMessage(long.slice(0, 24_000)));
  await collect(test.engine.submitMessage(long.slice(0, 24_000)));
  return { ...test, model, asked: () => asked };
}

describe('the request for a summary', () => {
  it('goes on with the conversation as it was sent, for the prompt cache', async () => {
    const { engine, model } = await crowded(() => text('<summary>We read.</summary>'));
    await collect(engine.submitMessage(long.slice(0, 16_000)));
    const at = model.requests.findIndex(isSummaryRequest);
    const [before, asked] = [model.requests[at - 1], model.requests[at]];
    expect(asked?.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
    expect(asked?.system).toEqual(before?.system);
    expect(asked).toMatchObject({ tools: before?.tools, thinking: before?.thinking });
    expect(asked?.toolChoice).toBeUndefined();
  });

  it('is followed by one that only a text can answer, if the model calls tools all the same', async () => {
    const probe = probeTool({ readOnly: true, concurrencySafe: true });
    const asked: ModelRequest[] = [];
    const model = scriptedModel((request) => {
      if (!isSummaryRequest(request)) return text('ok');
      asked.push(request);
      if (asked.length > 1) return text('<summary>We read.</summary>');
      return reply(
        text('First I look at what there is, in all the folders that were named so far. '.repeat(3)),
        toolCall('Probe', {}),
      );
    });
    const test = await testEngine(model, { tools: [probe], commands: await getCommands() });
    await collect(test.engine.submitMessage('hello'));
    const messages = await collect(test.engine.submitMessage('/compact'));
    expect(boundaries(messages)).toBe(1);
    expect(probe.runs).toEqual([]);
    expect(asked.map(({ toolChoice }) => toolChoice)).toEqual([undefined, 'none']);
  });

  it.each([
    ['has a budget', { type: 'enabled', budgetTokens: 4_000 }, 12_000],
    ['is left to the model', { type: 'adaptive' }, 16_000],
    ['is off', { type: 'disabled' }, 8_000],
  ] as const)('has room to think where thinking %s', async (_title, thinkingConfig, maxTokens) => {
    const model = scriptedModel((request) => text(isSummaryRequest(request) ? '<summary>We read.</summary>' : 'ok'));
    const test = await testEngine(model, { commands: await getCommands(), thinkingConfig });
    await collect(test.engine.submitMessage('hello'));
    expect(boundaries(await collect(test.engine.submitMessage('/compact')))).toBe(1);
    expect(model.requests[1]).toMatchObject({ maxTokens, thinking: thinkingConfig });
  });
});

describe('a summary that failed', () => {
  it('in passing is asked for again at the next turn', async () => {
    const { engine, asked } = await crowded((index) =>
      index === 0 ? { error: new ModelError('overloaded', 'busy') } : text('<summary>We read.</summary>'),
    );
    const first = await collect(engine.submitMessage(long.slice(0, 16_000)));
    expect(blocked(first)).toEqual([expect.stringMatching(/^no_summary: .* could not be summarised: busy/)]);
    expect(lastResult(first).subtype).toBe('success');
    const second = await collect(engine.submitMessage('and now?'));
    expect(boundaries(second)).toBe(1);
    expect(blocked(second)).toEqual([]);
    expect(asked()).toBe(2);
  });

  it('for want of money says so', async () => {
    const priced = {
      'scripted/scripted': { contextWindow: 40_000, maxOutputTokens: 8_000, price: { input: 3, output: 15 } },
    };
    const usage = { input_tokens: 10, output_tokens: 4_000 };
    const model = scriptedModel((request) =>
      isSummaryRequest(request) ? text('<summary>No.</summary>') : { blocks: [text('ok')], usage },
    );
    const { engine } = await testEngine(model, {
      catalogueOverrides: priced,
      maxBudgetUsd: 0.12,
      limits: noRetry,
      commands: await getCommands(),
    });
    await collect(engine.submitMessage(long.slice(0, 24_000)));
    const messages = await collect(engine.submitMessage('/compact'));
    expect(blocked(messages)).toEqual([expect.stringMatching(/^over_budget: /)]);
    expect(model.requests.filter(isSummaryRequest)).toEqual([]);
  });

  it('twice is not asked for again soon', async () => {
    const { engine, asked } = await crowded(() => ({ error: new ModelError('overloaded', 'busy') }));
    for (const prompt of [long.slice(0, 16_000), 'b', 'c', 'd']) await collect(engine.submitMessage(prompt));
    expect(asked()).toBe(2);
  });

  it('by an abort counts for nothing', async () => {
    let interrupt: () => void = () => undefined;
    const { engine, asked } = await crowded((index) => {
      if (index > 0) return text('<summary>We read.</summary>');
      interrupt();
      return { stall: true };
    });
    interrupt = () => engine.interrupt();
    const first = await collect(engine.submitMessage(long.slice(0, 16_000)));
    expect(lastResult(first).terminal_reason).toBe('aborted');
    const second = await collect(engine.submitMessage('and now?'));
    expect(blocked([...first, ...second])).toEqual([]);
    expect(boundaries(second)).toBe(1);
    expect(asked()).toBe(2);
  });
});

describe('/compact', () => {
  it('may be the first that a resumed session is asked', async () => {
    const { engine, home, folder } = await testEngine(scriptedModel([text('We read.')]), { sessionId: ID });
    await collect(engine.submitMessage('read'));
    await engine.close();
    const { messages: initialMessages, lastUuid } = await resumeSession(
      host,
      placeIn(await projectFolder(host, home, folder), ID),
    );
    const model = scriptedModel([text('<summary>We read.</summary>')]);
    const again = await testEngine(model, {
      cwd: folder,
      sessionId: ID,
      env: { TURNWRIGHT_HOME: home },
      initialMessages,
      resumedFrom: lastUuid,
      commands: await getCommands(),
    });
    expect(boundaries(await collect(again.engine.submitMessage('/compact')))).toBe(1);
    expect(model.requests[0]?.system.length).toBeGreaterThan(0);
    model.assertDone();
  });

  it('that the caller leaves is ended, and what it set aside is given back', async () => {
    const left: string[] = [];
    const model = scriptedModel((request) => (isSummaryRequest(request) ? text('<summary>x</summary>') : text('ok')));
    const inner = model.stream.bind(model);
    const watched = Object.assign(model, {
      async *stream(...args: Parameters<typeof inner>) {
        try {
          yield* inner(...args);
        } finally {
          left.push('ended');
        }
      },
    });
    const { engine } = await testEngine(watched, { commands: await getCommands() });
    await collect(engine.submitMessage('hello'));
    let seen = 0;
    for await (const message of engine.submitMessage('/compact')) {
      if (message.type === 'system' && message.subtype === 'compact_boundary') break;
      seen++;
    }
    expect(seen).toBeGreaterThan(0);
    expect(left).toEqual(['ended', 'ended']);
    expect(lastResult(await collect(engine.submitMessage('go on'))).subtype).toBe('success');
  });
});

describe('a command of the host', () => {
  it.each([
    ['prompt', { type: 'prompt', expand: async () => 5 }, /\/odd gave no text: its expand\(\)/],
    ['local', { type: 'local', run: async () => undefined }, /\/odd gave no text: its run\(\)/],
  ])('of type %s that gives no text is told by its name', async (_type, command, why) => {
    const commands = [{ name: 'odd', description: 'Odd.', ...command }] as never;
    const { engine } = await testEngine(scriptedModel([]), { commands });
    expect(lastResult(await collect(engine.submitMessage('/odd')))).toMatchObject({
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringMatching(why)],
    });
  });
});

describe('half a character in the description of a tool', () => {
  it('does not reach the API', async () => {
    const { probeTool } = await import('../support/engine.js');
    const probe = Object.assign(probeTool(), { description: 'half \ud83d' });
    const { engine } = await testEngine(scriptedModel([text('ok')]), { tools: [probe] });
    expect(lastResult(await collect(engine.submitMessage('go'))).subtype).toBe('success');
  });
});
