// The stream-json protocol of the built command line, from the side of a client.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { WIRE_CONTROLS } from '../../src/sdk/wire/controls.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-wire.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { type Frame, startWireClient, type WireClientOptions } from '../support/wire-client.js';
import { buildEntry, mockEnv, runCli, temporaryFolder } from './run-cli.js';

beforeAll(buildEntry, 300_000);

const ASKS = ['--permission-prompt-tool', 'stdio'];

async function client(steps: readonly MockStep[], options: WireClientOptions = {}) {
  const mock = await startMockProvider({ steps });
  const home = temporaryFolder();
  const cwd = options.cwd ?? temporaryFolder();
  const env = { ...mockEnv(mock.url), TURNWRIGHT_HOME: home, ...options.env };
  return { ...startWireClient({ ...options, env, cwd }), mock, cwd, home };
}

const isResult = ({ type }: Frame) => type === 'result';
const isRequest = (subtype: string) => (frame: Frame) =>
  frame.type === 'control_request' && (frame['request'] as { subtype?: string }).subtype === subtype;
const toolResults = (frames: readonly Frame[]) =>
  frames.flatMap(({ type, message }) =>
    type === 'user' ? (message as { content: { content?: unknown; is_error?: boolean }[] }).content : [],
  );

describe('whose tokens count', () => {
  const payload = (content: unknown) => {
    const file = join(temporaryFolder(), 'payload.json');
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };

  it.each([
    [{ type: 'accessToken', accessToken: 'tok-1' }, 'Bearer tok-1'],
    [{ type: 'serviceAccount', serviceAccountKey: 'svc-1' }, 'Bearer svc-1'],
  ])('says a file, which is read once and removed: %j', async (content, sent) => {
    const file = payload(content);
    const { prompt, result, close, ended, mock } = await client([text('one')], {
      env: { QODER_SDK_AUTH_PAYLOAD_FILE: file },
    });
    prompt('hi');
    close();
    await result();
    expect((await ended).code).toBe(0);
    expect(existsSync(file)).toBe(false);
    expect(mock.requests[0]?.headers['authorization']).toBe(sent);
  });

  it.each([
    [{ type: 'jobToken', jobTokenProvider: 'host' }, 'fetch_job_token'],
    [{ type: 'serviceAccount', serviceAccountTokenProvider: 'host' }, 'fetch_service_account_token'],
  ])('says the client, which is asked for tokens: %j', async (content, subtype) => {
    const asked: unknown[] = [];
    const { control, prompt, result, close, ended, mock } = await client([text('one')], {
      env: { QODER_SDK_AUTH_PAYLOAD_FILE: payload(content) },
      answer(request) {
        asked.push(request);
        return { token: 'job-1' };
      },
    });
    await control('initialize', {});
    prompt('hi');
    expect(await result()).toMatchObject({ subtype: 'success' });
    expect(asked).toEqual([{ subtype, reason: 'initial' }]);
    close();
    expect((await ended).code).toBe(0);
    expect(mock.requests[0]?.headers['authorization']).toBe('Bearer job-1');
  });

  it('ends with 41 if the file is none, without a word of what is in it', async () => {
    const { ended } = await client([], {
      env: { QODER_SDK_AUTH_PAYLOAD_FILE: payload('{"type":"accessToken","accessToken":"sk-hidden') },
    });
    const end = await ended;
    expect(end).toMatchObject({ code: 41, stderr: expect.stringContaining('whose tokens count') });
    expect(JSON.stringify(end)).not.toContain('sk-hidden');
  });
});

