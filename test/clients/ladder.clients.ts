// The published SDKs drive our command line, unmodified: a prompt, tools with their callbacks, several prompts with
// controls between them, resume and fork, interrupts and ends.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockFunction, MockStep } from '../../src/testing/mock/mock-wire.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { buildEntry, ENTRY, mockEnv, temporaryFolder } from '../e2e/run-cli.js';

const PUBLISHED = JSON.parse(readFileSync(new URL('../spec/published-names.json', import.meta.url), 'utf8')) as {
  readonly 'Methods of a query': readonly string[];
};
const CLIENTS_FOLDER = process.env['TURNWRIGHT_TEST_CLIENTS'] ?? '';

const CLIENTS = [
  {
    name: '@anthropic-ai/claude-agent-sdk',
    program: 'pathToClaudeCodeExecutable',
    spawn: 'spawnClaudeCodeProcess',
    home: 'CLAUDE_CONFIG_DIR',
  },
  {
    name: '@qoder-ai/qoder-agent-sdk',
    program: 'pathToQoderCLIExecutable',
    spawn: 'spawnQoderCLIProcess',
    home: 'QODER_CONFIG_DIR',
  },
];

/** What ends the session or reads from it is called elsewhere. */
const METHODS = PUBLISHED['Methods of a query'].filter((name) => name !== 'close' && name !== 'streamInput');

/** What there is not, or is not on here: each says so. */
const REFUSED_IN_WORDS =
  /^\w+: .*(There is no |is not supported|Unsupported control request|did not enable|does not advertise)/;

beforeAll(buildEntry, 120_000);

/** What a scenario tells: kinds of messages, results, and what its callbacks saw. */
interface Told {
  readonly kinds: string[];
  readonly results: { readonly subtype: string; readonly result?: string; readonly session_id: string }[];
  readonly notes: unknown[];
  readonly thrown?: string;
}

