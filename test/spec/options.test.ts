// Every option of spec 004 either does something, or the session says that it does not, or it is refused. None is
// ignored without a word; what still is, is listed here as failing.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ModelError, ModelPolicyTimeoutError } from '../../src/protocol/errors.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { QueryOptions } from '../../src/protocol/query-options.generated.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { createSdkMcpServer, tool } from '../../src/sdk/tools/tool.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';
import { namesOf } from './spec-names.js';

async function run(model: ScriptedModel, more: Options = {}): Promise<SDKMessage[]> {
  const cwd = more.cwd ?? (await temporaryFolder());
  const env = { TURNWRIGHT_HOME: await temporaryFolder(), ...more.env };
  const options = { provider: model, limits: { maxRetries: 0 }, ...more, cwd, env };
  return collect(query({ prompt: 'go', options }));
}

const notices = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'system' && message.subtype === 'notice' ? [message] : []));

const kinds = (messages: readonly SDKMessage[]) =>
  messages.map((message) => ('subtype' in message ? message.subtype : message.type));

/** Accepted; the session says that they have no effect. Those about models: where the host's own provider answers. */
const NOTICED = {
  auth: { type: 'qodercli' },
  proxy: 'http://localhost:3128',
} as const satisfies QueryOptions;

/** Refused: going on without them would run, send or spend what the caller meant to prevent. */
const REFUSED = {
  experimentalCloudAgent: { session: { id: 'session' } },
} as const satisfies QueryOptions;

const given = (table: object) => Object.entries(table).map(([name, value]) => [name, value] as const);

describe('options without an effect', () => {
  it.each(given(NOTICED))('%s is told by exactly one notice', async (name, value) => {
    const messages = await run(scriptedModel([text('ok')]), { [name]: value });
    expect(notices(messages)).toEqual([
      expect.objectContaining({ code: 'option_without_effect', message: expect.stringContaining(`option ${name} `) }),
    ]);
    expect(lastResult(messages).result).toBe('ok');
  });

  it.each(given(REFUSED))('%s is refused before anything is asked', async (name, value) => {
    const model = scriptedModel([]);
    const error = await run(model, { [name]: value }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'not_supported', message: expect.stringContaining(name) });
    expect(model.calls).toBe(0);
  });

  it('asking for nothing is not told', async () => {
    const messages = await run(scriptedModel([text('ok')]), {
      agents: {},
      plugins: [],
      skills: [],
      mcpServers: {},
      promptSuggestions: false,
      enableFileCheckpointing: false,
      forkSession: false,
      sandbox: { enabled: false },
    });
    expect(notices(messages)).toEqual([]);
  });
});

const writes = () => scriptedModel([toolCall('Write', { file_path: 'a.txt', content: 'x' }), text('ok')]);
const denials = (messages: readonly SDKMessage[]) => lastResult(messages).permission_denials.length;

const allowAll = async () => ({ behavior: 'allow' as const });

/** They ask for a child process, which no provider of this one reaches; what else they do `test/e2e/child-process.test.ts` shows. */
const IN_CHILD = {
  executable: 'node',
  executableArgs: ['--no-warnings'],
  extraArgs: { debug: null },
  pathToQoderCLIExecutable: '/usr/bin/qodercli',
  spawnQoderCLIProcess: () => {
    throw new Error('nothing is spawned');
  },
} as const satisfies QueryOptions;

