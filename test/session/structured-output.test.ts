// A value as the text of the answer, where the model's API holds it to the schema; and the way back to the tool.
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../src/protocol/errors.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { toOutputSchema } from '../../src/providers/anthropic/request-body.js';
import type { ModelRequest } from '../../src/providers/contract/provider.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedStep, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, testEngine } from '../support/engine.js';

const jsonSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
const native = { outputSchema: (_model: string, schema: object) => toOutputSchema({ ...schema }) };
const nativeModel = (steps: readonly ScriptedStep[]) => scriptedModel(steps, native);

const toolNames = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name);
const codes = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'system' && message.subtype === 'notice' ? [message.code] : []));
const lastText = (request: ModelRequest | undefined) => JSON.stringify(request?.messages.at(-1)?.content);
const cut = (value: string) => ({ ...reply(text(value)), stopReason: 'max_tokens' }) as const;

describe('a value as the text of the answer', () => {
  it('is asked for by the schema alone, beside the other tools', async () => {
    const model = nativeModel([toolCall('Probe'), text('{"count": 3}')]);
    const { engine } = await testEngine(model, { jsonSchema, tools: [probeTool()] });
    const result = lastResult(await collect(engine.submitMessage('count')));
    expect(result).toMatchObject({ subtype: 'success', result: '{"count":3}', structured_output: { count: 3 } });
    for (const request of model.requests) {
      expect(toolNames(request)).toEqual(['Probe']);
      expect(request.outputSchema).toEqual({ ...jsonSchema, additionalProperties: false });
    }
    expect(model.requests[1]?.outputSchema).toBe(model.requests[0]?.outputSchema);
    model.assertDone();
  });

  it('is a tool if the schema says more than the API knows', async () => {
    const model = nativeModel([toolCall('StructuredOutput', { count: 3 })]);
    const { engine } = await testEngine(model, {
      jsonSchema: { ...jsonSchema, properties: { count: { type: 'integer', minimum: 1 } } },
    });
    expect(lastResult(await collect(engine.submitMessage('count'))).structured_output).toEqual({ count: 3 });
    expect(model.requests[0]?.outputSchema).toBeUndefined();
  });

  it('that does not fit is answered with the problem, and asked for again', async () => {
    const model = nativeModel([text('{"count": "three"}'), text('{"count": 3}')]);
    const { engine } = await testEngine(model, { jsonSchema });
    const result = lastResult(await collect(engine.submitMessage('count')));
    expect(result).toMatchObject({ subtype: 'success', structured_output: { count: 3 } });
    expect(lastText(model.requests[1])).toMatch(/does not fit the schema: count: .*as JSON/);
  });

  it.each([
    ['prose', 'There are 3.'],
    ['a fence', '```json\n{"count":3}\n```'],
    ['half a value', '{"count":'],
    ['a value wrapped twice', '{"answer":{"output":{"count":3}}}'],
  ])('that is %s is no value, and the tool takes over after two of them', async (_name, wrong) => {
    const model = nativeModel([text(wrong), text(wrong), toolCall('StructuredOutput', { count: 3 })]);
    const { engine } = await testEngine(model, { jsonSchema });
    const messages = await collect(engine.submitMessage('count'));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', structured_output: { count: 3 } });
    expect(codes(messages)).toEqual(['output_schema_refused']);
    expect(toolNames(model.requests[2])).toEqual(['StructuredOutput']);
    expect(model.requests[2]?.outputSchema).toBeUndefined();
  });

  it('that never comes is no success', async () => {
    const model = scriptedModel(() => text('no data'), native);
    const { engine } = await testEngine(model, { jsonSchema });
    const result = lastResult(await collect(engine.submitMessage('count')));
    expect(result).toMatchObject({
      subtype: 'error_max_structured_output_retries',
      terminal_reason: 'structured_output_retry_exhausted',
    });
    expect(result).not.toHaveProperty('structured_output');
    expect(model.calls).toBe(5);
  });

  it('that the output limit cut is asked for again from its beginning', async () => {
    const model = nativeModel([cut('{"cou'), text('{"count":3}')]);
    const { engine } = await testEngine(model, { jsonSchema });
    expect(lastResult(await collect(engine.submitMessage('count'))).structured_output).toEqual({ count: 3 });
    expect(lastText(model.requests[1])).toMatch(/whole answer again/);
  });

  it('that is cut again and again ends as too long, though the half of it were JSON', async () => {
    const model = scriptedModel(() => cut('3'), native);
    const { engine } = await testEngine(model, { jsonSchema });
    expect(lastResult(await collect(engine.submitMessage('count')))).toMatchObject({
      subtype: 'error_during_execution',
      terminal_reason: 'max_output_tokens',
    });
  });

  it('that is refused is no success, whatever the text says', async () => {
    const model = nativeModel([{ ...reply(text('{"count":3}')), stopReason: 'refusal' }]);
    const { engine } = await testEngine(model, { jsonSchema });
    const result = lastResult(await collect(engine.submitMessage('count')));
    expect(result).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'refusal' });
    expect(result).not.toHaveProperty('structured_output');
  });

  it('is replaced by a newer one if a Stop hook makes the prompt go on', async () => {
    const model = nativeModel([text('{"count":3}'), text('{"count":4}')]);
    const Stop = [
      {
        hooks: [
          async (input: { stop_hook_active?: boolean }) =>
            input.stop_hook_active ? {} : { decision: 'block', reason: 'count again' },
        ],
      },
    ];
    const { engine } = await testEngine(model, { jsonSchema, hooks: { Stop } as never });
    expect(lastResult(await collect(engine.submitMessage('count'))).structured_output).toEqual({ count: 4 });
  });

  it('can be the last reply of a spent task budget', async () => {
    const model = scriptedModel(
      (request) =>
        request.toolChoice === 'none' ? text('{"count":7}') : toolCall('Probe', { value: String(model.calls) }),
      native,
    );
    const { engine } = await testEngine(model, { tools: [probeTool()], taskBudget: { total: 2_000 }, jsonSchema });
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(result).toMatchObject({
      subtype: 'success',
      terminal_reason: 'task_budget',
      structured_output: { count: 7 },
    });
    expect(lastText(model.requests.at(-1))).toMatch(/Give the answer now/);
  });

  it('is not asked of a summary', async () => {
    const model = nativeModel([text('{"count":1}'), text('<summary>It was counted.</summary>')]);
    const { getCommands } = await import('../../src/context/slash-commands.js');
    const { engine } = await testEngine(model, { jsonSchema, commands: await getCommands() });
    await collect(engine.submitMessage('count'));
    await collect(engine.submitMessage('/compact'));
    expect(model.requests[1]?.outputSchema).toBeUndefined();
    model.assertDone();
  });
});

