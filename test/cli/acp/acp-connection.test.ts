// The connection and its sessions: what is offered, earlier sessions, several at once, files of the editor, odd input.
import { existsSync, mkdirSync, readFileSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { buildEntry, type CliRun, mockEnv, startCli, temporaryFolder } from '../../e2e/run-cli.js';
import { callOf, openEditor, said } from './acp-client.js';

beforeAll(buildEntry, 300_000);

describe('what is advertised', () => {
  it('is answered, and nothing else is', async () => {
    const editor = await openEditor([]);
    const { agentCapabilities, authMethods, agentInfo, protocolVersion } = editor.initialized;
    expect({ agentCapabilities, protocolVersion, name: agentInfo?.name }).toEqual({
      agentCapabilities: {
        loadSession: true,
        mcpCapabilities: { http: true, sse: true },
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
      },
      protocolVersion: 1,
      name: 'turnwright',
    });
    expect(authMethods?.map(({ id }) => id)).toEqual(['provider-key']);
    const nobody = '11111111-1111-4111-8111-111111111111';
    const { sessionId } = await editor.newSession();
    const answered = await Promise.all(
      [
        [methods.agent.session.load, { sessionId: nobody, cwd: editor.cwd, mcpServers: [] }],
        [methods.agent.session.resume, { sessionId: nobody, cwd: editor.cwd }],
        [methods.agent.session.delete, { sessionId: nobody }],
        [methods.agent.session.list, {}],
        [methods.agent.session.close, { sessionId }],
        [methods.agent.session.prompt, { sessionId: nobody, prompt: [] }],
        [methods.agent.session.setMode, { sessionId: nobody, modeId: 'plan' }],
        [methods.agent.logout, {}],
        ['session/fork', { sessionId: nobody }],
      ].map(([method, params]) =>
        editor.agent.request(method as string, params).then(
          () => [method, 'answered'],
          ({ code }: { code: number }) => [method, code],
        ),
      ),
    );
    // The library's client takes a session that is not there as closed or deleted already.
    expect(answered).toEqual([
      ['session/load', -32002],
      ['session/resume', -32002],
      ['session/delete', 'answered'],
      ['session/list', 'answered'],
      ['session/close', 'answered'],
      ['session/prompt', -32002],
      ['session/set_mode', -32002],
      ['logout', -32601],
      ['session/fork', -32601],
    ]);
  });

  it('without a key: one clear error, and a way to log in', async () => {
    const editor = await openEditor([], { env: {}, capabilities: { auth: { terminal: true } } });
    expect(editor.initialized.authMethods).toMatchObject([
      { id: 'provider-key' },
      { type: 'terminal', id: 'turnwright-login', args: ['login'] },
    ]);
    const clear = { code: -32000, message: expect.stringContaining('turnwright login') };
    await expect(editor.newSession()).rejects.toMatchObject(clear);
    const authenticate = () => editor.agent.request(methods.agent.authenticate, { methodId: 'provider-key' });
    await expect(authenticate()).rejects.toMatchObject(clear);
    const env = { TURNWRIGHT_HOME: editor.home };
    const login = await startCli(['acp', 'login', '--with-key'], { env, stdin: 'sk-ant-0123456789abcdef\n' }).ended;
    expect(login).toMatchObject({ code: 0, stdout: '' });
    await authenticate();
    expect((await editor.newSession()).sessionId).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('earlier sessions', () => {
  it('are listed, shown again whole, gone on with, and deleted', async () => {
    const first = await openEditor([
      reply(text('I look.'), toolCall('Bash', { command: 'echo seen' }, 'toolu_1')),
      text('That was it.'),
    ]);
    const { sessionId } = await first.newSession();
    await first.prompt(sessionId, 'look around');
    const live = callOf(first.updates(sessionId), 'toolu_1');
    await first.leave();

    const { home, cwd } = first;
    const second = await openEditor([text('Still here.')], { home, cwd });
    const { sessions } = await second.agent.request(methods.agent.session.list, { cwd });
    expect(sessions).toMatchObject([{ sessionId, cwd, title: 'look around', updatedAt: expect.stringContaining('T') }]);
    expect(await second.agent.request(methods.agent.session.list, { cwd: temporaryFolder() })).toEqual({
      sessions: [],
    });
    const opened = await second.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
    expect(opened.configOptions?.length).toBe(3);
    // All of it came before the answer.
    const updates = second.updates(sessionId);
    expect(said(updates, 'user_message_chunk')).toBe('look around');
    expect(said(updates)).toBe('I look.That was it.');
    const replayed = callOf(updates, 'toolu_1');
    for (const field of ['title', 'kind', 'status', 'rawInput', 'content'])
      expect(replayed[field], field).toEqual(live[field]);
    await second.seen(sessionId, (update) => update.sessionUpdate === 'available_commands_update');
    expect(await second.prompt(sessionId, 'and now')).toEqual({ stopReason: 'end_turn' });
    expect(JSON.stringify(second.mock.requests[0]?.body)).toContain('That was it.');

    // Opened once more in the same connection: without a word of what was.
    const shown = second.updates(sessionId).length;
    await second.agent.request(methods.agent.session.resume, { sessionId, cwd });
    const later = second.updates(sessionId).slice(shown);
    expect(later.filter(({ sessionUpdate }) => sessionUpdate.endsWith('_chunk'))).toEqual([]);
    await second.agent.request(methods.agent.session.delete, { sessionId });
    expect(await second.agent.request(methods.agent.session.list, { cwd })).toEqual({ sessions: [] });
  });
});

describe('two sessions', () => {
  it('run at the same time in folders of their own', async () => {
    const gate: { open: () => void } = { open: () => undefined };
    const both = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    let waiting = 0;
    const editor = await openEditor(async (body) => {
      waiting += 1;
      // Each is answered once the other asks too.
      if (waiting === 2) gate.open();
      await both;
      return text(JSON.stringify(body).includes('to the left') ? 'Left.' : 'Right.');
    });
    const left = await editor.newSession();
    const cwd = join(editor.cwd, 'inner');
    mkdirSync(cwd);
    const right = await editor.agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    const ends = await Promise.all([
      editor.prompt(left.sessionId, 'to the left'),
      editor.prompt(right.sessionId, 'to the right'),
    ]);
    expect(ends).toEqual([{ stopReason: 'end_turn' }, { stopReason: 'end_turn' }]);
    expect(said(editor.updates(left.sessionId))).toBe('Left.');
    expect(said(editor.updates(right.sessionId))).toBe('Right.');
    await editor.agent.request(methods.agent.session.close, { sessionId: left.sessionId });
    await expect(editor.prompt(left.sessionId, 'gone')).rejects.toMatchObject({ code: -32002 });
    expect((await editor.prompt(right.sessionId, 'to the right')).stopReason).toBe('end_turn');
  });
});

describe("the client's files", () => {
  const capabilities = { fs: { readTextFile: true, writeTextFile: true } };

  it('what is unsaved is read and edited, line ends are kept; outside the folders and for binary files the disk is', async () => {
    const outside = join(temporaryFolder(), 'b.txt');
    writeFileSync(outside, 'outside\n');
    const buffers = new Map<string, string>();
    const editor = await openEditor(
      [
        reply(
          toolCall('Read', { file_path: 'a.txt' }, 'toolu_a'),
          toolCall('Read', { file_path: outside }, 'toolu_b'),
          toolCall('Read', { file_path: 'saved.txt' }, 'toolu_c'),
        ),
        toolCall('Edit', { file_path: 'a.txt', old_string: 'unsaved', new_string: 'edited' }, 'toolu_d'),
        toolCall('Write', { file_path: 'new/file.txt', content: 'made\n' }, 'toolu_e'),
        text('Done.'),
      ],
      { capabilities, buffers },
    );
    const file = join(editor.cwd, 'a.txt');
    writeFileSync(file, 'one\r\ntwo\r\n');
    buffers.set(file, 'one\nunsaved\n');
    writeFileSync(join(editor.cwd, 'saved.txt'), 'as saved\r\n');
    buffers.set(join(editor.cwd, 'saved.txt'), 'as saved\n');
    const { sessionId } = await editor.newSession();
    expect(await editor.prompt(sessionId, 'go')).toEqual({ stopReason: 'end_turn' });
    const updates = editor.updates(sessionId);
    expect(JSON.stringify(callOf(updates, 'toolu_a')['content'])).toContain('unsaved');
    expect(JSON.stringify(callOf(updates, 'toolu_b')['content'])).toContain('outside');
    expect(JSON.stringify(callOf(updates, 'toolu_c')['rawOutput'])).toContain('as saved');
    expect(editor.read).not.toContain(outside);
    // Once by Read; by Edit before it looks and before it writes.
    expect(editor.read.filter((path) => path === file)).toHaveLength(3);
    expect(callOf(updates, 'toolu_d')).toMatchObject({ status: 'completed' });
    expect(readFileSync(file, 'utf8')).toBe('one\r\nedited\r\n');
    // A folder that is not there yet: the editor could not write, so the disk is written.
    expect(readFileSync(join(editor.cwd, 'new', 'file.txt'), 'utf8')).toBe('made\n');
    expect(editor.written[0]).toBe(file);
  });

  it('a folder by another name is the one that the client opened', async () => {
    const real = temporaryFolder();
    const cwd = join(temporaryFolder(), 'link');
    symlinkSync(real, cwd);
    writeFileSync(join(real, 'a.txt'), 'saved\n');
    const buffers = new Map([[join(cwd, 'a.txt'), 'unsaved\n']]);
    const editor = await openEditor([toolCall('Read', { file_path: join(cwd, 'a.txt') }, 'toolu_a'), text('Done.')], {
      capabilities,
      buffers,
      cwd,
    });
    const { sessionId } = await editor.newSession();
    await editor.prompt(sessionId, 'go');
    expect(JSON.stringify(callOf(editor.updates(sessionId), 'toolu_a')['content'])).toContain('unsaved');
  });
});

describe('odd input', () => {
  it('garbage, unknown methods and wrong fields are answered; the program goes on and leaves with its client', async () => {
    const home = temporaryFolder();
    const run = startCli(['acp'], { env: { ...mockEnv('http://127.0.0.1:9'), TURNWRIGHT_HOME: home }, stdin: null });
    const lines = [
      'garbage',
      '{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}',
      '[1]',
      '{"half":',
      '{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":1}}',
    ];
    const more = [
      '{"jsonrpc":"2.0","id":3,"method":"no/such"}',
      '{"jsonrpc":"2.0","id":4,"method":"session/new","params":{"cwd":7}}',
      '{"jsonrpc":"2.0","id":5,"method":"session/new","params":{"cwd":"relative","mcpServers":[]}}',
      `{"jsonrpc":"2.0","id":6,"method":"session/new","params":{"cwd":"${home}/none","mcpServers":[]}}`,
      `{"jsonrpc":"2.0","id":7,"method":"session/new","params":{"cwd":"${home}","mcpServers":[{"type":"acp","name":"x","id":"x"}]}}`,
      '{"jsonrpc":"2.0","id":99,"result":{}}',
      '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"none"}}',
      '{"jsonrpc":"2.0","id":8,"method":"session/list","params":{"cursor":"made up"}}',
      `{"jsonrpc":"2.0","id":9,"method":"session/list","params":{"cwd":"${home}"}}`,
    ];
    const answers = (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (run.output.stdout.split('\n').length > count) resolve();
        };
        run.child.stdout.on('data', look);
        look();
      });
    run.child.stdin.write(`${lines.join('\n')}\n`);
    await answers(lines.length);
    run.child.stdin.write(`${more.join('\n')}\n`);
    await answers(lines.length + more.length - 2);
    run.child.stdin.end();
    const { code, stdout, stderr } = await run.ended;
    const answered = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number | null; error?: { code: number; message: string } });
    const codes = Object.fromEntries(
      answered.flatMap(({ id, error }) => (id === null ? [] : [[id, error?.code ?? 'ok']])),
    );
    expect(codes).toEqual({
      1: -32600,
      2: 'ok',
      3: -32601,
      4: -32602,
      5: -32602,
      6: -32602,
      7: -32602,
      8: -32602,
      9: 'ok',
    });
    expect(answered.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([-32700, -32600, -32700]);
    expect(`${stdout}${stderr}`).not.toMatch(/\n\s+at .*:\d+:\d+/);
    expect(code).toBe(0);
  });

  it('a client that goes away in the middle of a command: nothing is left, exit 0', async () => {
    const editor = await openEditor([toolCall('Bash', { command: 'echo $$ > pid; touch started; sleep 300' })], {
      permission: async () => 'allow',
    });
    const { sessionId } = await editor.newSession();
    const started = appears(editor.cwd, 'started');
    const prompt = editor.prompt(sessionId, 'go').catch(() => 'lost');
    await started;
    const end = await editor.leave();
    expect(end.code).toBe(0);
    expect(await prompt).toBe('lost');
    const pid = Number(readFileSync(join(editor.cwd, 'pid'), 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('ends in words at a message without end, with its code at a signal, and calmly if nobody reads', async () => {
    const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n';
    const ends = [
      [1, (run: CliRun) => run.child.stdin.write('x'.repeat(40 * 1024 * 1024))],
      [143, (run: CliRun) => run.child.kill('SIGTERM')],
      [
        0,
        (run: CliRun) => {
          run.child.stdout.destroy();
          run.child.stdin.write('garbage\n');
        },
      ],
    ] as const;
    const runs = ends.map(async ([code, end]) => {
      const run = startCli(['acp', '--model', 'offline'], { stdin: null });
      run.child.stdin.write(initialize);
      await new Promise((resolve) => run.child.stdout.once('data', resolve));
      end(run);
      const ended = await run.ended;
      expect(ended.code, ended.stderr).toBe(code);
      expect(ended.stderr.split('\n').length, ended.stderr).toBeLessThan(3);
    });
    await Promise.all(runs);
  });

  it('a prompt or a session on the command line is refused', async () => {
    for (const argv of [
      ['acp', 'hello'],
      ['acp', '--resume', 'x'],
      ['acp', '--nosuch'],
    ]) {
      const { code, stdout, stderr } = await startCli(argv).ended;
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    }
    const help = await startCli(['acp', '--help']).ended;
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('agent_servers') });
  });
});

/** Settles when there is a file of that name in the folder. */
function appears(folder: string, name: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(folder, () => {
      if (!existsSync(join(folder, name))) return;
      watcher.close();
      resolve();
    });
  });
}
