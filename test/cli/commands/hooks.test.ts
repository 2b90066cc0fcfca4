// `turnwright hooks`, over streams of the test's own, real files and real commands.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CliIo, createOutput } from '../../../src/cli/cli-io.js';
import { runHooks } from '../../../src/cli/commands/hooks.js';
import { HOOK_EVENTS } from '../../../src/protocol/hooks.js';
import { temporaryFolder } from '../../support/engine.js';

async function terminal() {
  const [home, cwd] = [await temporaryFolder(), await temporaryFolder()];
  const run = async (argv: readonly string[], piped = '') => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const texts = { out: '', err: '' };
    stdout.on('data', (chunk) => {
      texts.out += String(chunk);
    });
    stderr.on('data', (chunk) => {
      texts.err += String(chunk);
    });
    const io: CliIo = {
      stdin: Readable.from(piped === '' ? [] : [Buffer.from(piped)]),
      stdout,
      stderr,
      out: createOutput(stdout),
      err: createOutput(stderr),
      env: { TURNWRIGHT_HOME: home, PATH: process.env['PATH'], OPENAI_API_KEY: 'sk-0123456789abcdef', NO_COLOR: '1' },
      startedIn: () => cwd,
      lifetime: new AbortController(),
      exit: () => undefined,
    };
    const code = await runHooks(argv, io);
    await Promise.all([io.out.flush(), io.err.flush()]);
    return { code, ...texts };
  };
  const write = async (name: string, content: unknown) => {
    const file = path.resolve(cwd, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    await chmod(file, 0o755);
  };
  return { home, cwd, run, write };
}

const hook = (command: string, more: object = {}) => ({ type: 'command', command, ...more });
const durations = (text: string) => text.replace(/\d+ ms/g, 'N ms');