describe('a session over the wire', () => {
  it('says what it is, answers prompts, and leaves with 0 when nothing more is said', async () => {
    const { control, prompt, result, close, frames, ended, mock } = await client([text('one'), text('two')]);
    const answer = await control('initialize', { systemPrompt: [''] });
    expect(answer).toMatchObject({
      subtype: 'success',
      response: { output_style: 'default', commands: expect.any(Array), account: {}, hooks_applied: true },
    });
    prompt([{ type: 'text', text: 'first' }]);
    expect(await result()).toMatchObject({ subtype: 'success', result: 'one' });
    prompt('second', { uuid: '7c1e7bd0-1c5a-4b5e-9a52-3f0a4ab1f001' });
    expect(await result()).toMatchObject({ subtype: 'success', result: 'two' });
    close();
    expect((await ended).code).toBe(0);
    expect(frames.filter((frame) => frame['subtype'] === 'init')).toHaveLength(2);
    expect(mock.violations).toEqual([]);
  });

  it('finishes what was said when its input ends before the first reply', async () => {
    const { prompt, close, ended, frames } = await client([
      reply(text('a'), toolCall('Read', { file_path: 'x' })),
      text('end'),
    ]);
    prompt('go');
    close();
    expect((await ended).code).toBe(0);
    expect(frames.find(isResult)).toMatchObject({ subtype: 'success', result: 'end' });
  });

  it('runs a prompt that came with its initialize after that was applied, and those after a request after it', async () => {
    const { send, control, prompt, result, close, ended, mock } = await client([text('one'), text('two')]);
    send(
      {
        type: 'control_request',
        request_id: 'i',
        request: { type: 'initialize', subtype: 'initialize', systemPrompt: 'Be a bee.' },
      },
      { type: 'user', message: { role: 'user', content: 'hum' } },
    );
    await result();
    void control('set_model', { model: 'claude-haiku-4-5' });
    prompt('again');
    await result();
    close();
    await ended;
    const [first, second] = mock.requests.map(({ body }) => body as { system: unknown; model: string });
    expect(JSON.stringify(first?.system)).toContain('Be a bee.');
    expect(second?.model).toContain('haiku');
  });

  it('leaves with 1 after an error result, and says why a session cannot begin', async () => {
    const limited = await client([reply(toolCall('Read', { file_path: 'x' }))], { flags: ['--max-turns=1'] });
    limited.prompt('go');
    limited.close();
    expect((await limited.ended).code).toBe(1);
    expect(limited.frames.find(isResult)).toMatchObject({ subtype: 'error_max_turns', is_error: true });

    const lost = await client([], { flags: ['--resume=00000000-0000-4000-8000-000000000000'] });
    const answer = await lost.control('initialize');
    expect(answer).toMatchObject({ subtype: 'error', error: expect.stringMatching(/no session/i) });
    const end = await lost.ended;
    expect(end.code).toBe(1);
    expect(lost.frames.find(isResult)).toMatchObject({
      is_error: true,
      errors: [expect.stringMatching(/no session/i)],
    });
  });

  it('runs no prompt of a client whose initialize it could not use', async () => {
    const { control, prompt, ended, frames, mock } = await client([text('never')]);
    expect(await control('initialize', { hooks: { PreToolUse: 'all' } })).toMatchObject({
      subtype: 'error',
      error: expect.stringMatching(/hookCallbackIds/),
    });
    prompt('go');
    expect((await ended).code).toBe(1);
    expect(frames.find(isResult)).toMatchObject({ is_error: true });
    expect(mock.requests).toHaveLength(0);
  });

  it('ends in time and in order when it is told to', async () => {
    const { prompt, until, signal, ended, home } = await client([{ stall: true }]);
    prompt('go');
    await until((frame) => frame['subtype'] === 'init');
    signal('SIGTERM');
    expect((await ended).code).toBe(143);
    expect(transcriptOf(home)).toMatch(/"content":"go"/);
  });

  it('stops when nobody reads any more', async () => {
    const { prompt, until, deafen, ended } = await client([text('one'), { stall: true }]);
    prompt('go');
    await until(isResult);
    deafen();
    prompt('again');
    expect((await ended).code).toBe(141);
  });

  it('says the version of the protocol to the client that asks for it', async () => {
    const { stdout } = await runCli(['-v'], { env: { CLAUDE_CODE_ENTRYPOINT: 'sdk-py' } });
    expect(stdout).toMatch(/^2\.\d+\.\d+ \(Turnwright \d/);
    expect((await runCli(['-v'])).stdout).toMatch(/^0\.\d+\.\d+ \(Turnwright\)/);
  });
});

describe('what the client is asked', () => {
  const write = reply(toolCall('Bash', { command: 'touch asked' }));

  it('allows with another input, and denies with words', async () => {
    const asked: Record<string, unknown>[] = [];
    const { prompt, result, close, ended, cwd, frames } = await client([write, write, text('end')], {
      flags: ASKS,
      answer(request) {
        asked.push(request);
        if (asked.length > 1) return { behavior: 'deny', message: 'not twice', toolUseID: request['tool_use_id'] };
        return { behavior: 'allow', updatedInput: { command: 'touch other' } };
      },
    });
    prompt('go');
    await result();
    close();
    expect((await ended).code).toBe(0);
    expect([existsSync(join(cwd, 'asked')), existsSync(join(cwd, 'other'))]).toEqual([false, true]);
    expect(asked).toMatchObject([
      { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'touch asked' }, tool_use_id: 'toolu_0001' },
      { tool_use_id: 'toolu_0002' },
    ]);
    expect(toolResults(frames)[1]).toMatchObject({ is_error: true, content: expect.stringContaining('not twice') });
  });

  it('takes a question back that an interrupt made idle', async () => {
    const { prompt, until, control, result, close, ended, frames } = await client([write], {
      flags: ASKS,
      answer: () => null,
    });
    prompt('go');
    const request = await until(isRequest('can_use_tool'));
    expect(await control('interrupt')).toMatchObject({ subtype: 'success', response: { still_queued: [] } });
    expect(await result()).toMatchObject({ is_error: true });
    expect(frames).toContainEqual({ type: 'control_cancel_request', request_id: request['request_id'] });
    close();
    await ended;
  });

  it('denies what nobody can answer any more', async () => {
    const { prompt, until, close, ended, cwd, frames } = await client([write, text('end')], {
      flags: ASKS,
      answer: () => null,
    });
    prompt('go');
    await until(isRequest('can_use_tool'));
    close();
    expect((await ended).code).toBe(0);
    expect(existsSync(join(cwd, 'asked'))).toBe(false);
    expect(toolResults(frames)[0]).toMatchObject({ is_error: true });
  });

  it('calls hooks by their ids, and by the new ones after they were said again', async () => {
    const called: unknown[] = [];
    const hooks = (id: string) => ({
      hooks: { PreToolUse: [{ matcher: 'Read', hookCallbackIds: [id], timeout: 60 }] },
    });
    const read = reply(toolCall('Read', { file_path: 'x' }));
    const { control, prompt, result, close, ended, frames } = await client([read, text('a'), read, text('b')], {
      answer(request) {
        called.push([
          request['callback_id'],
          (request['input'] as { tool_name: string }).tool_name,
          request['tool_use_id'],
        ]);
        return { decision: 'block', reason: 'no reading' };
      },
    });
    await control('initialize', hooks('hook_0'));
    prompt('go');
    await result();
    expect(await control('initialize', hooks('hook_9'))).toMatchObject({ subtype: 'success' });
    expect(await control('initialize', { hooks: { Stop: [{ hookCallbackIds: ['x'] }] } })).toMatchObject({
      subtype: 'error',
    });
    prompt('again');
    await result();
    close();
    await ended;
    expect(called).toEqual([
      ['hook_0', 'Read', 'toolu_0001'],
      ['hook_9', 'Read', 'toolu_0002'],
    ]);
    expect(toolResults(frames)[0]).toMatchObject({ content: expect.stringContaining('no reading') });
  });

  // The TypeScript SDKs name their servers in `initialize`, the one for Python in a flag.
  it.each([
    ['named by initialize', [], { sdkMcpServers: ['calc', 'gone'] }],
    ['named by a flag', ['calc', 'gone'], { hooks: null }],
    ['named by a flag, without an initialize', ['calc', 'gone'], null],
  ])(
    'calls the tools of an MCP server in the client, %s, and passes over one that does not answer well',
    async (_by, named, fields) => {
      const servers = Object.fromEntries(named.map((name) => [name, { type: 'sdk', name }]));
      const byFlag = named.length === 0 ? [] : ['--mcp-config', JSON.stringify({ mcpServers: servers })];
      const { control, prompt, result, close, ended, frames, stderr } = await client(
        [reply(toolCall('mcp__calc__add', { a: 2, b: 3 })), text('end')],
        {
          flags: ['--allowedTools', 'mcp__calc__add', ...byFlag],
          answer({ subtype, server_name, message }) {
            const { method, id, params } = message as {
              method: string;
              id?: number;
              params: { arguments: { a: number; b: number } };
            };
            if (subtype !== 'mcp_message' || server_name !== 'calc') throw new Error('no such server');
            const results: Record<string, object> = {
              initialize: {
                protocolVersion: '2025-06-18',
                serverInfo: { name: 'calc', version: '1' },
                capabilities: { tools: {} },
              },
              'tools/list': { tools: [{ name: 'add', inputSchema: { type: 'object', properties: {} } }] },
              'tools/call': { content: [{ type: 'text', text: String(params?.arguments?.a + params?.arguments?.b) }] },
            };
            return { mcp_response: { jsonrpc: '2.0', id: id ?? 0, result: results[method] ?? {} } };
          },
        },
      );
      if (fields !== null) await control('initialize', fields);
      prompt('add');
      await result();
      close();
      await ended;
      expect(JSON.stringify(toolResults(frames)[0])).toContain('"5"');
      expect(stderr()).toMatch(/gone .*no such server/);
    },
  );
});

