// `turnwright/claude`: what a program of the Claude Agent SDK relies on, where that differs from ours. What is expected here
// was seen in runs of the published SDK.

import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as claude from '../../../src/claude.js';
import { claudeOutput, hunksOf } from '../../../src/sdk/dialects/claude/messages.js';
import { splitRules } from '../../../src/sdk/dialects/claude/query.js';
import type { Query } from '../../../src/sdk/query-controls.js';
import { startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import type { MockFunction, MockStep } from '../../../src/testing/mock/mock-wire.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../../support/engine.js';

type Given = Partial<claude.Options>;

/** Runs to the end; what it threw is part of the answer. */
async function run(prompt: Parameters<typeof claude.query>[0]['prompt'], options: claude.Options, act?: Act) {
  const messages: claude.SDKMessage[] = [];
  const session = claude.query({ prompt, options });
  const error = await (async () => {
    for await (const message of session) {
      messages.push(message);
      await act?.(message, session);
    }
    return null;
  })().catch((thrown: unknown) => thrown as Error);
  return { messages, error, kinds: messages.map(kindOf) };
}
type Act = (message: claude.SDKMessage, session: claude.Query) => unknown;
const kindOf = (message: { type: string; subtype?: string }) =>
  message.subtype === undefined ? message.type : `${message.type}/${message.subtype}`;

async function place() {
  const home = await temporaryFolder();
  const cwd = await temporaryFolder();
  return { home, cwd, env: { PATH: process.env['PATH'], HOME: home, CLAUDE_CONFIG_DIR: home } };
}

async function scripted(steps: Parameters<typeof scriptedModel>[0], given: Given = {}) {
  const { cwd, env, home } = await place();
  const provider = scriptedModel(steps);
  return { provider, home, cwd, options: { cwd, env, provider, ...given } as claude.Options };
}

/** Against a server, for what only a server can say. */
async function served(steps: readonly MockStep[] | MockFunction, given: Given = {}) {
  const mock = await startMockProvider({ steps });
  onTestFinished(() => mock.close());
  const { cwd, env } = await place();
  const key = { ANTHROPIC_BASE_URL: mock.url, ANTHROPIC_API_KEY: 'sk-test-0123456789abcdef' };
  return { mock, options: { cwd, env: { ...env, ...key }, limits: { retryBaseMs: 1 }, ...given } as claude.Options };
}
const bodies = (mock: { requests: readonly { body: unknown }[] }) =>
  mock.requests.map(({ body }) => body as { model: string; system: { text: string }[] });

describe('how a session ends', () => {
  it('throws behind a result that failed, once the last prompt is over', async () => {
    const { options } = await scripted([toolCall('Bash', { command: 'true' })], {
      maxTurns: 1,
      allowedTools: ['Bash'],
    });
    const { kinds, error } = await run('x', options);
    expect(kinds).toEqual(['system/init', 'assistant', 'user', 'result/error_max_turns']);
    expect(error?.message).toBe('Claude Code returned an error result: Reached maximum number of turns (1)');
    expect(error).not.toBeInstanceOf(claude.AbortError);
  });

  it('goes on behind one in a session of several prompts', async () => {
    const bad = { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'bad' } } };
    const { options } = await served([bad, text('fine')]);
    const { messages, kinds, error } = await run(prompts('a', 'b'), options);
    expect(kinds.filter((kind) => kind.startsWith('result'))).toEqual(['result/success', 'result/success']);
    expect(messages.find(({ type }) => type === 'result')).toMatchObject({
      is_error: true,
      terminal_reason: 'api_error',
      result: expect.stringMatching(/^API Error: .*bad/),
    });
    expect(error).toBeNull();
  });

  it('throws an AbortError in place of a result if it was aborted', async () => {
    const abortController = new AbortController();
    const { options } = await scripted([toolCall('Bash', { command: 'sleep 20' })], {
      abortController,
      allowedTools: ['Bash'],
    });
    const { kinds, error } = await run('x', options, ({ type }) => type === 'assistant' && abortController.abort());
    expect(kinds).toEqual(['system/init', 'assistant']);
    expect(error).toBeInstanceOf(claude.AbortError);
  });

  it('ends without a word if it was closed', async () => {
    const { options } = await scripted([toolCall('Bash', { command: 'sleep 20' })], { allowedTools: ['Bash'] });
    const { kinds, error } = await run('x', options, ({ type }, session) => type === 'assistant' && session.close());
    expect(kinds).toEqual(['system/init', 'assistant']);
    expect(error).toBeNull();
  });

  it('names the session that is not there', async () => {
    const resume = '00000000-0000-4000-8000-000000000000';
    const { options } = await scripted([text('never')], { resume });
    expect((await run('x', options)).error?.message).toContain(`No conversation found with session ID: ${resume}`);
  });
});

