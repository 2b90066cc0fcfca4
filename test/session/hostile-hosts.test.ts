// Code of the host's own that is not what its types say: what it may not spoil, and what is said of it.
import { describe, expect, it } from 'vitest';
import { getCommands } from '../../src/context/slash-commands.js';
import { ConfigError } from '../../src/protocol/errors.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { query } from '../../src/sdk/query.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import type { PromptOptions } from '../../src/session/prompt/prepare-prompt.js';
import { QueryEngine } from '../../src/session/query-engine.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import type { AnyTool } from '../../src/tools/tool.js';
import { probeTool, testEngine } from '../support/engine.js';
import { plainConfig } from '../support/plain-config.js';

const circle: Record<string, unknown> = {};
circle['self'] = circle;

const noisy = () => {
  throw new Error('the host is broken');
};

/** The first and the last result of a session that goes on. */
async function toEnd(engine: QueryEngine): Promise<SDKMessage[]> {
  const messages = await collect(engine.submitMessage('go'));
  expect(messages.filter(({ type }) => type === 'result')).toHaveLength(1);
  return messages;
}

const resultsOf = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'user' && Array.isArray(message.message.content)
      ? message.message.content.filter((block) => block.type === 'tool_result')
      : [],
  );

describe('a part of the configuration that is none', () => {
  const field = (name: string) => (value: unknown) => ({ [name]: value }) as Partial<QueryEngineConfig>;

  it.each<[Partial<QueryEngineConfig>, RegExp]>([
    [field('tools')(undefined), /^tools is undefined\. Give a list/],
    [field('tools')([null]), /^tools\[0\] is null/],
    [field('tools')([{ ...probeTool(), name: 'two words' }]), /^tools\[0\]\.name is "two words"/],
    [field('tools')([{ ...probeTool(), description: undefined }]), /^tools\[0\]\.description \(Probe\) is undefined/],
    [field('tools')([{ ...probeTool(), inputSchema: null }]), /^tools\[0\]\.inputSchema \(Probe\) is null/],
    [field('tools')([{ ...probeTool(), run: undefined }]), /^tools\[0\]\.run \(Probe\) is undefined/],
    [field('commands')(undefined), /^commands is undefined/],
    [field('commands')([{}]), /^commands\[0\] is \{\}/],
    [field('mcpClients')(null), /^mcpClients is null/],
    [field('mcpClients')([null]), /^mcpClients\[0\] is null/],
    [field('agents')(5), /^agents is 5/],
    [field('cwd')(undefined), /^cwd is undefined/],
    [field('setAppState')(undefined), /^setAppState is undefined/],
    [field('readFileCache')({}), /^readFileCache is \{\}/],
    [field('setSDKStatus')(5), /^setSDKStatus is 5\. Give a function/],
    [field('customSystemPrompt')([5]), /^customSystemPrompt is \[5\]/],
    [field('appendSystemPrompt')(null), /^appendSystemPrompt is null/],
    [field('limits')(circle), /no limits\.self/],
    [field('hooks')(5), /^hooks is 5/],
    [field('orphanedPermission')(null), /^orphanedPermission is null/],
    [field('additionalDirectories')('/a'), /^additionalDirectories is "\/a"/],
    [field('jsonSchema')([]), /^jsonSchema is \[\]/],
  ])('ends the prompt with a word about it: %o', async (overrides, why) => {
    const model = scriptedModel([]);
    const { engine } = await testEngine(model, 'cwd' in overrides ? {} : overrides);
    const asked =
      'cwd' in overrides ? new QueryEngine({ ...plainConfig(), ...overrides } as QueryEngineConfig) : engine;
    const messages = await toEnd(asked);
    expect(messages[0]).toMatchObject({ type: 'system', subtype: 'init' });
    expect(lastResult(messages)).toMatchObject({
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringMatching(why)],
    });
    expect(model.calls).toBe(0);
  });

  it('a tool whose fields cannot be read too', async () => {
    const tool = Object.defineProperty({ ...probeTool() }, 'readOnly', { get: noisy });
    const { engine } = await testEngine(scriptedModel([]), { tools: [tool] });
    expect(lastResult(await toEnd(engine))).toMatchObject({
      errors: ['tools[0] cannot be read: the host is broken.'],
    });
  });

  it('is refused at once if no prompt could begin with it', () => {
    const abortController = {} as AbortController;
    expect(() => new QueryEngine({ ...plainConfig(), cwd: '/', abortController })).toThrow(ConfigError);
  });

  it('may be options that are null', async () => {
    const { engine } = await testEngine(scriptedModel([text('one')]));
    const messages = await collect(engine.submitMessage('go', null as unknown as PromptOptions));
    expect(lastResult(messages)).toMatchObject({ result: 'one' });
  });
});