describe('control requests', () => {
  it('are all answered, each of the table, and one that nobody knows', async () => {
    const { control, prompt, result, close, ended } = await client([text('x'), text('x'), text('x')]);
    await control('initialize');
    prompt('go');
    await result();
    const subtypes = Object.values(WIRE_CONTROLS).map(({ subtype }) => subtype);
    const answers = await Promise.all([...subtypes, 'no_such_request', ''].map((subtype) => control(subtype)));
    for (const [at, answer] of answers.entries()) {
      expect(answer, subtypes[at]).toMatchObject({ subtype: expect.stringMatching(/^(success|error)$/) });
      if (answer['subtype'] === 'error') expect(String(answer['error']), subtypes[at]).toMatch(/\w{3,}/);
    }
    expect(answers.at(-2)).toMatchObject({ error: expect.stringContaining('no_such_request') });
    close();
    expect((await ended).code).toBe(0);
  });

  it('are not answered once they are withdrawn; an end of the session ends it', async () => {
    const { send, control, ended, frames } = await client([]);
    send(
      { type: 'control_request', request_id: 'w', request: { subtype: 'initialize' } },
      { type: 'control_cancel_request', request_id: 'w' },
    );
    expect(await control('end_session')).toMatchObject({ subtype: 'success' });
    expect((await ended).code).toBe(0);
    expect(JSON.stringify(frames)).not.toContain('"request_id":"w"');
  });
});