describe('options', () => {
  it('has a sentence as system prompt if none is given, and ours by the preset', async () => {
    const { mock, options } = await served([text('a'), text('b'), text('c')]);
    await run('x', options);
    await run('x', { ...options, systemPrompt: { type: 'preset', preset: 'claude_code', append: 'More.' } });
    const parts = ['One.', claude.SYSTEM_PROMPT_DYNAMIC_BOUNDARY, 'Two.'];
    await run('x', { ...options, systemPrompt: parts });
    const [minimal = '', preset = '', list = ''] = bodies(mock).map(({ system }) =>
      system.map((part) => part.text).join('\n'),
    );
    expect(minimal.length).toBeLessThan(200);
    expect(preset.length).toBeGreaterThan(1_000);
    expect(preset).toContain('More.');
    expect(list).toMatch(/One\.\s+Two\./);
  });

  it('asks the fallback model after three overloads in a row, and names no longer served are served', async () => {
    const overloaded = {
      status: 529,
      body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    };
    const { mock, options } = await served(
      (body) => ((body as { model: string }).model.includes('haiku') ? text('ok') : overloaded),
      { model: 'claude-opus-4-1', fallbackModel: 'claude-haiku-5-5' },
    );
    const { kinds, error } = await run('x', options);
    expect(bodies(mock).map(({ model }) => model)).toEqual([
      'claude-opus-5-5',
      'claude-opus-5-5',
      'claude-opus-5-5',
      'claude-haiku-5-5',
    ]);
    expect(kinds.filter((kind) => kind === 'system/api_retry').length).toBe(2);
    expect(error).toBeNull();
  });

  it('has the variables that `env` names, and no others', async () => {
    process.env['TURNWRIGHT_TEST_SEEN'] = 'of the process';
    onTestFinished(() => {
      delete process.env['TURNWRIGHT_TEST_SEEN'];
    });
    const command = 'echo "$TURNWRIGHT_TEST_SEEN|$OWN"';
    const { options } = await scripted([toolCall('Bash', { command }), text('done')], { allowedTools: ['Bash'] });
    const { messages } = await run('x', { ...options, env: { ...options.env, OWN: 'own' } });
    expect(messages.find(({ type }) => type === 'user')).toMatchObject({ tool_use_result: { stdout: '|own\n' } });
  });

  it('reads settings of a project that it names, and lets its allow rules grant nothing', async () => {
    const { options, cwd } = await scripted([toolCall('Bash', { command: 'touch made' }), text('done')]);
    await mkdir(path.join(cwd, '.claude'));
    await writeFile(path.join(cwd, '.claude/settings.json'), JSON.stringify({ permissions: { allow: ['Bash'] } }));
    const { messages } = await run('x', { ...options, settingSources: ['project'] });
    expect(existsSync(path.join(cwd, 'made'))).toBe(false);
    expect(messages.at(-1)).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
    const trusted = await scripted([toolCall('Bash', { command: 'touch made' }), text('done')]);
    await run('x', { ...trusted.options, cwd, settingSources: ['project'], trustFolder: true });
    expect(existsSync(path.join(cwd, 'made'))).toBe(true);
  });

  it('takes rules in one text, earlier names of tools, and an answer that nobody gave', async () => {
    expect(splitRules('Bash(git log:*), Read Edit(a b)')).toEqual(['Bash(git log:*)', 'Read', 'Edit(a b)']);
    const { provider, options } = await scripted([text('a')], { tools: ['Task', 'Bash'], allowedTools: ['Task,Read'] });
    const { messages } = await run('x', options);
    expect(provider.requests[0]?.tools.map(({ name }) => name).sort()).toEqual(['Agent', 'Bash']);
    expect(messages[0]).toMatchObject({ tools: ['Task', 'Bash'], claude_code_version: expect.any(String) });
    const abortController = new AbortController();
    const waits = await scripted([toolCall('Bash', { command: 'touch made' })], {
      abortController,
      canUseTool: async (_tool, _input, { requestId }) => {
        expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
        setImmediate(() => abortController.abort());
        return null;
      },
    });
    expect((await run('x', waits.options)).error).toBeInstanceOf(claude.AbortError);
    expect(existsSync(path.join(waits.cwd, 'made'))).toBe(false);
  });
});

