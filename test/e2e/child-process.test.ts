// A session in a child process against the same session in this one: a program that reads its messages sees no difference.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { McpServer } from '@modelcontextprotocol/server';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { HookInput } from '../../src/protocol/hooks.js';
import type { McpCallExtra } from '../../src/protocol/mcp.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import * as qoder from '../../src/qoder.js';
import { query as claudeQuery } from '../../src/sdk/dialects/claude/query.js';
import { jobToken } from '../../src/sdk/dialects/qoder/auth.js';
import { query as qoderQuery } from '../../src/sdk/dialects/qoder/query.js';
import { accessToken } from '../../src/sdk/models/auth.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import type { Query } from '../../src/sdk/query-controls.js';
import { createSdkMcpServer, tool } from '../../src/sdk/tools/tool.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockAnswer } from '../../src/testing/mock/mock-wire.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { buildEntry, ENTRY, mockEnv, temporaryFolder } from './run-cli.js';

beforeAll(buildEntry, 300_000);

const WAYS: Readonly<Record<string, Partial<Options>>> = {
  'childProcess: true': { childProcess: true },
  pathToClaudeCodeExecutable: { pathToClaudeCodeExecutable: ENTRY },
};

/** What a scenario holds on to; each run has its own. */
interface Place {
  note(what: unknown): void;
  clerk: McpServer | null;
}

interface Scenario {
  readonly steps: readonly MockAnswer[];
  readonly options?: (place: Place) => Partial<Options>;
  /** Default: one prompt. */
  readonly prompts?: readonly string[];
  /** Called with each message before the next is read. */
  readonly during?: (message: SDKMessage, session: Query, place: Place) => unknown;
  /** Called once the model has the first request. */
  readonly onceAsked?: (session: Query, abort: AbortController) => unknown;
  /** A second query over the same session, with this prompt. */
  readonly resumes?: string;
  /** What is in there, in either process. */
  readonly holds?: readonly string[];
}

/** All that a program sees of a scenario, and what the model was asked. */
async function seen(scenario: Scenario, way: Partial<Options>) {
  const { steps, options, prompts = ['go'], during, onceAsked, resumes } = scenario;
  let isAsked = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const mock = await startMockProvider({
    steps(_body, index) {
      isAsked();
      return steps[index] as MockAnswer;
    },
  });
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  const noted: unknown[] = [];
  const place: Place = { note: (what) => void noted.push(what), clerk: null };
  const env = { PATH: process.env['PATH'], HOME: home, TURNWRIGHT_HOME: home, ...mockEnv(mock.url) };
  const run = async (prompt: readonly string[], more: Partial<Options>) => {
    const abort = new AbortController();
    let next = (): void => undefined;
    async function* input() {
      for (const content of prompt) {
        const turn = new Promise<void>((resolve) => {
          next = resolve;
        });
        yield { type: 'user' as const, message: { role: 'user' as const, content }, parent_tool_use_id: null };
        await turn;
      }
    }
    const session = query({
      prompt: prompt.length === 1 ? (prompt[0] as string) : input(),
      options: {
        ...{ model: 'claude-sonnet-4-5', cwd, env, abortController: abort },
        ...options?.(place),
        ...more,
        ...way,
      },
    });
    void asked.then(() => onceAsked?.(session, abort));
    const messages: unknown[] = [];
    try {
      for await (const message of session) {
        messages.push(message);
        await during?.(message, session, place);
        if (message.type === 'result') next();
      }
    } catch (error) {
      messages.push({ thrown: (error as Error).name, message: (error as Error).message });
    }
    return messages;
  };
  const messages = await run(prompts, {});
  if (resumes !== undefined) {
    const { session_id } = messages[0] as { session_id: string };
    messages.push(...(await run([resumes], { resume: session_id })));
  }
  const requests = mock.requests.map(({ body }) => {
    const { model, messages: said, system, tools } = body as Record<string, unknown>;
    return { model, said, system, tools: (tools as { name: string }[] | undefined)?.map(({ name }) => name) };
  });
  expect(mock.violations).toEqual([]);
  return masked({ messages: messages.flatMap(timeless), noted, requests }, [cwd, home, mock.url]) as {
    messages: SDKMessage[];
    noted: unknown[];
    requests: unknown[];
  };
}