describe('a control that is given what it cannot use', () => {
  const none = (value: unknown) => value as never;

  it('says so, and the session goes on as it was', async () => {
    const model = scriptedModel([text('one'), text('two')]);
    const { engine } = await testEngine(model, { userSpecifiedModel: 'a-model', enableFileCheckpointing: true });
    await toEnd(engine);
    for (const name of [5, '', {}])
      expect(() => engine.setModel(none(name))).toThrow(/^model is .*Give the name of a model/);
    engine.setModel(none(null));
    await expect(engine.setPermissionMode(none('wild'))).rejects.toThrow(/There is no permission mode "wild"/);
    expect(await engine.rewind(none(undefined))).toMatchObject({ status: 'rejected' });
    expect(await engine.rewind('none', none(null))).toMatchObject({ status: 'rejected' });
    expect(await engine.rewindFiles(none(5), none(null))).toMatchObject({ canRewind: false });
    engine.queueMessage('later', none(null));
    expect(engine.takeQueuedMessage()).toMatchObject({ prompt: 'later', priority: 'next' });
    const decided = await collect(engine.submitDecisions(none(null)));
    expect(lastResult(decided)).toMatchObject({ errors: [expect.stringMatching(/must be a list/)] });
    expect(lastResult(await toEnd(engine))).toMatchObject({ result: 'two' });
    expect(model.requests.map((request) => request.model)).toEqual(['a-model', 'a-model']);
  });

  it.each([undefined, 5, {}])('query() too: %o as its prompt', async (prompt) => {
    const asked = query({ prompt: none(prompt), options: { provider: scriptedModel([]), persistSession: false } });
    await expect(collect(asked)).rejects.toThrow(/prompt of query\(\) must be a text, or an async iterable/);
  });
});

describe('a command of the host', () => {
  const command = { type: 'prompt', name: 'c', description: 'A command.', expand: async () => 'Do it.' } as const;

  it.each([
    [{ expand: async () => ' ' }, /\/c gave no text/],
    [{ allowedTools: [null] }, /allowedTools of the command \/c must be a list/],
    [{ model: 5 }, /model of the command \/c must be the name/],
  ])('that cannot be used ends its prompt with a word about it: %o', async (fields, why) => {
    const commands = [{ ...command, ...fields } as unknown as typeof command];
    const { engine } = await testEngine(scriptedModel([text('on')]), { commands });
    const messages = await collect(engine.submitMessage('/c'));
    expect(lastResult(messages)).toMatchObject({
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringMatching(why)],
    });
    expect(lastResult(await toEnd(engine))).toMatchObject({ result: 'on' });
  });
});

