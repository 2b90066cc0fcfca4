// The published SDKs drive our command line, unmodified: a prompt, tools with their callbacks, several prompts with
// controls between them, resume and fork, interrupts and ends.
import { spawn } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-steps.js';
import { reply, text, toolCall } from '../../src/testing/model/script-steps.js';
import { buildEntry, ENTRY, mockEnv, temporaryFolder } from '../e2e/run-cli.js';

const CLIENTS_FOLDER = process.env['TURNWRIGHT_TEST_CLIENTS'] ?? '';

const CLIENTS = [
  { name: '@anthropic-ai/claude-agent-sdk', program: 'pathToClaudeCodeExecutable', home: 'CLAUDE_CONFIG_DIR' },
  { name: '@qoder-ai/qoder-agent-sdk', program: 'pathToQoderCLIExecutable', home: 'QODER_CONFIG_DIR' },
];

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
  steps: readonly MockStep[],
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
