import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { SDKMessage } from '../../src/protocol/messages.js';
import {
  type MockProvider,
  type MockProviderOptions,
  startMockProvider,
} from '../../src/testing/mock/mock-provider.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { VERSION } from '../../src/util/version.js';
import { buildEntry, type CliOptions, ENTRY, mockEnv, runCli, startCli, temporaryFolder } from './run-cli.js';

const MODEL = ['--model', 'claude-sonnet-4-5'];

beforeAll(buildEntry, 300_000);

async function mock(options: MockProviderOptions = {}): Promise<MockProvider> {
  const provider = await startMockProvider(options);
  onTestFinished(() => provider.close());
  return provider;
}

/** Runs the command line against a mock with these steps. */
async function runAgainst(
  steps: NonNullable<MockProviderOptions['steps']>,
  argv: readonly string[],
  options: CliOptions = {},
) {
  const provider = await mock({ steps });
  const end = await runCli([...MODEL, ...argv], { ...options, env: { ...mockEnv(provider.url), ...options.env } });
  return { ...end, provider };
}

const lastUserText = (provider: MockProvider, request = 0): string => {
  const body = provider.requests[request]?.body as { messages: { content: unknown }[] };
  return JSON.stringify(body.messages.at(-1)?.content);
};
const parseLines = (stdout: string): SDKMessage[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as SDKMessage);