describe('messages', () => {
  it('has tokens and denials of the prompt, and the cost of the session, also of one that goes on', async () => {
    const denied = toolCall('Bash', { command: 'touch x' });
    const { options } = await served([denied, text('a'), text('b')]);
    const first = await run('x', options);
    const one = first.messages.at(-1) as claude.SDKResultMessage;
    const again = await run('y', { ...options, resume: one.session_id });
    const two = again.messages.at(-1) as claude.SDKResultMessage;
    expect(one.permission_denials.map(({ tool_name: name }) => name)).toEqual(['Bash']);
    expect(two.permission_denials).toEqual([]);
    expect(two.total_cost_usd).toBeGreaterThan(one.total_cost_usd);
    const all = Object.values(two.modelUsage).reduce((sum, { inputTokens }) => sum + inputTokens, 0);
    expect(two.usage.input_tokens).toBeLessThan(all);
    expect(two.usage.server_tool_use).toEqual({ web_search_requests: 0, web_fetch_requests: 0 });
  });

  it('has outputs of tools in its spelling, in messages and in hooks', async () => {
    const { cwd, options } = await scripted([]);
    const file = path.join(cwd, 'a.txt');
    await writeFile(file, 'one\ntwo\nthree\n');
    const calls: [string, Record<string, unknown>, unknown][] = [
      ['Read', { file_path: file }, { type: 'text', file: { filePath: file, startLine: 1, totalLines: 3 } }],
      [
        'Edit',
        { file_path: file, old_string: 'two', new_string: 'TWO' },
        {
          filePath: file,
          oldString: 'two',
          newString: 'TWO',
          originalFile: null,
          structuredPatch: [
            { oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [' one', '-two', '+TWO', ' three'] },
          ],
          userModified: false,
          replaceAll: false,
        },
      ],
      ['Write', { file_path: `${file}.new`, content: 'new' }, { type: 'create', content: 'new', originalFile: null }],
      ['Write', { file_path: file, content: 'other' }, { type: 'update', filePath: file }],
      ['Bash', { command: 'echo hi' }, { stdout: 'hi\n', stderr: '', interrupted: false, isImage: false }],
      ['Glob', { pattern: '*.txt' }, { filenames: [file], numFiles: 1, truncated: false }],
      ['Grep', { pattern: 'other' }, { mode: 'files_with_matches', filenames: ['a.txt'], numFiles: 1 }],
      [
        'TodoWrite',
        { todos: [{ content: 'a', status: 'pending' }] },
        { oldTodos: [], newTodos: [{ id: '1', content: 'a', status: 'pending' }] },
      ],
    ];
    const heard: unknown[] = [];
    const hook: claude.HookCallback = async (input) => {
      if (input.hook_event_name === 'PostToolUse') heard.push(input.tool_response);
      return {};
    };
    const failing = toolCall('Read', { file_path: path.join(cwd, 'none') });
    const provider = scriptedModel([...calls.map(([name, input]) => toolCall(name, input)), failing, text('done')]);
    const { messages } = await run('x', {
      ...options,
      provider,
      permissionMode: 'acceptEdits',
      allowedTools: ['Bash'],
      hooks: { PostToolUse: [{ hooks: [hook] }] },
    });
    const outputs = messages.flatMap((message) => (message.type === 'user' ? [message.tool_use_result] : []));
    expect(outputs.slice(0, -1)).toEqual(calls.map(([, , output]) => expect.objectContaining(nested(output))));
    expect(outputs.at(-1)).toMatch(/^Error: /);
    expect(heard).toEqual(outputs.slice(0, -1));
    expect(hunksOf('@@ -3 +3,2 @@\n-a\n+b\n+c')).toEqual([
      { oldStart: 3, oldLines: 1, newStart: 3, newLines: 2, lines: ['-a', '+b', '+c'] },
    ]);
  });

  it('has no subtype that the published SDK does not have', async () => {
    const { options } = await scripted([text('a')], { notAnOption: 1 } as Given);
    const { messages } = await run('x', options);
    const notices = messages.filter(({ type, ...rest }) => type === 'system' && 'code' in rest);
    expect(notices.length).toBeGreaterThan(0);
    for (const notice of notices)
      expect(notice).toMatchObject({
        subtype: 'informational',
        content: expect.any(String),
        level: expect.any(String),
      });
  });

  it('says in words what a message without words of its own tells', async () => {
    const { options } = await scripted([text('a')], {
      mcpServers: { calc: claude.createSdkMcpServer({ name: 'calc' }) },
    });
    const { messages } = await run('x', options);
    expect(messages).toContainEqual(expect.objectContaining({ content: 'MCP servers: calc connected.' }));
  });
});