describe('hooks list', () => {
  it('tells which there are, from where, and which do not run and why', async () => {
    const { home, run, write } = await terminal();
    expect(await run(['list'])).toMatchObject({ code: 0, out: 'No hooks.\n' });
    await write(path.join(home, 'settings.json'), {
      hooks: { Stop: [{ hooks: [hook('say done', { async: true })] }] },
    });
    await write('.claude/settings.json', {
      hooks: {
        PreToolUse: [
          { matcher: 'Bash|Edit', hooks: [hook('./check.sh', { timeout: 5, onFailure: 'block' }), { type: 'agnet' }] },
        ],
      },
    });
    const untrusted = await run(['list']);
    expect(untrusted.out).toContain(
      'PreToolUse[0].hooks[0] (.claude/settings.json)\n    ./check.sh\n    does not run: the folder is not trusted',
    );
    expect(untrusted.err).toContain('Nobody vouches for');
    const { out, err } = await run(['list', '--trust']);
    expect(out).toContain('Stop[0].hooks[0] (');
    expect(out).toContain('    say done\n    always, 60 s, not waited for\n');
    expect(out).toContain(
      'PreToolUse[0].hooks[0] (.claude/settings.json)  project\n    ./check.sh\n    for Bash|Edit, 5 s, a failure refuses, in the sandbox, if there is one\n',
    );
    expect(err).toContain('.claude/settings.json: hooks.PreToolUse[0].hooks[1] is an object; expected');
    const found = JSON.parse((await run(['list', '--trust', '--json'])).out);
    expect(found.hooks).toMatchObject([
      { event: 'Stop', scope: 'user' },
      { event: 'PreToolUse', scope: 'project' },
    ]);
  });

  it('tells what a misspelt onFailure counts as: it refuses if anything can', async () => {
    const { home, run, write } = await terminal();
    const unclear = [{ hooks: [hook('./check.sh', { onFailure: 'blok' })] }];
    const aside = [{ hooks: [hook('./check.sh', { onFailure: 'blok', async: true })] }];
    await write(path.join(home, 'settings.json'), {
      hooks: { PreToolUse: unclear, PostToolUseFailure: unclear, Stop: aside },
    });
    const { out } = await run(['list']);
    expect([...out.matchAll(/^(\w+)\[|always, 60 s, (.*)$/gm)].map(([, event, what]) => event ?? what)).toEqual([
      'PreToolUse',
      'a failure refuses',
      'PostToolUseFailure',
      'a failure is told',
      'Stop',
      'not waited for',
    ]);
  });
});

describe('hooks test', () => {
  it('runs those that match as a session would, and tells what they did and would do', async () => {
    const { run, write } = await terminal();
    await write(
      'check.sh',
      '#!/bin/sh\ngrep -q "rm -rf" && { echo "not that" >&2; exit 2; }\nenv | grep -c OPENAI_API_KEY\nexit 0\n',
    );
    await write('.claude/settings.json', { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook('./check.sh')] }] } });
    const refused = await run(['test', 'PreToolUse', '--trust'], '{"tool_input":{"command":"rm -rf /"}}');
    expect(refused.code).toBe(2);
    expect(durations(refused.out)).toBe(
      'PreToolUse[0].hooks[0] (.claude/settings.json)  exit code 2, N ms\n    stderr: not that\n=> refuses: not that\n',
    );
    const fine = await run(['test', 'PreToolUse', '--trust', '--input', '{"tool_input":{"command":"ls"}}']);
    expect(fine.code).toBe(0);
    expect(durations(fine.out)).toContain('exit code 0, N ms\n    stdout: 0\n=> things go on\n');
    expect((await run(['test', 'PreToolUse', '--trust', '--input', '{"tool_name":"Read"}'])).out).toBe(
      'No hook of PreToolUse matches.\n',
    );
  });

  it('sends the event to an address, and says what needs a session', async () => {
    const { run } = await terminal();
    const server = createServer((_, response) => response.end('{"decision":"block","reason":"not yet"}'));
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const hooks = [
      { type: 'http', url },
      { type: 'prompt', prompt: 'Done?' },
      { type: 'mcp_tool', server: 's', tool: 't' },
    ];
    const settings = JSON.stringify({ hooks: { Stop: [{ hooks }] } });
    const { code, out } = await run(['test', 'Stop', '--settings', settings]);
    expect(code).toBe(2);
    expect(out).toContain('=> refuses: not yet');
    expect(out).toContain('It was not tried: it asks a model');
    expect(out).toContain('It was not tried: it calls a tool of an MCP server');
    const listed = (await run(['list', '--settings', settings])).out;
    for (const line of [`POST ${url}`, 'asks a model: Done?', 'calls s: t']) expect(listed).toContain(line);
  });

  it('runs nothing of a folder that nobody trusts', async () => {
    const { run, write } = await terminal();
    await write('.claude/settings.json', { hooks: { Stop: [{ hooks: [hook('exit 2')] }] } });
    const { code, out, err } = await run(['test', 'Stop']);
    expect({ code, out }).toEqual({ code: 0, out: 'No hook of Stop matches.\n' });
    expect(err).toContain('Nobody vouches for');
  });

  it('tells failures, and what a hook that answers would change', async () => {
    const { run } = await terminal();
    const settings = (command: string, more = {}) =>
      JSON.stringify({ hooks: { PostToolUse: [{ hooks: [hook(command, more)] }] } });
    const failed = await run(['test', 'PostToolUse', '--settings', settings('sleep 20', { timeout: 0.2 })]);
    expect(failed.code).toBe(1);
    expect(durations(failed.out)).toContain('no exit code, N ms\n    failed: it did not answer within 0.2 s\n');
    const answer = JSON.stringify({
      systemMessage: 'hello',
      hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'more', updatedToolOutput: 'other' },
    });
    const { out } = await run(['test', 'PostToolUse', '--settings', settings(`echo '${answer}'`)]);
    expect(out).toContain('=> another result: other\n=> tells the model: more\n=> tells the user: hello\n');
    const json = JSON.parse((await run(['test', 'PostToolUse', '--json', '--settings', settings('true')])).out);
    expect(json).toMatchObject({ event: 'PostToolUse', ran: [{ exitCode: 0 }], result: { failures: [] } });
  });

  it.each(HOOK_EVENTS)('%s can be tried without saying more', async (event) => {
    const { run } = await terminal();
    const settings = JSON.stringify({ hooks: { [event]: [{ matcher: '.*', hooks: [hook('cat')] }] } });
    const { out, code } = await run(['test', event, '--json', '--settings', settings]);
    expect(code).toBe(0);
    const [ran] = JSON.parse(out).ran;
    expect(JSON.parse(ran.stdout)).toMatchObject({ hook_event_name: event });
  });

  it.each([
    [['test'], 'needs one event'],
    [['test', 'PreToolUze'], 'Did you mean PreToolUse?'],
    [['test', 'Stop', '--input', '{'], 'is not JSON'],
    [['test', 'Stop', '--input', '[]'], 'must be a JSON object'],
    [['test', 'PreToolUse', '--input', '{"tool_name":7}'], 'must be a text'],
    [['list', 'more'], 'unexpected argument'],
    [['run'], 'unknown command "hooks run". Commands: list and test.'],
    [['list', '--trust', '--setting-sources', 'user'], 'Give one of them'],
  ])('%j is an error in one line', async (argv, message) => {
    const { run } = await terminal();
    await expect(run(argv)).rejects.toThrow(message);
  });
});
