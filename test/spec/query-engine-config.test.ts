// Every field of QueryEngineConfig (spec 000, section 9.2) has an observable effect.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { getCommands } from '../../src/context/slash-commands.js';
import { ModelError } from '../../src/protocol/errors.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { SDKCompactBoundaryMessage } from '../../src/protocol/system-messages.js';
import { createAppState, type QueryEngineConfig } from '../../src/session/config/config.js';
import type { Message } from '../../src/session/messages/history.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { agentTool } from '../../src/tools/agent.js';
import { getTools } from '../../src/tools/builtin.js';
import { createFileStateCache } from '../../src/tools/file-state-cache.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';
import { namesOf } from './spec-names.js';

async function run(model: ScriptedModel, config: Partial<QueryEngineConfig> = {}, prompts = ['go']) {
  const { engine, folder } = await testEngine(model, config);
  const messages: SDKMessage[] = [];
  for (const prompt of prompts) messages.push(...(await collect(engine.submitMessage(prompt))));
  return { messages, engine, folder };
}

const kinds = (messages: readonly SDKMessage[]) =>
  messages.map((message) => ('subtype' in message ? message.subtype : message.type));

const priced = {
  'scripted/scripted': { contextWindow: 100_000, maxOutputTokens: 64_000, price: { input: 3, output: 15 } },
};
const oneTodo = toolCall('TodoWrite', { todos: [{ content: 'one', status: 'pending' }] });