describe('without a run', () => {
  it('helps with a command', async () => {
    expect((await runCli(['help'])).stdout).toBe((await runCli(['--help'])).stdout);
    expect((await runCli(['help', 'sessions'])).stdout).toBe((await runCli(['sessions', '--help'])).stdout);
    expect(await runCli(['help', 'nothing'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no command "nothing"/),
    });
  });

  it('tells its version', async () => {
    const expected = { code: 0, stdout: `${VERSION} (Turnwright)\n`, stderr: '' };
    expect(await runCli(['--version'])).toEqual(expected);
    expect(await runCli(['-v'])).toEqual(expected);
  });

  it('helps', async () => {
    const { code, stdout, stderr } = await runCli(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('turnwright -p');
  });

  const folder = '/nowhere/at/all';
  it.each([
    ['an unknown flag', ['--outputFormatt', 'x'], /unknown flag --outputFormatt\. Did you mean --output-format\?/],
    ['a wrong value', ['-p', 'x', '--max-turns', 'abc'], /--max-turns needs a whole number/],
    ['a wrong mode', ['-p', 'x', '--permission-mode', 'foo'], /--permission-mode is one of/],
    ['a wrong format', ['-p', 'x', '--output-format', 'xml'], /--output-format is one of/],
    ['bypass without leave', ['-p', 'x', '--permission-mode', 'bypassPermissions'], /dangerously-skip-permissions/],
    ['a missing folder', ['-p', 'x', '--cwd', folder], /--cwd \/nowhere\/at\/all does not exist/],
    ['a folder that is a file', ['-p', 'x', '--cwd', process.execPath], /is not a folder/],
    [
      'a debug file that cannot be written',
      ['-p', 'x', '--debug-file', `${folder}/x.log`],
      /--debug-file .* cannot be written/,
    ],
    ['no prompt', ['-p'], /no prompt: stdin was empty/],
    ['an empty prompt', ['-p', ''], /the prompt is empty/],
    ['no such session', ['-p', 'x', '--resume', '1b4e28ba-2fa1-41d2-883f-0016d3cca427'], /1b4e28ba/],
    ['a rule that is none', ['-p', 'x', '--allowedTools', 'Bash()'], /Bash\(\)/],
  ])('refuses %s: exit code 2, one line, nothing on stdout', async (_name, argv, says) => {
    const { code, stdout, stderr } = await runCli(argv);
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/^turnwright: [^\n]+\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

describe('output formats', () => {
  const steps = () => [
    reply(text('Let me look.'), toolCall('Bash', { command: 'echo one; echo two' })),
    text('All done.'),
  ];
  const allow = ['--allowedTools', 'Bash'];

  it('text: the answer on stdout, the activity on stderr', async () => {
    const { code, stdout, stderr } = await runAgainst(steps(), ['-p', 'look', ...allow]);
    expect(stdout).toBe('All done.\n');
    expect(stderr).toContain('Let me look.\n● Bash  echo one; echo two\n');
    expect(stderr).toContain('  ⎿ one … (+1 line)\n');
    expect(stderr).toMatch(/\n2 turns · [\d,]+ in .*\/ [\d,]+ out tokens · (\$\d+\.\d+|cost unknown) · \d+\.\d s\n$/);
    expect(stderr).not.toContain('\x1b');
    expect(code).toBe(0);
  });

  it('text: stdout is the last turn, whatever else is asked for', async () => {
    const { stdout, stderr } = await runAgainst(steps(), ['-p', 'look', ...allow, '--include-partial-messages']);
    expect(stdout).toBe('All done.\n');
    expect(stderr.match(/Let me look\./g)).toHaveLength(1);
  });

  it('text: a prompt that fails leaves stdout empty, and tells its text on stderr', async () => {
    const { code, stdout, stderr } = await runAgainst(steps(), ['-p', 'look', ...allow, '--max-turns', '1']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Let me look\.\n[\s\S]*error: The limit of 1 turn was/m);
  });

  it('text: a value by a schema is the answer, alone', async () => {
    const steps = [reply(text('Counting.'), toolCall('StructuredOutput', { n: 3 })), text('Done.')];
    const schema = '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}';
    const { stdout, stderr } = await runAgainst(steps, ['-p', 'count', '--json-schema', schema]);
    expect(stdout).toBe('{"n":3}\n');
    expect(stderr).toContain('Counting.');
  });

  it('json: the result alone', async () => {
    const { code, stdout } = await runAgainst(steps(), ['-p', 'look', '--output-format', 'json', ...allow]);
    expect(stdout).toMatch(/^\{[^\n]*\}\n$/);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'result', subtype: 'success', result: 'All done.', num_turns: 2 });
    expect(code).toBe(0);
  });

  it('stream-json: every message on a line, init first, result last, nothing on stderr', async () => {
    const { code, stdout, stderr } = await runAgainst(steps(), [
      '-p',
      'look',
      '--output-format',
      'stream-json',
      ...allow,
    ]);
    const messages = parseLines(stdout);
    expect(messages[0]).toMatchObject({ type: 'system', subtype: 'init' });
    expect(messages.map(({ type }) => type)).toEqual(expect.arrayContaining(['assistant', 'user']));
    expect(messages.filter(({ type }) => type === 'result')).toEqual([messages.at(-1)]);
    expect(messages.filter(({ type }) => type === 'stream_event')).toEqual([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('stream-json: messages of a subagent name their call; in text it stands one step in', async () => {
    const steps = [
      toolCall('Agent', { description: 'look', prompt: 'Look.', subagent_type: 'reader' }, 'toolu_main'),
      toolCall('Glob', { pattern: '*' }, 'toolu_child'),
      text('Nothing there.'),
      text('The folder is empty.'),
    ];
    const agents = JSON.stringify({ reader: { description: 'Reads.', prompt: 'You read.', tools: ['Glob'] } });
    const { code, stdout } = await runAgainst(steps, [
      '-p',
      'look',
      '--output-format',
      'stream-json',
      '--agents',
      agents,
    ]);
    expect(code).toBe(0);
    const messages = parseLines(stdout);
    const parents = messages.flatMap((m) =>
      m.type === 'assistant' || m.type === 'user' ? [m.parent_tool_use_id] : [],
    );
    expect(parents).toEqual([null, 'toolu_main', 'toolu_main', 'toolu_main', null, null]);
    expect(messages[0]).toMatchObject({ agents: ['general-purpose', 'Explore', 'Plan', 'reader'] });

    const shown = await runAgainst(steps, ['-p', 'look', '--agents', agents]);
    expect(shown.stdout).toBe('The folder is empty.\n');
    expect(shown.stderr).toContain('● Agent  reader: look\n▸ look\n  ● Glob  *\n');
    expect(shown.stderr).toContain('▸ completed: Nothing there.');
  });

  it('--agent and --coordinator change the main agent', async () => {
    const agents = JSON.stringify({ reader: { description: 'Reads.', prompt: 'You read.', tools: ['Glob'] } });
    const base = ['-p', 'look', '--output-format=stream-json'];
    const asAgent = await runAgainst([text('ok')], [...base, '--agents', agents, '--agent', 'reader']);
    expect(parseLines(asAgent.stdout)[0]).toMatchObject({ tools: ['Glob'] });
    const coordinator = await runAgainst([text('ok')], [...base, '--coordinator']);
    expect(parseLines(coordinator.stdout)[0]).toMatchObject({
      tools: ['Agent', 'SendMessage', 'Read', 'Glob', 'Grep', 'TodoWrite', 'TaskStop', 'WebFetch'],
    });
    const none = await runCli(['-p', 'look', '--agent', 'nobody']);
    expect(none).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/There is no agent "nobody"/) });
  });

  it('stream-json: partial messages when asked for', async () => {
    const argv = ['-p', 'look', '--output-format=stream-json', '--include-partial-messages', ...allow];
    const { stdout } = await runAgainst(steps(), argv);
    expect(parseLines(stdout).some(({ type }) => type === 'stream_event')).toBe(true);
  });

  it('text: a withdrawn attempt is told on stderr and is not in stdout', async () => {
    const cut = { ...reply(text('A partial answer that is cut off')), cutAfterEvents: 4 };
    const { code, stdout, stderr } = await runAgainst([cut, text('Whole.')], ['-p', 'x']);
    expect(stdout).toBe('Whole.\n');
    expect(stderr).toMatch(/retrying in .* \(1\/10\)/);
    expect(code).toBe(0);
  });

  it('text: shows what a model or a tool hides in its text', async () => {
    const evil = [
      reply(text('a\x1b[2Jb'), toolCall('Bash', { command: "printf '\\033[2Jx\\u202e'" })),
      text('end\x07'),
    ];
    const { stdout, stderr } = await runAgainst(evil, ['-p', 'x', ...allow], { env: { FORCE_COLOR: '0' } });
    expect(stdout).toBe('end\\x07\n');
    expect(stderr).toContain('a\\x1b[2Jb\n');
    expect(stderr).not.toContain('\x1b');
    expect(stderr).toContain('\\x1b[2Jx');
  });

  it('colours only when told to or on a terminal', async () => {
    const coloured = await runAgainst([text('x')], ['-p', 'x'], { env: { FORCE_COLOR: '1' } });
    expect(coloured.stderr).toContain('\x1b[2m');
    expect(coloured.stdout).toBe('x\n');
    const plain = await runAgainst([text('x')], ['-p', 'x'], { env: { NO_COLOR: '1' } });
    expect(plain.stderr).not.toContain('\x1b');
  });
});

describe('prompts', () => {
  it('joins the prompt and the piped text', async () => {
    const { provider, code } = await runAgainst([text('ok')], ['-p', 'review this'], { stdin: 'line 1\nline 2\n' });
    expect(lastUserText(provider)).toContain('review this\\n\\n<stdin>\\nline 1\\nline 2\\n</stdin>');
    expect(code).toBe(0);
  });

  it('takes the prompt from stdin with -p', async () => {
    const { provider, stdout } = await runAgainst([text('ok')], ['-p'], { stdin: 'from the pipe\n' });
    expect(lastUserText(provider)).toContain('"from the pipe"');
    expect(stdout).toBe('ok\n');
  });

  it.each([
    [
      'a slip',
      ['sesions', 'list'],
      '',
      /unknown command "sesions"\. Did you mean "turnwright sessions"\?.*-p "sesions list"/,
    ],
    ['what is a flag here', ['version'], '', /unknown command "version"\. Did you mean "turnwright --version"\?/],
    ['what is no command here', ['xylophone'], '', /unknown command "xylophone"\. "turnwright --help" lists/],
    ['a command behind flags', ['--verbose', 'sessions', 'list'], '', /"sessions" must stand first/],
    ['a word with a format', ['deploy', '--output-format', 'json'], '', /unknown command "deploy"/],
    ['a sentence away from a terminal', ['what is this?'], '', /needs -p/],
    ['a pipe', [], 'from the pipe', /needs -p/],
    ['words behind --', ['--', 'sessions'], '', /needs -p/],
  ])('pays for no prompt of %s: exit code 2, no request', async (_name, argv, stdin, says) => {
    const provider = await mock({ steps: [] });
    const end = await runCli(argv, { stdin, env: mockEnv(provider.url) });
    expect(end).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(says) });
    expect(provider.requests).toEqual([]);
  });

  it('goes on without a stdin that nobody writes to', async () => {
    const { code, stderr } = await runAgainst([text('ok')], ['-p', 'hi'], { stdin: null });
    expect(stderr).toContain('nothing came on stdin');
    expect(code).toBe(0);
  });

  it('refuses a stdin that is not text', async () => {
    const { code, stderr } = await runCli(['-p', 'hi'], { stdin: 'PNG\0\x01' });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('stdin is not text') });
  });
});