const TIMES = /(_ms|Ms|timestamp|ttft.*|elapsed_time_seconds)$/;

/** Without what hangs on how fast a machine is: that a call takes a second, and which servers are there by the first message. */
function timeless(message: unknown): readonly unknown[] {
  const { type, subtype, code, progress, heartbeat, tools, mcp_servers: servers } = message as Record<string, unknown>;
  if (type === 'tool_progress' && (progress === undefined || heartbeat === true)) return [];
  // A server that answers too late for the first message is told as one that is not ready yet.
  if (subtype === 'mcp_status_change' || code === 'mcp_server_failed') return [];
  if (subtype !== 'init') return [message];
  const names = (servers as readonly { readonly name: string }[] | undefined)?.map(({ name }) => name);
  const own = (tools as readonly string[] | undefined)?.filter((name) => !/^mcp__|^Mcp$|McpResource/.test(name));
  return [{ ...(message as object), mcp_servers: names, tools: own }];
}

/** Ids by their order, times and places by a word. */
function masked(value: unknown, places: readonly string[]): unknown {
  const ids: string[] = [];
  const mask = (text: string) =>
    places
      .reduce(
        (masked, place, at) =>
          masked.replaceAll(place, `<${at}>`).replaceAll(place.replace(/[^a-zA-Z0-9]/g, '-'), `<${at}>`),
        text,
      )
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
        if (!ids.includes(id)) ids.push(id);
        return `<id ${ids.indexOf(id)}>`;
      })
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
  const walk = (part: unknown, name: string): unknown => {
    if (typeof part === 'string') return mask(part);
    if (typeof part === 'number' && TIMES.test(name)) return 0;
    if (Array.isArray(part)) return part.map((item) => walk(item, ''));
    if (typeof part !== 'object' || part === null) return part;
    const entries = Object.entries(part).filter(([, item]) => item !== undefined);
    return Object.fromEntries(entries.map(([key, item]) => [mask(key), walk(item, key)]));
  };
  return walk(value, '');
}

const touch = toolCall('Bash', { command: 'touch asked' });

const FORM = {
  message: 'Are you sure?',
  requestedSchema: { type: 'object' as const, properties: { sure: { type: 'boolean' as const } } },
};