/** One observable effect each. */
const EFFECTS: Readonly<Record<string, () => Promise<void>>> = {
  async abortController() {
    const abortController = new AbortController();
    abortController.abort();
    await expect(run(scriptedModel([]), { abortController })).rejects.toThrow(/aborted/);
  },
  async additionalDirectories() {
    const other = await temporaryFolder();
    await writeFile(path.join(other, 'a.txt'), 'from elsewhere');
    const reads = () => scriptedModel([toolCall('Read', { file_path: path.join(other, 'a.txt') }), text('ok')]);
    expect(denials(await run(reads()))).toBe(1);
    expect(denials(await run(reads(), { additionalDirectories: [other] }))).toBe(0);
  },
  async agent() {
    const model = scriptedModel([text('ok')]);
    const planner = { description: 'Plans.', prompt: 'You plan.', tools: ['Read'], initialPrompt: 'Look first.' };
    const messages = await run(model, { agent: 'planner', agents: { planner } });
    expect(messages[0]).toMatchObject({ subtype: 'init', tools: ['Read'] });
    expect(model.requests[0]?.system[0]?.text).toBe('You plan.');
    expect(model.requests[0]?.messages[0]?.content).toBe('Look first.\n\ngo');
    await expect(run(scriptedModel([]), { agent: 'nobody' })).rejects.toThrow(/There is no agent "nobody"/);
  },
  async plugins() {
    const folder = await temporaryFolder();
    await mkdir(path.join(folder, 'commands'));
    await writeFile(path.join(folder, 'commands', 'hello.md'), 'Say hello.');
    const [init] = await run(scriptedModel([text('ok')]), { plugins: [{ type: 'local', path: folder }] });
    const name = path.basename(folder);
    expect(init).toMatchObject({ slash_commands: expect.arrayContaining([`${name}:hello`]), plugins: [{ name }] });
  },
  async planModeInstructions() {
    const instructions = { planModeInstructions: 'Name three risks.' };
    const plans = scriptedModel([text('ok')]);
    await run(plans, { ...instructions, permissionMode: 'plan' });
    expect(JSON.stringify(plans.requests[0]?.messages)).toContain('Name three risks.');
    const works = scriptedModel([text('ok')]);
    await run(works, instructions);
    expect(JSON.stringify(works.requests[0])).not.toContain('Name three risks.');
  },
  async agents() {
    const call = toolCall('Agent', { description: 'plan it', prompt: 'Plan.', subagent_type: 'planner' });
    const model = scriptedModel([call, text('First this.'), text('ok')]);
    const agents = { planner: { description: 'Plans.', prompt: 'You plan.' } };
    const messages = await run(model, { agents });
    expect(messages[0]).toMatchObject({ subtype: 'init', agents: ['general-purpose', 'Explore', 'Plan', 'planner'] });
    expect(model.requests[1]?.system[0]?.text).toBe('You plan.');
    expect(JSON.stringify(model.requests[2]?.messages)).toContain('First this.');
  },
  async allowDangerouslySkipPermissions() {
    const permissionMode = 'bypassPermissions';
    await expect(run(scriptedModel([]), { permissionMode })).rejects.toThrow(/allowDangerouslySkipPermissions/);
    expect(denials(await run(writes(), { permissionMode, allowDangerouslySkipPermissions: true }))).toBe(0);
  },
  async allowedTools() {
    expect(denials(await run(writes()))).toBe(1);
    expect(denials(await run(writes(), { allowedTools: ['Write'] }))).toBe(0);
  },
  async permissionPromptToolName() {
    const answer = tool('ask', 'Asks.', { tool_name: z.string() }, async ({ tool_name: name }) => ({
      content: [{ type: 'text', text: JSON.stringify({ behavior: name === 'Write' ? 'allow' : 'deny', message: '' }) }],
    }));
    const mcpServers = { approvals: createSdkMcpServer({ name: 'approvals', tools: [answer] }) };
    const messages = await run(writes(), { mcpServers, permissionPromptToolName: 'mcp__approvals__ask' });
    expect(denials(messages)).toBe(0);
    await expect(
      run(writes(), { mcpServers, permissionPromptToolName: 'mcp__approvals__ask', canUseTool: allowAll }),
    ).rejects.toThrow(/Give one of them/);
  },
  async canUseTool() {
    const messages = await run(writes(), { canUseTool: async () => ({ behavior: 'deny', message: 'not today' }) });
    expect(lastResult(messages).permission_denials).toMatchObject([{ tool_name: 'Write', reason: 'not today' }]);
  },
  async continue() {
    const model = scriptedModel(() => text('ok'));
    const same = { cwd: await temporaryFolder(), env: { TURNWRIGHT_HOME: await temporaryFolder() } };
    const first = lastResult(await run(model, same));
    expect(lastResult(await run(model, { ...same, continue: true })).session_id).toBe(first.session_id);
    expect(model.requests[1]?.messages).toHaveLength(3);
  },
  async cwd() {
    const cwd = await temporaryFolder();
    const [init] = await run(scriptedModel([text('ok')]), { cwd });
    expect(init).toMatchObject({ cwd });
  },
  async disallowedTools() {
    const [init] = await run(scriptedModel([text('ok')]), { disallowedTools: ['Bash'] });
    expect(init).toHaveProperty('tools', expect.not.arrayContaining(['Bash']));
  },
  async enableFileCheckpointing() {
    const allowed = { permissionMode: 'acceptEdits' } as const;
    expect(kinds(await run(writes(), allowed))).not.toContain('files_persisted');
    expect(kinds(await run(writes(), { ...allowed, enableFileCheckpointing: true }))).toContain('files_persisted');
  },
  async env() {
    const model = scriptedModel([toolCall('Bash', { command: 'echo "$GREETING|$HOME"' }), text('ok')]);
    const messages = await run(model, { allowedTools: ['Bash'], env: { GREETING: 'hello', HOME: undefined } });
    expect(messages).toContainEqual(
      expect.objectContaining({ tool_use_result: expect.objectContaining({ stdout: 'hello|\n' }) }),
    );
  },
  async resolveModel() {
    const model = scriptedModel([text('ok')]);
    const messages = await run(model, { resolveModel: () => ({ model: 'lite' }), fallbackModel: 'second' });
    expect(model.requests[0]?.model).toBe('lite');
    expect(notices(messages)).toMatchObject([{ message: expect.stringContaining('option fallbackModel ') }]);
  },
  async resolveModelTimeoutMs() {
    const never = () => new Promise<never>(() => undefined);
    const running = run(scriptedModel([]), { resolveModel: never, resolveModelTimeoutMs: 5 });
    await expect(running).rejects.toBeInstanceOf(ModelPolicyTimeoutError);
    expect(notices(await run(scriptedModel([text('ok')]), { resolveModelTimeoutMs: 5 }))).toHaveLength(1);
  },
  async fallbackModel() {
    const model = scriptedModel([{ error: new ModelError('overloaded', 'busy', { status: 529 }) }, text('ok')]);
    expect(kinds(await run(model, { fallbackModel: 'second' }))).toContain('model_changed');
    expect(model.requests[1]?.model).toBe('second');
  },
  async hooks() {
    let seen = 0;
    const hook = async () => {
      seen += 1;
      return {};
    };
    await run(scriptedModel([text('ok')]), { hooks: { Stop: [{ hooks: [hook] }] } });
    expect(seen).toBe(1);
  },
  async includeHookEvents() {
    const hooks = { Stop: [{ hooks: [async () => ({})] }] };
    expect(kinds(await run(scriptedModel([text('ok')]), { hooks }))).not.toContain('hook_started');
    expect(kinds(await run(scriptedModel([text('ok')]), { hooks, includeHookEvents: true }))).toContain('hook_started');
  },
  async includePartialMessages() {
    expect(kinds(await run(scriptedModel([text('ok')])))).not.toContain('stream_event');
    expect(kinds(await run(scriptedModel([text('ok')]), { includePartialMessages: true }))).toContain('stream_event');
  },
  async maxTurns() {
    const messages = await run(
      scriptedModel(() => toolCall('Glob', { pattern: '*' })),
      { maxTurns: 2 },
    );
    expect(lastResult(messages)).toMatchObject({ subtype: 'error_max_turns', num_turns: 2 });
  },
  async model() {
    const model = scriptedModel([text('ok')]);
    const [init] = await run(model, { model: 'a-model' });
    expect([init, model.requests[0]]).toMatchObject([{ model: 'a-model' }, { model: 'a-model' }]);
  },
  async permissionMode() {
    const [init] = await run(scriptedModel([text('ok')]), { permissionMode: 'dontAsk' });
    expect(init).toMatchObject({ permissionMode: 'dontAsk' });
    expect(denials(await run(writes(), { permissionMode: 'acceptEdits' }))).toBe(0);
  },
  async forkSession() {
    const model = scriptedModel(() => text('ok'));
    const same = { cwd: await temporaryFolder(), env: { TURNWRIGHT_HOME: await temporaryFolder() } };
    const first = lastResult(await run(model, same));
    const fork = lastResult(await run(model, { ...same, resume: first.session_id, forkSession: true }));
    expect(fork.session_id).not.toBe(first.session_id);
    expect(model.requests[1]?.messages).toHaveLength(3);
  },
  async resume() {
    const model = scriptedModel(() => text('ok'));
    const same = { cwd: await temporaryFolder(), env: { TURNWRIGHT_HOME: await temporaryFolder() } };
    const first = lastResult(await run(model, same));
    await run(model, { ...same, resume: first.session_id });
    expect(model.requests[1]?.messages).toHaveLength(3);
  },
  async settings() {
    const model = scriptedModel(() => text('ok'));
    const sent = () => JSON.stringify(model.requests.at(-1)?.system);
    await run(model, { settings: { attribution: { commit: 'Made-by: a machine' } } });
    expect(sent()).toContain('Made-by: a machine');
    expect(notices(await run(model, { settings: { modle: 'lite' } }))).toEqual([
      expect.objectContaining({
        code: 'settings_problem',
        message: expect.stringContaining('modle is not known. Did you mean model?'),
      }),
    ]);
    expect(sent()).not.toContain('commit, end its message');
  },
  async mcpServers() {
    const add = tool('add', 'Adds.', { a: z.number() }, async ({ a }) => ({
      content: [{ type: 'text' as const, text: String(a + 1) }],
    }));
    const mcpServers = { math: createSdkMcpServer({ name: 'math', tools: [add] }) };
    const model = scriptedModel([toolCall('mcp__math__add', { a: 1 }), text('ok')]);
    const messages = await run(model, { mcpServers, allowedTools: ['mcp__math__add'] });
    expect(messages[0]).toMatchObject({ mcp_servers: [{ name: 'math', status: 'connected' }] });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('"text":"2"');
  },
  async promptSuggestions() {
    const messages = await run(scriptedModel([text('ok'), text('go on')]), { promptSuggestions: true });
    expect(messages.at(-1)).toMatchObject({ type: 'prompt_suggestion', suggestion: 'go on' });
  },
  async strictMcpConfig() {
    const cwd = await temporaryFolder();
    await writeFile(path.join(cwd, '.mcp.json'), '{ "mcpServers": { "theirs": { "command": "turnwright-none" } } }');
    const serversOf = async (more: Options) =>
      (await run(scriptedModel([text('ok')]), { cwd, settingSources: ['project'], ...more }))[0];
    expect(await serversOf({})).toMatchObject({ mcp_servers: [{ name: 'theirs' }] });
    expect(await serversOf({ strictMcpConfig: true })).toMatchObject({ mcp_servers: [] });
  },
  async toolConfig() {
    const model = scriptedModel([text('ok')]);
    const canUseTool = async () => ({ behavior: 'allow' as const });
    expect(
      notices(await run(model, { canUseTool, toolConfig: { askUserQuestion: { previewFormat: 'html' } } })),
    ).toEqual([]);
    expect(JSON.stringify(model.requests[0]?.tools)).toContain('one piece of HTML');
  },
  async resumeSessionAt() {
    const model = scriptedModel(() => text('ok'));
    const same = { cwd: await temporaryFolder(), env: { TURNWRIGHT_HOME: await temporaryFolder() } };
    const first = await run(model, same);
    const { uuid } = first.find((message) => message.type === 'assistant') ?? {};
    const { session_id: resume } = lastResult(await run(model, { ...same, resume: lastResult(first).session_id }));
    await run(model, { ...same, resume, resumeSessionAt: uuid ?? '' });
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 3]);
  },
  async sandbox() {
    const [init] = await run(scriptedModel([text('ok')]), { sandbox: { enabled: true } });
    expect(init).toMatchObject({ sandbox: { enabled: true, available: expect.any(Boolean) } });
    const [plain] = await run(scriptedModel([text('ok')]), { sandbox: { enabled: false } });
    expect(plain).not.toHaveProperty('sandbox');
  },
  async sessionId() {
    const sessionId = '22222222-2222-4222-8222-222222222222';
    expect(lastResult(await run(scriptedModel([text('ok')]), { sessionId })).session_id).toBe(sessionId);
  },
  async settingSources() {
    expect(await instructionsRead([])).toBe(false);
    expect(await instructionsRead(undefined)).toBe(true);
    const cwd = await temporaryFolder();
    await mkdir(path.join(cwd, '.qoder'));
    await writeFile(path.join(cwd, '.qoder', 'settings.json'), '{ "attribution": { "commit": "Made-by: a folder" } }');
    const model = scriptedModel(() => text('ok'));
    const isMeant = async (options: Options) => {
      await run(model, { cwd, ...options });
      return JSON.stringify(model.requests.at(-1)?.system).includes('Made-by: a folder');
    };
    expect(await isMeant({ settingSources: ['project'] })).toBe(true);
    expect(await isMeant({ settingSources: ['user'] })).toBe(false);
    expect(await isMeant({})).toBe(false);
  },
  async skills() {
    const cwd = await temporaryFolder();
    for (const name of ['one', 'two']) {
      await mkdir(path.join(cwd, '.qoder/skills', name), { recursive: true });
      await writeFile(path.join(cwd, '.qoder/skills', name, 'SKILL.md'), '---\ndescription: Does it\n---\nDo it.');
    }
    const [init] = await run(scriptedModel([text('ok')]), { cwd, settingSources: ['project'], skills: ['two'] });
    expect(init).toMatchObject({ skills: ['two'] });
  },
  async systemPrompt() {
    const model = scriptedModel([text('ok')]);
    await run(model, { systemPrompt: 'Only this.', settingSources: [] });
    expect(model.requests[0]?.system.map((block) => block.text)).toEqual(['Only this.']);
  },
  async tools() {
    const [init] = await run(scriptedModel([text('ok')]), { tools: ['Read'] });
    expect(init).toMatchObject({ tools: ['Read'] });
  },
};

