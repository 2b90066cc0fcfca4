// What an OpenTelemetry SDK of the process is told of a session, and that nothing of it can disturb one.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { context, trace } from '@opentelemetry/api';
import { expect, it } from 'vitest';
import { ModelError } from '../../../src/protocol/errors.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { getTools } from '../../../src/tools/builtin.js';
import { agent, delegate, modelOfAgents } from '../../support/agents.js';
import { commandHook } from '../../support/command-hooks.js';
import { probeTool, temporaryFolder, testEngine } from '../../support/engine.js';
import { type RecordedTelemetry, recordTelemetry } from '../../support/recorded-telemetry.js';

const ON = { telemetry: true } as const;
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;

const named = ({ spans }: RecordedTelemetry, name: string) => spans.filter((span) => span.name === name);
const notices = (messages: readonly SDKMessage[]) =>
  messages.filter((message) => message.type === 'system' && message.subtype === 'notice');

it('one trace for a prompt: each request and each call below its agent, subagents below their calls', async () => {
  const recorded = recordTelemetry();
  const model = modelOfAgents({
    main: [reply(toolCall('Probe', {}, 'toolu_1'), delegate('helper', 'Look.', {}, 'toolu_2')), text('Done.')],
    helper: [toolCall('Probe', {}, 'toolu_1'), text('Seen.')],
  });
  const tools = [...(await getTools()), probeTool({ readOnly: true, concurrencySafe: true })];
  const { engine } = await testEngine(model, { ...ON, tools, agents: [agent('helper')] });
  await collect(engine.submitMessage('go'));
  expect(recorded.tree()).toEqual([
    'invoke_agent main',
    '  chat scripted',
    '  execute_tool Probe',
    '  execute_tool Agent',
    '    invoke_agent helper',
    '      chat scripted',
    '      execute_tool Probe',
    '      chat scripted',
    '  chat scripted',
  ]);
  expect(recorded.spans.map(({ ends }) => ends)).toEqual(recorded.spans.map(() => 1));
  expect(new Set(recorded.spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(named(recorded, 'execute_tool Probe')[0]?.attributes).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.call.id': 'toolu_1',
    'turnwright.tool.decision': 'allow',
    'turnwright.tool.ending': 'completed',
  });
  expect(named(recorded, 'execute_tool Probe')[0]?.events).toEqual([
    { name: 'turnwright.tool.decided', attributes: { 'turnwright.tool.decision': 'allow' } },
  ]);
});

it('tokens of requests sum to those of the result, and metrics say the same', async () => {
  const recorded = recordTelemetry();
  const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 7 };
  const model = scriptedModel([
    { ...reply(toolCall('Probe')), usage },
    { ...reply(text('Done.')), usage },
  ]);
  const { engine } = await testEngine(model, { ...ON, tools: [probeTool()] });
  const result = lastResult(await collect(engine.submitMessage('go')));
  const requests = recorded.spans.filter(({ name }) => name.startsWith('chat '));
  expect(requests.map(({ attributes }) => attributes)).toMatchObject([
    {
      'gen_ai.usage.input_tokens': 117,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 100,
      'gen_ai.usage.cache_creation.input_tokens': 7,
      'gen_ai.response.finish_reasons': ['tool_use'],
    },
    { 'gen_ai.response.finish_reasons': ['end_turn'] },
  ]);
  expect(result.usage).toMatchObject({ input_tokens: 20, output_tokens: 10 });
  expect(named(recorded, 'invoke_agent main')[0]?.attributes).toMatchObject({
    'gen_ai.usage.input_tokens': 234,
    'gen_ai.usage.output_tokens': 10,
    'gen_ai.conversation.id': result.session_id,
  });
  const tokens = recorded.figures.filter(({ name }) => name === 'gen_ai.client.token.usage');
  expect(tokens.map(({ value }) => value)).toEqual([117, 5, 117, 5]);
  expect(recorded.figures.filter(({ name }) => name === 'gen_ai.client.operation.duration')).toHaveLength(2);
});

it('each attempt is a span, and one that failed says of what kind', async () => {
  const recorded = recordTelemetry();
  const model = scriptedModel([{ error: new ModelError('overloaded', 'Too much to do.') }, text('Done.')]);
  const { engine } = await testEngine(model, ON);
  await collect(engine.submitMessage('go'));
  const [first, second] = recorded.spans.filter(({ name }) => name.startsWith('chat '));
  expect(first).toMatchObject({ attributes: { 'error.type': 'overloaded' }, status: { code: 2 } });
  const failure = { 'exception.type': 'overloaded', 'exception.message': expect.stringContaining('Too much to do.') };
  expect(first?.events).toEqual([{ name: 'exception', attributes: failure }]);
  expect(second?.events).toEqual([]);
  expect(second).toMatchObject({ attributes: { 'turnwright.request.attempt': 2 }, status: { code: 0 } });
});