describe('the input of a call', () => {
  const given = { value: 'given', list: ['a'] };
  const open = (run: AnyTool['run'], more: object = {}): AnyTool =>
    ({ ...probeTool(), inputSchema: { type: 'object' }, run, ...more }) as AnyTool;
  const spoil = (input: Record<string, unknown>) => {
    (input['list'] as unknown[]).push('b');
    input['value'] = circle;
  };

  it.each(['run', 'title', 'subject'])('stays as it was whatever %s does to it', async (method) => {
    const model = scriptedModel([toolCall('Probe', given), text('done'), text('more')]);
    const seen: unknown[] = [];
    const spoiling = async (input: Record<string, unknown>) => {
      spoil(input);
      return { model: 'ran', data: null };
    };
    const looking = async (input: unknown) => {
      seen.push(structuredClone(input));
      return { model: 'ran', data: null };
    };
    const answers = { title: 'a call', subject: { kind: 'none' } } as Record<string, unknown>;
    const other = (input: Record<string, unknown>) => {
      spoil(input);
      return answers[method];
    };
    const tool = method === 'run' ? open(spoiling as never) : open(looking as never, { [method]: other });
    const { engine } = await testEngine(model, { tools: [tool] });
    const messages = await toEnd(engine);
    expect(lastResult(messages)).toMatchObject({ result: 'done' });
    expect(resultsOf(messages)).toEqual([expect.objectContaining({ content: 'ran' })]);
    expect(lastResult(await toEnd(engine))).toMatchObject({ result: 'more' });
    expect(model.requests.at(-1)?.messages[1]).toMatchObject({ content: [{ input: given }] });
    if (method !== 'run') expect(seen).toEqual([given]);
  });

  it('is what was decided on, whatever canUseTool does to what it gets', async () => {
    const probe = probeTool();
    const model = scriptedModel([toolCall('Probe', { value: 'a' }), text('done')]);
    const { engine } = await testEngine(model, {
      tools: [probe],
      canUseTool: async (_name, input) => {
        input['value'] = 5;
        return { behavior: 'allow' };
      },
    });
    await toEnd(engine);
    expect(probe.runs).toEqual([{ value: 'a' }]);
  });

  it('that canUseTool gives back as it was is no other input', async () => {
    const asked: string[] = [];
    const tool = open(async () => ({ model: 'ran', data: null }), {
      subject: () => {
        asked.push('decided');
        return { kind: 'none' };
      },
    });
    const { engine } = await testEngine(scriptedModel([toolCall('Probe', given), text('done')]), {
      tools: [tool],
      canUseTool: async (_name, input) => ({ behavior: 'allow', updatedInput: input }),
    });
    await toEnd(engine);
    expect(asked).toEqual(['decided']);
  });
});

describe('an answer of canUseTool', () => {
  it.each([
    ['a message that is undefined', { behavior: 'deny', message: undefined }, 'Probe was denied.'],
    ['a message that is not a text', { behavior: 'deny', message: { a: 1 } }, 'Probe was denied.'],
    ['an interrupt that is no yes', { behavior: 'deny', message: 'No.', interrupt: 'no' }, 'No.'],
  ])('may have %s', async (_name, answer, told) => {
    const model = scriptedModel([toolCall('Probe'), text('done')]);
    const { engine } = await testEngine(model, { tools: [probeTool()], canUseTool: async () => answer as never });
    const messages = await toEnd(engine);
    expect(lastResult(messages)).toMatchObject({ result: 'done' });
    expect(resultsOf(messages)).toEqual([expect.objectContaining({ content: told, is_error: true })]);
  });

  it.each([
    [null, /not one that is known: its type is undefined/],
    [{ type: 'forget' }, /its type is "forget"/],
    [{ type: 'setMode', mode: 'wild', destination: 'session' }, /there is no mode "wild"/],
    [{ type: 'addRules', behavior: 'roots', rules: [], destination: 'session' }, /its behavior is "roots"/],
    [{ type: 'addDirectories', directories: '/etc', destination: 'session' }, /not a list of paths/],
  ])('with the update %j is a denial, and the rules stay', async (update, why) => {
    const probe = probeTool();
    const model = scriptedModel([toolCall('Probe'), toolCall('Denied'), text('done')]);
    const { engine } = await testEngine(model, {
      tools: [probe, probeTool({ name: 'Denied' })],
      permissions: {
        mode: 'default',
        deny: [{ toolName: 'Denied', source: 'Denied', origin: 'test', content: null } as never],
        ask: [],
        allow: [],
        roots: ['/'],
      } as never,
      canUseTool: async () => ({ behavior: 'allow', updatedPermissions: [update] }) as never,
    });
    const [first, second] = resultsOf(await toEnd(engine));
    expect(first?.content).toMatch(why);
    expect(second?.content).toMatch(/^Denied was denied/);
    expect(probe.runs).toEqual([]);
  });
});