describe('results and exit codes', () => {
  it('ends with 1 on an error result, which json still prints', async () => {
    const steps = [toolCall('Bash', { command: 'true' }), text('never asked for')];
    const argv = ['-p', 'x', '--max-turns', '1', '--allowedTools=Bash', '--output-format=json'];
    const { code, stdout } = await runAgainst(steps, argv);
    expect(JSON.parse(stdout)).toMatchObject({ subtype: 'error_max_turns', is_error: true });
    expect(code).toBe(1);
  });

  it.each([[['-p', 'list the files']], [['-p', 'x', '--output-format', 'json']]])(
    'without a key %j ends with 2 and says what to do',
    async (argv) => {
      const { code, stdout, stderr } = await runCli(argv);
      expect(stderr).toMatch(
        /^turnwright: No model can answer, .*ANTHROPIC_API_KEY.*"turnwright login".*--model offline[^\n]*\n$/,
      );
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(await runCli([...argv.slice(0, 1), 'list the files', '--model', 'offline'])).toMatchObject({ code: 0 });
    },
  );

  it('the offline model says what it did not understand, and that is an error', async () => {
    const { code, stdout, stderr } = await runCli(['-p', 'what is life?', '--model', 'offline']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /I did not understand "what is life", so I did nothing\.[\s\S]*error: The offline model did not understand/,
    );
  });

  it('a refusal to summarise, which the offline model always gives, does not take the place of the conversation', async () => {
    const [cwd, home] = [temporaryFolder(), temporaryFolder()];
    const prompt = (...words: string[]) =>
      runCli(['-p', '--model', 'offline', ...words], { cwd, env: { TURNWRIGHT_HOME: home } });
    expect(await prompt('list the files')).toMatchObject({ code: 0 });
    const { stdout, stderr } = await prompt('-c', '/compact');
    expect(stdout).toContain('could not be compacted');
    expect(stderr).toContain('could not be summarised');
  });

  it('names the variable if the key of a named model is missing', async () => {
    const { code, stdout, stderr } = await runCli([...MODEL, '-p', 'x']);
    expect(stderr).toMatch(/^[^\n]*ANTHROPIC_API_KEY[^\n]*\n$/);
    expect(stdout).toBe('');
    expect([1, 2]).toContain(code);
  });

  it('names an unreachable host and ends with 1', async () => {
    const env = { ...mockEnv('http://127.0.0.1:9'), TURNWRIGHT_MAX_RETRIES: '0' };
    const { code, stdout, stderr } = await runCli([...MODEL, '-p', 'x'], { env });
    expect(stderr).toMatch(/error: .*127\.0\.0\.1:9/);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it('denies what nobody can be asked about, and names the flag', async () => {
    const steps = [toolCall('Bash', { command: 'touch x' }), text('I may not.')];
    const { code, stderr, stdout } = await runAgainst(steps, ['-p', 'x']);
    expect(stderr).toMatch(/✗ Bash denied: .*--allowed-?[tT]ools/);
    expect(stderr).toContain('1 denied');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'I may not.\n' });
  });

  it('never runs a denied tool, whatever the mode', async () => {
    const folder = temporaryFolder();
    const steps = [toolCall('Bash', { command: 'touch made' }), text('no')];
    await runAgainst(steps, ['-p', 'x', '--dangerously-skip-permissions', '--disallowedTools', 'Bash'], {
      cwd: folder,
    });
    expect(existsSync(join(folder, 'made'))).toBe(false);
  });

  it('works in --cwd', async () => {
    const folder = temporaryFolder();
    const steps = [toolCall('Bash', { command: 'touch made' }), text('made')];
    await runAgainst(steps, ['-p', 'x', '--dangerously-skip-permissions', '--cwd', folder]);
    expect(existsSync(join(folder, 'made'))).toBe(true);
  });

  it('tells of a home that cannot be written, and goes on', async () => {
    const home = join(temporaryFolder(), 'file');
    writeFileSync(home, '');
    const { code, stdout, stderr } = await runAgainst([text('ok')], ['-p', 'x'], { env: { TURNWRIGHT_HOME: home } });
    expect(stderr).toMatch(/^! .*TURNWRIGHT_HOME/m);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok\n' });
  });
});