/** `body` runs in a process of its own, with `sdk`, `base`, `run(prompt, options)`, `note` and `say`. */
async function drive(
  { name, program }: (typeof CLIENTS)[number],
  steps: readonly MockStep[] | MockFunction,
  body: string,
  home = temporaryFolder(),
  cwd = temporaryFolder(),
): Promise<Told> {
  const mock = await startMockProvider({ steps });
  const source = `
    const sdk = await import(${JSON.stringify(name)});
    const { z } = await import('zod');
    const told = { kinds: [], results: [], notes: [] };
    const note = (value) => told.notes.push(value);
    const say = (content, more = {}) => ({ type: 'user', session_id: '', message: { role: 'user', content }, parent_tool_use_id: null, ...more });
    const base = { cwd: ${JSON.stringify(cwd)}, env: process.env, model: 'claude-sonnet-4-5', ${program}: ${JSON.stringify(ENTRY)},
      ...(sdk.accessToken ? { auth: sdk.accessToken('x') } : {}) };
    const saw = (message) => {
      if (message.subtype === 'notice') return;
      told.kinds.push([message.type, message.subtype].filter(Boolean).join('/'));
      if (message.type === 'result') told.results.push({ subtype: message.subtype, result: message.result, session_id: message.session_id });
    };
    const run = async (prompt, options = {}) => {
      for await (const message of sdk.query({ prompt, options: { ...base, ...options } })) saw(message);
    };
    try { ${body} } catch (error) { told.thrown = String(error?.message ?? error); }
    process.stdout.write(JSON.stringify(told));
    process.exit(0);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    cwd: CLIENTS_FOLDER,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, TURNWRIGHT_HOME: home, ...mockEnv(mock.url) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  await new Promise((resolve) => child.on('close', resolve));
  expect(mock.violations).toEqual([]);
  return JSON.parse(output) as Told;
}

describe.each(CLIENTS)('$name', (client) => {
  it('runs a prompt', async () => {
    const told = await drive(client, [text('pong')], `await run('ping');`);
    expect(told.thrown).toBeUndefined();
    const beside = ['commands_changed', 'command_lifecycle'];
    expect(told.kinds.filter((kind) => !beside.some((each) => kind.includes(each)))).toEqual([
      'system/init',
      'assistant',
      'result/success',
    ]);
    expect(told.results).toMatchObject([{ result: 'pong' }]);
  });

  it('answers permissions, hooks and an MCP server of its own', async () => {
    const told = await drive(
      client,
      [
        reply(toolCall('Bash', { command: 'touch x' })),
        reply(toolCall('mcp__calc__add', { a: 2, b: 3 })),
        text('done'),
      ],
      `const add = sdk.tool('add', 'adds', { a: z.number(), b: z.number() }, async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
       await run((async function* () { yield say('go'); })(), {
         mcpServers: { calc: sdk.createSdkMcpServer({ name: 'calc', version: '1.0.0', tools: [add] }) },
         canUseTool: async (name, input) => { note('asked ' + name); return { behavior: 'allow', updatedInput: input }; },
         hooks: { PreToolUse: [{ hooks: [async (input, id) => { note('hook ' + input.tool_name + ' ' + id); return {}; }] }] },
       });`,
    );
    expect(told.thrown).toBeUndefined();
    expect(told.notes).toEqual([
      'hook Bash toolu_0001',
      'asked Bash',
      'hook mcp__calc__add toolu_0002',
      'asked mcp__calc__add',
    ]);
    expect(told.results).toMatchObject([{ result: 'done' }]);
  });

  it('has all of an MCP server of its own that it passes on: resources, progress, forms, tools that come later', async () => {
    const told = await drive(
      client,
      [
        reply(toolCall('mcp__clerk__sign', { name: 'Ada' })),
        reply(toolCall('ReadMcpResource', { server_name: 'clerk', uri: 'desk://rules' })),
        text('one'),
        reply(toolCall('mcp__clerk__stamp', {})),
        text('two'),
      ],
      `const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
       const clerk = new McpServer({ name: 'clerk', version: '1.0.0' });
       clerk.registerResource('rules', 'desk://rules', {}, async () => ({ contents: [{ uri: 'desk://rules', text: 'Be kind.' }] }));
       clerk.registerTool('sign', { inputSchema: { name: z.string() } }, async ({ name }, { sendNotification, _meta }) => {
         // The Qoder SDK passes nothing on that a server says by itself.
         if (sdk.accessToken) return { content: [{ type: 'text', text: name + ' signs' }] };
         await sendNotification({ method: 'notifications/progress', params: { progressToken: _meta?.progressToken, progress: 1, total: 2 } });
         const { action } = await clerk.server.elicitInput({ message: 'Sure?', requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } } });
         return { content: [{ type: 'text', text: name + ' ' + action }] };
       });
       let next; const gate = new Promise((resolve) => { next = resolve; });
       const q = sdk.query({ prompt: (async function* () { yield say('a'); await gate; yield say('b'); })(), options: { ...base,
         mcpServers: { clerk: { type: 'sdk', name: 'clerk', instance: clerk } }, allowedTools: ['mcp__clerk'],
         canUseTool: async (name, input) => ({ behavior: 'allow', updatedInput: input }),
         onElicitation: async ({ message }) => { note(message); return { action: 'accept', content: { sure: true } }; } } });
       for await (const message of q) {
         saw(message);
         if (message.subtype === 'init') note(message.mcp_servers[0].status);
         if (message.type === 'user') note(JSON.stringify(message.message.content));
         if (message.type !== 'result') continue;
         if (message.result === 'one') clerk.registerTool('stamp', {}, async () => ({ content: [{ type: 'text', text: 'stamped' }] }));
         setImmediate(next);
       }`,
    );
    expect(told.thrown).toBeUndefined();
    expect(told.results).toMatchObject([{ result: 'one' }, { result: 'two' }]);
    const notes = told.notes.join(' ');
    const asked = client.home === 'CLAUDE_CONFIG_DIR' ? ['Sure?', 'Ada accept', 'stamped'] : ['Ada signs'];
    for (const words of ['connected', 'Be kind.', ...asked]) expect(notes).toContain(words);
    if (asked.length > 1) expect(told.kinds).toContain('tool_progress');
  });

  it('controls the session between prompts and interrupts one', async () => {
    const told = await drive(
      client,
      [text('one'), { stall: true }, text('three')],
      `let next = []; const gates = [0, 1].map((at) => new Promise((resolve) => { next[at] = resolve; }));
       const q = sdk.query({ prompt: (async function* () { yield say('a'); await gates[0]; yield say('b'); await gates[1]; yield say('c'); })(), options: base });
       let results = 0, asked = false;
       for await (const message of q) {
         saw(message);
         if (message.type === 'system' && message.subtype === 'init' && results === 1 && !asked) { asked = true; setTimeout(() => q.interrupt().then(() => note('interrupted')), 300); }
         if (message.type !== 'result') continue;
         results += 1;
         if (results === 1) {
           await q.setPermissionMode('acceptEdits');
           await q.setModel('claude-haiku-4-5');
           note((await q.supportedCommands()).some(({ name }) => name === 'compact'));
           note(typeof (await q.getContextUsage()).model);
           note(Array.isArray(await q.mcpServerStatus()));
           next[0]();
         }
         if (results === 2) next[1]();
       }`,
    );
    expect(told.thrown).toBeUndefined();
    expect(told.notes).toEqual([true, 'string', true, 'interrupted']);
    expect(told.results.map(({ subtype }) => subtype)).toEqual(['success', 'error_during_execution', 'success']);
  });

  it('has an answer for each method of its query', async () => {
    const told = await drive(
      client,
      () => text('fine'),
      `process.env.${client.home} = base.env.${client.home};
       let next; const gate = new Promise((resolve) => { next = resolve; });
       const q = sdk.query({ prompt: (async function* () { yield say('a', { uuid: '7c1e7bd0-1c5a-4b5e-9a52-3f0a4ab1f001' }); await gate; yield say('b'); })(), options: { ...base, enableFileCheckpointing: true } });
       const calls = {
         interrupt: [], initializationResult: [], supportedCommands: [], supportedModels: [], supportedAgents: [], getAvailableModels: [], accountInfo: [], mcpServerStatus: [], getContextUsage: [{ detail: 'summary' }], getUsageInfo: [], listByokProviders: [], listByokConfigs: [], usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: [], getSettings: [], listPermissionRules: [], getHooksListing: [], reloadSkills: [], reloadPlugins: [], reloadOutputStyles: [], listPlugins: [], getPlanMode: [], getGoal: [], flushMemory: [], refreshMemory: [], flushSkillEvolution: [], disableRemoteProjection: [], reinitialize: [], setPermissionMode: ['acceptEdits'], setModel: ['claude-haiku-4-5'], setMaxThinkingTokens: [2000], applyFlagSettings: [{ model: 'claude-haiku-4-5' }],
         updateSettings: ['localSettings', { cleanupPeriodDays: 10 }], addDirectories: [['/']], seedReadState: ['a.txt', 1], readFile: ['a.txt'], generateSessionTitle: ['what it is about', { persist: false }],
         renameSession: ['A title'], askSideQuestion: ['why?'], cancelAsyncMessage: ['7c1e7bd0-1c5a-4b5e-9a52-3f0a4ab1f009'], stopTask: ['none'], backgroundTasks: [], getTaskOutput: ['none'],
         setMcpServers: [{}], reconnectMcpServer: ['none'], toggleMcpServer: ['none', false], readMcpResource: ['none', 'x:y'], setMcpPermissionModeOverride: ['none', 'auto'], mcpAuthenticate: ['none'],
         mcpSubmitOAuthCallbackUrl: ['none', 'http://127.0.0.1/x'], mcpClearAuth: ['none'], injectMcpToken: ['none', { accessToken: 't' }], mcpCall: ['none', {}], rewindFiles: ['7c1e7bd0-1c5a-4b5e-9a52-3f0a4ab1f001', { dryRun: true }],
         rewind: ['7c1e7bd0-1c5a-4b5e-9a52-3f0a4ab1f001', { dryRun: true }], setPlanMode: [true], setGoal: [{ objective: 'x' }], setGoalMaxTurns: [3], clearGoal: [], setProxy: [null], validateByokModel: [{ provider: 'openai', model: 'm', api_key: 'k', url: 'http://127.0.0.1:9' }],
         createByokConfig: [{ provider: 'openai', model: 'm', parameters: { api_key: 'k' } }], updateByokConfig: [{ key: 'none' }], deleteByokConfig: [{ key: 'none' }], fileSuggestions: ['a'], registerRepoRoot: ['/'],
         checkByokConfig: [{ providerId: 'p', baseUrl: 'http://127.0.0.1:9', apiKey: 'k', protocol: 'openai', models: [{ model: 'm' }] }], enableRemoteProjection: ['x'], enableChannel: ['x'], suggestFiles: ['a'], launchUltrareview: ['x'],
       };
       let asked = false;
       for await (const message of q) {
         saw(message);
         if (message.type !== 'result' || asked) continue;
         asked = true;
         for (const name of ${JSON.stringify(METHODS)}) if (typeof q[name] === 'function' && !calls[name]) note([name, 'never called']);
         for (const [name, given] of Object.entries(calls)) {
           if (typeof q[name] !== 'function') continue;
           const answer = Promise.resolve().then(() => q[name](...given)).then(() => 'done', (error) => String(error?.message ?? error));
           note([name, await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 20_000, 'no answer'))])]);
         }
         next();
       }`,
    );
    expect(told.thrown).toBeUndefined();
    // A goal that was set may have begun to be worked on before it was cleared.
    expect(told.results.length).toBeGreaterThanOrEqual(2);
    for (const { subtype } of told.results) expect(subtype).toBe('success');
    const answers = Object.fromEntries(told.notes as [string, string][]);
    expect(Object.keys(answers).length).toBeGreaterThan(25);
    const refused = Object.entries(answers).filter(([, answer]) => answer !== 'done');
    for (const [name, answer] of refused) expect(`${name}: ${answer}`).toMatch(REFUSED_IN_WORDS);
  });

  it('has its prompt answered when its input ends before the reply', async () => {
    // The Qoder SDK keeps the input open until a result comes: its program ends it.
    const told = await drive(
      client,
      [reply(toolCall('Read', { file_path: 'x' })), text('end')],
      `const { spawn } = await import('node:child_process');
       let child, left;
       const early = ({ command, args, cwd, env }) => {
         child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
         child.on('exit', (code) => { left = code; });
         const write = child.stdin.write.bind(child.stdin);
         child.stdin.write = (text, ...more) => { const done = write(text, ...more); if (String(text).includes('"type":"user"')) child.stdin.end(); return done; };
         return child;
       };
       await run((async function* () { yield say('go'); })(), { ${client.spawn}: early });
       if (left === undefined) await new Promise((resolve) => child.on('exit', resolve));
       note(child.exitCode);`,
    );
    expect(told).toMatchObject({ results: [{ subtype: 'success', result: 'end' }], notes: [0] });
    expect(told.thrown).toBeUndefined();
  });

  it.each(['SIGTERM', 'abort', 'close', 'break'])('ends in time by %s, and its session is whole', async (how) => {
    const home = temporaryFolder();
    const cwd = temporaryFolder();
    const told = await drive(
      client,
      [{ blocks: [{ type: 'text', text: 'x'.repeat(200) }], stallAfter: 3 } as never],
      `const { spawn } = await import('node:child_process');
       const abort = new AbortController();
       let child;
       const own = ({ command, args, cwd, env, signal }) => (child = spawn(command, args, { cwd, env, signal, stdio: ['pipe', 'pipe', 'ignore'] }));
       const q = sdk.query({ prompt: 'go', options: { ...base, includePartialMessages: true, abortController: abort, ${client.spawn}: own } });
       let began;
       try {
         for await (const message of q) {
           saw(message);
           if (message.type !== 'stream_event' || began !== undefined) continue;
           began = Date.now();
           const how = ${JSON.stringify(how)};
           if (how === 'SIGTERM') child.kill('SIGTERM');
           else if (how === 'abort') abort.abort();
           else if (how === 'close') q.close();
           else break;
         }
       } catch (error) { note('threw'); }
       if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.on('exit', resolve));
       note(Date.now() - began < 5_000);`,
      home,
      cwd,
    );
    expect(told.notes.at(-1)).toBe(true);
    const [session] = await drive(
      client,
      [text('on')],
      `process.env.${client.home} = ${JSON.stringify(home)};
       const [{ sessionId }] = await sdk.listSessions({ dir: ${JSON.stringify(cwd)} });
       note((await sdk.getSessionMessages(sessionId, { dir: ${JSON.stringify(cwd)} }))[0].type);
       await run('go on', { resume: sessionId });`,
      home,
      cwd,
    ).then(({ notes, results }) => [{ notes, results }]);
    expect(session).toMatchObject({ notes: ['user'], results: [{ result: 'on' }] });
  });

  it('resumes and forks, and reads the sessions', async () => {
    const home = temporaryFolder();
    const cwd = temporaryFolder();
    const [first] = (await drive(client, [text('one')], `await run('first');`, home, cwd)).results;
    const id = first?.session_id ?? '';
    const resumed = await drive(client, [text('two')], `await run('second', { resume: '${id}' });`, home, cwd);
    const forked = await drive(
      client,
      [text('three')],
      `await run('third', { resume: '${id}', forkSession: true });`,
      home,
      cwd,
    );
    expect(resumed.results).toMatchObject([{ result: 'two', session_id: id }]);
    expect(forked.results).toMatchObject([{ result: 'three' }]);
    expect(forked.results[0]?.session_id).not.toBe(id);
    const read = await drive(
      client,
      [],
      `process.env.${client.home} = ${JSON.stringify(home)};
       note((await sdk.listSessions({ dir: ${JSON.stringify(cwd)} })).length);
       note((await sdk.getSessionMessages('${id}', { dir: ${JSON.stringify(cwd)} })).length);`,
      home,
      cwd,
    );
    expect(read.notes).toEqual([2, 4]);
  });

  it('hears why a session cannot begin', async () => {
    const told = await drive(client, [], `await run('x', { resume: '00000000-0000-4000-8000-000000000000' });`);
    expect([told.thrown ?? '', ...told.results.map(({ subtype }) => subtype)].join(' ')).toMatch(/error/i);
  });
});