/** A server of the published library that uses what a server may. */
function clerk(): McpServer {
  const server = new McpServer({ name: 'clerk', version: '1.0.0' });
  server.registerResource('rules', 'desk://rules', {}, async () => ({
    contents: [{ uri: 'desk://rules', text: 'Be kind.' }],
  }));
  server.registerTool('sign', { inputSchema: z.object({ name: z.string() }) }, async ({ name }, { mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {};
    if (progressToken !== undefined)
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, total: 2, message: 'half' },
      });
    const { action, content } = await server.server.elicitInput(FORM);
    return { content: [{ type: 'text', text: `${name}: ${action} ${JSON.stringify(content)}` }] };
  });
  return server;
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a suggestion after the result': {
    steps: [text('Two tests fail.'), text('Fix them')],
    options: () => ({ promptSuggestions: true }),
  },
  'a prompt': { steps: [text('Hello.')] },
  'deltas and a thinking budget': {
    steps: [text('Hello.')],
    options: () => ({ includePartialMessages: true, maxTurns: 3, systemPrompt: 'Be short.', allowedTools: ['Read'] }),
  },
  'a call that is allowed': {
    steps: [reply(touch), text('end')],
    options: ({ note }) => ({
      async canUseTool(name, input, { toolUseID, signal }) {
        note([name, input, toolUseID, signal.aborted]);
        return { behavior: 'allow' };
      },
    }),
  },
  'a call that is allowed with another input': {
    steps: [reply(touch), text('end')],
    options: () => ({
      canUseTool: async () => ({ behavior: 'allow', updatedInput: { command: 'echo changed' } }),
    }),
  },
  'a call that is denied': {
    steps: [reply(touch), text('end')],
    options: () => ({ canUseTool: async () => ({ behavior: 'deny', message: 'not today' }) }),
  },
  'canUseTool that throws': {
    steps: [reply(touch), text('end')],
    options: () => ({
      async canUseTool() {
        throw new Error('nobody is here');
      },
    }),
  },
  'a hook that blocks': {
    steps: [reply(toolCall('Read', { file_path: 'x' })), text('end')],
    options: ({ note }) => ({
      hooks: {
        PreToolUse: [
          {
            matcher: 'Read',
            hooks: [
              async (input: HookInput, toolUseId: string | undefined) => {
                note([input, toolUseId]);
                return { decision: 'block' as const, reason: 'no reading' };
              },
            ],
          },
        ],
      },
    }),
  },
  'tools of this process': {
    steps: [
      reply(toolCall('mcp__calc__add', { a: 2, b: 3 })),
      reply(toolCall('mcp__calc__add', { a: 'x' })),
      text('end'),
    ],
    options: ({ note }) => ({
      allowedTools: ['mcp__calc__add'],
      mcpServers: {
        calc: createSdkMcpServer({
          name: 'calc',
          version: '1.0.0',
          tools: [
            tool('add', 'Adds.', { a: z.number(), b: z.number() }, async ({ a, b }) => {
              note([a, b]);
              return { content: [{ type: 'text', text: String(a + b) }] };
            }),
          ],
        }),
      },
    }),
  },
  // What a server says by itself: how far a call is, a form for the user, other tools.
  'a server of this process that asks and tells': {
    holds: ['Ada: accept {\\"sure\\":true}', 'stamped', 'Be kind.', '"tool_progress"'],
    steps: [
      reply(toolCall('mcp__clerk__sign', { name: 'Ada' })),
      reply(toolCall('ReadMcpResource', { server_name: 'clerk', uri: 'desk://rules' })),
      text('one'),
      reply(toolCall('mcp__clerk__stamp', {})),
      text('end'),
    ],
    prompts: ['one', 'two'],
    options(place) {
      place.clerk = clerk();
      return {
        allowedTools: ['mcp__clerk'],
        canUseTool: async () => ({ behavior: 'allow' }),
        async onElicitation({ serverName, message }) {
          place.note([serverName, message]);
          return { action: 'accept', content: { sure: true } };
        },
        mcpServers: { clerk: { type: 'sdk', name: 'clerk', instance: place.clerk } },
      };
    },
    async during(message, _session, { clerk: server }) {
      if (message.type !== 'result' || message.subtype !== 'success' || message.result !== 'one') return;
      server?.registerTool('stamp', {}, async () => ({ content: [{ type: 'text', text: 'stamped' }] }));
      // Said before the next prompt is: the notification leaves with the microtasks.
      await new Promise(setImmediate);
    },
  },
  'a server of createSdkMcpServer that asks and tells': {
    holds: ['signed by Ada', '{"action":"accept","content":{"sure":true}}', 'no/such'],
    steps: [reply(toolCall('mcp__clerk__sign', { name: 'Ada' })), text('end')],
    options: ({ note }) => ({
      allowedTools: ['mcp__clerk'],
      canUseTool: async () => ({ behavior: 'allow' }),
      onElicitation: async () => ({ action: 'accept', content: { sure: true } }),
      mcpServers: {
        clerk: createSdkMcpServer({
          name: 'clerk',
          tools: [
            tool('sign', 'Signs.', { name: z.string() }, async ({ name }, extra) => {
              const { sendNotification, sendRequest, _meta } = extra as McpCallExtra;
              const progressToken = _meta?.['progressToken'] as string;
              await sendNotification?.({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
              note(await sendRequest?.({ method: 'elicitation/create', params: FORM }));
              const refused = await sendRequest?.({ method: 'no/such' }).catch((error: Error) => error.message);
              note(refused);
              return { content: [{ type: 'text', text: `signed by ${name}` }] };
            }),
          ],
        }),
      },
    }),
  },
  'servers that are set while it runs': {
    steps: [text('one'), reply(toolCall('mcp__clerk__sign', { name: 'Ada' })), text('end')],
    prompts: ['one', 'two'],
    options: () => ({
      allowedTools: ['mcp__clerk__sign'],
      canUseTool: async () => ({ behavior: 'allow' }),
      onElicitation: async () => ({ action: 'decline' }),
    }),
    holds: ['Ada: decline'],
    during: async (message, session) => {
      if (message.type === 'result' && message.result === 'one')
        await session.setMcpServers({ clerk: { type: 'sdk', name: 'clerk', instance: clerk() } });
    },
  },
  'an interrupt': {
    steps: [{ stall: true }, text('two')],
    prompts: ['one', 'two'],
    onceAsked: (session) => session.interrupt(),
  },
  'another model between prompts': {
    steps: [text('one'), text('two')],
    prompts: ['one', 'two'],
    during: async (message, session) => {
      if (message.type === 'result') await session.setModel('claude-haiku-4-5');
    },
  },
  'a value by a schema': {
    steps: [reply(toolCall('StructuredOutput', { city: 'Rome' })), text('end')],
    options: () => ({
      outputFormat: {
        type: 'json_schema',
        schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    }),
  },
  'a result that is an error': {
    steps: [reply(toolCall('Read', { file_path: 'x' }))],
    options: () => ({ maxTurns: 1 }),
  },
  'a model that refuses': { steps: [{ status: 400 }] },
  'an abort': {
    steps: [{ stall: true }],
    onceAsked: (_session, abort) => abort.abort(),
  },
  'a session that goes on': { steps: [text('one'), text('two')], resumes: 'and then' },
  'a session that is not there': {
    steps: [],
    options: () => ({ resume: '00000000-0000-4000-8000-000000000000' }),
  },
};

describe.each(Object.entries(WAYS))('%s', (_name, way) => {
  it.each(Object.entries(SCENARIOS))('%s is as in this process', async (_scenario, scenario) => {
    const [there, here] = await Promise.all([seen(scenario, way), seen(scenario, {})]);
    expect(here.messages.length).toBeGreaterThan(0);
    expect(there).toEqual(here);
    for (const words of scenario.holds ?? []) expect(JSON.stringify(here).includes(words), words).toBe(true);
  });
});

describe('a program that cannot be used', () => {
  const start = async (options: Partial<Options>) => {
    const messages: SDKMessage[] = [];
    const home = temporaryFolder();
    const env = { TURNWRIGHT_HOME: home, ANTHROPIC_API_KEY: 'sk-test-0123456789abcdef' };
    for await (const message of query({ prompt: 'go', options: { cwd: home, env, ...options } }))
      messages.push(message);
    return messages;
  };

  it('that is missing is told with what to do', async () => {
    for (const name of ['pathToClaudeCodeExecutable', 'pathToQoderCLIExecutable', 'childProcess'] as const)
      await expect(start({ [name]: '/no/such/cli.js' })).rejects.toMatchObject({
        name: 'ConfigError',
        message: expect.stringMatching(/\/no\/such\/cli\.js.*Give the path .* or leave the option out/),
      });
    await expect(start({ pathToClaudeCodeExecutable: 'no-such-program-here' })).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(/no-such-program-here/),
    });
  });

  it('that dies half way is told with what it said last', async () => {
    const file = join(temporaryFolder(), 'dies.mjs');
    writeFileSync(
      file,
      `import { createInterface } from 'node:readline';
       const send = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n');
       for await (const line of createInterface({ input: process.stdin })) {
         const frame = JSON.parse(line);
         if (frame.type === 'control_request') {
           send({ type: 'control_response', response: { subtype: 'success', request_id: frame.request_id, response: {} } });
           continue;
         }
         process.stdout.write('this is not a message\\n');
         send({ type: 'system', subtype: 'init', session_id: 's', uuid: 'u' });
         process.stderr.write('the disk is on fire\\n', () => process.exit(3));
       }`,
    );
    chmodSync(file, 0o755);
    const messages: SDKMessage[] = [];
    const running = (async () => {
      for await (const message of query({ prompt: 'go', options: { pathToClaudeCodeExecutable: file } }))
        messages.push(message);
    })();
    await expect(running).rejects.toMatchObject({
      code: 'host_failed',
      exitCode: 3,
      message: expect.stringMatching(/with code 3 before the prompt had its result.*the disk is on fire/s),
    });
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'init' }));
    expect(messages).toContainEqual(expect.objectContaining({ code: 'child_process_output' }));
  });

  it('gets no option that cannot reach it', async () => {
    const prompt = (() => 'p') as never;
    for (const [options, words] of [
      [{ childProcess: true, prefetch: (() => undefined) as never }, /prefetch cannot be used with a child process: /],
      [{ childProcess: true, transport: {} }, /transport cannot be used with a child process: /],
      [{ childProcess: true, agents: { a: { description: 'd', prompt } } }, /agents holds a function/],
      [{ pathToClaudeCodeExecutable: ENTRY, redactSecrets: true }, /redactSecrets has no way to the program/],
      [{ extraArgs: { '--debug': null } }, /Write it without dashes/],
    ] as const)
      await expect(start(options)).rejects.toMatchObject({
        name: 'ConfigError',
        message: expect.stringMatching(words),
      });
  });

  it('tells options that do nothing, and takes more flags and another runtime', async () => {
    const mock = await startMockProvider({ steps: [reply(toolCall('Read', { file_path: 'x' }))] });
    const env = { ...mockEnv(mock.url), TURNWRIGHT_HOME: temporaryFolder(), PATH: process.env['PATH'] };
    const options = { extraArgs: { 'max-turns': '1' }, executableArgs: ['--no-warnings'] };
    const messages = await start({ ...options, onAuthExpired: () => undefined, env });
    expect(messages.filter((message) => 'code' in message)).toMatchObject([
      { message: 'With a child process these options have no effect: onAuthExpired.' },
    ]);
    expect(messages.at(-1)).toMatchObject({ subtype: 'error_max_turns' });
  });
});