// Garbage, ids, answers and ends, each kind by itself: test/cli/wire-input.test.ts
describe('bad input', () => {
  it('passes over flags that it does not know, and takes those with empty values', async () => {
    const flags = [
      ...['--brand-new', 'value', '--newer=1', '--tools=', '--setting-sources=', '--replay-user-messages', ''],
      ...['--verbose', '', 'a word'],
    ];
    const { prompt, close, ended, frames, mock, stderr } = await client([text('fine')], { flags });
    prompt('go');
    close();
    expect((await ended).code).toBe(0);
    expect(stderr()).toMatch(/--brand-new.*\n.*--newer.*\n.*passed over: a word/);
    expect(frames.find(isResult)).toMatchObject({ result: 'fine' });
    expect((mock.requests[0]?.body as { tools?: unknown[] } | undefined)?.tools ?? []).toEqual([]);
  });

  it('keeps each line below 1 MiB', async () => {
    const { prompt, close, ended, frames, cwd } = await client([
      reply(toolCall('Bash', { command: 'echo' })),
      text('x'.repeat(3_000_000)),
    ]);
    expect(cwd).not.toBe('');
    prompt('go');
    close();
    await ended;
    const lengths = frames.map((frame) => JSON.stringify(frame).length);
    expect(Math.max(...lengths)).toBeLessThan(1_048_576);
    expect(JSON.stringify(frames.find(isResult))).toMatch(/characters left out of this line/);
  });
});

