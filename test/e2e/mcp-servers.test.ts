// MCP servers that are programs, of the built package: by the command line from end to end, and gone with their session,
// however that ends. Real processes over loopback.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { SERVER_FILE } from '../support/mcp-server.js';
import { findProcesses } from '../support/process-scan.js';
import { variable } from '../support/variable.js';
import { buildEntry, mockEnv, runCli, startCli, temporaryFolder } from './run-cli.js';

beforeAll(buildEntry, 300_000);

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
/** After that nothing may live; less than the wrapper would take by itself. */
const GONE_WITHIN_MS = 40_000;

/** A server behind a wrapper that ignores TERM, with a grandchild that ignores it too and left the group. */
function wrapped(folder: string) {
  const word = join(folder, 'server.log');
  const script = JSON.stringify({ log: word, child: true, ignoresTerm: true });
  const file = join(folder, 'wrapper.sh');
  writeFileSync(
    file,
    `#!/bin/bash\ntrap '' TERM HUP INT\n"${process.execPath}" "${SERVER_FILE}" '${script}'\nsleep 60\n`,
  );
  chmodSync(file, 0o755);
  return { word, config: { command: file, env: { PROBE: word } } };
}

async function gone(word: string): Promise<number[]> {
  const deadline = performance.now() + GONE_WITHIN_MS;
  while (findProcesses(word).length > 0 && performance.now() < deadline) await delay(20);
  return findProcesses(word);
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await delay(10);
};

describe('turnwright --mcp-config', () => {
  it('takes files and JSON, starts the servers, and the model calls their tools', async () => {
    const folder = temporaryFolder();
    const { config, word } = wrapped(folder);
    writeFileSync(join(folder, 'servers.json'), JSON.stringify({ mcpServers: { one: config } }));
    const two = JSON.stringify({ mcpServers: { two: { command: process.execPath, args: [variable('SERVER')] } } });
    const mock = await startMockProvider({
      steps: [
        toolCall('mcp__one__echo', { text: 'first' }),
        toolCall('mcp__two__echo', { text: 'second' }),
        text('done'),
      ],
    });
    onTestFinished(() => mock.close());
    const argv = [
      '-p',
      'go',
      '--mcp-config',
      'servers.json',
      '--mcp-config',
      two,
      '--allowedTools',
      'mcp__one,mcp__two',
    ];
    const env = { ...mockEnv(mock.url), SERVER: SERVER_FILE };
    const end = await runCli([...argv, '--output-format', 'stream-json'], { cwd: folder, env });
    expect(end.code, end.stderr).toBe(0);
    const told = end.stdout.split('\n').map((line) => JSON.parse(line || '{}'));
    expect(told[0].mcp_servers.map(({ name }: { name: string }) => name)).toEqual(['one', 'two']);
    expect(told.findLast(({ subtype }) => subtype === 'mcp_status_change').servers).toEqual([
      { name: 'one', status: 'connected' },
      { name: 'two', status: 'connected' },
    ]);
    expect(end.stdout).toContain('echo: first');
    expect(end.stdout).toContain('echo: second');
    expect(await gone(word)).toEqual([]);
    mock.assertClean();
  });

  it('leaves the project out with --strict-mcp-config', async () => {
    const folder = temporaryFolder();
    const { config, word } = wrapped(folder);
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { theirs: config } }));
    const mock = await startMockProvider({ steps: [text('done')] });
    onTestFinished(() => mock.close());
    const argv = ['-p', 'go', '--trust', '--strict-mcp-config', '--output-format', 'stream-json'];
    const end = await runCli(argv, { cwd: folder, env: mockEnv(mock.url) });
    expect(end).toMatchObject({ code: 0 });
    expect(end.stdout).toContain('"mcp_servers":[]');
    expect(existsSync(word)).toBe(false);
  });

  it('works with the offline model, which starts them and calls none', async () => {
    const folder = temporaryFolder();
    const { config, word } = wrapped(folder);
    const json = JSON.stringify({ mcpServers: { s: config } });
    const end = await runCli(['-p', 'list the files', '--model', 'offline', '--mcp-config', json], { cwd: folder });
    expect(end.code, end.stderr).toBe(0);
    expect(readFileSync(word, 'utf8')).toContain('got tools/list');
    expect(await gone(word)).toEqual([]);
  });

  it.each([
    ['none.json', 'there is no such file'],
    ['{"mcpServers": {"a": {"type": "pigeon"}}}', 'stdio, http and sse can be used'],
    [JSON.stringify({ mcpServers: { a: { command: variable('GONE') } } }), 'names the variable GONE, which is not set'],
  ])('refuses %s in one line', async (source, why) => {
    const end = await runCli(['-p', 'go', '--model', 'offline', '--mcp-config', source]);
    expect(end.code).toBe(2);
    expect(end.stderr.trim().split('\n')).toEqual([expect.stringContaining(why)]);
  });
});