describe('sessions', () => {
  it('goes on with the newest session and with a named one', async () => {
    const env = { TURNWRIGHT_HOME: temporaryFolder() };
    const cwd = temporaryFolder();
    const first = await runAgainst([text('Hello Ada.')], ['-p', 'I am Ada', '--output-format=json'], { env, cwd });
    const { session_id: id } = JSON.parse(first.stdout) as { session_id: string };
    for (const flags of [['--continue'], ['--resume', id], ['--resume']]) {
      const next = await runAgainst([text('Ada.')], ['-p', 'who am I?', '--output-format=json', ...flags], {
        env,
        cwd,
      });
      expect(JSON.parse(next.stdout)).toMatchObject({ session_id: id, result: 'Ada.' });
      expect(JSON.stringify(next.provider.requests[0]?.body)).toContain('I am Ada');
    }
  });

  it('uses --session-id, and leaves nothing with --no-session-persistence', async () => {
    const id = '1b4e28ba-2fa1-41d2-883f-0016d3cca427';
    const home = join(temporaryFolder(), 'home');
    const argv = ['-p', 'x', '--output-format=json', '--session-id', id, '--no-session-persistence'];
    const { stdout } = await runAgainst([text('ok')], argv, { env: { TURNWRIGHT_HOME: home } });
    expect(JSON.parse(stdout)).toMatchObject({ session_id: id });
    expect(existsSync(home)).toBe(false);
  });
});