describe('in this process', () => {
  it('no child is started, and with a child one is, by the function that is given', async () => {
    const { spawn } = await import('node:child_process');
    const spawned: string[][] = [];
    const mock = await startMockProvider({ steps: [text('one'), text('two')] });
    const home = temporaryFolder();
    const env = { ...mockEnv(mock.url), TURNWRIGHT_HOME: home, PATH: process.env['PATH'] };
    const trap: NonNullable<Options['spawnClaudeCodeProcess']> = ({ command, args, cwd, env }) => {
      spawned.push([command, ...args]);
      return spawn(command, args, { cwd, env: env as NodeJS.ProcessEnv, stdio: 'pipe' }) as never;
    };
    const results: unknown[] = [];
    const run = async (options: Partial<Options>) => {
      for await (const message of query({ prompt: 'go', options: { cwd: home, env, ...options } }))
        if (message.type === 'result') results.push((message as { result?: string }).result);
    };
    await run({});
    expect(spawned).toEqual([]);
    await run({ spawnClaudeCodeProcess: trap });
    expect(spawned).toHaveLength(1);
    expect(results).toEqual(['one', 'two']);
    expect(existsSync(ENTRY)).toBe(true);
  });
});

/** As a program of the Qoder SDK writes one: lines of a child that it starts itself. */
function overPipes({ args, cwd, env }: { args: string[]; cwd: string; env: Record<string, string> }): qoder.Transport {
  let child: ChildProcessWithoutNullStreams | null = null;
  return {
    initialize: async () => {
      child = spawn(process.execPath, [ENTRY, ...args], { cwd, env });
    },
    write: (data) => void child?.stdin.write(`${data}\n`),
    close: () => void child?.kill(),
    isReady: () => child !== null,
    async *readMessages() {
      for await (const line of createInterface({ input: child?.stdout as NodeJS.ReadableStream }))
        yield JSON.parse(line);
    },
    endInput: () => void child?.stdin.end(),
  };
}