describe('a goal', () => {
  it('is its active_goal, and null once it is reached', async () => {
    const done = toolCall('UpdateGoal', { status: 'complete', reason: 'I looked.' });
    const { options } = await scripted([text('Hello.'), done, text('Done.')]);
    const session = claude.query({ prompt: 'Hello.', options }) as claude.Query & Pick<Query, 'setGoal'>;
    await session.setGoal({ objective: 'All tests pass.' });
    const goals: unknown[] = [];
    for await (const message of session as AsyncIterable<claude.SDKMessage | claude.SDKActiveGoalMessage>)
      if (message.type === 'active_goal') goals.push(message.value);
    expect(goals[0]).toMatchObject({ condition: 'All tests pass.', iterations: expect.any(Number) });
    expect(goals.at(-1)).toBeNull();
  });
});

describe('stored sessions', () => {
  it('are in its folder, beside its settings, and its functions find them there', async () => {
    const { options, home, cwd } = await scripted([reply(text('a'))]);
    const { messages } = await run('first words', options);
    const { session_id: id } = messages.at(-1) as { session_id: string };
    expect(await readdir(path.join(home, 'projects'))).toHaveLength(1);
    const where = { env: { CLAUDE_CONFIG_DIR: home } };
    expect(await claude.listSessions({ ...where, dir: cwd })).toMatchObject([
      { sessionId: id, firstPrompt: 'first words' },
    ]);
    const { sessionId: fork } = await claude.forkSession(id, where);
    await claude.renameSession(fork, 'Other', where);
    expect(await claude.getSessionInfo(fork, where)).toMatchObject({ customTitle: 'Other' });
    await claude.deleteSession(fork, where);
    expect(await claude.getSessionInfo(fork, where)).toBeUndefined();
    expect((await claude.getSessionMessages(id, where)).map(({ type }) => type)).toEqual(['user', 'assistant']);
  });
});

describe('what is not here', () => {
  it('is there and says so when it is used', () => {
    for (const Refused of [claude.DirectConnectTransport, claude.FileIndex, claude.CommandMatcher])
      expect(() => new Refused()).toThrow(/is not supported: /);
    expect(claude.parseDirectConnectUrl('cc://host:1')).toEqual({ serverUrl: 'http://host:1', authToken: undefined });
    expect(() => claude.parseDirectConnectUrl('http://host')).toThrow(claude.DirectConnectError);
  });

  it('says which models a list denies', async () => {
    const models = ['opus', 'claude-opus-5-5', 'x/Claude-Opus-5-5[1m]', 'claude-sonnet-5-5'];
    expect(await claude.matchDeniedModels(models, ['opus'])).toEqual({
      denied: [true, true, true, false],
      warnings: [],
    });
    const { denied, warnings } = await claude.matchDeniedModels(models, ['claude-opus-5-5', 'claude*', 7 as never]);
    expect(denied).toEqual([false, true, true, false]);
    expect(warnings).toHaveLength(2);
    expect((await claude.matchDeniedModels('x' as never, undefined)).denied).toEqual([]);
  });
});

async function* prompts(...contents: string[]) {
  for (const content of contents) {
    yield { type: 'user' as const, message: { role: 'user' as const, content }, parent_tool_use_id: null };
  }
}

/** Partial all the way down. */
function nested(value: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value as Record<string, unknown>).map(([key, inner]) => [
      key,
      inner !== null && typeof inner === 'object' && !Array.isArray(inner) ? expect.objectContaining(inner) : inner,
    ]),
  );
}

it('pages and searches have their shapes', () => {
  const page = { content: 'text', url: 'https://a.test/', statusCode: 404, error: 'no such page' };
  expect(claudeOutput('WebFetch', {}, page)).toEqual({
    bytes: 0,
    code: 404,
    codeText: 'no such page',
    result: 'text',
    durationMs: 0,
    url: 'https://a.test/',
  });
  const results = [{ title: 'A', url: 'https://a.test/', snippet: 's' }];
  expect(claudeOutput('WebSearch', {}, { query: 'q', results })).toEqual({
    query: 'q',
    results: [{ tool_use_id: '', content: results }],
    durationSeconds: 0,
  });
});
