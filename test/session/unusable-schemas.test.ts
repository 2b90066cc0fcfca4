// Schemas of tools and of wanted values as they come: what can be checked is, and what cannot bricks nothing.
import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, testEngine } from '../support/engine.js';

const withSchema = (value: object) =>
  Object.assign(probeTool(), { inputSchema: { type: 'object', properties: { value } } });
const results = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'user' && typeof message.message.content !== 'string'
      ? message.message.content.filter((part) => part.type === 'tool_result')
      : [],
  );

describe('the schema of a tool', () => {
  it('whose pattern does without the flag u is checked all the same', async () => {
    const probe = withSchema({ type: 'string', pattern: '^[\\w-.]+$' });
    const model = scriptedModel([toolCall('Probe', { value: 'a-b' }), toolCall('Probe', { value: 'a b' }), text('ok')]);
    const { engine } = await testEngine(model, { tools: [probe] });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'ok' });
    expect(probe.runs).toEqual([{ value: 'a-b' }]);
    expect(results(messages)[1]).toMatchObject({ is_error: true, content: expect.stringMatching(/not valid/) });
  });

  it.each([
    ['leads nowhere', { $ref: '#/$defs/none' }],
    ['has a pattern of another language', { pattern: '(?P<a>x)' }],
  ])('that %s is an error for the model and one notice, and nothing runs', async (_name, value) => {
    const probe = withSchema(value);
    const call = toolCall('Probe', { value: 'x' });
    const model = scriptedModel([call, call, text('I cannot.'), call, text('Still not.')]);
    const { engine } = await testEngine(model, { tools: [probe] });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'I cannot.' });
    expect(results(messages)).toHaveLength(2);
    for (const block of results(messages))
      expect(block).toMatchObject({ is_error: true, content: expect.stringMatching(/schema cannot be used/) });
    const notices = [...messages, ...(await collect(engine.submitMessage('again')))].filter(
      (message) => message.type === 'system' && message.subtype === 'notice',
    );
    expect(notices).toEqual([
      expect.objectContaining({
        code: 'tool_schema_unusable',
        message: expect.stringMatching(/^The tool Probe cannot/),
      }),
    ]);
    expect(probe.runs).toEqual([]);
    model.assertDone();
  });
});

describe('the schema of a value', () => {
  it.each<[string, object, RegExp]>([
    ['of draft 3', { type: 'object', properties: { a: { type: 'string', required: true } } }, /"required" is true/],
    ['that leads nowhere', { type: 'object', properties: { a: { $ref: '#/$defs/no' } } }, /leads nowhere/],
    ['that is none', true as never, /Give a JSON Schema/],
  ])('%s is refused before anything is sent', async (_name, jsonSchema, why) => {
    const model = scriptedModel([]);
    const { engine } = await testEngine(model, { jsonSchema: jsonSchema as Record<string, unknown> });
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringMatching(why)],
    });
    expect(model.calls).toBe(0);
  });

  it.each([
    ['an object', { type: 'object', properties: { a: { type: 'string', required: true } } }, { a: 'x' }],
    ['no object', { type: ['string', { type: 'integer', divisibleBy: 2 }] }, 4],
    ['an object with a base', { type: 'object', extends: { properties: { a: { required: true } } } }, { a: 'x' }],
  ])('of draft 3 is said to the model in newer words, and checked: %s', async (_name, schema, value) => {
    const jsonSchema = { $schema: 'http://json-schema.org/draft-03/schema#', ...schema };
    const model = scriptedModel(({ tools }) => {
      const offered = tools.find(({ name }) => name === 'StructuredOutput')?.input_schema;
      expect(JSON.stringify(offered)).not.toMatch(/"required":true|divisibleBy|extends|draft-03/);
      const isWrapped = JSON.stringify(offered?.['properties']).startsWith('{"value"');
      return toolCall('StructuredOutput', isWrapped ? { value } : value);
    });
    const { engine } = await testEngine(model, { jsonSchema });
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({
      subtype: 'success',
      structured_output: value,
    });
    model.assertDone();
  });

  const choice = {
    type: 'object',
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
    properties: { a: { type: 'string' }, b: { type: 'string' } },
  };
  it.each<[string, Record<string, unknown>, unknown, unknown]>([
    ['with a choice at its top', choice, { a: 'x' }, {}],
    [
      'with names that no API takes',
      { type: 'object', properties: { 'a b': { type: 'null' } } },
      { 'a b': null },
      { 'a b': 1 },
    ],
    ['that is not an object', { type: 'array', items: { type: 'string' } }, ['x'], [1]],
  ])('%s is asked for through a tool that the API takes', async (_name, jsonSchema, good, bad) => {
    const model = scriptedModel([
      toolCall('StructuredOutput', { value: bad }),
      toolCall('StructuredOutput', {}),
      toolCall('StructuredOutput', { value: good }),
    ]);
    const { engine } = await testEngine(model, { jsonSchema });
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(result).toMatchObject({ subtype: 'success', structured_output: good });
    model.assertDone();
  });

  it('keeps its references if it is wrapped', async () => {
    const jsonSchema = {
      $ref: '#/$defs/list',
      $defs: {
        list: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/name' }, { $ref: '#' }] } },
        name: { type: 'string' },
      },
    };
    const model = scriptedModel([toolCall('StructuredOutput', { value: ['x', ['y']] })]);
    const { engine } = await testEngine(model, { jsonSchema });
    expect(lastResult(await collect(engine.submitMessage('go'))).structured_output).toEqual(['x', ['y']]);
    const offered = model.requests[0]?.tools[0]?.input_schema ?? {};
    const { createJsonValidator, schemaProblem } = await import('../../src/engine/output/validate-json.js');
    expect(await schemaProblem(offered)).toBeNull();
    const validate = createJsonValidator();
    expect(await validate({ value: ['x', ['y']] }, offered)).toEqual([]);
    expect(await validate({ value: [1] }, offered)).not.toEqual([]);
    expect(await validate({ value: [[{ value: [] }]] }, offered)).not.toEqual([]);
  });

  it('is what the last reply of a spent task budget may fit, through the tool', async () => {
    const jsonSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
    const probe = probeTool();
    const model = scriptedModel([
      { blocks: [toolCall('Probe')], usage: { input_tokens: 5_000 } },
      { blocks: [toolCall('Probe'), toolCall('StructuredOutput', { count: 7 })] },
    ]);
    const { engine } = await testEngine(model, { jsonSchema, tools: [probe], taskBudget: { total: 1_000 } });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({
      subtype: 'success',
      terminal_reason: 'task_budget',
      structured_output: { count: 7 },
    });
    expect(probe.runs).toHaveLength(1);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toMatch(/Call no tool but StructuredOutput/);
    expect(results(messages)).toHaveLength(3);
  });
});

describe('the schema of a tool of an old draft', () => {
  it('is said to the model in newer words, and its calls are checked', async () => {
    const probe = probeTool();
    const inputSchema = {
      $schema: 'http://json-schema.org/draft-03/schema#',
      type: 'object',
      properties: { value: { type: 'string', required: true } },
    } as const;
    const model = scriptedModel([toolCall('Probe', {}), toolCall('Probe', { value: 'x' }), text('ok')]);
    const { engine } = await testEngine(model, { tools: [{ ...probe, inputSchema: inputSchema as never }] });
    await collect(engine.submitMessage('go'));
    expect(model.requests[0]?.tools[0]?.input_schema).toEqual({
      type: 'object',
      properties: { value: { type: 'string' } },
      required: ['value'],
    });
    expect(probe.runs).toEqual([{ value: 'x' }]);
  });
});
