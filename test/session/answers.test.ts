// What counts as the answer of a prompt: in pieces, at a limit where a hook wants more, and when an abort comes between.
import { describe, expect, it } from 'vitest';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, testEngine } from '../support/engine.js';

const cut = (value: string) => ({ ...reply(text(value)), stopReason: 'max_tokens' }) as const;
const stopHook = (answer: () => Promise<object> | object) => ({ Stop: [{ hooks: [async () => answer()] }] }) as never;
const block = stopHook(() => ({ decision: 'block', reason: 'more' }));

describe('an answer that came in pieces', () => {
  it('is whole in the result', async () => {
    const { engine } = await testEngine(scriptedModel([cut('Hello '), cut('wor'), text('ld')]));
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({
      subtype: 'success',
      result: 'Hello world',
    });
  });

  it('is not mixed with what came before a call, or in an earlier prompt', async () => {
    const model = scriptedModel([cut('Look'), reply(text('ing.'), toolCall('Probe')), text('Found.'), text('Next.')]);
    const { engine } = await testEngine(model, { tools: [probeTool()] });
    expect(lastResult(await collect(engine.submitMessage('go'))).result).toBe('Found.');
    expect(lastResult(await collect(engine.submitMessage('go'))).result).toBe('Next.');
  });

  it('is whole as far as it came if it is cut again and again', async () => {
    const { engine } = await testEngine(scriptedModel([cut('a'), cut('b'), cut('c'), cut('d')]));
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({
      terminal_reason: 'max_output_tokens',
      result: 'abcd',
    });
  });

  it('is whole if another model took over between the pieces', async () => {
    const { ModelError } = await import('../../src/protocol/errors.js');
    const model = scriptedModel([
      cut('Hello '),
      { error: new ModelError('not_found', 'no such model') },
      text('world'),
    ]);
    const { engine } = await testEngine(model, { fallbackModel: 'second' });
    expect(lastResult(await collect(engine.submitMessage('go'))).result).toBe('Hello world');
  });
});

describe('a Stop hook that wants more', () => {
  it('than maxTurns allows is not heard: the answer is there', async () => {
    const model = scriptedModel([text('done')]);
    const { engine } = await testEngine(model, { maxTurns: 1, hooks: block });
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({
      subtype: 'success',
      terminal_reason: 'completed',
      result: 'done',
    });
    expect(engine.getMessages()).toHaveLength(2);
  });

  it('than taskBudget allows is not heard', async () => {
    const model = scriptedModel([{ blocks: [text('done')], usage: { input_tokens: 5_000 } }]);
    const { engine } = await testEngine(model, { taskBudget: { total: 1_000 }, hooks: block });
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({
      subtype: 'success',
      terminal_reason: 'completed',
    });
  });

  it('than the money allows is not heard', async () => {
    const catalogueOverrides = {
      'scripted/scripted': { contextWindow: 100_000, maxOutputTokens: 64_000, price: { input: 3, output: 15 } },
    };
    const model = scriptedModel((_request, call) => ({
      blocks: [text(`answer ${call}`)],
      usage: { input_tokens: 100, output_tokens: 1_000 },
    }));
    const { engine } = await testEngine(model, { maxBudgetUsd: 0.2, catalogueOverrides, hooks: block });
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(result).toMatchObject({ subtype: 'success', terminal_reason: 'completed' });
    expect(model.calls).toBeLessThan(10);
    expect(result.result).toBe(`answer ${model.calls - 1}`);
  });

  it('and gets a call instead, may run into the limit like any other', async () => {
    const model = scriptedModel([text('done'), toolCall('Probe')]);
    const { engine } = await testEngine(model, { maxTurns: 2, hooks: block, tools: [probeTool()] });
    expect(lastResult(await collect(engine.submitMessage('go'))).subtype).toBe('error_max_turns');
  });
});

describe('an abort while a Stop hook runs', () => {
  it('is what the result names', async () => {
    const abort = new AbortController();
    const hooks = stopHook(() => {
      abort.abort();
      return {};
    });
    const { engine } = await testEngine(scriptedModel([text('done')]), { abortController: abort, hooks });
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({
      subtype: 'error_during_execution',
      terminal_reason: 'aborted',
      result: 'Aborted',
    });
  });
});
