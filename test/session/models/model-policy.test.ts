// The host names the model of each request: what it is asked, what it may say, and what follows if it says nothing.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { getCommands } from '../../../src/context/slash-commands.js';
import { ModelError, ModelPolicyTimeoutError } from '../../../src/protocol/errors.js';
import { isResultMessage, type SDKMessage } from '../../../src/protocol/messages.js';
import type { ModelPolicyContext, ModelPolicyResult } from '../../../src/protocol/model.js';
import { query } from '../../../src/sdk/query.js';
import { createModelPolicy, type PolicyContext } from '../../../src/session/models/model-policy.js';
import { QueryEngine } from '../../../src/session/query-engine.js';
import { fakeHost } from '../../../src/testing/fake-host.js';
import { startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { getTools } from '../../../src/tools/builtin.js';
import { probeTool, temporaryFolder, testEngine } from '../../support/engine.js';
import { plainConfig } from '../../support/plain-config.js';
import { bareEngine } from '../../support/soak/bare-engine.js';

const KEY = 'byok-secret-key-4711';

/** Says the models in order, the last one again and again, and keeps what it was asked. */
function speaker(...models: ModelPolicyResult['model'][]) {
  const asked: ModelPolicyContext[] = [];
  const resolveModel = (context: ModelPolicyContext): ModelPolicyResult => {
    asked.push(context);
    return { model: models[Math.min(asked.length, models.length) - 1] ?? '' };
  };
  return { asked, resolveModel };
}

const switches = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'model_changed'
      ? [[message.from, message.to, message.trigger]]
      : [],
  );