it('a call that is denied says so', async () => {
  const recorded = recordTelemetry();
  const model = scriptedModel([toolCall('Probe'), text('Done.')]);
  const canUseTool = async () => ({ behavior: 'deny' as const, message: 'No.' });
  const { engine } = await testEngine(model, { ...ON, tools: [probeTool()], canUseTool });
  await collect(engine.submitMessage('go'));
  expect(named(recorded, 'execute_tool Probe')[0]).toMatchObject({
    attributes: { 'turnwright.tool.decision': 'deny', 'error.type': 'refused' },
    status: { code: 2 },
  });
});

it('an abort ends all spans', async () => {
  const recorded = recordTelemetry();
  const model = scriptedModel([toolCall('Probe')]);
  const abortController = new AbortController();
  const probe = probeTool({
    async run() {
      abortController.abort();
      return 'late';
    },
  });
  const { engine } = await testEngine(model, { ...ON, tools: [probe], abortController });
  await collect(engine.submitMessage('go'));
  expect(recorded.spans.map(({ ends }) => ends)).toEqual([1, 1, 1]);
  expect(named(recorded, 'invoke_agent main')[0]?.attributes['error.type']).toMatch(/^aborted/);
});

it('who stops listening ends all spans too', async () => {
  const recorded = recordTelemetry();
  const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('Done.')]), {
    ...ON,
    tools: [probeTool()],
  });
  for await (const message of engine.submitMessage('go')) if (message.type === 'assistant') break;
  expect(recorded.spans.length).toBeGreaterThan(1);
  expect(recorded.spans.map(({ ends }) => ends)).toEqual(recorded.spans.map(() => 1));
});

it('belongs to the span of the caller, else to what TRACEPARENT says', async () => {
  const recorded = recordTelemetry();
  const inbound = await testEngine(scriptedModel([text('A.')]), {
    ...ON,
    env: { TRACEPARENT: PARENT, TURNWRIGHT_HOME: await temporaryFolder() },
  });
  await collect(inbound.engine.submitMessage('go'));
  expect(recorded.spans[0]).toMatchObject({ traceId: TRACE, parentId: 'b7ad6b7169203331' });
  const { engine } = await testEngine(scriptedModel([text('B.')]), ON);
  const caller = trace.getTracer('test').startSpan('caller');
  await context.with(trace.setSpan(context.active(), caller), () => collect(engine.submitMessage('go')));
  const [, second] = named(recorded, 'invoke_agent main');
  expect(second?.parentId).toBe(caller.spanContext().spanId);
});

it('commands and hooks are given the span they work for', async () => {
  const recorded = recordTelemetry();
  const folder = await temporaryFolder();
  const log = path.join(folder, 'log');
  const model = scriptedModel([toolCall('Bash', { command: `echo "bash $TRACEPARENT" >> '${log}'` }), text('Done.')]);
  const { engine } = await testEngine(model, {
    ...ON,
    tools: [...(await getTools())],
    commandHooks: (['UserPromptSubmit', 'PreToolUse'] as const).map((event) =>
      commandHook(event, `echo "${event} $TRACEPARENT" >> '${log}'`),
    ),
  });
  await collect(engine.submitMessage('go'));
  const [main] = named(recorded, 'invoke_agent main');
  const [bash] = named(recorded, 'execute_tool Bash');
  expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual([
    `UserPromptSubmit 00-${main?.traceId}-${main?.spanId}-01`,
    `PreToolUse 00-${main?.traceId}-${bash?.spanId}-01`,
    `bash 00-${main?.traceId}-${bash?.spanId}-01`,
  ]);
});

it('texts go along only if that is asked for, and without secrets', async () => {
  const secret = `ghp_${'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1bC2'}`;
  const run = async (telemetry: true | { captureContent: boolean }) => {
    const recorded = recordTelemetry();
    const model = scriptedModel([toolCall('Probe', { value: 'the input' }), text('the answer')]);
    const probe = probeTool({ run: async () => `the output ${secret}` });
    const { engine } = await testEngine(model, { telemetry, tools: [probe] });
    await collect(engine.submitMessage('the prompt'));
    return JSON.stringify(recorded.spans);
  };
  expect(await run(true)).not.toMatch(/the (prompt|input|output|answer)/);
  const shown = await run({ captureContent: true });
  for (const word of ['the prompt', 'the input', 'the output', 'the answer']) expect(shown).toContain(word);
  expect(shown).not.toContain(secret);
});