describe('an API that refuses the schema', () => {
  const refusal = () =>
    new ModelError('invalid_request', 'The request was refused: the compiled grammar is too large.', {
      refused: { kind: 'output_schema' },
    });

  it('is asked through the tool instead, once told, for the rest of the session', async () => {
    const model = nativeModel([
      { error: refusal() },
      toolCall('StructuredOutput', { count: 3 }),
      toolCall('StructuredOutput', { count: 4 }),
    ]);
    const { engine } = await testEngine(model, { jsonSchema });
    const first = await collect(engine.submitMessage('count'));
    expect(lastResult(first)).toMatchObject({ subtype: 'success', structured_output: { count: 3 } });
    expect(codes(first)).toEqual(['output_schema_refused']);
    const second = await collect(engine.submitMessage('again'));
    expect(lastResult(second).structured_output).toEqual({ count: 4 });
    expect(codes(second)).toEqual([]);
    model.assertDone();
  });

  it('that refuses the tool as well ends the prompt', async () => {
    const model = nativeModel([{ error: refusal() }, { error: refusal() }]);
    const { engine } = await testEngine(model, { jsonSchema });
    expect(lastResult(await collect(engine.submitMessage('count')))).toMatchObject({
      subtype: 'error_during_execution',
      terminal_reason: 'api_error',
    });
    model.assertDone();
  });
});