describe('debug file', () => {
  it('has a line for each message, the stack of an error, no content and no key', async () => {
    const file = join(temporaryFolder(), 'debug.log');
    await runAgainst([text('the secret answer')], ['-p', 'the secret question', '--debug-file', file]);
    await runCli(['-p', 'x', '--resume', 'no-such-session', '--debug-file', file]);
    const log = readFileSync(file, 'utf8');
    const kinds = log
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { kind: string }).kind);
    expect(kinds).toEqual(expect.arrayContaining(['start', 'system/init', 'assistant', 'result/success', 'error']));
    expect(log).toContain('stack');
    expect(log).not.toMatch(/secret|sk-test/);
  });
});

describe('signals', () => {
  const endless = () => toolCall('Bash', { command: 'echo started; sleep 600' });

  it('Ctrl-C once: the prompt is interrupted, its result is printed', async () => {
    const provider = await mock({ steps: [{ stall: true, pings: true }] });
    const run = startCli([...MODEL, '-p', 'x', '--output-format=json'], { env: mockEnv(provider.url) });
    await provider.waitForRequests(1);
    run.child.kill('SIGINT');
    const { code, stdout, stderr } = await run.ended;
    expect(JSON.parse(stdout)).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted' });
    expect(stderr).toContain('interrupting');
    expect(code).toBe(1);
  });

  it('Ctrl-C once in text: says interrupted and gives the figures', async () => {
    const provider = await mock({ steps: [endless()] });
    const run = startCli([...MODEL, '-p', 'x', '--allowedTools=Bash'], { env: mockEnv(provider.url) });
    await expect.poll(() => run.output.stderr).toContain('● Bash');
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect(stderr).toMatch(/\ninterrupted\n1 turn · /);
    expect(code).toBe(1);
  });

  it('Ctrl-C twice: leaves with 130', async () => {
    // A command that ignores polite signals keeps the first Ctrl-C from ending the run at once.
    const stubborn = toolCall('Bash', { command: "trap '' TERM INT; touch ready; sleep 600" });
    const provider = await mock({ steps: [stubborn] });
    const cwd = temporaryFolder();
    const run = startCli([...MODEL, '-p', 'x', '--allowedTools=Bash'], { cwd, env: mockEnv(provider.url) });
    await expect.poll(() => existsSync(join(cwd, 'ready'))).toBe(true);
    run.child.kill('SIGINT');
    await expect.poll(() => run.output.stderr, { interval: 5 }).toContain('interrupting');
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
  });

  it('SIGTERM: ends within 5 s with 143', async () => {
    const provider = await mock({ steps: [{ stall: true, pings: true }] });
    const run = startCli([...MODEL, '-p', 'x'], { env: mockEnv(provider.url) });
    await provider.waitForRequests(1);
    const start = performance.now();
    run.child.kill('SIGTERM');
    expect((await run.ended).code).toBe(143);
    // Its own deadline is below the 5 s that supervisors give; the machine may add what it stands still.
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  it('Ctrl-C while stdin is read: leaves with 130', async () => {
    const run = startCli(['-p'], { stdin: null });
    await expect.poll(() => run.output.stderr).toContain('waiting for stdin');
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
  });

  it('a reader that goes away ends the work quietly', async () => {
    const provider = await mock({ steps: [{ deltas: 200_000, delta: 'word '.repeat(20) }] });
    const argv = [...MODEL, '-p', 'x', '--include-partial-messages', '--output-format=stream-json'];
    const run = startCli(argv, { env: mockEnv(provider.url) });
    await expect.poll(() => run.output.stdout.length).toBeGreaterThan(0);
    run.child.stdout.destroy();
    const { code, stderr } = await run.ended;
    expect(code).toBe(141);
    expect(stderr).not.toMatch(/EPIPE|\n\s+at /);
  });

  it('a reader that is gone when the answer comes is told by the exit code, and quietly', async () => {
    const cwd = temporaryFolder();
    const wait = toolCall('Bash', { command: 'until [ -e go ]; do sleep 0.02; done' });
    const provider = await mock({ steps: [wait, text('done')] });
    const run = startCli([...MODEL, '-p', 'x', '--allowedTools', 'Bash'], { env: mockEnv(provider.url), cwd });
    await expect.poll(() => run.output.stderr).toContain('● Bash');
    run.child.stdout.destroy();
    writeFileSync(join(cwd, 'go'), '');
    expect(await run.ended).toMatchObject({ code: 141, stderr: expect.not.stringMatching(/EPIPE|\n\s+at /) });
  });

  it.each([['-p', 'list files', '--model', 'offline'], ['--help']])(
    'a file that takes no more is told: %s',
    (...argv) => {
      const home = temporaryFolder();
      const { status, stderr } = spawnSync(
        'sh',
        ['-c', 'exec "$0" "$@" >/dev/full', process.execPath, ENTRY, ...argv],
        {
          cwd: home,
          env: { PATH: process.env['PATH'], HOME: home },
          encoding: 'utf8',
        },
      );
      expect(status).toBe(1);
      expect(stderr).toMatch(
        /(^|\n)turnwright: the output is not whole: .*ENOSPC.*\. Make room, or write elsewhere\.\n$/,
      );
    },
  );
});

describe('a folder that may not be read', () => {
  it.skipIf(process.getuid?.() === 0)('is refused as --cwd', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o000);
    onTestFinished(() => chmodSync(folder, 0o700));
    const { code, stderr } = await runCli(['-p', 'x', '--cwd', folder]);
    expect(stderr).toMatch(/may not be read/);
    expect(code).toBe(2);
  });
});
