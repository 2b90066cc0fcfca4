import { describe, expect, it } from 'vitest';
import { ModelError } from '../../src/protocol/errors.js';
import type { SDKMessage, SDKUserMessage } from '../../src/protocol/messages.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

async function start(
  provider: ScriptedModel,
  more: Options = {},
  prompt: string | AsyncIterable<SDKUserMessage> = 'Hi.',
) {
  const env = { TURNWRIGHT_HOME: await temporaryFolder() };
  const limits = { maxRetries: 0 };
  const options = { provider, cwd: await temporaryFolder(), env, limits, promptSuggestions: true, ...more };
  return query({ prompt, options });
}

const message = (content: string): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
});

const suggestionsIn = (messages: readonly SDKMessage[]) =>
  messages.flatMap((each) => (each.type === 'prompt_suggestion' ? [each.suggestion] : []));

describe('promptSuggestions', () => {
  it('says after the result what the user might ask next, by one request behind the conversation', async () => {
    const model = scriptedModel([text('Two tests fail.'), text('"Fix the two tests"\n')]);
    const messages = await collect(await start(model, { includeSessionState: true }));
    const kinds = messages.slice(-3).map((each) => each.type);
    expect(kinds).toEqual(['result', 'system', 'prompt_suggestion']);
    expect(messages.at(-1)).toEqual({
      type: 'prompt_suggestion',
      suggestion: 'Fix the two tests',
      uuid: expect.any(String),
      session_id: messages[0]?.session_id,
    });
    expect(model.requests[1]).toMatchObject({ toolChoice: 'none', system: model.requests[0]?.system });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('Two tests fail.');
    model.assertDone();
  });

  it('is forgotten by the conversation, and comes after each prompt', async () => {
    const model = scriptedModel([text('one'), text('go on'), text('two'), text('stop')]);
    let suggested: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      suggested = resolve;
    });
    async function* prompts() {
      yield message('first');
      await first;
      yield message('second');
    }
    const messages: SDKMessage[] = [];
    for await (const each of await start(model, {}, prompts())) {
      messages.push(each);
      if (each.type === 'prompt_suggestion') suggested();
    }
    expect(suggestionsIn(messages)).toEqual(['go on', 'stop']);
    expect(JSON.stringify(model.requests[2]?.messages)).not.toContain('go on');
  });

  it('is not made unless it was asked for, nor by a model that has none', async () => {
    const alone = scriptedModel([text('one')]);
    await collect(await start(alone, { promptSuggestions: false }));
    expect(alone.calls).toBe(1);
    const none = await collect(await start(scriptedModel([text('one'), text('NONE')])));
    expect(suggestionsIn(none)).toEqual([]);
  });

  it('is not made after a prompt that failed or asked no model', async () => {
    const model = scriptedModel([{ error: new ModelError('invalid_request', 'no', { status: 400 }) }]);
    expect(lastResult(await collect(await start(model))).is_error).toBe(true);
    expect(model.calls).toBe(1);
    const silent = scriptedModel([]);
    await collect(await start(silent, {}, '/cost'));
    expect(silent.calls).toBe(0);
  });

  it('is not made after a prompt that was interrupted', async () => {
    const model = scriptedModel([{ stall: true }]);
    const session = await start(model);
    const messages: SDKMessage[] = [];
    for await (const each of session) {
      messages.push(each);
      if (each.type === 'system' && each.subtype === 'init') await session.interrupt();
    }
    expect(lastResult(messages).terminal_reason).toMatch(/aborted/);
    expect(model.calls).toBeLessThan(2);
  });

  it('is not made if the budget has no room for it', async () => {
    const usage = { input_tokens: 10, output_tokens: 66_000 };
    const model = scriptedModel([{ blocks: [text('dear')], usage }]);
    const price = { input: 3, output: 15 };
    const catalogueOverrides = { 'scripted/scripted': { contextWindow: 100_000, maxOutputTokens: 64_000, price } };
    const messages = await collect(await start(model, { maxBudgetUsd: 1, catalogueOverrides }));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'dear' });
    expect(suggestionsIn(messages)).toEqual([]);
    expect(model.calls).toBe(1);
  });

  it('leaves no trace if its request fails', async () => {
    const model = scriptedModel([text('one'), { error: new ModelError('server', 'down', { status: 500 }) }]);
    const messages = await collect(await start(model));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'one' });
    expect(messages.at(-1)?.type).toBe('result');
    expect(model.calls).toBe(2);
  });

  it('gives way to what the user says', async () => {
    let asked: () => void = () => undefined;
    const stalled = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const model = scriptedModel((_, call) => {
      if (call !== 1) return text(`answer ${call}`);
      asked();
      return { stall: true };
    });
    async function* prompts() {
      yield message('first');
      await stalled;
      yield message('second');
    }
    const messages = await collect(await start(model, {}, prompts()));
    expect(messages.flatMap((each) => (each.type === 'result' ? [each.result] : []))).toEqual(['answer 0', 'answer 2']);
    expect(suggestionsIn(messages)).toEqual(['answer 3']);
  });

  it('ends with the session', async () => {
    const model = scriptedModel([toolCall('Glob', { pattern: '*' }), text('one'), { stall: true }]);
    const session = await start(model);
    const messages: SDKMessage[] = [];
    for await (const each of session) {
      messages.push(each);
      if (each.type === 'result') setImmediate(() => session.close());
    }
    expect(suggestionsIn(messages)).toEqual([]);
  });
});