/** Whether the instruction file of the project reaches the model. */
async function instructionsRead(settingSources: Options['settingSources']): Promise<boolean> {
  const cwd = await temporaryFolder();
  await mkdir(path.join(cwd, '.git'));
  await writeFile(path.join(cwd, 'AGENTS.md'), 'Use tabs here.');
  const model = scriptedModel([text('ok')]);
  await run(model, { cwd, ...(settingSources === undefined ? {} : { settingSources }) });
  return JSON.stringify(model.requests[0]).includes('Use tabs here.');
}

describe('options with an effect', () => {
  it.each(given(EFFECTS))('%s', async (_name, effect) => {
    await effect();
  });

  it.each(given(IN_CHILD))('%s', async (name, value) => {
    const error = await run(scriptedModel([]), { [name]: value }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'not_supported', message: expect.stringMatching(/provider.*child process/) });
  });

  it('and those without are all the options of the specification, each once', () => {
    const known = [NOTICED, REFUSED, IN_CHILD, EFFECTS].flatMap((table) => Object.keys(table));
    expect(known.sort()).toEqual([...namesOf('Options')].sort());
  });

  it("settingSources: ['user'] leaves the project's instructions out", async () => {
    expect(await instructionsRead(['user'])).toBe(false);
  });

  it('an option that nobody knows is told', async () => {
    const messages = await run(scriptedModel([text('ok')]), { maxTurn: 3 } as Options);
    expect(notices(messages)).not.toEqual([]);
  });
});