describe('transports of the Qoder SDK', () => {
  it('that fails is told, and one that is none is refused', async () => {
    const first = (transport: unknown) =>
      qoderQuery({ prompt: 'x', options: { cwd: temporaryFolder(), env: {}, transport } as never }).next();
    await expect(
      first({
        create: () => ({ ...overPipes({} as never), initialize: async () => Promise.reject(new Error('no line')) }),
      }),
    ).rejects.toThrow(/no line/);
    expect(() => first({})).toThrow(/ProcessTransport\.default/);
  });

  it.each([
    ['a process', qoder.ProcessTransport.default],
    ['a worker', new qoder.WorkerTransport({})],
  ])('%s: the session is the same', async (_what, transport) => {
    const mock = await startMockProvider({ steps: [text('Hello.')] });
    const home = temporaryFolder();
    const env = { PATH: process.env['PATH'], HOME: home, QODER_CONFIG_DIR: home, ...mockEnv(mock.url) };
    const found: unknown[] = [];
    const options = { cwd: home, env, model: 'claude-sonnet-4-5', transport } as never;
    for await (const message of qoderQuery({ prompt: 'x', options }))
      found.push((message as { result?: unknown }).result);
    expect(found.at(-1)).toBe('Hello.');
  });
});

describe('the entry points of the published SDKs, with a child process', () => {
  const run = async (how: 'claude' | 'qoder', more: object) => {
    const mock = await startMockProvider({
      steps: [reply(toolCall('Bash', { command: 'echo "[$TW_OF_PARENT]" > seen.txt' })), text('Hello.')],
    });
    const [cwd, home] = [temporaryFolder(), temporaryFolder()];
    const folder = how === 'claude' ? 'CLAUDE_CONFIG_DIR' : 'QODER_CONFIG_DIR';
    const env = { PATH: process.env['PATH'], HOME: home, TURNWRIGHT_HOME: home, [folder]: home, ...mockEnv(mock.url) };
    const options = { cwd, env, model: 'claude-sonnet-4-5', permissionMode: 'bypassPermissions' as const };
    const all = { ...options, allowDangerouslySkipPermissions: true, ...more } as never;
    const told: { readonly type: string; readonly result?: unknown; readonly tool_use_result?: unknown }[] = [];
    process.env['TW_OF_PARENT'] = 'of the parent';
    try {
      const session =
        how === 'claude' ? claudeQuery({ prompt: 'go', options: all }) : qoderQuery({ prompt: 'go', options: all });
      for await (const message of session) told.push(message as (typeof told)[number]);
    } finally {
      delete process.env['TW_OF_PARENT'];
    }
    expect(told.at(-1)).toMatchObject({ type: 'result', result: 'Hello.' });
    // The environment that the program gave is the whole of it.
    expect(readFileSync(join(cwd, 'seen.txt'), 'utf8')).toBe('[]\n');
    expect(readdirSync(join(home, 'projects'))).toHaveLength(1);
    return mock.requests.map(({ headers }) => headers['authorization'] ?? headers['x-api-key']);
  };

  it.each([
    ['a runtime', { executable: 'node' }],
    ['a program', { pathToClaudeCodeExecutable: ENTRY, fallbackModel: 'haiku' }],
  ])('of Claude, with %s', async (_what, more) => {
    await run('claude', more);
  });

  it.each([
    ['a token', { auth: accessToken('pat-1') }, 'Bearer pat-1'],
    [
      'a token, over a transport of its own',
      { auth: accessToken('pat-1'), transport: { create: overPipes } },
      'Bearer pat-1',
    ],
    ['tokens that it fetches', { auth: jobToken(async () => ({ token: 'job-1' })) }, 'Bearer job-1'],
  ])('of Qoder, with a program and %s', async (_what, more, sent) => {
    const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('turnwright-auth-'));
    const before = left();
    const requests = await run('qoder', { pathToQoderCLIExecutable: ENTRY, ...more });
    expect(requests).toEqual([sent, sent]);
    expect(left()).toEqual(before);
  });
});