describe('no server outlives its session, which', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)('ends by %s', async (signal) => {
    const folder = temporaryFolder();
    const { config, word } = wrapped(folder);
    const mock = await startMockProvider({ steps: [toolCall('mcp__s__echo', { text: 'hang' }), text('done')] });
    onTestFinished(() => mock.close());
    const argv = [
      '-p',
      'go',
      '--mcp-config',
      JSON.stringify({ mcpServers: { s: config } }),
      '--allowedTools',
      'mcp__s',
    ];
    const run = startCli(argv, { cwd: folder, env: mockEnv(mock.url) });
    await until(() => existsSync(word) && readFileSync(word, 'utf8').includes('hang'));
    expect(findProcesses(word).length).toBeGreaterThanOrEqual(3);
    run.child.kill(signal);
    await run.ended;
    expect(await gone(word)).toEqual([]);
  });

  /** What a program does with the messages of its session. */
  const ENDINGS = {
    'is read to its end': 'for await (const _ of messages);',
    'is left by break': "for await (const { subtype } of messages) if (subtype === 'mcp_status_change') break;",
    'is left by a throw':
      "try { for await (const { subtype } of messages) if (subtype === 'mcp_status_change') throw new Error('enough'); } catch {}",
    'is ended by return()': 'await ready(); await messages.return();',
    'is closed': 'await ready(); messages.close(); for await (const _ of messages);',
    'is aborted': 'await ready(); abortController.abort(); try { for await (const _ of messages); } catch {}',
    'is forgotten by a program that exits': 'await ready(); process.exit(0);',
    'is ended by a program that throws': "await ready(); setTimeout(() => { throw new Error('fault'); });",
  };

  it.each(Object.entries(ENDINGS))('%s', async (_, how) => {
    const folder = temporaryFolder();
    const { config, word } = wrapped(folder);
    const mock = await startMockProvider({ steps: [toolCall('mcp__s__echo', { text: 'x' }), text('done')] });
    onTestFinished(() => mock.close());
    const file = join(folder, 'program.mjs');
    writeFileSync(
      file,
      `import { query } from ${JSON.stringify(pathToFileURL(join(DIST, 'index.js')).href)};
      const abortController = new AbortController();
      const options = { abortController, mcpServers: { s: ${JSON.stringify(config)} }, allowedTools: ['mcp__s'] };
      const messages = query({ prompt: 'hello', options });
      const ready = async () => {
        for (;;) if ((await messages.next()).value.subtype === 'mcp_status_change') return;
      };
      ${how}
      console.log('over');`,
    );
    const base = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: folder, TURNWRIGHT_HOME: folder };
    const child = spawn(process.execPath, [file], { cwd: folder, env: { ...base, ...mockEnv(mock.url) } });
    let overAt = Number.POSITIVE_INFINITY;
    child.stdout.on('data', () => {
      overAt = performance.now();
    });
    await new Promise((resolve) => child.on('close', resolve));
    // It leaves by itself, with nothing open that would hold it.
    expect(performance.now() - overAt).toBeLessThan(40_000);
    expect(readFileSync(word, 'utf8')).toContain('got tools/list');
    expect(await gone(word)).toEqual([]);
  });
});
