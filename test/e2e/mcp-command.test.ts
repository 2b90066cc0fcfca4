// `turnwright mcp` as people use it: servers in files of each scope, signing in without a browser, and our tools for a client
// of the published library.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startHttpMcp } from '../support/mcp-http-server.js';
import { SERVER_FILE } from '../support/mcp-server.js';
import { startOAuth } from '../support/oauth-server.js';
import { buildEntry, ENTRY, runCli, startCli, temporaryFolder } from './run-cli.js';

const PROGRAM = fileURLToPath(new URL('../support/mcp-sdk-server.mjs', import.meta.url));

beforeAll(buildEntry, 300_000);

function place() {
  const [home, cwd] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(cwd, '.git'));
  const options = { cwd, env: { TURNWRIGHT_HOME: home, TOKEN: 'word-of-env' } };
  const mcp = async (...argv: string[]) => {
    const { code, stdout, stderr } = await runCli(['mcp', ...argv], options);
    return { code, stdout, stderr };
  };
  return { home, cwd, options, mcp };
}

describe('turnwright mcp', () => {
  it('adds, lists, shows, tries and removes servers of each scope', async () => {
    const { home, cwd, mcp } = place();
    const { url, seen } = await startHttpMcp();
    expect(
      await mcp('add', 'prog', '--env', 'LEVEL=secret-one', '--', process.execPath, PROGRAM, '--flag'),
    ).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`Added prog (local: ${home}/mcp.json)`),
    });
    await mcp('add', '--transport', 'http', '-s', 'user', 'web', url, '--header', `X-Key: \${TOKEN}`);
    const shared = await mcp(
      'add-json',
      'shared',
      '{"command": "touch", "args": ["ran"], "odd": 1}',
      '--scope',
      'project',
    );
    expect(shared.stderr).toMatch(/warning: odd of it has no effect[\s\S]*asked before it is used/);
    expect(statSync(join(home, 'mcp.json')).mode & 0o777).toBe(0o600);

    const list = await mcp('list');
    expect(list.stdout).toMatch(/^prog .*connected \(4 tools\)$/m);
    expect(list.stdout).toMatch(/^web +http:.*\(http\) +connected \(4 tools\)$/m);
    expect(list.stdout).toMatch(/^shared .*not used: nobody vouches for it as it stands$/m);
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
    expect(seen[0]?.headers['x-key']).toBe('word-of-env');

    const shown = await mcp('get', 'prog');
    expect(shown.stdout).toMatch(/variables +LEVEL\n/);
    expect((await mcp('get', 'web', '--json')).stdout).toContain('"X-Key": "***"');
    expect(shown.stdout + list.stdout).not.toMatch(/secret-one|word-of-env/);
    expect((await mcp('test', 'web')).stdout).toMatch(
      /^web: connected \(4 tools\), ready after \d+ ms\n {2}add {2}Adds\./,
    );

    expect((await mcp('add', 'prog', '--', 'x')).stderr).toMatch(/There is a server prog .* already/);
    expect((await mcp('remove', 'web')).code).toBe(0);
    expect((await mcp('remove', 'shared', '-s', 'project')).code).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, '.mcp.json'), 'utf8'))).toEqual({ mcpServers: {} });
    expect((await mcp('remove', 'web')).stderr).toMatch(/there is no MCP server "web" here/);
  });

  it('shows what tools say that nobody saw before, and has it count as known', async () => {
    const { cwd, home, mcp } = place();
    const list = join(cwd, 'tools.json');
    const says = (description: string) =>
      writeFileSync(list, JSON.stringify([{ name: 'a', description, inputSchema: { type: 'object' } }]));
    says('Does a.');
    await mcp('add', 's', '--', process.execPath, SERVER_FILE, JSON.stringify({ tools: list }));
    const session = await runCli(['-p', 'list the files', '--model', 'offline'], {
      cwd,
      env: { TURNWRIGHT_HOME: home },
    });
    expect(session.code, session.stderr).toBe(0);
    says('Does a, and more.');
    const strange = await mcp('test', 's');
    expect(strange.stdout).toMatch(/something else than ever before.*: a\.\n.*turnwright mcp accept s/);
    expect((await mcp('accept', 's')).stdout).toMatch(/^s: .*known from now on\.\n {2}a {2}Does a, and more\./);
    expect((await mcp('accept', 's')).stdout).toMatch(/all of its tools say what is known/);
    expect((await mcp('test', 's', '--json')).stdout).toMatch(/"strange": \[\]/);
    expect(await mcp('accept', 'x')).toMatchObject({ code: 2 });
  });

  it('tells what it cannot use, and keeps nothing of it', async () => {
    const { home, mcp } = place();
    const wrong: [string[], RegExp][] = [
      [['add', 'x', 'https://x/', '--header', 'sec-ret'], /--header takes "Name: value"/],
      [['add-json', 'x', '{"type": "ws", "url": "ws://x"}'], /stdio, http and sse/],
      [['login', 'x'], /There is no MCP server x here/],
      [['frob'], /unknown command "mcp frob"\. Commands: add/],
    ];
    for (const [argv, why] of wrong) {
      const { code, stderr } = await mcp(...argv);
      expect([argv, code, stderr]).toEqual([argv, 2, expect.stringMatching(why)]);
      expect(stderr).not.toContain('sec-ret');
    }
    expect(existsSync(join(home, 'mcp.json'))).toBe(false);
  });

  it('signs in by the address that somebody pastes, and out again', async () => {
    const { home, options, mcp } = place();
    const oauth = await startOAuth();
    const { url } = await startHttpMcp({
      intercept: (incoming, outgoing) => oauth.answersMetadata(incoming, outgoing) || !oauth.guard(incoming, outgoing),
    });
    await mcp('add', 'web', url);
    expect((await mcp('list')).stdout).toContain('needs you to sign in: turnwright mcp login web');
    const run = startCli(['mcp', 'login', 'web', '--no-browser'], { ...options, stdin: null });
    const address = () => /\n {2}(http\S+authorize\S+)\n/.exec(run.output.stderr)?.[1];
    await expect.poll(address).toBeDefined();
    run.child.stdin.write('http://localhost:1/callback?code=x\n');
    await expect.poll(() => run.output.stderr).toMatch(/not the address you were sent back to/);
    run.child.stdin.write(`${await oauth.visit(address() ?? '')}\n`);
    const { code, stderr, stdout } = await run.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('You are signed in to web.')]);
    expect(stdout + stderr).not.toMatch(/access-|refresh-/);
    expect((await mcp('list')).stdout).toContain('connected (4 tools)');
    const file = join(home, 'credentials.json');
    expect(readFileSync(file, 'utf8')).toContain('access-');
    expect((await mcp('logout', 'web')).code).toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  it('serves our tools to a client of the published library, under the same permissions', async () => {
    const { home, cwd } = place();
    writeFileSync(join(cwd, 'a.txt'), 'one\n');
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [ENTRY, 'mcp', 'serve', '--allowedTools', 'Edit'],
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: home, TURNWRIGHT_HOME: home },
    });
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(transport);
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['Read', 'Edit', 'Bash']));
    expect(names).not.toContain('Agent');
    const call = async (name: string, args: Record<string, unknown>) => {
      const { content, isError = false } = await client.callTool({ name, arguments: args });
      return { text: JSON.stringify(content), isError };
    };
    const file = join(cwd, 'a.txt');
    expect(await call('Read', { file_path: file })).toMatchObject({
      text: expect.stringContaining('one'),
      isError: false,
    });
    expect(await call('Edit', { file_path: file, old_string: 'one', new_string: 'two' })).toMatchObject({
      isError: false,
    });
    expect(readFileSync(file, 'utf8')).toBe('two\n');
    expect(await call('Bash', { command: 'touch b.txt' })).toMatchObject({
      text: expect.stringContaining('there is nobody to ask'),
      isError: true,
    });
    expect(existsSync(join(cwd, 'b.txt'))).toBe(false);
    await expect(client.callTool({ name: 'Nothing', arguments: {} })).rejects.toThrow(/There is no tool Nothing/);
    const both = await Promise.all([call('Glob', { pattern: '*.txt' }), call('Glob', { pattern: '*.md' })]);
    expect(both.map(({ text }) => text.includes('a.txt'))).toEqual([true, false]);
    expect(existsSync(join(home, 'projects'))).toBe(false);
  });
});