describe('what a tool returns', () => {
  it.each([
    ['a list that cannot be read', new Proxy([{}], { get: noisy })],
    [
      'a block that can be read once',
      [
        {
          type: 'text',
          get text() {
            return noisy();
          },
        },
      ],
    ],
  ])('may be %s: the session goes on', async (_name, returned) => {
    const model = scriptedModel([toolCall('Probe'), text('done'), text('more')]);
    const tool = { ...probeTool(), run: async () => ({ model: returned, data: null }) } as unknown as AnyTool;
    const { engine } = await testEngine(model, { tools: [tool] });
    const messages = await toEnd(engine);
    expect(lastResult(messages)).toMatchObject({ result: 'done' });
    expect(resultsOf(messages)[0]?.content).toMatch(/the host is broken/);
    expect(lastResult(await toEnd(engine))).toMatchObject({ result: 'more' });
  });
});

describe('a callback that rejects though nobody waits for it', () => {
  it.each(['setSDKStatus', 'log'])('%s', async (name) => {
    const unheard: unknown[] = [];
    const listen = (reason: unknown) => unheard.push(reason);
    process.on('unhandledRejection', listen);
    try {
      const callback = async () => noisy();
      const { engine } = await testEngine(scriptedModel([text('one')]), { [name]: callback });
      expect(lastResult(await toEnd(engine))).toMatchObject({ result: 'one' });
      await new Promise((resolve) => setImmediate(resolve));
      expect(unheard).toEqual([]);
    } finally {
      process.off('unhandledRejection', listen);
    }
  });
});

describe('parseOutput', () => {
  const call = toolCall('StructuredOutput', { a: 1 });

  it.each([
    ['throws', noisy, /the check of the host failed: the host is broken/],
    ['answers nothing', async () => undefined, /the check of the host failed: /],
  ])('that %s refuses the value', async (_name, parseOutput, why) => {
    const model = scriptedModel([call, call, call, call, call]);
    const { engine } = await testEngine(model, {
      jsonSchema: { type: 'object' },
      parseOutput: parseOutput as unknown as NonNullable<QueryEngineConfig['parseOutput']>,
    });
    expect(lastResult(await toEnd(engine))).toMatchObject({
      subtype: 'error_max_structured_output_retries',
      errors: [expect.stringMatching(why)],
    });
  });

  it('may change what it gets: the result tells the value as the model gave it', async () => {
    const { engine } = await testEngine(scriptedModel([call]), {
      jsonSchema: { type: 'object' },
      parseOutput: async (value) => {
        (value as Record<string, unknown>)['a'] = circle;
        return { ok: true, value: 'mine' };
      },
    });
    expect(lastResult(await toEnd(engine))).toMatchObject({ result: '{"a":1}', structured_output: 'mine' });
  });
});

describe('snipReplay', () => {
  it.each([
    ['throws', noisy, /the host is broken/],
    ['gives a promise', async () => ({ executed: true, messages: [] }), /must answer at once/],
    ['gives no messages', () => ({ executed: true }), /no list of messages/],
    ['gives what is not a message', () => ({ executed: true, messages: [{}] }), /messages\[0\] is not a message/],
  ])('that %s leaves the summary in its place, and that is told', async (_name, snipReplay, why) => {
    const long = 'It was said at length. '.repeat(600);
    const model = scriptedModel([
      text(long),
      text('<summary>All was done, and nothing is open.</summary>'),
      text('two'),
    ]);
    const { engine } = await testEngine(model, {
      commands: await getCommands(),
      snipReplay: snipReplay as unknown as NonNullable<QueryEngineConfig['snipReplay']>,
    });
    await toEnd(engine);
    const messages = await collect(engine.submitMessage('/compact'));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: expect.stringMatching(/was compacted/) });
    expect(messages).toContainEqual(
      expect.objectContaining({ subtype: 'notice', code: 'hook_failed', message: expect.stringMatching(why) }),
    );
    expect(lastResult(await toEnd(engine))).toMatchObject({ result: 'two' });
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('nothing is open');
  });
});