describe('news', () => {
  it('say what became of each message, to the client that knows them', async () => {
    const ids = [1, 2].map((at) => `7c1e7bd0-1c5a-4b5e-9a52-3f0a4ab1f00${at}`);
    const steps = [reply(toolCall('Write', { file_path: 'a.txt', content: 'x' })), text('one')];
    const { control, prompt, result, close, ended, frames } = await client(steps, {
      env: { QODER_AGENT_SDK_ENTRYPOINT: 'sdk-ts' },
      flags: ['--permission-mode=acceptEdits'],
    });
    await control('initialize', { supportsAvailableModelsUpdate: true });
    prompt('first', { uuid: ids[0] });
    await result();
    prompt('later', { uuid: ids[1], priority: 'later' });
    await control('interrupt', { cancel_queued: true });
    await control('set_model', { model: 'claude-haiku-4-5' });
    await control('generate_session_title', { description: '' });
    close();
    await ended;
    const told = frames.filter(({ type }) => type === 'command_lifecycle');
    const of = (id: string | undefined) => told.filter((each) => each['command_uuid'] === id).map(({ state }) => state);
    expect(of(ids[0])).toEqual(['queued', 'started', 'completed']);
    expect(of(ids[1])[0]).toBe('queued');
    expect(['cancelled', 'completed', 'discarded']).toContain(of(ids[1]).at(-1));
    const named = (subtype: string) => frames.filter((frame) => frame['subtype'] === subtype);
    expect(named('available_models_update')).toMatchObject([
      { models: expect.any(Array), currentModel: expect.stringContaining('haiku') },
    ]);
    expect(named('artifacts_update')).toMatchObject([{ artifacts: [{ relative_path: 'a.txt', is_new: true }] }]);
    expect(named('control_request_progress')).toMatchObject([{ status: 'started' }]);
    expect(frames.find(({ type }) => type === 'assistant')).toMatchObject({ user_message_uuid: ids[0] });
  });

  it('say that the program ends, and nothing to a client that does not know them', async () => {
    const { control, prompt, until, signal, ended, frames } = await client(
      [reply(toolCall('Bash', { command: 'sleep 30' })), text('never')],
      { flags: ['--allowedTools=Bash'] },
    );
    await control('initialize', {});
    prompt('go', { uuid: '7c1e7bd0-1c5a-4b5e-9a52-3f0a4ab1f003' });
    await until(({ type }) => type === 'assistant');
    signal('SIGTERM');
    expect((await ended).code).toBe(143);
    expect(frames.filter((frame) => frame['subtype'] === 'worker_shutting_down')).toMatchObject([
      { reason: 'host_exit' },
    ]);
    expect(frames.some(({ type }) => type === 'command_lifecycle')).toBe(false);
  });
});

it('mirrors the transcript as it is written', async () => {
  const { prompt, close, ended, frames, home } = await client([text('kept')], { flags: ['--session-mirror'] });
  prompt('go');
  close();
  await ended;
  const mirrored = frames.flatMap(({ type, entries }) => (type === 'transcript_mirror' ? (entries as object[]) : []));
  expect(mirrored.map((entry) => JSON.stringify(entry)).join('\n')).toBe(transcriptOf(home).trim());
});

function transcriptOf(home: string): string {
  const projects = join(home, 'projects');
  const [folder] = readdirSync(projects);
  const names = readdirSync(join(projects, folder ?? '')).filter((name) => name.endsWith('.jsonl'));
  return readFileSync(join(projects, folder ?? '', names[0] ?? ''), 'utf8');
}
