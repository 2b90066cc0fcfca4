// Values that no JSON has room for, from models, tools and hosts: each ends in one result, and nothing of the session
// is lost to it.
import { describe, expect, it } from 'vitest';
import { getCommands } from '../../src/context/slash-commands.js';
import { createMcpTool } from '../../src/mcp/offer-tools.js';
import type { MessageParam } from '../../src/protocol/content.js';
import type { McpClient } from '../../src/protocol/mcp.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { type AnyTool, defineTool } from '../../src/tools/tool.js';
import { isNestedDeeper } from '../../src/util/json.js';
import { probeTool, testEngine } from '../support/engine.js';

const ID = '22222222-2222-4222-8222-222222222222';

function nested(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
}

function circle(): Record<string, unknown> {
  const value: Record<string, unknown> = { name: 'x' };
  value.own = value;
  return value;
}

/** A tool that returns what it is given, whatever its type says. */
function returning(outcome: unknown): AnyTool {
  return defineTool({
    name: 'Odd',
    description: 'Returns something.',
    inputSchema: { type: 'object' },
    readOnly: true,
    concurrencySafe: true,
    title: () => 'odd',
    subject: () => ({ kind: 'none' }),
    run: async () => outcome as { model: string; data: unknown },
  }) as AnyTool;
}

const codes = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'system' && message.subtype === 'notice' ? [message.code] : []));

/** What the model was told of its calls. */
const resultsIn = (messages: readonly MessageParam[] | undefined) =>
  (messages ?? []).flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter((block) => block.type === 'tool_result'),
  );

describe.each([
  ['holds itself', circle],
  ['is nested 150 levels', () => nested(150)],
  ['is nested 3,000 levels', () => nested(3_000)],
  ['is nested 100,000 levels', () => nested(100_000)],
  ['has a number that JSON has not', () => ({ big: 10n })],
  [
    'throws when it is read',
    () => ({
      get bad() {
        throw new Error('not now');
      },
    }),
  ],
])('data of a tool that %s', (_name, make) => {
  it.each([true, false])('leaves the session as it should be (redaction %s)', async (redactSecrets) => {
    const model = scriptedModel([toolCall('Odd'), text('one'), text('two'), text('three')]);
    const data = make();
    const tools = [returning({ model: 'fine', data })];
    const { engine, folder, home } = await testEngine(model, { tools, sessionId: ID, redactSecrets });
    const first = await collect(engine.submitMessage('go'));
    expect(lastResult(first)).toMatchObject({ subtype: 'success', result: 'one' });
    expect(codes(first)).toEqual(['transcript_entries_lost']);
    const second = await collect(engine.submitMessage('again'));
    expect(lastResult(second)).toMatchObject({ subtype: 'success', result: 'two' });
    expect(codes(second)).toEqual([]);
    await engine.close();

    // The same process may go on with it: the lock is free, and every message is there.
    const options = { provider: model, cwd: folder, env: { TURNWRIGHT_HOME: home }, resume: ID };
    const resumed = await collect(query({ prompt: 'more', options }));
    expect(lastResult(resumed)).toMatchObject({ subtype: 'success', result: 'three' });
    expect(codes(resumed)).toEqual([]);
    expect(resultsIn(model.requests.at(-1)?.messages)).toMatchObject([{ content: 'fine' }]);
    expect(model.requests.at(-1)?.messages).toHaveLength(7);
  });
});

describe('the input of a call that is nested deeper than anybody takes', () => {
  it.each([101, 1_000, 4_000])(
    '%i levels: it does not run, and the session goes on and is read back',
    async (levels) => {
      const model = scriptedModel([toolCall('Probe', nested(levels)), text('one'), text('two'), text('three')]);
      const tool = probeTool();
      const { engine, folder, home } = await testEngine(model, { tools: [tool], sessionId: ID });
      const first = await collect(engine.submitMessage('go'));
      expect(lastResult(first)).toMatchObject({ subtype: 'success', result: 'one' });
      expect(tool.runs).toEqual([]);
      expect(resultsIn(model.requests.at(-1)?.messages)).toMatchObject([
        { is_error: true, content: expect.stringContaining('more than 100 levels deep') },
      ]);
      expect(codes(first)).toEqual([]);
      expect(lastResult(await collect(engine.submitMessage('again')))).toMatchObject({ result: 'two' });
      await engine.close();
      const options = { provider: model, cwd: folder, env: { TURNWRIGHT_HOME: home }, resume: ID };
      const resumed = await collect(query({ prompt: 'more', options }));
      expect(lastResult(resumed)).toMatchObject({ result: 'three' });
      expect(codes(resumed)).toEqual([]);
    },
  );

  it.each([1_000, 4_000, 100_000])(
    '%i levels in a history: repaired and reported, and it can be compacted',
    async (levels) => {
      const message = {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'tool_use', id: 'toolu_1', name: 'Probe', input: nested(levels) }],
        stop_reason: 'tool_use',
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
      } as const;
      // So much more than a summary is, that it can be compacted.
      const before = 'a long story '.repeat(20_000);
      const answers = Array.from({ length: 8 }, () =>
        text('<summary>All was done as it was asked, and nothing is open.</summary>'),
      );
      const model = scriptedModel(answers);
      const { engine } = await testEngine(model, {
        tools: [probeTool()],
        commands: await getCommands(),
        initialMessages: [
          { type: 'user', uuid: 'u1', message: { role: 'user', content: before } },
          { type: 'assistant', uuid: 'u2', message },
        ],
      });
      const first = await collect(engine.submitMessage('go'));
      expect(lastResult(first)).toMatchObject({ subtype: 'success' });
      expect(JSON.stringify(first)).toContain('nested too deep');
      const compacted = await collect(engine.submitMessage('/compact'));
      expect(lastResult(compacted)).toMatchObject({
        subtype: 'success',
        result: expect.stringMatching(/^The conversation was compacted/),
      });
      expect(lastResult(await collect(engine.submitMessage('more')))).toMatchObject({ subtype: 'success' });
    },
  );
});