it('each variable of the published SDK lets its part of the texts through, and the option has the last word', async () => {
  const secret = `ghp_${'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1bC2'}`;
  const run = async (
    variables: Readonly<Record<string, string>>,
    telemetry: true | { captureContent: boolean } = true,
  ) => {
    const recorded = recordTelemetry();
    const model = scriptedModel([toolCall('Probe', { value: 'the input' }), text('the answer')]);
    const probe = probeTool({ run: async () => `the output ${secret}` });
    const home = await temporaryFolder();
    const { engine } = await testEngine(model, {
      telemetry,
      tools: [probe],
      env: { TURNWRIGHT_HOME: home, ...variables },
    });
    const messages = await collect(engine.submitMessage(`the prompt ${secret}`));
    expect(JSON.stringify(recorded.spans)).not.toContain(secret);
    const words = (name: string) =>
      ['prompt', 'input', 'output', 'answer'].filter((word) =>
        JSON.stringify(named(recorded, name)).includes(`the ${word}`),
      );
    return {
      agent: words('invoke_agent main'),
      tool: words('execute_tool Probe'),
      chat: words('chat scripted'),
      messages,
    };
  };
  const NONE = { agent: [], tool: [], chat: [] };
  expect(await run({ OTEL_LOG_USER_PROMPTS: '1' })).toMatchObject({ ...NONE, agent: ['prompt'] });
  expect(await run({ OTEL_LOG_TOOL_DETAILS: 'true' })).toMatchObject({ ...NONE, tool: ['input'] });
  expect(await run({ OTEL_LOG_TOOL_CONTENT: '1' })).toMatchObject({ ...NONE, tool: ['input', 'output'] });
  expect((await run({ OTEL_LOG_RAW_API_BODIES: '1' })).chat).toEqual(['prompt', 'input', 'output', 'answer']);
  expect(await run({ OTEL_LOG_USER_PROMPTS: '0', OTEL_LOG_TOOL_CONTENT: '' })).toMatchObject(NONE);
  const everything = { OTEL_LOG_USER_PROMPTS: '1', OTEL_LOG_TOOL_CONTENT: '1', OTEL_LOG_RAW_API_BODIES: '1' };
  expect(await run(everything, { captureContent: false })).toMatchObject(NONE);
  const files = await run({ OTEL_LOG_RAW_API_BODIES: 'file:/tmp/bodies' });
  expect(files).toMatchObject(NONE);
  expect(notices(files.messages)).toContainEqual(expect.objectContaining({ code: 'option_without_effect' }));
});

it('an SDK that throws disturbs nothing', async () => {
  recordTelemetry(() => {
    throw new Error('The exporter is on fire.');
  });
  const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('Done.')]), {
    ...ON,
    tools: [probeTool()],
  });
  expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({ subtype: 'success', result: 'Done.' });
});

it('is off unless the option or a variable says otherwise; without an SDK that is told once', async () => {
  const home = await temporaryFolder();
  const cases = [
    [{}, 0],
    [{ env: { TURNWRIGHT_TELEMETRY: '0', CLAUDE_CODE_ENABLE_TELEMETRY: '1' } }, 0],
    [{ env: { CLAUDE_CODE_ENABLE_TELEMETRY: '1' } }, 1],
    [{ telemetry: false, env: { CLAUDE_CODE_ENABLE_TELEMETRY: '1' } }, 0],
    [ON, 1],
  ] as const;
  for (const [given, count] of cases) {
    const config = { ...given, env: { TURNWRIGHT_HOME: home, ...('env' in given ? given.env : {}) } };
    const { engine } = await testEngine(scriptedModel([text('A.'), text('B.')]), config);
    const messages = [...(await collect(engine.submitMessage('a'))), ...(await collect(engine.submitMessage('b')))];
    expect(notices(messages).filter((each) => JSON.stringify(each).includes('telemetry_unavailable'))).toHaveLength(
      count,
    );
  }
});

it('an option that cannot be meant is refused', async () => {
  const { engine } = await testEngine(scriptedModel([text('A.')]), { telemetry: { captureContent: 'yes' } as never });
  const result = lastResult(await collect(engine.submitMessage('a')));
  expect(JSON.stringify(result)).toContain('telemetry.captureContent must be true or false.');
});

it('MCP servers are given the span of the call', async () => {
  const recorded = recordTelemetry();
  const calls: unknown[] = [];
  const client = {
    listTools: async () => ({ tools: [{ name: 't', inputSchema: { type: 'object' as const } }] }),
    async callTool(params: unknown) {
      calls.push(params);
      return { content: [{ type: 'text' as const, text: 'ok' }] };
    },
  };
  const { engine } = await testEngine(scriptedModel([toolCall('mcp__s__t'), text('Done.')]), {
    ...ON,
    mcpClients: [{ name: 's', type: 'connected', client }],
  });
  await collect(engine.submitMessage('go'));
  const [span] = named(recorded, 'execute_tool mcp__s__t');
  const traceparent = `00-${span?.traceId}-${span?.spanId}-01`;
  expect(calls).toEqual([{ name: 't', arguments: {}, _meta: { traceparent } }]);
});

it('counts the lines that files gained and lost which were there', async () => {
  const recorded = recordTelemetry();
  const folder = await temporaryFolder();
  const file_path = path.join(folder, 'a.txt');
  const model = scriptedModel([
    toolCall('Write', { file_path, content: 'a\nb\n' }),
    toolCall('Edit', { file_path, old_string: 'b\n', new_string: 'c\nd\n' }),
    text('Done.'),
  ]);
  const { engine } = await testEngine(model, { ...ON, cwd: folder, tools: [...(await getTools())] });
  await collect(engine.submitMessage('go'));
  const lines = recorded.figures.filter(({ name }) => name === 'turnwright.lines_of_code.count');
  const sum = (type: string) =>
    lines.filter(({ attributes }) => attributes['type'] === type).reduce((total, { value }) => total + value, 0);
  expect([sum('added'), sum('removed')]).toEqual([2, 1]);
});