describe('resolveModel', () => {
  it('is asked before every request, and its answer is the model of that request', async () => {
    const { asked, resolveModel } = speaker('one', 'two', 'two');
    const model = scriptedModel([toolCall('Probe', { value: 'a' }), text('ok'), text('again')]);
    const { engine } = await testEngine(model, { tools: [probeTool()], resolveModel });
    const first = await collect(engine.submitMessage('go'));
    expect(switches(first)).toEqual([
      ['scripted', 'one', 'resolve_model'],
      ['one', 'two', 'resolve_model'],
    ]);
    expect(Object.keys(lastResult(first).modelUsage)).toEqual(['one', 'two']);
    const second = await collect(engine.submitMessage('more'));
    expect(switches(second)).toEqual([]);
    expect(model.requests.map((request) => request.model)).toEqual(['one', 'two', 'two']);
    expect(asked.map(({ purpose }) => purpose)).toEqual(['main', 'main', 'main']);
    expect(new Set(asked.map(({ sessionId }) => sessionId)).size).toBe(1);
  });

  it('is asked for subagents, whose definitions name no model then, and for summaries', async () => {
    const asked: string[] = [];
    const agents: unknown[] = [];
    const model = scriptedModel((request) => {
      if (request.model === 'compact') return text('<summary>What was done.</summary>');
      if (request.model === 'subagent') return text('Report.');
      return model.calls === 1
        ? toolCall('Agent', { description: 'look', prompt: 'Look.', model: 'opus' })
        : text('ok');
    });
    const { engine } = await testEngine(model, {
      tools: await getTools(),
      commands: await getCommands(),
      resolveModel: (context) => {
        const { purpose, agentId, agentType } = context as PolicyContext;
        asked.push(purpose);
        agents.push([typeof agentId, agentType]);
        return { model: purpose };
      },
    });
    await collect(engine.submitMessage('go'));
    expect(asked).toEqual(['main', 'subagent', 'main']);
    expect(agents).toEqual([
      ['undefined', undefined],
      ['string', 'general-purpose'],
      ['undefined', undefined],
    ]);
    await collect(engine.submitMessage('/compact'));
    expect(asked.at(-1)).toBe('compact');
    expect(model.requests.map((request) => request.model)).toEqual(['main', 'subagent', 'main', 'compact']);
  });

  it('makes setModel do nothing, and nothing is fallen back to', async () => {
    const { resolveModel } = speaker('named');
    const model = scriptedModel([{ error: new ModelError('quota', 'spent', { status: 429 }) }]);
    const engine = bareEngine(model, { resolveModel, fallbackModel: 'second' });
    onTestFinished(() => engine.close());
    engine.setModel('other');
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({ terminal_reason: 'api_error' });
    expect(model.requests.map((request) => request.model)).toEqual(['named']);
  });

  it('may say the window and the effort of each request', async () => {
    const said: ModelPolicyResult[] = [
      { model: 'm', parameters: { contextWindow: 9_000, reasoningEffort: 'high', temperature: 1 } },
      { model: 'm', parameters: { reasoningEffort: 'none', temperature: 1 } },
      { model: 'm' },
    ];
    const model = scriptedModel([toolCall('Probe', {}), toolCall('Probe', { value: 'b' }), text('ok')]);
    const { engine } = await testEngine(model, {
      tools: [probeTool()],
      effort: 'low',
      thinkingConfig: { type: 'adaptive' },
      resolveModel: () => said.shift() ?? { model: 'm' },
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(model.requests.map(({ effort, thinking }) => [effort, thinking?.type])).toEqual([
      ['high', 'adaptive'],
      [undefined, 'disabled'],
      ['low', 'adaptive'],
    ]);
    expect(model.requests[0]?.maxTokens).toBeLessThan(9_000);
    expect(model.requests[1]?.maxTokens).toBeGreaterThan(9_000);
    const told = messages.filter((message) => message.type === 'system' && message.subtype === 'notice');
    expect(told).toEqual([expect.objectContaining({ message: expect.stringContaining('temperature') })]);
  });

  it.each([
    ['an empty model', () => ({ model: ' ' }), /empty model/],
    ['no model', () => ({}), /no model/],
    ['nothing', () => undefined, /no object/],
    ['a model without a key', () => ({ model: { provider: 'openai', model: 'm' } }), /without api_key/],
    ['a window that is none', () => ({ model: 'm', parameters: { contextWindow: 0 } }), /contextWindow/],
    ['an effort that is none', () => ({ model: 'm', parameters: { reasoningEffort: 'some' } }), /none, low/],
    [
      'a failure of its own',
      () => {
        throw new Error('the table is gone');
      },
      /resolveModel failed: the table is gone/,
    ],
  ])('that gives %s ends the prompt, and the session goes on', async (_name, broken, message) => {
    let isBroken = true;
    const model = scriptedModel([text('ok')]);
    const resolveModel = (() => (isBroken ? broken() : { model: 'm' })) as never;
    const engine = bareEngine(model, { resolveModel });
    onTestFinished(() => engine.close());
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(result).toMatchObject({ is_error: true, terminal_reason: 'turn_setup_failed' });
    expect(result.subtype === 'success' ? '' : result.errors.join()).toMatch(message);
    isBroken = false;
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({ result: 'ok' });
  });

  it('has half a second, then the query fails with a throw after its result', async () => {
    const host = fakeHost();
    const messages: SDKMessage[] = [];
    const running = (async () => {
      const options = { host, provider: scriptedModel([]), resolveModel: () => new Promise<never>(() => undefined) };
      for await (const message of query({ prompt: 'go', options })) messages.push(message);
    })();
    let thrown: unknown = null;
    running.catch((error: unknown) => {
      thrown = error;
    });
    for (let steps = 0; thrown === null && steps < 1_000; steps++) await host.clock.advance(1);
    expect(thrown).toBeInstanceOf(ModelPolicyTimeoutError);
    expect(messages.filter(isResultMessage)).toMatchObject([{ is_error: true, terminal_reason: 'turn_setup_failed' }]);
    expect(host.clock.monotonic()).toBeGreaterThanOrEqual(500);
  });

  it('does not hold up an abort', async () => {
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const engine = bareEngine(scriptedModel([]), {
      resolveModel: () => {
        isAsked();
        return new Promise<never>(() => undefined);
      },
    });
    onTestFinished(() => engine.close());
    const running = collect(engine.submitMessage('go'));
    await asked;
    engine.interrupt();
    expect(lastResult(await running)).toMatchObject({ terminal_reason: 'aborted' });
  });

  it('is refused if it is no function, or has no time', () => {
    const options = {
      sessionId: 's',
      clock: fakeHost().clock,
      listModels: async () => [],
      admit: async () => '',
      admitCustom: async () => '',
    };
    expect(() => createModelPolicy({ ...options, resolveModel: 'm' as never, timeoutMs: undefined })).toThrow(
      /function/,
    );
    expect(() => createModelPolicy({ ...options, resolveModel: () => ({ model: 'm' }), timeoutMs: 0 })).toThrow(
      /above 0/,
    );
  });

  it('is shown the models that there are', async () => {
    const { asked, resolveModel } = speaker('offline');
    const env = {
      OPENAI_API_KEY: 'sk-of-openai-0001',
      TURNWRIGHT_HOME: await temporaryFolder(),
      ANTHROPIC_API_KEY: undefined,
    };
    const cwd = await temporaryFolder();
    for await (const message of query({ prompt: 'hello', options: { env, cwd, resolveModel } })) void message;
    const values = asked[0]?.availableModels.map(({ value }) => value) ?? [];
    expect(values).toContain('auto');
    expect(values.some((value) => value.startsWith('openai/'))).toBe(true);
  });
});

describe('a model with a key of its own', () => {
  async function session(style?: string) {
    const chat = await startMockProvider({
      api: 'openai-chat',
      steps: [toolCall('Bash', { command: 'env' }), text(`I know ${KEY}.`)],
    });
    const home = await temporaryFolder();
    const logged: string[] = [];
    const model = {
      provider: 'deepseek',
      model: 'deepseek-v4-flash',
      api_key: KEY,
      ...(style === undefined ? {} : { style }),
    };
    const engine = new QueryEngine({
      ...plainConfig(),
      cwd: await temporaryFolder(),
      tools: await getTools(),
      env: { TURNWRIGHT_HOME: home, STRANGE: KEY, ANTHROPIC_API_KEY: undefined },
      models: { providers: { deepseek: { baseUrl: `${chat.url}/v1` } } },
      resolveModel: () => ({ model }),
      log: (event, detail) => void logged.push(`${event} ${JSON.stringify(detail)}`),
      verbose: true,
    });
    onTestFinished(async () => {
      await engine.close();
      await chat.close();
    });
    return { chat, engine, home, logged };
  }

  it('is asked with it, and the key is in no message, file, log or process', async () => {
    const { chat, engine, home, logged } = await session();
    const messages = await collect(engine.submitMessage('go'));
    const result = lastResult(messages);
    expect(result.subtype).toBe('success');
    expect(chat.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
    expect(chat.requests[0]?.body).toMatchObject({ model: 'deepseek-v4-flash' });
    expect(Object.keys(result.modelUsage)).toEqual(['deepseek/deepseek-v4-flash#byok']);
    // What a tool saw of its environment went back to the model.
    expect(JSON.stringify(chat.requests[1]?.body)).toContain('PATH=');
    expect(JSON.stringify(chat.requests[1]?.body)).not.toContain(KEY);
    const withoutEcho = messages.filter((message) => !JSON.stringify(message).includes('I know'));
    expect(JSON.stringify(withoutEcho)).not.toContain(KEY);
    expect(logged.join('\n')).not.toContain(KEY);
    await engine.close();
    const { stdout } = await listing(home);
    expect(stdout).not.toContain(KEY);
    chat.assertClean();
  });

  it('fails if its style is unknown, without a word of the key', async () => {
    const { engine } = await session('martian');
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(result.subtype === 'success' ? '' : result.errors.join()).toMatch(/style "martian"/);
    expect(JSON.stringify(result)).not.toContain(KEY);
  });
});

/** All text of all files of a folder. */
async function listing(folder: string): Promise<{ stdout: string }> {
  const { readdir } = await import('node:fs/promises');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  expect(files.length).toBeGreaterThan(0);
  return { stdout: (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n') };
}