describe('what a tool of the host returns', () => {
  it.each([
    ['a text alone', 'plain', 'plain', undefined],
    ['no blocks', { model: [], data: null }, '', undefined],
    ['nothing', undefined, expect.stringContaining('Odd ran, but returned no result'), true],
    ['null', null, expect.stringContaining('Its run() must return { model, data }'), true],
    ['no model', { data: 1 }, expect.stringContaining('Odd ran, but returned no result'), true],
    ['a number as model', { model: 5, data: 1 }, expect.stringContaining('Odd ran, but'), true],
  ])('%s', async (_name, outcome, content, isError) => {
    const model = scriptedModel([toolCall('Odd'), text('done')]);
    const { engine } = await testEngine(model, { tools: [returning(outcome)] });
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({ result: 'done' });
    const [told] = resultsIn(model.requests.at(-1)?.messages);
    expect(told?.content).toEqual(content);
    expect(told?.is_error).toBe(isError);
  });
});

describe('an MCP server', () => {
  const toolOf = (result: unknown) =>
    createMcpTool({
      name: 'mcp__s__t',
      server: 's',
      client: {
        callTool: async (_params: unknown, _schema: unknown, _options: unknown) => result,
      } as unknown as McpClient,
      listed: { name: 't', inputSchema: { type: 'object' } },
      inputSchema: { type: 'object' },
      note: '',
    });

  it('may give structured content of any depth: what everybody gets can be written down', async () => {
    const model = scriptedModel([toolCall('mcp__s__t'), text('done')]);
    const { engine } = await testEngine(model, { tools: [toolOf({ structuredContent: nested(100_000) })] });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'done' });
    expect(codes(messages)).toEqual([]);
    const told = messages.find((message) => message.type === 'user' && 'tool_use_result' in message);
    expect(told?.type === 'user' && isNestedDeeper(told.tool_use_result, 110)).toBe(false);
    expect(() => JSON.stringify(messages)).not.toThrow();
  });
});

describe('a host that throws', () => {
  const noisy = () => {
    throw new Error('the host is broken');
  };

  it('in getAppState at a prompt’s end: the answer stands, and it is told', async () => {
    let isBroken = false;
    const state = { todos: [] };
    const { engine } = await testEngine(scriptedModel([text('one'), text('two')]), {
      getAppState: () => (isBroken ? noisy() : state),
    });
    await collect(engine.submitMessage('go'));
    isBroken = true;
    const messages = await collect(engine.submitMessage('again'));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'two' });
    expect(codes(messages)).toEqual(['prompt_end_failed']);
  });

  it('in log: nobody else is hurt', async () => {
    const model = scriptedModel([toolCall('Odd'), text('done')]);
    const { engine } = await testEngine(model, { tools: [returning({ model: 'fine', data: 1 })], log: noisy });
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({ result: 'done' });
    const nothing = await collect(engine.submitMessage(''));
    expect(nothing.filter((message) => message.type === 'result')).toHaveLength(1);
  });

  it('in snipReplay of /compact: one result, which says so', async () => {
    const model = scriptedModel([
      text('one'),
      text('<summary>All was done as it was asked, and nothing is open.</summary>'),
      text('two'),
    ]);
    const { engine } = await testEngine(model, { commands: await getCommands(), snipReplay: noisy });
    await collect(engine.submitMessage('go'));
    const messages = await collect(engine.submitMessage('/compact'));
    expect(messages.filter((message) => message.type === 'result')).toHaveLength(1);
    expect(lastResult(await collect(engine.submitMessage('again')))).toMatchObject({ result: 'two' });
  });
});

describe('a command of the host that hangs', () => {
  const never = () => new Promise<never>(() => undefined);
  const base = { description: 'Hangs.' };

  it.each([
    { type: 'local', name: 'hang', ...base, run: never } as const,
    { type: 'prompt', name: 'hang', ...base, expand: never } as const,
  ])('ends with an interrupt ($type)', async (command) => {
    const { engine } = await testEngine(scriptedModel([text('next')]), { commands: [command] });
    const stream = engine.submitMessage('/hang');
    const first = stream.next();
    // One turn of the loop, so that the command is under way.
    await new Promise((resolve) => setImmediate(resolve));
    engine.interrupt();
    const messages = [(await first).value as SDKMessage, ...(await collect(stream))];
    expect(lastResult(messages)).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted' });
    expect(lastResult(await collect(engine.submitMessage('go on')))).toMatchObject({ result: 'next' });
  });
});