/** One observable effect each. */
const EFFECTS: Readonly<Record<string, () => Promise<void>>> = {
  async cwd() {
    const cwd = await temporaryFolder();
    const tools = await getTools();
    await run(scriptedModel([toolCall('Write', { file_path: 'a.txt', content: 'here' }), text('ok')]), { cwd, tools });
    expect(await readFile(path.join(cwd, 'a.txt'), 'utf8')).toBe('here');
  },
  async tools() {
    const model = scriptedModel([text('ok')]);
    await run(model, { tools: [probeTool()] });
    expect(model.requests[0]?.tools.map((tool) => tool.name)).toEqual(['Probe']);
  },
  async commands() {
    const { messages } = await run(scriptedModel([]), { commands: await getCommands() }, ['/help']);
    expect(messages[0]).toMatchObject({ slash_commands: expect.arrayContaining(['help', 'clear']) });
    expect(lastResult(messages).terminal_reason).toBe('local_command');
  },
  async canUseTool() {
    const probe = probeTool();
    const canUseTool = async () => ({ behavior: 'deny', message: 'no' }) as const;
    await run(scriptedModel([toolCall('Probe'), text('ok')]), { tools: [probe], canUseTool });
    expect(probe.runs).toEqual([]);
  },
  async getAppState() {
    const store = createAppState({ todos: [{ id: '7', content: 'one', status: 'pending' }] });
    const { messages } = await run(scriptedModel([oneTodo, text('ok')]), {
      tools: await getTools(),
      getAppState: () => store.getState(),
    });
    // The todo keeps the id that the state gave it.
    expect(messages).toContainEqual(
      expect.objectContaining({
        tool_use_result: expect.objectContaining({ todos: [expect.objectContaining({ id: '7' })] }),
      }),
    );
  },
  async setAppState() {
    const store = createAppState();
    await run(scriptedModel([oneTodo, text('ok')]), {
      tools: await getTools(),
      setAppState: (change) => store.setState(change(store.getState())),
    });
    expect(store.getState().todos).toMatchObject([{ content: 'one' }]);
  },
  async initialMessages() {
    const model = scriptedModel([text('first'), text('second')]);
    const { engine } = await run(model);
    await run(model, { initialMessages: engine.getMessages() }, ['again']);
    expect(model.requests[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
  },
  async readFileCache() {
    const cwd = await temporaryFolder();
    await writeFile(path.join(cwd, 'a.txt'), 'hello');
    const read = toolCall('Read', { file_path: 'a.txt' });
    const readFileCache = createFileStateCache();
    const config = { cwd, tools: await getTools(), readFileCache };
    await run(scriptedModel([read, text('ok')]), config);
    expect([...readFileCache.entries()]).toHaveLength(1);
    const { messages } = await run(scriptedModel([read, text('ok')]), config);
    expect(messages).toContainEqual(
      expect.objectContaining({ tool_use_result: expect.objectContaining({ type: 'file_unchanged' }) }),
    );
  },
  async customSystemPrompt() {
    const model = scriptedModel([text('ok')]);
    await run(model, { customSystemPrompt: 'Only this.' });
    expect(model.requests[0]?.system[0]?.text).toBe('Only this.');
  },
  async appendSystemPrompt() {
    const model = scriptedModel([text('ok')]);
    await run(model, { appendSystemPrompt: 'Last.' });
    expect(model.requests[0]?.system.length).toBeGreaterThan(1);
    expect(model.requests[0]?.system.at(-1)?.text).toBe('Last.');
  },
  async userSpecifiedModel() {
    const model = scriptedModel([text('ok')]);
    await run(model, { userSpecifiedModel: 'a-model' });
    expect(model.requests[0]?.model).toBe('a-model');
  },
  async fallbackModel() {
    const model = scriptedModel([{ error: new ModelError('overloaded', 'busy', { status: 529 }) }, text('ok')]);
    await run(model, { fallbackModel: 'second', limits: { maxRetries: 0 } });
    expect(model.requests[1]?.model).toBe('second');
  },
  async thinkingConfig() {
    const kindsOfThinking = [
      { type: 'disabled' },
      { type: 'adaptive' },
      { type: 'enabled', budgetTokens: 2_000 },
    ] as const;
    for (const thinkingConfig of kindsOfThinking) {
      const model = scriptedModel([text('ok')]);
      await run(model, { thinkingConfig });
      expect(model.requests[0]?.thinking).toEqual(thinkingConfig);
    }
  },
  async maxTurns() {
    const model = scriptedModel((_request, index) => toolCall('Probe', { value: String(index) }));
    const { messages } = await run(model, { tools: [probeTool()], maxTurns: 2 });
    expect(lastResult(messages)).toMatchObject({ subtype: 'error_max_turns', num_turns: 2 });
  },
  async maxBudgetUsd() {
    const { messages } = await run(scriptedModel([]), { maxBudgetUsd: 0.000_001, catalogueOverrides: priced });
    expect(lastResult(messages).subtype).toBe('error_max_budget_usd');
  },
  async taskBudget() {
    const model = scriptedModel((request) =>
      request.toolChoice === 'none' ? text('That far.') : toolCall('Probe', { value: String(model.calls) }),
    );
    const { messages } = await run(model, { tools: [probeTool()], taskBudget: { total: 3_000 } });
    expect(lastResult(messages).terminal_reason).toBe('task_budget');
  },
  async jsonSchema() {
    const jsonSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const { messages } = await run(scriptedModel([toolCall('StructuredOutput', { n: 1 })]), { jsonSchema });
    expect(lastResult(messages).structured_output).toEqual({ n: 1 });
  },
  async replayUserMessages() {
    expect(kinds((await run(scriptedModel([text('ok')]))).messages)).not.toContain('replay');
    expect(kinds((await run(scriptedModel([text('ok')]), { replayUserMessages: true })).messages)).toContain('replay');
  },
  async agents() {
    const call = toolCall('Agent', { description: 'plan it', prompt: 'Plan.', subagent_type: 'planner' });
    const model = scriptedModel([call, text('First this.'), text('ok')]);
    await run(model, {
      tools: [agentTool],
      agents: [{ name: 'planner', description: 'Plans.', prompt: 'You plan.' }],
    });
    expect(model.requests[1]?.system[0]?.text).toBe('You plan.');
    expect(JSON.stringify(model.requests[2]?.messages)).toContain('First this.');
  },
  async handleElicitation() {
    const asked: string[] = [];
    const { messages } = await run(scriptedModel([toolCall('AskUserQuestion', { question: 'Which?' }), text('ok')]), {
      handleElicitation: async ({ message }) => {
        asked.push(message);
        return { action: 'accept', content: { answer: 'the blue one' } };
      },
    });
    expect(asked).toEqual(['Which?']);
    expect(messages).toContainEqual(
      expect.objectContaining({ tool_use_result: expect.objectContaining({ answer: 'the blue one' }) }),
    );
  },
  async mcpClients() {
    const client = {
      listTools: async () => ({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] }),
      callTool: async () => ({ content: [{ type: 'text', text: '3' }] }),
    };
    const { messages } = await run(scriptedModel([toolCall('mcp__math__add'), text('ok')]), {
      mcpClients: [{ name: 'math', type: 'connected', client }],
    });
    expect(messages[0]).toMatchObject({
      tools: ['mcp__math__add'],
      mcp_servers: [{ name: 'math', status: 'connected' }],
    });
    expect(messages).toContainEqual(
      expect.objectContaining({ tool_use_result: { content: [{ type: 'text', text: '3' }] } }),
    );
  },
  async includePartialMessages() {
    const { messages } = await run(scriptedModel([text('ok')]), { includePartialMessages: true });
    expect(kinds(messages)).toContain('stream_event');
  },
  async setSDKStatus() {
    const told: string[] = [];
    await run(scriptedModel([toolCall('Probe'), text('ok')]), {
      tools: [probeTool()],
      setSDKStatus: (status) => void told.push(status),
    });
    expect(told).toEqual(['running', 'awaiting_input', 'running', 'completed']);
  },
  async abortController() {
    const abortController = new AbortController();
    abortController.abort();
    const { messages } = await run(scriptedModel([]), { abortController });
    expect(lastResult(messages)).toMatchObject({ result: 'Aborted', terminal_reason: 'aborted' });
  },
  // That a call which is still open is asked about and run: test/session/loop-control.test.ts.
  async orphanedPermission() {
    const orphanedPermission = { toolUseID: 'toolu_gone', toolName: 'Probe', input: {} };
    const { messages } = await run(scriptedModel([text('ok')]), { orphanedPermission });
    expect(messages).toContainEqual(expect.objectContaining({ code: 'orphaned_permission_dropped' }));
  },
  async verbose() {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => logged.mockRestore());
    await run(scriptedModel([text('ok')]), { verbose: false });
    expect(logged).not.toHaveBeenCalled();
    await run(scriptedModel([text('ok')]), { verbose: true });
    expect(logged).toHaveBeenCalledWith(expect.stringContaining('model_request'));
    await run(scriptedModel([]), { verbose: true }, ['']);
    expect(logged).toHaveBeenCalledWith(expect.stringContaining('prompt_setup_failed'));
  },
  async snipReplay() {
    const model = scriptedModel([text('first'), text('<summary>We greeted.</summary>'), text('ok')]);
    const stores: number[] = [];
    const snipReplay = (boundary: SDKCompactBoundaryMessage, store: Message[]) => {
      stores.push(store.length);
      expect(boundary).toMatchObject({ type: 'system', subtype: 'compact_boundary', uuid: expect.any(String) });
      expect(boundary.summary).toContain('We greeted.');
      const content = 'A history of my own.';
      const own: Message = { uuid: boundary.uuid, type: 'user', message: { role: 'user', content } };
      return { messages: [own], executed: true };
    };
    await run(model, { commands: await getCommands(), snipReplay }, ['hello', '/compact', 'go on']);
    expect(stores).toEqual([2]);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('A history of my own.');
    expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain('We greeted.');
  },
};

describe('fields of QueryEngineConfig with an effect', () => {
  it.each(Object.entries(EFFECTS))('%s', async (_name, effect) => {
    await effect();
  });

  it('are all the fields of the specification', () => {
    expect(Object.keys(EFFECTS).sort()).toEqual([...namesOf('QueryEngineConfig')].sort());
  });
});

describe('submitMessage', () => {
  it('marks a message that nobody typed with isMeta, in the history and in the transcript', async () => {
    const { engine, home } = await testEngine(scriptedModel([text('ok')]));
    const result = lastResult(await collect(engine.submitMessage('a reminder', { isMeta: true })));
    expect(engine.getMessages()[0]).toMatchObject({ isMeta: true });
    expect(engine.getMessages()[1]).not.toHaveProperty('isMeta');
    const [project] = await readdir(path.join(home, 'projects'));
    const file = path.join(home, 'projects', project ?? '', `${result.session_id}.jsonl`);
    expect((await readFile(file, 'utf8')).split('\n')[0]).toContain('"isMeta":true');
  });
});