describe('permission modes', () => {
  it('auto accepts edits of the workspace, and nothing else that would be asked', async () => {
    const outside = await temporaryFolder();
    const elsewhere = { file_path: path.join(outside, 'a.txt'), content: 'x' };
    expect(denials(await run(writes(), { permissionMode: 'auto' }))).toBe(0);
    const refused = scriptedModel([toolCall('Write', elsewhere), text('ok')]);
    expect(denials(await run(refused, { permissionMode: 'auto' }))).toBe(1);
  });

  it('yolo is bypassPermissions by another name', async () => {
    await expect(run(scriptedModel([]), { permissionMode: 'yolo' })).rejects.toThrow(/yolo/);
    const messages = await run(writes(), { permissionMode: 'yolo', allowDangerouslySkipPermissions: true });
    expect(denials(messages)).toBe(0);
  });

  it('dontAsk turns a question into a refusal, and plan refuses to write', async () => {
    const canUseTool = async () => ({ behavior: 'allow' as const });
    expect(denials(await run(writes(), { canUseTool }))).toBe(0);
    expect(denials(await run(writes(), { canUseTool, permissionMode: 'dontAsk' }))).toBe(1);
    expect(denials(await run(writes(), { canUseTool, permissionMode: 'plan' }))).toBe(1);
  });
});

describe('effort', () => {
  it.each(namesOf('EffortLevel'))('%s reaches the model', async (effort) => {
    const model = scriptedModel([text('ok')]);
    await run(model, { effort: effort as NonNullable<Options['effort']> });
    expect(model.requests[0]?.effort).toBe(effort);
  });
});
